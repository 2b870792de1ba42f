"""Files with the data for the evaluation of a judge."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from spacy.vocab import Vocab

from ...errors import Errors
from ...io.docbin import read_docs
from ...io.jsonl import read_jsonl
from ...kernels.text import Vocabulary
from ...text.reader import LineReader
from ...text.sentences import from_ids
from ..error_injection.error_files import ERRORS_KEY, read_pairs
from ..evidence.lexicon import Lexicon
from .evaluation import Bools, Rows

Tokenize = Callable[[str], list[str]]


def pairs_of(path: Path) -> tuple[Rows, Rows]:
    """Read corrections and originals that differ: on each line an original, a tab, and
    its correction, tokenised."""
    found = [(good, bad) for bad, good in read_pairs(path) if good != bad]
    return [good for good, _ in found], [bad for _, bad in found]


def grades_of(path: Path) -> tuple[Rows, NDArray[np.float64]]:
    """Read sentences and their grades: on each line a number, a tab, and a sentence,
    tokenised."""
    rows, grades = [], []
    for number, line in _lines(path):
        first, tab, rest = line.partition("\t")
        try:
            grades.append(float(first))
        except ValueError:
            tab = ""
        if not tab or not rest.split():
            raise _bad_line(path, number, "a number and a sentence")
        rows.append(rest.split())
    return rows, np.array(grades)


def tokens_of(path: Path) -> tuple[Rows, list[Bools]]:
    """Read sentences with marked errors, as `spacy latperc judge corrupt` writes them.

    Args:
        path: A .spacy file with doc.spans["errors"], or a .jsonl file with the objects
            of `judge corrupt`.
    """
    rows: list[list[str]] = []
    wrong: list[Bools] = []
    if path.suffix == ".spacy":
        for doc in read_docs(path, Vocab()):
            bad = np.zeros(len(doc), dtype=bool)
            for span in doc.spans.get(ERRORS_KEY, ()):
                bad[span.start : span.end] = True
            rows.append([token.text for token in doc])
            wrong.append(bad)
        return rows, wrong
    for line in read_jsonl(path):
        words, errors = line.fields.get("words"), line.fields.get("errors")
        if not isinstance(words, list) or not isinstance(errors, list):
            raise line.error('"words" and "errors" must be lists')
        bad = np.zeros(len(words), dtype=bool)
        for error in errors:
            try:
                start, end = int(error["start"]), int(error["end"])
            except (TypeError, KeyError, ValueError):
                raise line.error('errors must have "start" and "end"') from None
            bad[start : max(end, start + 1)] = True
        rows.append([str(word) for word in words])
        wrong.append(bad)
    return rows, wrong


def rows_of(path: Path, tokenize: Tokenize | None = None) -> Rows:
    """Read the sentences of a text, one on each line.

    Args:
        path: The file, which may be compressed.
        tokenize: A function that splits a line into words; by default at white space.
    """
    split = tokenize or str.split
    return [words for _, line in _lines(path) if (words := split(line))]


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    return ((line.number, line.text) for line in LineReader(str(path)))


def _bad_line(path: Path, number: int, wanted: str) -> ValueError:
    message = Errors.LP785.format(
        path=path, line=number, problem="is incomplete", wanted=wanted
    )
    return ValueError(message)


def lexicon_of(rows: Rows) -> Lexicon:
    """Return the lexicon of some sentences, to inject errors into them."""
    vocabulary = Vocabulary()
    ids = [
        np.asarray([vocabulary.add(word) for word in words], np.int32) for words in rows
    ]
    return Lexicon(from_ids(vocabulary, ids))
