"""Docs without tokens of white space.

Where a text has two spaces or a line break, spaCy's tokenizers make a token of them. It
is no word: components that were trained on words see Docs without such tokens, and what
they find is put back to the places of the words.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import IS_SPACE, ORTH, SENT_START
from spacy.tokens import Doc, Span
from spacy.training import Example

from ..pipeline.doc_reader import token_rows

_EXTENSION = "._."  # what keys of user_data begin with, where tokens have more
_FIRST = np.uint64(1)

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
        read, has_spaces = token_rows(docs, [ORTH, IS_SPACE], found.whole, 1)
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
        """Return values of the words as values of all tokens.

        Args:
            values: The value of each word.
            blank: The value of white space.
        """
        if self.places is None:
            return values
        found = np.full((int(self.whole[-1]), *values.shape[1:]), blank, values.dtype)
        found[self.places] = values
        return found

    def bounds(self, bounds: Places, per_doc: NDArray) -> Places:
        """First tokens of sentences, and the end, as they were: white space is part of
        the sentence before it; at the beginning of a Doc, of the first one.

        Args:
            bounds: Of the tokens that are left.
            per_doc: How many sentences each Doc has.
        """
        if self.places is None:
            return bounds
        found = self.places[bounds[:-1]]
        first = np.cumsum(per_doc) - per_doc
        some = np.asarray(per_doc) > 0
        found[first[some]] = self.whole[:-1][some]
        return np.append(found, self.whole[-1])


def without_spaces(doc: Doc, kept: NDArray[np.bool_]) -> Doc:
    """A Doc that has some tokens of another one, and what is annotated on them.

    Args:
        doc: The other one.
        kept: Whether each of its tokens stays.
    """
    places = np.flatnonzero(kept)
    tokens = [doc[at] for at in places.tolist()]
    behind = np.append(~kept[1:], False)[places].tolist()

    def annotated(name: str, values: Iterable[Any]) -> list[Any] | None:
        return list(values) if doc.has_annotation(name) else None

    found = Doc(
        doc.vocab,
        words=[token.text for token in tokens],
        spaces=[bool(t.whitespace_) or b for t, b in zip(tokens, behind, strict=True)],
        tags=annotated("TAG", (token.tag_ for token in tokens)),
        pos=annotated("POS", (token.pos_ for token in tokens)),
        morphs=annotated("MORPH", (str(token.morph) for token in tokens)),
        lemmas=annotated("LEMMA", (token.lemma_ for token in tokens)),
    )
    _copy_starts(doc, places, found)
    before = np.concatenate([[0], np.cumsum(kept)]).tolist()

    def placed(span: Span) -> Span:
        start, end = before[span.start], before[span.end]
        return Span(found, start, end, label=span.label, kb_id=span.kb_id)

    if doc.has_annotation("ENT_IOB"):
        entities = [placed(x) for x in doc.ents if before[x.start] < before[x.end]]
        missing = [n for n, token in enumerate(tokens) if not token.ent_iob]
        unknown = [found[n : n + 1] for n in missing]
        found.set_ents(entities, missing=unknown, default="outside")
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


def _copy_starts(doc: Doc, places: Places, found: Doc) -> None:
    starts = np.asarray(doc.to_array(SENT_START), dtype=np.uint64)
    if not starts.any():
        return
    own = starts[places]
    # What begins with white space begins with the word behind it.
    begins = places.searchsorted(np.flatnonzero(starts == _FIRST))
    own[begins[begins < len(places)]] = _FIRST
    found.from_array([SENT_START], own[:, None])


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
