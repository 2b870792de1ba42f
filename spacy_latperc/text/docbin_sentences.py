"""Reading .spacy files as sentences."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..errors import Errors
from ..io import docbin
from ..kernels.text import Vocabulary
from .sentences import Sentences, bounds_of


def read_docs(path: Path, *, vocabulary: Vocabulary | None = None) -> Sentences:
    """Read the sentences of a .spacy file, with tags if every Doc has them.

    White space within tokens is removed, and so are white-space tokens.
    """
    vocabulary = vocabulary or Vocabulary()
    ids: list[int] = []
    lengths: list[int] = []
    tags: list[int] = []
    numbers: dict[int, int] = {}
    tagged = True
    for doc in docbin.read_docs(path, Vocab()):
        tagged = tagged and doc.has_annotation("TAG")
        for sentence in _sentences(doc):
            before = len(ids)
            for token in sentence:
                if word := "".join(token.text.split()):
                    ids.append(vocabulary.add(word))
                    tags.append(numbers.setdefault(token.tag, len(numbers)))
            if len(ids) > before:
                lengths.append(len(ids) - before)
    if not lengths:
        raise ValueError(Errors.LP324.format(path=path))
    return Sentences(
        vocabulary,
        np.asarray(ids, dtype=np.int32),
        bounds_of(np.asarray(lengths, dtype=np.int64)),
        np.asarray(tags, dtype=np.int32) if tagged else None,
    )


def _sentences(doc: Doc) -> Iterator:
    if doc.has_annotation("SENT_START"):
        yield from doc.sents
    else:
        yield doc
