"""Labels of the same word elsewhere in the document, for a second component.

A name with a clear context at its first mention often has none at the next one. A first
component labels each mention by itself; a second one can read its labels of the others.
"""

import re

import numpy as np
from numpy.typing import NDArray

NEAR = 30  # sentences before and after
OUTSIDE = 1  # the label of words that are elsewhere, but mostly without a label
_NAME = re.compile(r"(?:near(?P<reach>\d{0,6})|doc)\.(?P<base>.+)", re.DOTALL)

Values = NDArray[np.uint64]
Numbers = NDArray[np.int64]


def parse_elsewhere(name: str) -> tuple[int, str] | None:
    """Parse the reach and the attribute of a name.

    Args:
        name: Such as "near.ent" (NEAR sentences before and after), "near15.ent" or
            "doc.ent" (the whole document).

    Returns:
        The reach in sentences, 0 for the whole document, and the name of the attribute;
        None for other names.
    """
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    reach = match["reach"]
    if reach is None:
        return 0, match["base"]
    return int(reach or NEAR), match["base"]


def name_elsewhere(reach: int, base: str) -> str:
    """The shortest name that `parse_elsewhere` parses into these values."""
    start = f"near{'' if reach == NEAR else reach}" if reach else "doc"
    return f"{start}.{base}"


def sentence_numbers(starts: NDArray[np.uint64]) -> Numbers:
    """The sentence number of each token, from a column SENT_START."""
    return np.cumsum(starts == 1)


def majority_elsewhere(
    words: Values, labels: Values, sentences: Numbers, docs: Numbers, reach: int
) -> Values:
    """The majority label of the other tokens with the same word.

    Args:
        words: The key of each token's word.
        labels: The label of each token; 0 for none. 1 (OUTSIDE) is reserved.
        sentences: The sentence number of each token, in ascending order.
        docs: The document number of each token, in ascending order.
        reach: The number of sentences before and after; 0 for the whole document.

    Returns:
        The label for each token: OUTSIDE if most have none, 0 if the word does not
        occur elsewhere. Ties go to the smallest label.
    """
    order = np.lexsort((words, docs))  # stable: tokens of a word stay in order
    word, doc = words[order], docs[order]
    label = np.where(labels == 0, np.uint64(OUTSIDE), labels)[order]
    first = np.ones(len(order), dtype=bool)
    first[1:] = (word[1:] != word[:-1]) | (doc[1:] != doc[:-1])
    group = np.cumsum(first) - 1
    if reach:
        # Sentences of two words are further apart than the reach.
        sentence = sentences[order]
        key = group * (int(sentences.max(initial=0)) + reach + 1) + sentence
        start = np.searchsorted(key, key - reach, "left")
        end = np.searchsorted(key, key + reach, "right")
    else:
        bounds = np.append(np.flatnonzero(first), len(order))
        start, end = bounds[group], bounds[group + 1]
    best = np.zeros(len(order), dtype=np.uint64)
    most = np.zeros(len(order), dtype=np.int64)
    before = np.zeros(len(order) + 1, dtype=np.int64)
    for value in np.unique(label):
        has = label == value
        np.cumsum(has, out=before[1:])
        count = before[end] - before[start] - has
        better = count > most
        best[better] = value
        most[better] = count[better]
    result = np.empty_like(best)
    result[order] = best
    return result
