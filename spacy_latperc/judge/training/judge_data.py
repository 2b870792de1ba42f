"""What a judge is tried on, from files: simple ones of anybody, and public corpora."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from spacy.vocab import Vocab

from ...errors import Errors
from ...io.docbin import read_docs
from ...io.jsonl import read_jsonl
from ...io.packed import open_unpacked
from ...kernels.text import Vocabulary
from ...text.reader import LineReader
from ...text.sentences import from_ids
from ..error_injection.corrupt import Corrupter, CorruptSettings
from ..error_injection.files import ERRORS_KEY, read_pairs
from ..error_injection.fitting import align
from ..evidence.lexicon import Lexicon
from .report import Rows, Sets, add_errors

Tokenize = Callable[[str], list[str]]
Bools = NDArray[np.bool_]

_MOST = 3000  # sentences of a set
_LOCAL = {"form": 0.4, "small": 0.35, "order": 0.15, "spelling": 0.1}
_AGREE = 2  # corrections that change a token, for it to be wrong


# Files of anybody ---------------------------------------------------------------------


def pairs_of(path: Path) -> tuple[Rows, Rows]:
    """Corrections and originals that differ: on each line an original, a tab, and its
    correction, tokenised."""
    found = [(good, bad) for bad, good in read_pairs(path) if good != bad]
    return [good for good, _ in found], [bad for _, bad in found]


def grades_of(path: Path) -> tuple[Rows, NDArray[np.float64]]:
    """Sentences and their grades: on each line a number, a tab, and a sentence,
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
    """Sentences with marked errors, as `spacy latperc judge corrupt` writes them.

    Args:
        path: .spacy, with doc.spans["errors"], or .jsonl, with the objects of
            `judge corrupt`.
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
    """The sentences of a text, one on each line.

    Args:
        path: The file, plain or packed.
        tokenize: Splits lines into words; by default they lie between spaces.
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


# Public corpora -----------------------------------------------------------------------


def add_corpora(sets: Sets, folder: Path) -> None:
    """Add the public corpora that a folder has: JFLEG (development part),
    UD English EWT and CoNLL-2000 (tests), news of Reuters, and CoNLL-2002
    (Spanish) as another language.

    Args:
        sets: Grows.
        folder: Of the corpora.
    """
    clean: dict[str, Rows] = {}
    for name, path, read in (
        ("EWT test", "ud_ewt/test.tsv", _numbered),
        ("CoNLL-2000 test", "conll2000/test.txt", _columns),
        ("Reuters news", "lm_text/domain_b.txt.gz", rows_of),
    ):
        if (folder / path).is_file():
            rows: Rows = read(folder / path)
            clean[name] = rows[:_MOST]
    learners = [folder / "jfleg/dev.src"]
    learners += [folder / f"jfleg/dev.ref{n}" for n in range(4)]
    lexicon = _lexicon(list(clean.values()))
    for name, rows in clean.items():
        add_errors(sets, name, rows, Corrupter(lexicon, CorruptSettings(seed=8)))
        local = Corrupter(lexicon, CorruptSettings(shares=_LOCAL, most=1, seed=7))
        sets.pairs[f"{name}, one error, same length"] = _local_pairs(local, rows)
    if all(path.is_file() for path in learners):
        _add_learners(sets, [_parallel(path) for path in learners])
    spanish = folder / "conll2002/esp.testa"
    if spanish.is_file():
        sets.foreign = _columns(spanish)[:_MOST]


def _add_learners(sets: Sets, texts: Sequence[Rows]) -> None:
    source, *corrections = texts
    good, bad, sentences, wrong = [], [], [], []
    for number, words in enumerate(source):
        versions = [rows[number] for rows in corrections]
        for corrected in versions:
            if corrected != words and corrected and words:
                good.append(corrected)
                bad.append(words)
        if words:
            sentences.append(words)
            wrong.append(changed_tokens(words, versions))
    sets.pairs["JFLEG dev"] = good, bad
    sets.tokens["JFLEG dev"] = sentences, wrong


def changed_tokens(words: Sequence[str], corrections: Rows) -> Bools:
    """Tokens that at least two corrections change, or put something before."""
    changes = np.zeros(len(words), dtype=np.int64)
    for corrected in corrections:
        changed = np.zeros(len(words), dtype=bool)
        for _, _, start, end in align(corrected, words):
            at = min(start, len(words) - 1)
            changed[at : max(end, at + 1)] = True
        changes += changed
    return np.asarray(changes >= _AGREE)


def _local_pairs(corrupter: Corrupter, rows: Rows) -> tuple[Rows, Rows]:
    good, bad = [], []
    for number, words in enumerate(rows):
        if 5 <= len(words) <= 50:
            made = corrupter.one(words, number)
            if made.marks and len(made.words) == len(words):
                good.append(list(words))
                bad.append(made.words)
    return good, bad


def lexicon_of(rows: Rows) -> Lexicon:
    """What the words of some sentences are, for errors to be put into them."""
    return _lexicon([rows])


def _lexicon(texts: Sequence[Rows]) -> Lexicon:
    vocabulary = Vocabulary()
    ids = [
        np.asarray([vocabulary.add(word) for word in words], np.int32)
        for rows in texts
        for words in rows
    ]
    return Lexicon(from_ids(vocabulary, ids))


def _parallel(path: Path) -> Rows:
    """All lines, also empty ones."""
    return [line.split() for line in path.read_text(encoding="utf8").splitlines()]


def _columns(path: Path) -> Rows:
    return _blocks(path, 0, None)


def _numbered(path: Path) -> Rows:
    return _blocks(path, 1, "\t")


def _blocks(path: Path, column: int, between: str | None) -> Rows:
    """Words of a column file."""
    found: list[list[str]] = [[]]
    with open_unpacked(path) as lines:
        for line in lines:
            text = line.decode("utf8")
            if not text.strip():
                found.append([])
            elif between is None or not text.startswith("#"):
                fields = text.split(between)
                if len(fields) > column:
                    found[-1].append("".join(fields[column].split()))
    return [words for words in found if words]
