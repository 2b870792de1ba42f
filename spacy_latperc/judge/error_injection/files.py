"""Corrupted sentences as files, and pairs of originals and corrections from files."""

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from pathlib import Path

from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from ...errors import Errors
from ...grammaticality.scorer import NEGATIVE, POSITIVE
from ...io.atomic import whole_file
from ...io.docbin import MADE_FROM, SUFFIX, write_docs
from ...io.packed import open_to_pack, without_packing
from ...text.reader import LineReader
from .corrupt import Corrupted

ERRORS_KEY = "errors"  # of doc.spans
MARKS = "latperc_marks"  # of doc.user_data
JSONL = ".jsonl"

Pair = tuple[list[str], list[str]]


def check_output(path: Path) -> None:
    """Refuse a name that does not say which format the file has."""
    if path.suffix != SUFFIX and not without_packing(path.name).endswith(JSONL):
        raise ValueError(Errors.LP351.format(path=path, wanted=".spacy or .jsonl"))


def write_corrupted(
    sentences: Iterable[Corrupted],
    path: Path,
    *,
    progress: Callable[[int], None] | None = None,
) -> None:
    """Write sentences to a file in one step.

    Args:
        sentences: The sentences.
        path: A .spacy file, or a .jsonl file, with an object for each sentence, which
            may be packed.
        progress: Called after each sentence.
    """
    check_output(path)
    told = _told(sentences, progress)
    if path.suffix == SUFFIX:
        vocab = Vocab()
        docs = (to_doc(sentence, vocab) for sentence in told if sentence.words)
        write_docs(docs, path, attributes=[], user_data=True)
        return
    with whole_file(path) as fresh, open_to_pack(fresh, path.name) as file:
        for sentence in told:
            line = json.dumps(to_object(sentence), ensure_ascii=False)
            file.write(f"{line}\n".encode())


def to_object(sentence: Corrupted) -> dict:
    """The sentence as JSON has it.

    Args:
        sentence: The sentence.
    """
    marks = [
        {"kind": m.kind, "start": m.start, "end": m.end, "before": list(m.before)}
        for m in sentence.marks
    ]
    return {"words": sentence.words, "errors": marks, "original": sentence.original}


def to_doc(sentence: Corrupted, vocab: Vocab) -> Doc:
    """The sentence as a Doc: what is wrong in doc.spans["errors"], one token each;
    whether it is a good one in doc.cats; what it was made from in doc.user_data.

    Args:
        sentence: The sentence.
        vocab: Of the Doc.
    """
    doc = Doc(vocab, words=sentence.words)
    doc.spans[ERRORS_KEY] = [
        Span(doc, at, at + 1, label=label)
        for at, label in enumerate(sentence.labels)
        if label
    ]
    good = not sentence.marks
    doc.cats = {POSITIVE: float(good), NEGATIVE: float(not good)}
    doc.user_data[MADE_FROM] = sentence.original
    doc.user_data[MARKS] = [[*mark[:3], list(mark.before)] for mark in sentence.marks]
    return doc


def _told(
    sentences: Iterable[Corrupted], progress: Callable[[int], None] | None
) -> Iterator[Corrupted]:
    for sentence in sentences:
        yield sentence
        if progress:
            progress(1)


def read_pairs(path: Path) -> list[Pair]:
    """Originals and corrections: on each line both, with a tab in between, tokenised.

    Args:
        path: The file, plain or .gz.
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


def words_of(text: Iterable[str]) -> list[str]:
    """The different words of a text that are made of letters, in alphabetical order.

    Args:
        text: Its words.
    """
    return [word for word, _ in groupby(sorted(text)) if word.isalpha()]
