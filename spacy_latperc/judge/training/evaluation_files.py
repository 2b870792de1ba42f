"""Files with the data for the evaluation of a judge."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from spacy.vocab import Vocab

from ...errors import Errors
from ...io.docbin import read_docs
from ...kernels.text import Vocabulary
from ...text.reader import LineReader
from ...text.sentences import from_ids
from ..error_injection.error_files import ERRORS_KEY
from ..error_scorer import wrong_tokens
from ..evidence.lexicon import Lexicon
from .evaluation import Bools, Rows

Tokenize = Callable[[str], list[str]]


def pairs_of(path: Path) -> tuple[Rows, Rows]:
    """Read corrections and originals that differ: on each line an original, a tab, and
    its correction, tokenised.
    """
    good, bad, lines = [], [], 0
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
        lines += 1
        if columns[0].split() != columns[1].split():
            bad.append(columns[0].split())
            good.append(columns[1].split())
    if not lines:
        raise ValueError(Errors.LP496.format(path=path))
    return good, bad


def tokens_of(path: Path) -> tuple[Rows, list[Bools]]:
    """Read sentences with marked errors, as `spacy latperc judge corrupt` writes them.

    Args:
        path: A .spacy file with doc.spans["errors"].
    """
    rows: list[list[str]] = []
    wrong: list[Bools] = []
    for doc in read_docs(path, Vocab()):
        rows.append([token.text for token in doc])
        wrong.append(wrong_tokens(doc, ERRORS_KEY))
    return rows, wrong


def rows_of(path: Path, tokenize: Tokenize | None = None) -> Rows:
    """Read the sentences of a text, one on each line.

    Args:
        path: The file, which may be compressed.
        tokenize: A function that splits a line into words; by default at white space.
    """
    split = tokenize or str.split
    return [words for line in LineReader(str(path)) if (words := split(line.text))]


def lexicon_of(rows: Rows) -> Lexicon:
    """Return the lexicon of some sentences, to inject errors into them."""
    vocabulary = Vocabulary()
    ids = [
        np.asarray([vocabulary.add(word) for word in words], np.int32) for words in rows
    ]
    return Lexicon(from_ids(vocabulary, ids))
