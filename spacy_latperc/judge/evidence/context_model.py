"""The context model, learned from raw text: a small model of a
word and of the words on both sides of it.

Counts of n-grams know what was seen. This model knows what is like it: each word has a
row of numbers for each distance from a place, the rows of the words around the place
are added up, and a word fits as well as its own row looks like the sum (Mnih and Hinton
2007). Words that are too rare for rows of their own share those of their spelling.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...kernels.chains import text_hash
from ...kernels.text import (
    FIRST_SYMBOL,
    FIRST_WORD,
    NOTHING,
    learn_contexts,
    read_contexts,
)
from ...text.sentences import Sentences
from .lexicon import Lexicon
from .text_source import TextTables

COLUMNS = ("fit", "better", "missing", "fewer")
NO_OTHER = -1e9  # the gain of a word without alternatives
UNKNOWN = FIRST_SYMBOL  # a word of which not even the spelling is known
_FLATTER = 0.75  # the power of the counts of words that are drawn at random
_DRAWN = 1 << 20
_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
_LEVELS = 127  # of a number of eight bits
_ARRAYS = ("keys", "input", "output", "scale", "bias", "begin", "others", "small")
_SPELLING = "\0"  # before the names of spellings, which no word begins with
_WORDS = 25_000  # that have rows of their own: the most frequent ones
_LEAST_COUNT = 3  # of these
_LEAST_TYPES = 40  # words of a spelling that has a row of its own
_ENDINGS = (3, 2)  # letters
_MARKS = 3  # of punctuation, that may be missing or too much
_SMALL = 60  # of the most frequent words, that may be missing or too much
_NOISE = 8  # words drawn at random, that each word of the text is told from
_LEARNING = {
    "window": 3,  # words to each side of a place
    "noise_words": _NOISE,
    "alternatives": 3,  # words drawn that may be meant in the place of one
    "small_words": 3,  # drawn for a gap
    "gaps": 0.3,  # the share of the gaps between words that is learned from
    "rate": 0.1,  # of the steps of the first pass
}

Keys = NDArray[np.uint64]
Symbols = NDArray[np.int32]


def spellings(word: str) -> Iterator[str]:
    """Return the shapes of a word, the most specific one first."""
    if not word.isalpha():
        some = any(map(str.isalpha, word))
        if any(map(str.isdigit, word)):
            yield f"{_SPELLING}9{'a' if some else ''}"
            return
        if not some:
            yield f"{_SPELLING}."
            return
    shape = "A" if word.isupper() else "Aa" if word[:1].isupper() else "a"
    shape = f"{_SPELLING}{shape}{'' if word.isalpha() else '-'}"
    for letters in _ENDINGS:
        yield f"{shape} {word[-letters:].lower()}"
    yield shape


@dataclass(frozen=True, eq=False)
class ContextModel(TextTables):
    """A trained context model: rows of 8-bit numbers, with a scale for each row.

    Attributes:
        keys: By symbol, the hash of the word or spelling; 0 of what is no word.
        input: [2 window, symbols, 64]: rows of words beside a place.
        output: [symbols, 64]: rows of words in a place.
        scale: By symbol, what a product of both counts.
        bias: By symbol, what is added.
        begin: Where the alternatives of each symbol begin, and the end.
        others: Their symbols.
        small: Symbols of words that may be missing or too much.
    """

    kind = "model of contexts"

    keys: Keys
    input: NDArray[np.int8]
    output: NDArray[np.int8]
    scale: NDArray[np.float32]
    bias: NDArray[np.float32]
    begin: NDArray[np.int64]
    others: Symbols
    small: Symbols

    @cached_property
    def numbers(self) -> dict[int, int]:
        """The symbols of words and spellings, by hash."""
        return {key: n for n, key in enumerate(self.keys.tolist()) if key}

    # Words as symbols -----------------------------------------------------------------

    def symbol(self, word: str) -> int:
        """The symbol of a word."""
        keys, numbers = map(text_hash, chain([word], spellings(word))), self.numbers
        return next((numbers[key] for key in keys if key in numbers), UNKNOWN)

    def first_symbol(self, word: str) -> int:
        """Return the symbol of the first word of a sentence: a capital there means
        nothing if the word is more frequent without one.
        """
        plain = self.numbers.get(text_hash(word.lower()), len(self.keys))
        own = self.numbers.get(text_hash(word), len(self.keys))
        return plain if plain < own else self.symbol(word)

    # Reading --------------------------------------------------------------------------

    def key(self, word: str) -> int:
        """The symbols of a word: in a sentence, and at its beginning."""
        return self.symbol(word) | self.first_symbol(word) << int(_HALF)

    def look_up(self, keys: Keys, bounds: NDArray[np.int64]) -> dict[str, NDArray]:
        """See TextTables."""
        symbols = (keys & _LOW).astype(np.int32)
        begins = bounds[:-1][np.diff(bounds) > 0]
        symbols[begins] = (keys[begins] >> _HALF).astype(np.int32)
        return self.read(symbols, bounds)

    def read(self, symbols: Symbols, bounds: NDArray[np.int64]) -> dict[str, NDArray]:
        """Compute the output of the model for the words of sentences.

        Returns:
            By name, an array with a number for each word: `fit`, the logarithm of the
            probability of the word between its neighbours; and by how much it would be
            higher: `better`, if another word stood there that may be meant (NO_OTHER:
            there is none); `missing`, if some small word stood before it (behind the
            last one, too); `fewer`, if the word were not there.
        """
        return read_contexts(
            self.input,
            self.output,
            symbols,
            bounds,
            scale=self.scale,
            bias=self.bias,
            begin=self.begin,
            others=self.others,
            small=self.small,
        )

    # Learning -------------------------------------------------------------------------

    @classmethod
    def learn(
        cls, text: Sentences, lexicon: Lexicon, *, passes: int = 3, seed: int = 0
    ) -> "ContextModel":
        """A model of a text.

        Args:
            text: Sentences.
            lexicon: Of the text: says which words may be meant in place of others.
            passes: Over the text.
            seed: The same one, the same model.
        """
        vocabulary = text.vocabulary
        counts = np.bincount(text.ids, minlength=vocabulary.size)
        known = _known(text, counts)
        table = np.full(vocabulary.size, UNKNOWN, dtype=np.int32)
        firsts = table.copy()
        for number in np.flatnonzero(counts).tolist():
            if number >= FIRST_WORD:
                word = vocabulary.word(number)
                table[number] = known.symbol(word)
                firsts[number] = known.first_symbol(word)
        symbols = table[text.ids]
        starts = text.bounds[:-1][text.lengths > 0]
        symbols[starts] = firsts[text.ids[starts]]
        frequent = np.bincount(symbols, minlength=len(known.keys)).astype(np.float64)
        frequent[:FIRST_SYMBOL] = 0
        begin, others, small = _alternatives(known, lexicon)
        shares = np.maximum(frequent, 0.5) ** _FLATTER
        shares[:FIRST_SYMBOL] = 0
        shares /= shares.sum()
        places = (np.arange(_DRAWN) + 0.5) / _DRAWN
        noise = np.searchsorted(np.cumsum(shares), places).astype(np.int32)
        bias = np.log(np.maximum(frequent, 0.5) / max(frequent.sum(), 1.0))
        bias[NOTHING] = 0.0
        found = learn_contexts(
            symbols,
            text.bounds,
            bias=bias.astype(np.float32),
            noise=np.minimum(noise, len(shares) - 1),
            log_noise=np.log(_NOISE * shares + 1e-12).astype(np.float32),
            begin=begin,
            others=others,
            small=small,
            **_LEARNING,
            passes=passes,
            seed=seed,
        )
        return cls(known.keys, *_coded(*found), begin, others, small)

    # Saving ---------------------------------------------------------------------------

    @property
    def header(self) -> dict[str, Any]:
        """See TextTables."""
        return {}

    @property
    def arrays(self) -> dict[str, NDArray]:
        """See TextTables."""
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        return {
            k: x.view(np.uint8) if x.dtype == np.int8 else x for k, x in arrays.items()
        }

    @classmethod
    def checked(
        cls, header: Mapping[str, Any], arrays: Mapping[str, NDArray]
    ) -> "ContextModel":
        """See TextTables."""
        given = {name: arrays[name] for name in _ARRAYS}
        for name in ("input", "output"):
            if given[name].dtype != np.uint8:
                raise ValueError(f"{name} are no numbers of the right kind")
            given[name] = given[name].view(np.int8)
        for name, kind in _KINDS.items():
            if given[name].dtype != kind or given[name].ndim != 1:
                raise ValueError(f"{name} are no numbers of the right kind")
        for name in ("scale", "bias"):
            if not (np.abs(given[name]) < 1e6).all():
                raise ValueError(f"a number of {name} is out of range")
        found = cls(**given)
        if len(found.keys) != found.input.shape[1]:
            raise ValueError("the words are not those of the rows")
        # The kernel looks at all the rest.
        found.read(np.zeros(0, np.int32), np.zeros(1, np.int64))
        return found


_KINDS = {
    "keys": np.uint64, "scale": np.float32, "bias": np.float32, "begin": np.int64,
    "others": np.int32, "small": np.int32,
}  # fmt: skip


def _known(text: Sentences, counts: NDArray[np.int64]) -> ContextModel:
    """A model that knows words and has no rows: the most frequent words, and spellings
    of the others."""
    word = text.vocabulary.word
    numbers = np.argsort(-counts, kind="stable")
    numbers = numbers[(numbers >= FIRST_WORD) & (counts[numbers] > 0)].tolist()
    most = min(_WORDS, int((counts >= _LEAST_COUNT).sum()))
    frequent = [word(number) for number in numbers[:most]]
    types: Counter[str] = Counter()
    for number in numbers[most:]:
        types.update(spellings(word(number)))
    names = sorted(name for name, n in types.items() if n >= _LEAST_TYPES)
    keys = [0] * (FIRST_SYMBOL + 1)
    keys += dict.fromkeys(text_hash(name) for name in (*frequent, *names))
    some = np.zeros(0, np.int8)
    ints, floats = np.zeros(0, np.int32), np.zeros(0, np.float32)
    return ContextModel(
        np.array(keys, np.uint64), some, some, floats, floats,
        np.zeros(1, np.int64), ints, ints,
    )  # fmt: skip


def _alternatives(
    known: ContextModel, lexicon: Lexicon
) -> tuple[NDArray[np.int64], Symbols, Symbols]:
    """Find the words that may be meant in place of one another, both ways, and the
    small words, with marks."""

    def number(word: str) -> int:
        return known.numbers.get(text_hash(word), 0)

    rows: dict[int, set[int]] = {}
    for word, choices in (*lexicon.forms.items(), *lexicon.like.items()):
        for other in choices.words:
            for one, two in ((word, other), (word.capitalize(), other.capitalize())):
                a, b = number(one), number(two)
                if a and b and a != b:
                    rows.setdefault(a, set()).add(b)
                    rows.setdefault(b, set()).add(a)
    lists = [sorted(rows.get(symbol, ())) for symbol in range(len(known.keys))]
    begin = np.cumsum([0, *map(len, lists)], dtype=np.int64)
    others = np.array([x for row in lists for x in row], dtype=np.int32)
    small = lexicon.small.words[:_SMALL] if lexicon.small else []
    marks = lexicon.marks.words[:_MARKS] if lexicon.marks else []
    symbols = [number(word) for word in (*small, *marks)]
    return begin, others, np.array([x for x in symbols if x], dtype=np.int32)


def _coded(
    input: NDArray[np.float32], output: NDArray[np.float32], bias: NDArray[np.float32]
) -> tuple[NDArray, NDArray, NDArray[np.float32], NDArray[np.float32]]:
    """Rows as numbers of eight bits: those beside a place share one scale, so that they
    can be added up, and those in a place have one each."""
    whole = float(np.abs(input).max(initial=0)) / _LEVELS or 1.0
    scale = np.maximum(np.abs(output).max(axis=1, initial=0), 1e-9) / _LEVELS
    coded = np.empty(input.shape, np.int8)
    for rows, place in zip(input, coded, strict=True):  # not all at once in memory
        place[...] = np.rint(rows / np.float32(whole))
    rows = np.rint(output / scale[:, None]).astype(np.int8)
    return coded, rows, (scale * whole).astype(np.float32), bias
