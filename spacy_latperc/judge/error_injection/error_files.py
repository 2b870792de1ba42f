"""Files of corrupted sentences, and of pairs of originals and corrections."""

from collections.abc import Iterable
from pathlib import Path

from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from ...errors import Errors
from ...grammaticality.scorer import NEGATIVE, POSITIVE
from ...io.docbin import write_docs
from ...text.reader import LineReader
from .corrupt import Corrupted

ERRORS_KEY = "errors"  # of doc.spans
MARKS = "latperc_marks"  # of doc.user_data

Pair = tuple[list[str], list[str]]


def write_corrupted(sentences: Iterable[Corrupted], path: Path) -> None:
    """Write sentences to a .spacy file in one step.

    Args:
        sentences: The sentences.
        path: The file.
    """
    vocab = Vocab()
    docs = (to_doc(sentence, vocab) for sentence in sentences if sentence.words)
    write_docs(docs, path, attributes=[], user_data=True)


def to_doc(sentence: Corrupted, vocab: Vocab) -> Doc:
    """Return a sentence as a Doc. Wrong tokens are in doc.spans["errors"], the class of
    the sentence is in doc.cats, and the marks are in doc.user_data.

    Args:
        sentence: The sentence.
        vocab: The vocabulary of the Doc.
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


def read_pairs(path: Path) -> list[Pair]:
    """Read originals and corrections: both on one line, tokenised, separated by a tab.

    Args:
        path: The file, which may be compressed.
    """
    pairs = []
    for line in LineReader(str(path)):
        columns = line.text.split("\t")
        if len(columns) != 2:
            message = Errors.LP785.format(
                path=path,
                line=line.number,
                problem=f"has {len(columns)} column(s)",
                wanted="an original and its correction",
            )
            raise ValueError(message)
        pairs.append((columns[0].split(), columns[1].split()))
    if not pairs:
        raise ValueError(Errors.LP496.format(path=path))
    return pairs
