"""Sentences of any file with text: plain, JSONL, .spacy."""

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from pathlib import Path

import numpy as np
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..errors import Errors
from ..io.docbin import SUFFIX, read_docs
from ..io.jsonl import SUFFIXES, JsonLine, read_jsonl
from ..io.lines import BYTE_ORDER_MARK, MOST_BYTES, name_of, whole_lines
from ..kernels.text import Vocabulary
from .sentences import Sentences, bounds_of, join

BLOCK = 1 << 20

Notes = dict[str, int]


def text_blocks(path: Path | str) -> Iterator[bytes]:
    """Yield a text file in blocks of whole lines, without its byte order mark."""
    for number, block in enumerate(whole_lines(path, size=BLOCK)):
        yield block if number else block.removeprefix(BYTE_ORDER_MARK)


def check_block(block: bytes, name: str, before: int) -> None:
    """Refuse a block with a line that is not UTF-8 or has a NUL character."""
    _, _, counts = Vocabulary().read(block, grow=False)
    _refuse_binary(counts, name, before)


def _refuse_binary(counts: Notes, name: str, before: int) -> None:
    if bad := counts["not_utf8"] or counts["with_null"]:
        problem = "is not UTF-8" if counts["not_utf8"] else "has a NUL character"
        place = {"path": name, "line": before + bad}
        raise ValueError(Errors.LP403.format(**place, problem=problem))


def read_blocks(
    blocks: Iterable[bytes],
    name: str,
    *,
    vocabulary: Vocabulary | None = None,
    progress: Callable[[int], None] | None = None,
) -> tuple[Sentences, Notes]:
    """Read all sentences of blocks of whole lines.

    Args:
        blocks: One sentence a line, words between white space.
        name: The name of the file, for errors.
        vocabulary: The vocabulary, to which words are added; a new one by default.
        progress: A function that is called with the bytes of each block.

    Returns:
        The sentences; the numbers of lines, empty lines and lines with control
        characters, which were read as white space.
    """
    vocabulary = vocabulary or Vocabulary()
    parts: list[Sentences] = []
    notes = {"lines": 0, "empty": 0, "with_controls": 0}
    for block in blocks:
        ids, bounds, counts = vocabulary.read(block)
        _refuse_binary(counts, name, notes["lines"])
        for key in notes:
            notes[key] += counts[key]
        parts.append(Sentences(vocabulary, ids, bounds))
        if progress:
            progress(len(block))
    if not any(map(len, parts)):
        raise ValueError(Errors.LP405.format(path=name, lines=notes["lines"]))
    return join(vocabulary, parts), notes


Tokenize = Callable[[str], list[str]]

_LINES = 1000  # of JSONL in a block


def read_sentences(
    path: Path | str,
    *,
    vocabulary: Vocabulary | None = None,
    field: str = "text",
    tokenize: Tokenize | None = None,
    progress: Callable[[int], None] | None = None,
) -> tuple[Sentences, Notes]:
    """Read all sentences of a file.

    Args:
        path: Plain text or gzip with a sentence on each line, JSONL (.jsonl,
            .jsonl.gz), .spacy, or "-" for plain text of the standard input.
        vocabulary: The vocabulary, to which words are added; a new one by default.
        field: The field of JSONL with a string or a list of words.
        tokenize: A function from a line to words; by default it is split at white
            space. .spacy files and lists have their own words.
        progress: A function that is called with the bytes of each block of text.

    Returns:
        The sentences, and notes on the lines (see `read_blocks`).
    """
    name = name_of(path)
    if name.endswith(SUFFIX):
        return docbin_sentences(Path(path), vocabulary=vocabulary), {}
    if name.endswith(SUFFIXES):
        blocks = _json_blocks(Path(path), field, tokenize)
    elif tokenize:
        blocks = _tokenized_blocks(path, tokenize)
    else:
        blocks = text_blocks(path)
    return read_blocks(blocks, name, vocabulary=vocabulary, progress=progress)


def blank_pipeline(lang: str) -> Language:
    """A pipeline with nothing but the tokenizer of a language."""
    try:
        return spacy.blank(lang)
    except (ImportError, ValueError) as error:
        raise ValueError(Errors.LP721.format(lang=lang, error=error)) from error


def tokenizer_of(lang: str) -> Tokenize:
    """A function that splits lines into words with spaCy's tokenizer."""
    tokenizer = blank_pipeline(lang).tokenizer
    return lambda text: [token.text for token in tokenizer(text)]


def docbin_sentences(path: Path, *, vocabulary: Vocabulary | None = None) -> Sentences:
    """Read the sentences of a .spacy file.

    White space within tokens is removed, and so are white-space tokens.
    """
    vocabulary = vocabulary or Vocabulary()
    ids: list[int] = []
    lengths: list[int] = []
    for doc in read_docs(path, Vocab()):
        for sentence in _sentences(doc):
            before = len(ids)
            for token in sentence:
                if word := "".join(token.text.split()):
                    ids.append(vocabulary.add(word))
            if len(ids) > before:
                lengths.append(len(ids) - before)
    if not lengths:
        raise ValueError(Errors.LP324.format(path=path))
    return Sentences(
        vocabulary,
        np.asarray(ids, dtype=np.int32),
        bounds_of(np.asarray(lengths, dtype=np.int64)),
    )


def _sentences(doc: Doc) -> Iterator:
    if doc.has_annotation("SENT_START"):
        yield from doc.sents
    else:
        yield doc


def _tokenized_blocks(path: Path | str, tokenize: Tokenize) -> Iterator[bytes]:
    """The blocks of a file with their words apart. Bad lines are named here, while
    lines still have their numbers: a tokenizer may split them into sentences."""
    lines = 0
    for block in text_blocks(path):
        check_block(block, name_of(path), lines)
        lines += block.count(b"\n")
        lines_of_words = map(tokenize, block.decode("utf8").split("\n"))
        yield "\n".join(map(" ".join, lines_of_words)).encode("utf8")


def _json_blocks(path: Path, field: str, tokenize: Tokenize | None) -> Iterator[bytes]:
    """The objects as lines of text, with an empty line where the file has one."""
    before = 0
    objects = read_jsonl(path, most=MOST_BYTES)
    for _, lines in groupby(objects, lambda line: line.number // _LINES):
        block = []
        for line in lines:
            block.append("\n" * (line.number - before - 1))
            block.append(" ".join(_words(line, field, tokenize)) + "\n")
            before = line.number
        yield "".join(block).encode("utf8")


def _words(line: JsonLine, field: str, tokenize: Tokenize | None) -> list[str]:
    if field not in line.fields:
        raise line.error(f'it has no "{field}" (--field names another one)')
    value = line.fields[field]
    words = value if isinstance(value, list) else [value]
    if not all(isinstance(word, str) for word in words):
        raise line.error(f'"{field}" must be a string, or a list of them')
    if any("\0" in word for word in words):
        raise line.error("it has a NUL character")
    if isinstance(value, str):
        text = " ".join(value.split())
        return tokenize(text) if tokenize else text.split()
    return ["".join(word.split()) for word in words]
