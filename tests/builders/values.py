"""Sentences some of whose attributes are lists of values."""

import numpy as np
from numpy.typing import NDArray
from reference.values import Lists

# Sums of products of these are exact.
NUMBERS = (1.0, 1.0, 0.5, 2.0, -1.0, 0.25, 3.0)


class ListedSentence(np.ndarray):
    """Attributes [tokens, attributes], and lists in the place of some of them."""

    lists: Lists = {}

    def __array_finalize__(self, other: object) -> None:
        self.lists = {}


def with_lists(attrs: NDArray[np.uint64], lists: Lists) -> NDArray[np.uint64]:
    """The sentence with these lists."""
    listed = attrs.view(ListedSentence)
    listed.lists = lists
    return listed


def random_lists(rng, attrs, *, values=2, numbers=NUMBERS, share=0.5):
    """The sentence, with lists of up to three values in a share of its places."""
    lists = {}
    for place in np.ndindex(*attrs.shape):
        if rng.random() < share:
            keys = rng.permutation(values)[: rng.integers(0, 4)] + 1
            lists[place] = [(int(key), float(rng.choice(numbers))) for key in keys]
    return with_lists(attrs, lists)


def lists_of(sentence: NDArray[np.uint64]) -> Lists:
    """The lists of a sentence; none of a plain one."""
    return sentence.lists if isinstance(sentence, ListedSentence) else {}


def token_values(space, sentences):
    """The lists of sentences in a row, whose attributes are columns of these numbers;
    None where there are none."""
    rows, begin, items = [], [0], []
    for sentence in sentences:
        lists = lists_of(sentence)
        row = np.zeros(sentence.shape, dtype=np.int32)
        for place, values in lists.items():
            items += values
            begin.append(len(items))
            row[place] = len(begin) - 1
        rows.append(row)
    if len(begin) == 1:
        return None
    return space.token_values(
        list(range(rows[0].shape[1])),
        np.concatenate(rows),
        np.array(begin, dtype=np.int64),
        np.array([key for key, _ in items], dtype=np.uint64),
        np.array([value for _, value in items], dtype=np.float32),
    )
