"""Gazetteers: lists of phrases (text with one a line, or patterns of an entity_ruler),
as a source of attributes.

`gaz.NAME[0]` is the position of the token in a phrase of the list: at the beginning
(B), inside (I), at the end (E), alone (S) or outside (O). Matches are the longest ones
from left to right and do not overlap.
"""

import logging
import unicodedata
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..errors import Errors, Warnings
from ..errors.check import check_flag, check_strings, refusal
from ..features.sources import Givens, Reading, Source, Tokens
from ..io import model_file
from ..io.jsonl import SUFFIXES, read_jsonl
from ..io.lines import line_blocks
from ..kernels.chains import text_hash
from ..kernels.text import Phrases, WordHashes

logger = logging.getLogger("spacy.latperc")

# A longer line is a text rather than a phrase.
LONGEST_PHRASE = 1000  # words
LONGEST_TEXT = 10_000  # characters
_BLOCK = 10_000  # phrases whose words are in memory at a time
# The training examples that are checked for too many phrases of the list.
_LOOKED_AT = 2000
_MANY, _NEARLY_ALL = 50, 0.95

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
    """Split a phrase into words, without white space; `where` is for messages."""
    # A tokenizer may take hours for, say, a long text of brackets.
    if len(text) > LONGEST_TEXT:
        n, most = len(text), LONGEST_TEXT
        raise ValueError(
            Errors.LP732.format(where=where, n=n, unit="characters", most=most)
        )
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
        most = LONGEST_PHRASE
        raise ValueError(
            Errors.LP732.format(where=where, n=words, unit="words", most=most)
        )


def _lines(path: Path, tokenize: Tokenize) -> Iterator[list[str]]:
    for first, block in line_blocks(path):
        for number, line in enumerate(block.decode("utf8").split("\n"), first):
            text = line.strip()
            if not text:
                continue
            where = f"Line {number} of '{path}'"
            if "\t" in text or "\0" in text:
                raise ValueError(Errors.LP733.format(where=where, what="tab or a NUL"))
            yield split_phrase(text, tokenize, where)


def _patterns(
    path: Path, labels: Sequence[str], folding: Folding, tokenize: Tokenize
) -> Iterator[list[str]]:
    for line in read_jsonl(path):
        if labels and line.fields.get("label") not in labels:
            continue
        where = f"Line {line.number} of '{line.path}'"
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


@dataclass(eq=False)
class Gazetteer(Source):
    """A list of phrases, stored as the hashes of their words."""

    kind: ClassVar[str] = "gaz"

    paths: Sequence[str]
    phrases: Sequence[str]
    labels: Sequence[str]
    folding: Folding

    def __post_init__(self) -> None:
        self._known = Phrases()
        self._words = WordHashes(self.folding.hash)

    def settings(self) -> dict[str, Any]:
        return {"fold_case": self.folding.case, "fold_accents": self.folding.accents}

    def attribute(self, argument: str) -> Reading:
        if argument:
            raise ValueError(Errors.LP709.format(argument=argument))
        return Reading(of_docs=self._places, few_values=True)

    def _places(self, tokens: Tokens) -> NDArray[np.uint64]:
        hashes = self._words.of(tokens.words, tokens.lookup)
        return self._known.match(hashes, tokens.offsets)

    # Learning -------------------------------------------------------------------------

    def fit(self, givens: Givens) -> None:
        tokenize = givens.tokenize
        if tokenize is None:
            raise ValueError(
                Errors.LP731.format(name=givens.name, wanted="a tokenizer")
            )
        in_files = (
            read_phrases(Path(path), self.labels, self.folding, tokenize)
            for path in self.paths
        )
        listed = (
            split_phrase(text, tokenize, f"The phrase {ascii(text)[:80]}")
            for text in self.phrases
        )
        fresh = Phrases()
        every = chain(chain.from_iterable(in_files), listed)
        # A memory zone keeps the words of the list out of the vocabulary.
        while block := _take(every, givens.vocab):
            fresh.add(*self._laid_out(block))
        if not len(fresh):
            raise ValueError(Errors.LP730.format(name=givens.name))
        self._known = fresh
        self.changes += 1
        self._warn_of_annotation(givens)
        logger.info(
            "The gazetteer '%s' has %s phrases, in %.1f MB of memory.",
            givens.name,
            f"{len(fresh):,}",
            fresh.nbytes / 1e6,
        )

    def _warn_of_annotation(self, givens: Givens) -> None:
        """Warn of a list that seems to be made from the training annotation, since it
        has nearly all phrases of a label."""
        phrases: dict[str, set[tuple[str, ...]]] = {}
        examples = givens.examples() if givens.examples else ()
        for example in islice(examples, _LOOKED_AT):
            doc = example.reference
            for span in chain(doc.ents, *doc.spans.values()):
                words = tuple(token.text for token in span)
                phrases.setdefault(span.label_, set()).add(words)
        for label, found in phrases.items():
            share = sum(words in self for words in found) / len(found)
            if len(found) >= _MANY and share > _NEARLY_ALL:
                said = Warnings.LP979.format(name=givens.name, share=share, label=label)
                warnings.warn(said, stacklevel=2)

    def _laid_out(
        self, phrases: Iterable[Iterable[str]]
    ) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Return the hashes of all words in a row, and the starts of phrases."""
        hashes = [[self.folding.hash(word) for word in words] for words in phrases]
        bounds = np.cumsum([0, *map(len, hashes)], dtype=np.int64)
        return np.asarray([*chain.from_iterable(hashes)], dtype=np.uint64), bounds

    # Changes after learning -----------------------------------------------------------

    def add(self, phrases: Iterable[Iterable[str]]) -> int:
        """Add phrases, given as words, and return the number of new ones."""
        added = self._known.add(*self._laid_out(phrases))
        self.changes += added > 0
        return added

    def remove(self, phrases: Iterable[Iterable[str]]) -> int:
        """Remove phrases, given as words, and return the number of known ones."""
        removed = self._known.remove(*self._laid_out(phrases))
        self.changes += removed > 0
        return removed

    def __contains__(self, words: Iterable[str]) -> bool:
        return self._laid_out([words])[0] in self._known

    def __len__(self) -> int:
        return len(self._known)

    # An empty list is a source, too.
    def __bool__(self) -> bool:
        return True

    # Saving ---------------------------------------------------------------------------

    def to_bytes(self) -> bytes:
        names, counts = self._known.to_arrays()
        arrays = {"names": names, "counts": counts}
        return model_file.pack({"kind": "gazetteer"}, arrays)

    def from_bytes(self, data: bytes) -> None:
        header, arrays = model_file.unpack(data)
        if header.get("kind") != "gazetteer":
            raise ValueError("these are no phrases")
        self._known = Phrases.from_arrays(arrays["names"], arrays["counts"])
        self.changes += 1

    def blank(self) -> "Gazetteer":
        return replace(self)

    # Compiled tables are copied as bytes.
    def __reduce__(self) -> tuple:
        settings = self.paths, self.phrases, self.labels, self.folding
        return type(self), settings, self.to_bytes()

    def __setstate__(self, data: bytes) -> None:
        self.from_bytes(data)

    @property
    def nbytes(self) -> int:
        return self._known.nbytes

    def forget(self) -> None:
        self._words.forget()


def gazetteer(
    paths: list[str] = [],  # noqa: B006
    phrases: list[str] = [],  # noqa: B006
    labels: list[str] = [],  # noqa: B006
    fold_case: bool = True,
    fold_accents: bool = False,
) -> Gazetteer:
    """Match lists of phrases, with the positions `gaz.NAME[0]` in templates.

    A list that was made from the training annotation does harm: it has all entities of
    the training data, and the model learns to trust it blindly.

    Args:
        paths: Files with a phrase a line (plain or .gz), or with patterns of an
            entity_ruler (.jsonl, .jsonl.gz) that are strings or plain words. They are
            read when training begins; the trained pipeline does not need them.
        phrases: More phrases.
        labels: The labels of the patterns that are read; empty for all.
        fold_case: Ignore case.
        fold_accents: Ignore accents on letters.
    """
    for name, value in (("paths", paths), ("phrases", phrases), ("labels", labels)):
        check_strings(name, value)
    for text in phrases:
        if not text.strip():
            raise refusal(
                Errors.LP590, "phrases", phrases, wanted="a list of non-empty strings"
            )
        if "$" in text:
            shown = f"the phrase {ascii(text)[:80]}"
            advice = "Move the phrase to a file, and name it in `paths`"
            message = Errors.LP745.format(setting="phrases", text=shown, advice=advice)
            raise ValueError(message)
    folding = Folding(
        check_flag("fold_case", fold_case), check_flag("fold_accents", fold_accents)
    )
    return Gazetteer(paths, phrases, labels, folding)


def _take(phrases: Iterator[list[str]], vocab: Any) -> list[list[str]]:
    """Take a block of phrases, and free the memory of the tokenizer afterwards."""
    zone = nullcontext()
    if vocab is not None and not vocab.in_memory_zone:
        zone = vocab.memory_zone()
    with zone:
        return list(islice(phrases, _BLOCK))
