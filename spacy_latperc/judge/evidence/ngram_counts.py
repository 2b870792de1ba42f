"""How often the n-grams of a text occur: tables of hashes, small enough to be part of a
model.

Counts are exact up to 127 and within 7 per cent above; with the smoothing of Kneser and
Ney, logarithms of probabilities are within 0.075. An n-gram that the text does not have
is taken for another one about once in a million times.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Errors
from ...errors.check import check_choice, check_count, check_number
from ...io.atomic import whole_file
from ...io.model_file import DAMAGED, map_file, pack_mapped, unpack
from ...kernels.chains import text_hash
from ...kernels.text import (
    EVIDENCE_SMOOTHINGS,
    FIRST_WORD,
    MAX_ORDER,
    Vocabulary,
    count_evidence,
    evidence_marks,
    read_evidence,
)
from ...text.sentences import Sentences
from .lexicon import Lexicon

KIND = "n-gram counts"
SMOOTHINGS = EVIDENCE_SMOOTHINGS
LEAST_MEGABYTES = 0.001
LARGEST = 1e12  # words of a text
MOST_ALTERNATIVES = 6
_LARGE = 1 << 17  # slots of tables that do not stay near the processor
NO_OTHER = -1e9  # where a word has no alternatives
_ALTERNATIVE_ARRAYS = ("words", "begin", "others")
_SLOTS = ("slots", "plain")
_BESIDE = (("followers",), ("adjusted", "total", "rest"))  # without left words, with
_KINDS = {
    "followers": np.uint8, "adjusted": np.uint8, "total": np.uint16, "rest": np.uint16,
}  # fmt: skip

_ZEROS = str.maketrans("123456789", "000000000")

Keys = NDArray[np.uint64]
Bounds = NDArray[np.int64]


@dataclass(frozen=True)
class CountSettings:
    """How a text is counted.

    Attributes:
        order: Words in the longest n-grams.
        smoothing: How longer and shorter n-grams make a probability: "absolute"
            (interpolated absolute discounting, Ney, Essen and Kneser 1994) or
            "kneser-ney" (the same, but shorter n-grams are counted by the words to
            their left).
        megabytes: Of the tables, at most: the rarest n-grams are left out until they
            fit.
        lowercase: Capitals make no difference.
        digits: All digits are the same.
        sentences: Whether the tables know which sentences were counted, so that these
            can be left out when they are asked about.
        alternatives: Whether they know which words may be meant in place of one another
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
        look = "5 reads four previous words"
        check_count("order", self.order, low=2, high=MAX_ORDER, hint=look)
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
        """Those that a lexicon knows."""
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


def _word_keys(vocabulary: Vocabulary, settings: CountSettings) -> Keys:
    """The hash of each word, by its number."""
    keys = np.zeros(vocabulary.size, dtype=np.uint64)
    for number in range(FIRST_WORD, vocabulary.size):
        keys[number] = settings.key(vocabulary.word(number))
    return keys


@dataclass(frozen=True, eq=False)
class NgramCounts:
    """The counts of a text.

    Attributes:
        settings: How it was counted.
        tables: By name: `slots` (marks of n-grams and their counts), beside them
            `followers` (how many words follow each), or `adjusted`, `total` and `rest`
            (see evidence_table.hh); `plain` (marks of the longest n-grams and of
            sentences, and their counts). They may be those of a mapped file.
        least: By length: n-grams that occur less often are not there.
        discounts: By length: what is taken from counts of 1, 2, and 3 or more.
        totals: Tokens of the text, ends of sentences among them; different words; what
            adjusted counts of words sum up to, and what of that all words share.
        steps: How far at most an n-gram is from its place, in `slots` and `plain`.
        alternatives: Of words that have some.
    """

    settings: CountSettings
    tables: Mapping[str, NDArray]
    least: Sequence[int]
    discounts: Sequence[float]
    totals: Sequence[float]
    steps: Sequence[int]
    alternatives: "Alternatives"

    @classmethod
    def count(cls, text: Sentences, settings: CountSettings) -> "NgramCounts":
        """Count the n-grams of a text."""
        settings.check()
        if settings.lowercase or settings.digits:
            text = text.renamed(settings.fold, Vocabulary())
        size = text.vocabulary.size
        try:
            found = count_evidence(
                text.ids,
                text.bounds,
                _word_keys(text.vocabulary, settings),
                order=settings.order,
                smoothing=SMOOTHINGS.index(settings.smoothing),
                most=int(settings.megabytes * 1e6),
                sentences=settings.sentences,
            )
        except ValueError as error:
            message = Errors.LP760.format(words=size, megabytes=settings.megabytes)
            raise ValueError(message) from error
        if found is None:
            raise ValueError(Errors.LP761)
        known = Alternatives.none()
        if settings.alternatives:
            known = Alternatives.of(Lexicon(text), settings.key)
        tables, rest = found
        return cls(settings, tables, **rest, alternatives=known)

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
            self.tables,
            keys,
            bounds,
            least=self.least,
            discounts=self.discounts,
            totals=self.totals,
            steps=self.steps,
            smoothing=SMOOTHINGS.index(self.settings.smoothing),
            **self.alternatives.arrays(),
            **left_out,
            marks=self._marks,
        )

    @cached_property
    def _marks(self) -> NDArray[np.uint8] | None:
        """What tells that n-grams are not there; small tables are asked at once."""
        if len(self.tables["slots"]) + len(self.tables["plain"]) < _LARGE:
            return None
        return evidence_marks(self.tables)

    def keys(self, words: Sequence[str]) -> Keys:
        """The hashes of words."""
        return np.asarray([self.settings.key(word) for word in words], dtype=np.uint64)

    def log_probability(self, sentences: Sequence[Sequence[str]]) -> NDArray:
        """Natural logarithm of the probability of each sentence, its end included. No
        sentence is left out."""
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
    def tokens(self) -> float:
        """Of the text, ends of sentences among them."""
        return self.totals[0]

    @property
    def words(self) -> float:
        """Different words of the text."""
        return self.totals[1]

    @property
    def nbytes(self) -> int:
        """Memory of the tables."""
        arrays = [*self._own_tables().values(), *self.alternatives.arrays().values()]
        return sum(array.nbytes for array in arrays)

    @property
    def entries(self) -> int:
        """N-grams and sentences in the tables."""
        tables = self._own_tables()
        return sum(int(np.count_nonzero(tables[x])) for x in _SLOTS if x in tables)

    def _own_tables(self) -> dict[str, NDArray]:
        """Counts of older files have n-grams of all lengths in one table."""
        one = self.tables["plain"] is self.tables["slots"]
        return {k: v for k, v in self.tables.items() if not (one and k == "plain")}

    # Saving ---------------------------------------------------------------------------

    def to_bytes(self) -> bytes:
        """All of it. The same text and settings give the same bytes."""
        header = {
            "kind": KIND,
            "settings": vars(self.settings),
            "least": list(self.least),
            "discounts": list(self.discounts),
            "totals": list(self.totals),
            "steps": list(self.steps),
        }
        return pack_mapped(header, {**self._own_tables(), **self.alternatives.arrays()})

    @classmethod
    def from_bytes(cls, data: bytes) -> "NgramCounts":
        """What `to_bytes` gave, also in earlier versions of this package.

        Raises:
            ValueError: The bytes are damaged, or something else.
        """
        return cls._read(*unpack(data))

    @classmethod
    def _read(
        cls, header: Mapping[str, Any], arrays: Mapping[str, NDArray]
    ) -> "NgramCounts":
        if header.get("kind") != KIND:
            raise ValueError(Errors.LP025.format(kind=header.get("kind")))
        try:
            return cls._checked(header, arrays)
        except DAMAGED as error:
            raise ValueError(Errors.LP023.format(error=error)) from error

    @classmethod
    def _checked(
        cls, header: Mapping[str, Any], arrays: Mapping[str, NDArray]
    ) -> "NgramCounts":
        settings = CountSettings(**header["settings"])
        settings.check()
        tables = {name: arrays[name] for name in _SLOTS if name in arrays}
        beside = _BESIDE[settings.smoothing == "kneser-ney"]
        tables.update({name: arrays[name] for name in beside})
        for name, table in tables.items():
            if table.dtype != _KINDS.get(name, np.uint32):
                raise ValueError("the tables have other numbers")
            if table.ndim != 1 or not 8 <= len(table) < 1 << 32:
                raise ValueError("the tables have another form")
            if name != "plain" and len(table) != len(tables["slots"]):
                raise ValueError("the tables have different forms")
        tables.setdefault("plain", tables["slots"])
        least = [int(x) for x in header["least"]]
        discounts = [float(x) for x in header["discounts"]]
        if len(discounts) == settings.order and "totals" not in header:
            discounts = [x for x in discounts for _ in range(3)]
        if not 3 * len(least) == len(discounts) == 3 * settings.order:
            raise ValueError("its lengths are not those of its n-grams")
        if min(least) < 1 or max(least) >= 1 << 32:
            raise ValueError("a lowest count is out of range")
        totals = [float(x) for x in _totals(header)]
        tokens, words, total, rest = totals
        if not (0 <= words <= tokens <= LARGEST and 0 <= rest <= total <= LARGEST):
            raise ValueError("the numbers of words are out of range")
        if not all(0 < x <= 3 for x in discounts):
            raise ValueError("a discount is out of range")
        sizes = len(tables["slots"]), len(tables["plain"])
        steps = [int(x) for x in header.get("steps", sizes)]
        if len(steps) != 2 or not all(0 <= x <= LARGEST for x in steps):
            raise ValueError("a number of steps is out of range")
        known = Alternatives.read(arrays)
        return cls(settings, tables, least, discounts, totals, steps, known)

    def to_disk(self, path: Path | str) -> None:
        """Save the counts to a file, which changes in one step."""
        with whole_file(Path(path)) as fresh:
            fresh.write_bytes(self.to_bytes())

    @classmethod
    def from_disk(cls, path: Path | str) -> "NgramCounts":
        """The counts that `to_disk` saved. The file is mapped: it is not read before
        something is asked, and processes that use it share its memory."""
        path = Path(path)
        if not path.is_file():
            raise FileNotFoundError(Errors.LP101.format(path=path))
        try:
            return cls._read(*map_file(path))
        except ValueError as error:
            raise ValueError(Errors.LP764.format(path=path, error=error)) from error


def _totals(header: Mapping[str, Any]) -> Sequence[float]:
    if "totals" in header:
        return header["totals"]
    return header["tokens"], header["words"], 0.0, 0.0


@dataclass
class LeftOut:
    """Sentences that do not count, for each sentence that is asked about."""

    keys: list[Keys] = field(default_factory=list)
    ends: list[int] = field(default_factory=partial(list, [0]))
    of: list[int] = field(default_factory=partial(list, [0]))

    def add(self, sentences: Sequence[Keys]) -> None:
        """Those of the next sentence that is asked about."""
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
