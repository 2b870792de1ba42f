"""How often the n-grams of a text occur: one table of hashes, small enough to be part
of a model.

Counts are exact up to 127 and within 7 per cent above. An n-gram that the text does not
have is taken for another one about once in a million times.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import Errors
from ..errors.check import check_choice, check_count, check_number
from ..io.atomic import whole_file
from ..io.model_file import DAMAGED, pack, unpack
from ..kernels.chains import text_hash
from ..kernels.text import (
    EVIDENCE_SMOOTHINGS,
    FIRST_WORD,
    MAX_ORDER,
    Vocabulary,
    count_evidence,
    read_evidence,
)
from ..text.sentences import Sentences
from .lexicon import Lexicon

KIND = "n-gram counts"
SMOOTHINGS = EVIDENCE_SMOOTHINGS
LEAST_MEGABYTES = 0.001
LARGEST = 1e12  # words of a text
MOST_ALTERNATIVES = 6
NO_OTHER = -1e9  # where a word has no alternatives
_ALTERNATIVE_ARRAYS = ("words", "begin", "others")

_ZEROS = str.maketrans("123456789", "000000000")

Keys = NDArray[np.uint64]
Bounds = NDArray[np.int64]


@dataclass(frozen=True)
class CountSettings:
    """How a text is counted.

    Attributes:
        order: Words in the longest n-grams.
        smoothing: How longer and shorter n-grams make a probability: "absolute"
            (interpolated absolute discounting, Ney, Essen and Kneser 1994),
            "witten-bell", or "none" (relative frequencies of the longest n-gram that
            is known, else of shorter ones at 0.4; Brants et al. 2007).
        megabytes: Of the table, at most: the rarest n-grams are left out until it fits.
        lowercase: Capitals make no difference.
        digits: All digits are the same.
        sentences: Whether the table knows which sentences it has counted, so that these
            can be left out when they are asked about.
        alternatives: Whether it knows which words may be meant in place of one another
            (lexicon.py).
    """

    order: int = 5
    smoothing: str = "absolute"
    megabytes: float = 40.0
    lowercase: bool = False
    digits: bool = False
    sentences: bool = True
    alternatives: bool = True

    def check(self) -> None:
        """Refuse settings that cannot be, before a text is read."""
        look = "5 looks at four words before each."
        check_count("order", self.order, low=2, high=MAX_ORDER, advice=look)
        check_choice("smoothing", self.smoothing, SMOOTHINGS)
        check_number("megabytes", self.megabytes, low=LEAST_MEGABYTES, high=16_000)

    def fold(self, word: str) -> str:
        """The same word for all that count as the same."""
        word = word.lower() if self.lowercase else word
        return word.translate(_ZEROS) if self.digits else word

    def key(self, word: str) -> int:
        """The hash of a word; the same for words that count as the same."""
        return text_hash(self.fold(word))


@dataclass(frozen=True, eq=False)
class Alternatives:
    """Words that may be meant in place of others: other forms of these, and small words
    in like places.

    Attributes:
        words: The hashes of the words that have some, which rise.
        begin: Where those of each word begin, and the end.
        others: Their hashes.
    """

    words: Keys
    begin: Bounds
    others: Keys

    @classmethod
    def none(cls) -> "Alternatives":
        """Of no word at all."""
        keys = np.zeros(0, dtype=np.uint64)
        return cls(keys, np.zeros(1, dtype=np.int64), keys)

    @classmethod
    def of(cls, lexicon: Lexicon, key: Callable[[str], int]) -> "Alternatives":
        """Those that a lexicon knows.

        Args:
            lexicon: Of the text.
            key: The hash of a word.
        """
        rows: dict[int, list[int]] = {}
        for word, choices in (*lexicon.forms.items(), *lexicon.like.items()):
            rows[key(word)] = [key(x) for x in choices.words[:MOST_ALTERNATIVES]]
        words = sorted(rows)
        ends = np.cumsum([0, *(len(rows[word]) for word in words)], dtype=np.int64)
        others = [x for word in words for x in rows[word]]
        return cls(
            np.asarray(words, dtype=np.uint64), ends, np.asarray(others, np.uint64)
        )

    @classmethod
    def read(cls, arrays: Mapping[str, NDArray]) -> "Alternatives":
        """What `arrays` gave, checked."""
        found = cls(*(arrays[f"alternative_{name}"] for name in _ALTERNATIVE_ARRAYS))
        kinds = [x.dtype for x in (found.words, found.begin, found.others)]
        if kinds != [np.uint64, np.int64, np.uint64]:
            raise ValueError(
                "the alternatives of words are no numbers of the right kind"
            )
        begin = found.begin
        flat = found.words.ndim == found.others.ndim == 1
        if not flat or begin.shape != (len(found.words) + 1,):
            raise ValueError("the alternatives of words have another form")
        if (
            begin[0] != 0
            or begin[-1] != len(found.others)
            or (np.diff(begin) < 0).any()
        ):
            raise ValueError("the alternatives of words point outside")
        return found

    def arrays(self) -> dict[str, NDArray]:
        """As files and the kernel have them."""
        return {f"alternative_{x}": getattr(self, x) for x in _ALTERNATIVE_ARRAYS}


def word_keys(vocabulary: Vocabulary, settings: CountSettings) -> Keys:
    """The hash of each word, by its number."""
    keys = np.zeros(vocabulary.size, dtype=np.uint64)
    for number in range(FIRST_WORD, vocabulary.size):
        keys[number] = settings.key(vocabulary.word(number))
    return keys


@contextmanager
def refused_size(words: int, settings: CountSettings) -> Iterator[None]:
    """Say how many words there are where the table is too small for them."""
    try:
        yield
    except ValueError as error:
        message = Errors.LP760.format(words=words, megabytes=settings.megabytes)
        raise ValueError(message) from error


@dataclass(frozen=True, eq=False)
class NgramCounts:
    """The counts of a text.

    Attributes:
        settings: How it was counted.
        slots: Of the table: marks of n-grams and their counts.
        followers: Of the table: how many words follow each.
        least: By length: n-grams that occur less often are not there.
        discounts: By length: what is taken from a count.
        tokens: Of the text, ends of sentences among them.
        words: Different ones.
        alternatives: Of words that have some.
    """

    settings: CountSettings
    slots: NDArray[np.uint32]
    followers: NDArray[np.uint8]
    least: Sequence[int]
    discounts: Sequence[float]
    tokens: float
    words: float
    alternatives: "Alternatives"

    @classmethod
    def count(cls, text: Sentences, settings: CountSettings) -> "NgramCounts":
        """Count the n-grams of a text.

        Args:
            text: The sentences.
            settings: How to count.
        """
        settings.check()
        if settings.lowercase or settings.digits:
            text = text.renamed(settings.fold, Vocabulary())
        size = text.vocabulary.size
        with refused_size(size, settings):
            found = count_evidence(
                text.ids,
                text.bounds,
                word_keys(text.vocabulary, settings),
                order=settings.order,
                most=int(settings.megabytes * 1e6),
                sentences=settings.sentences,
            )
        if found is None:
            raise ValueError(Errors.LP761)
        known = Alternatives.none()
        if settings.alternatives:
            known = Alternatives.of(Lexicon(text), settings.key)
        return cls(settings, **found, alternatives=known)

    def read(
        self, keys: Keys, bounds: Bounds, **left_out: NDArray
    ) -> dict[str, NDArray]:
        """What the counts say of the tokens of sentences.

        Args:
            keys: The hashes of their words (`CountSettings.key`).
            bounds: The first word of each sentence, and the end.
            left_out: See `LeftOut`: sentences of the text that do not count.

        Returns:
            By name, an array with a number for each token: `left` and `right`, the
            words in the longest known n-grams that end and begin here; `prob`, `next`
            and `gap`, natural logarithms of the probability of the word, of the
            following word (or end), and of that if this word were not there; `count`,
            `pair` and `middle`, how often the word occurs, after the word before, and
            between both neighbours; `better`, by how much the logarithm would be higher
            if another word stood there that may be meant (NO_OTHER: there is none).
        """
        return read_evidence(
            self.slots,
            self.followers,
            keys,
            bounds,
            least=self.least,
            discounts=self.discounts,
            tokens=self.tokens,
            words=self.words,
            smoothing=SMOOTHINGS.index(self.settings.smoothing),
            **self.alternatives.arrays(),
            **left_out,
        )

    def keys(self, words: Sequence[str]) -> Keys:
        """The hashes of words."""
        return np.asarray([self.settings.key(word) for word in words], dtype=np.uint64)

    def log_probability(self, sentences: Sequence[Sequence[str]]) -> NDArray:
        """Natural logarithm of the probability of each sentence, its end included. No
        sentence is left out.

        Args:
            sentences: Their words.
        """
        lengths = np.asarray([len(words) for words in sentences], dtype=np.int64)
        bounds = np.zeros(len(lengths) + 1, dtype=np.int64)
        np.cumsum(lengths, out=bounds[1:])
        found = self.read(self.keys([w for words in sentences for w in words]), bounds)
        sums = np.concatenate([[0.0], np.cumsum(found["next"], dtype=np.float64)])
        whole = sums[bounds[1:]] - sums[bounds[:-1]]
        some = lengths > 0
        whole[some] += found["prob"][bounds[:-1][some]]
        return whole

    @property
    def nbytes(self) -> int:
        """Memory of the table."""
        others = sum(array.nbytes for array in self.alternatives.arrays().values())
        return self.slots.nbytes + self.followers.nbytes + others

    @property
    def entries(self) -> int:
        """N-grams and sentences in the table."""
        return int(np.count_nonzero(self.slots))

    # Saving ---------------------------------------------------------------------------

    def to_bytes(self) -> bytes:
        """All of it. The same text and settings give the same bytes."""
        header = {
            "kind": KIND,
            "settings": vars(self.settings),
            "least": list(self.least),
            "discounts": list(self.discounts),
            "tokens": self.tokens,
            "words": self.words,
        }
        table: dict[str, NDArray] = {"slots": self.slots, "followers": self.followers}
        return pack(header, {**table, **self.alternatives.arrays()})

    @classmethod
    def from_bytes(cls, data: bytes) -> "NgramCounts":
        """What `to_bytes` gave.

        Raises:
            ValueError: The bytes are damaged, or something else.
        """
        header, arrays = unpack(data)
        if header.get("kind") != KIND:
            raise ValueError(Errors.LP762.format(kind=header.get("kind")))
        try:
            return cls._checked(header, arrays)
        except DAMAGED as error:
            raise ValueError(Errors.LP763.format(error=error)) from error

    @classmethod
    def _checked(
        cls, header: Mapping[str, Any], arrays: Mapping[str, NDArray]
    ) -> "NgramCounts":
        settings = CountSettings(**header["settings"])
        settings.check()
        slots, followers = arrays["slots"], arrays["followers"]
        if slots.dtype != np.uint32 or followers.dtype != np.uint8:
            raise ValueError("the table has other numbers")
        if slots.ndim != 1 or slots.shape != followers.shape or len(slots) < 8:
            raise ValueError("the table has another form")
        if slots.all():
            raise ValueError("the table has no free place")  # a search ends at one
        least = [int(x) for x in header["least"]]
        discounts = [float(x) for x in header["discounts"]]
        if not len(least) == len(discounts) == settings.order:
            raise ValueError("its lengths are not those of its n-grams")
        if min(least) < 1 or max(least) >= 1 << 32:
            raise ValueError("a lowest count is out of range")
        tokens, words = float(header["tokens"]), float(header["words"])
        if not (0 <= words <= tokens <= LARGEST):
            raise ValueError("the numbers of words are out of range")
        if not all(0 < x <= 1 for x in discounts):
            raise ValueError("a discount is out of range")
        known = Alternatives.read(arrays)
        return cls(settings, slots, followers, least, discounts, tokens, words, known)

    def to_disk(self, path: Path | str) -> None:
        """Save the counts to a file, which changes in one step."""
        with whole_file(Path(path)) as fresh:
            fresh.write_bytes(self.to_bytes())

    @classmethod
    def from_disk(cls, path: Path | str) -> "NgramCounts":
        """The counts that `to_disk` saved."""
        path = Path(path)
        if not path.is_file():
            raise FileNotFoundError(Errors.LP101.format(path=path))
        try:
            return cls.from_bytes(path.read_bytes())
        except ValueError as error:
            raise ValueError(Errors.LP764.format(path=path, error=error)) from error


@dataclass
class LeftOut:
    """Sentences that do not count, for each sentence that is asked about."""

    keys: list[Keys] = field(default_factory=list)
    ends: list[int] = field(default_factory=partial(list, [0]))
    of: list[int] = field(default_factory=partial(list, [0]))

    def add(self, sentences: Sequence[Keys]) -> None:
        """Those of the next sentence that is asked about.

        Args:
            sentences: The hashes of their words.
        """
        for keys in sentences:
            self.keys.append(keys)
            self.ends.append(self.ends[-1] + len(keys))
        self.of.append(len(self.keys))

    def arrays(self) -> dict[str, NDArray]:
        """As `NgramCounts.read` takes them."""
        return {
            "own_keys": np.concatenate([*self.keys, np.zeros(0, dtype=np.uint64)]),
            "own_bounds": np.asarray(self.ends, dtype=np.int64),
            "own_of": np.asarray(self.of, dtype=np.int64),
        }
