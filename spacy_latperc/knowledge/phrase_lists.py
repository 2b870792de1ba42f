"""Lists of phrases: text with one phrase a line, and patterns of an entity_ruler."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ..errors import Errors
from ..io.jsonl import SUFFIXES, read_jsonl
from ..io.lines import line_blocks
from .folding import Folding

# Beyond that, a line is no phrase but a text.
LONGEST_PHRASE = 1000  # words
LONGEST_TEXT = 10_000  # characters

Tokenize = Callable[[str], list[str]]


def read_phrases(
    path: Path, labels: Sequence[str], folding: Folding, tokenize: Tokenize
) -> Iterator[list[str]]:
    """The words of each phrase of a file.

    Args:
        path: A .jsonl file has patterns; any other, plain or .gz, has a phrase a line.
        labels: Patterns with other labels are left out; if empty, none is.
        folding: What the gazetteer takes for the same.
        tokenize: Splits a phrase into words.

    Raises:
        ValueError: A line has no phrase, or a pattern that is none. It is named.
    """
    if path.name.endswith(SUFFIXES):
        yield from _patterns(path, labels, folding, tokenize)
    else:
        yield from _lines(path, tokenize)


def split_phrase(text: str, tokenize: Tokenize, where: str) -> list[str]:
    """The words of a phrase, however much white space is between them.

    Args:
        text: The phrase.
        tokenize: Splits it into words.
        where: It is, for the message of an error.

    Raises:
        ValueError: There are no words, or too many for a phrase.
    """
    # First: a tokenizer may take hours for a whole text of brackets, say.
    if len(text) > LONGEST_TEXT:
        message = Errors.LP748.format(where=where, n=len(text), most=LONGEST_TEXT)
        raise ValueError(message)
    try:
        words = tokenize(" ".join(text.split()))
    except UnicodeEncodeError:  # JSON may have half a character
        message = Errors.LP747.format(where=where, text=ascii(text)[:80])
        raise ValueError(message) from None
    check_length(len(words), where)
    return words


def check_length(words: int, where: str) -> None:
    """Refuse a phrase that has no words, or too many for a phrase."""
    if not 1 <= words <= LONGEST_PHRASE:
        message = Errors.LP732.format(where=where, n=words, most=LONGEST_PHRASE)
        raise ValueError(message)


def _place(path: Path, line: int) -> str:
    return f"Line {line} of '{path}'"


def _lines(path: Path, tokenize: Tokenize) -> Iterator[list[str]]:
    for first, block in line_blocks(path):
        for number, line in enumerate(block.decode("utf8").split("\n"), first):
            text = line.strip()
            if not text:
                continue
            where = _place(path, number)
            if "\t" in text or "\0" in text:
                raise ValueError(Errors.LP733.format(where=where))
            yield split_phrase(text, tokenize, where)


def _patterns(
    path: Path, labels: Sequence[str], folding: Folding, tokenize: Tokenize
) -> Iterator[list[str]]:
    for line in read_jsonl(path):
        if labels and line.fields.get("label") not in labels:
            continue
        where = _place(line.path, line.number)
        pattern = line.fields.get("pattern")
        if isinstance(pattern, str):
            yield split_phrase(pattern, tokenize, where)
        elif isinstance(pattern, list):
            check_length(len(pattern), where)
            yield [_word_of(token, folding, where) for token in pattern]
        else:
            raise ValueError(Errors.LP735.format(where=where))


def _word_of(token: Any, folding: Folding, where: str) -> str:
    """The word that a token pattern stands for."""
    single = isinstance(token, dict) and len(token) == 1
    key, word = next(iter(token.items())) if single else (None, None)
    if not isinstance(word, str) or key not in ("TEXT", "ORTH", "LOWER"):
        shown = ascii(token)[:80]
        raise ValueError(Errors.LP736.format(where=where, pattern=shown))
    if key == "LOWER" and not folding.case:
        raise ValueError(Errors.LP737.format(where=where))
    return word
