"""Lists of phrases: text with one phrase a line, and patterns of an entity_ruler."""

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import Errors
from ..io.jsonl import SUFFIXES, read_jsonl
from ..io.lines import line_blocks
from ..kernels.chains import text_hash

# A longer line is a text rather than a phrase.
LONGEST_PHRASE = 1000  # words
LONGEST_TEXT = 10_000  # characters

Tokenize = Callable[[str], list[str]]


@dataclass(frozen=True)
class Folding:
    """The differences between words that are ignored.

    Attributes:
        case: Ignore case.
        accents: Ignore accents and other marks on letters.
    """

    case: bool
    accents: bool

    def fold(self, word: str) -> str:
        """Return the common form of all words that count as the same. Composed and
        decomposed letters always do."""
        if word.isascii():
            return word.lower() if self.case else word
        if self.case:
            word = word.casefold()
        if self.accents:
            apart = unicodedata.normalize("NFD", word)
            word = "".join(c for c in apart if unicodedata.category(c) != "Mn")
        return unicodedata.normalize("NFC", word)

    def hash(self, word: str) -> int:
        """Hash the folded form of a word."""
        return text_hash(self.fold(word))


def read_phrases(
    path: Path, labels: Sequence[str], folding: Folding, tokenize: Tokenize
) -> Iterator[list[str]]:
    """Yield the words of each phrase of a file.

    Args:
        path: A .jsonl file with patterns, or a text (or .gz) with a phrase a line.
        labels: The labels of the patterns that are read; empty for all.
        folding: The differences that the gazetteer ignores.
        tokenize: A function that splits a phrase into words.

    Raises:
        ValueError: A line has no phrase or no valid pattern. The message names it.
    """
    if path.name.endswith(SUFFIXES):
        yield from _patterns(path, labels, folding, tokenize)
    else:
        yield from _lines(path, tokenize)


def split_phrase(text: str, tokenize: Tokenize, where: str) -> list[str]:
    """Split a phrase into words, without white space.

    Args:
        text: The phrase.
        tokenize: A function that splits it into words.
        where: The place of the phrase, for messages.

    Raises:
        ValueError: There are no words, or too many for a phrase.
    """
    # A tokenizer may take hours for, say, a long text of brackets.
    if len(text) > LONGEST_TEXT:
        message = Errors.LP732.format(
            where=where, n=len(text), unit="characters", most=LONGEST_TEXT
        )
        raise ValueError(message)
    try:
        words = tokenize(" ".join(text.split()))
    except UnicodeEncodeError:  # a lone surrogate from JSON
        message = Errors.LP733.format(where=where, what="lone surrogate")
        raise ValueError(message) from None
    check_length(len(words), where)
    return words


def check_length(words: int, where: str) -> None:
    """Refuse a phrase with no words or too many."""
    if not 1 <= words <= LONGEST_PHRASE:
        message = Errors.LP732.format(
            where=where, n=words, unit="words", most=LONGEST_PHRASE
        )
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
                raise ValueError(Errors.LP733.format(where=where, what="tab or a NUL"))
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
    """Return the word that a token pattern stands for."""
    single = isinstance(token, dict) and len(token) == 1
    key, word = next(iter(token.items())) if single else (None, None)
    if not isinstance(word, str) or key not in ("TEXT", "ORTH", "LOWER"):
        shown = ascii(token)[:80]
        raise ValueError(Errors.LP736.format(where=where, pattern=shown))
    if key == "LOWER" and not folding.case:
        raise ValueError(Errors.LP737.format(where=where))
    return word
