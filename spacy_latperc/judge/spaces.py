"""Docs without tokens of white space.

Where a text has two spaces or a line break, spaCy's tokenizers make a token of them. It
is no word: components that were trained on words see Docs without such tokens, and what
they find is put back to the places of the words.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy import attrs
from spacy.tokens import Doc, Span
from spacy.training import Example

from ..pipeline.doc_reader import token_rows

_EXTENSION = "._."  # what keys of user_data begin with, where tokens have more
_ATTRIBUTES = [
    attrs.SENT_START, attrs.ENT_IOB, attrs.ENT_TYPE, attrs.ENT_KB_ID,
    attrs.TAG, attrs.POS, attrs.MORPH, attrs.LEMMA,
]  # fmt: skip
_FIRST, _IN, _BEGIN = np.uint64(1), np.uint64(1), np.uint64(3)

Places = NDArray[np.int64]


@dataclass(frozen=True)
class Words:
    """Docs as components see them, without white space.

    Attributes:
        docs: Without tokens of white space; those that have none are what they were.
        whole: The first token of each Doc as it was, and the end.
        places: Of each token that is left, among all that were there; None where
            nothing was left out.
    """

    docs: Sequence[Doc]
    whole: Places
    places: Places | None = None

    @classmethod
    def of(cls, docs: Sequence[Doc]) -> "Words":
        """Return Docs without their tokens of white space."""
        found = cls(docs, np.cumsum([0, *map(len, docs)], dtype=np.int64))
        if not docs:
            return found
        read, has_spaces = token_rows(
            docs, [attrs.ORTH, attrs.IS_SPACE], found.whole, 1
        )
        if not has_spaces:
            return found
        words = read[:, 1] == 0
        rows = [words[start:end] for start, end in pairwise(found.whole.tolist())]
        kept = [
            doc if own.all() else without_spaces(doc, own)
            for doc, own in zip(docs, rows, strict=True)
        ]
        return cls(kept, found.whole, np.flatnonzero(words))

    def spread(self, values: NDArray, blank: Any) -> NDArray:
        """Return values of the words as values of all tokens."""
        if self.places is None:
            return values
        found = np.full((int(self.whole[-1]), *values.shape[1:]), blank, values.dtype)
        found[self.places] = values
        return found

    def bounds(self, bounds: Places, per_doc: NDArray) -> Places:
        """First tokens of sentences, and the end, as they were: white space is part of
        the sentence before it; at the beginning of a Doc, of the first one.
        """
        if self.places is None:
            return bounds
        found = self.places[bounds[:-1]]
        first = np.cumsum(per_doc) - per_doc
        some = np.asarray(per_doc) > 0
        found[first[some]] = self.whole[:-1][some]
        return np.append(found, self.whole[-1])


def without_spaces(doc: Doc, kept: NDArray[np.bool_]) -> Doc:
    """A Doc that has some tokens of another one, and what is annotated on them."""
    places = np.flatnonzero(kept)
    tokens = [doc[at] for at in places.tolist()]
    behind = np.append(~kept[1:], False)[places].tolist()
    spaces = [bool(t.whitespace_) or b for t, b in zip(tokens, behind, strict=True)]
    found = Doc(doc.vocab, words=[token.text for token in tokens], spaces=spaces)
    found.from_array(_ATTRIBUTES, _annotation(doc, places))
    before = np.concatenate([[0], np.cumsum(kept)]).tolist()

    def placed(span: Span) -> Span:
        start, end = before[span.start], before[span.end]
        return Span(found, start, end, label=span.label, kb_id=span.kb_id)

    for key, group in doc.spans.items():
        some = [span for span in group if before[span.start] < before[span.end]]
        found.spans[key] = [placed(span) for span in some]
    _copy_user_data(doc, places, found)
    return found


def without_spaces_in(example: Example) -> Example:
    """An example without tokens of white space on either side.

    Args:
        example: It is what comes back where there are none.
    """
    sides = [example.predicted, example.reference]
    words = [Words.of([doc]) for doc in sides]
    if all(found.places is None for found in words):
        return example
    return Example(*(found.docs[0] for found in words))


def _annotation(doc: Doc, places: Places) -> NDArray[np.uint64]:
    """Return the attributes of some tokens. What begins with white space begins with
    the word behind it."""
    table = np.asarray(doc.to_array(_ATTRIBUTES), dtype=np.uint64)
    rows = table[places]
    starts = places.searchsorted(np.flatnonzero(table[:, 0] == _FIRST))
    rows[starts[starts < len(places)], 0] = _FIRST
    inside = np.flatnonzero(np.isin(rows[:, 1], (_IN, _BEGIN)))
    entities = np.cumsum(table[:, 1] == _BEGIN)[places[inside]]
    rows[inside[np.unique(entities, return_index=True)[1]], 1] = _BEGIN
    return rows


def _copy_user_data(doc: Doc, places: Places, found: Doc) -> None:
    moved = {doc[at].idx: found[n].idx for n, at in enumerate(places.tolist())}
    for key, value in doc.user_data.items():
        if isinstance(key, tuple) and len(key) == 4 and key[0] == _EXTENSION:
            if key[2] is None:
                found.user_data[key] = value
            elif key[2] in moved and key[3] is None:
                found.user_data[(*key[:2], moved[key[2]], None)] = value
        else:
            found.user_data[key] = value
