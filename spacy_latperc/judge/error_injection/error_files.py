"""Files of corrupted sentences."""

from collections.abc import Iterable
from pathlib import Path

from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from ...grammaticality.scorer import NEGATIVE, POSITIVE
from ...io.docbin import write_docs
from .corrupt import Corrupted

ERRORS_KEY = "errors"  # of doc.spans
MARKS = "latperc_marks"  # of doc.user_data


def write_corrupted(sentences: Iterable[Corrupted], path: Path) -> None:
    """Write sentences to a .spacy file in one step."""
    vocab = Vocab()
    docs = (to_doc(sentence, vocab) for sentence in sentences if sentence.words)
    write_docs(docs, path, attributes=[], user_data=True)


def to_doc(sentence: Corrupted, vocab: Vocab) -> Doc:
    """Return a sentence as a Doc. Wrong tokens are in doc.spans["errors"], the class of
    the sentence is in doc.cats, and the marks are in doc.user_data.
    """
    doc = Doc(vocab, words=sentence.words)
    doc.spans[ERRORS_KEY] = [
        Span(doc, at, at + 1, label=label)
        for at, label in enumerate(sentence.labels)
        if label
    ]
    good = not sentence.marks
    doc.cats = {POSITIVE: float(good), NEGATIVE: float(not good)}
    doc.user_data[MARKS] = [[*mark[:3], list(mark.before)] for mark in sentence.marks]
    return doc
