"""Word vectors as attributes: the bucket that the vector of a word lies in.

`vec.NAME:k256[0]` is the nearest of 256 centres, `vec.NAME:sign[0]` the signs of the
projections on the directions in which vectors differ most, `vec.NAME:sign4[0]` the
first four of them.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from spacy.strings import StringStore, get_string_id
from spacy.vectors import Vectors
from thinc.backends import get_array_ops

from ..errors import Errors
from ..errors.check import check_count, check_kind
from ..features.sources import Givens, Reading
from .buckets import MOST_SIGNS, SIGN, Buckets, check_finite
from .normalise import Normaliser
from .word_table import WordTable
from .words import UNKNOWN, WordSource

SIZES = [64, 256, 1024]
LARGEST = 65_536  # buckets
# Settings of floret vectors: numbers, and what they are at most, and strings.
_FLORET = {
    **{"minn": 100, "maxn": 100, "hash_count": 4, "hash_seed": 2**32 - 1},
    **dict.fromkeys(("bow", "eow"), None),
}


@dataclass(eq=False)
class VectorBuckets(WordSource):
    """Buckets of vectors.

    Attributes:
        sizes: Numbers of centres.
        signs: How many signs.
        words: From the vectors of how many words buckets are made.
        floret: Vectors of any word, made of its pieces, and what buckets them; None
            where all words are in the table.
    """

    kind: ClassVar[str] = "vec"
    hash_form = staticmethod(get_string_id)

    sizes: Sequence[int] = field(default_factory=list)
    signs: int = 12
    words: int = 50_000
    floret: tuple[Vectors, Buckets] | None = field(init=False, default=None)

    def settings(self) -> dict[str, Any]:
        return {**super().settings(), "sizes": list(self.sizes), "signs": self.signs}

    def attribute(self, argument: str) -> Reading:
        sign = re.fullmatch(r"sign(\d*)", argument)
        if sign and self.signs:
            length = int(sign[1] or self.signs)
            if 1 <= length <= self.signs:
                return Reading(of_form=self._signs(length), few_values=True)
        elif argument in {f"k{k}" for k in self.sizes}:
            return Reading(of_form=lambda word: self._value(word, argument))
        known = [f"k{k}" for k in self.sizes] + ["sign"] * bool(self.signs)
        raise ValueError(Errors.LP713.format(argument=argument, known=", ".join(known)))

    def _signs(self, length: int) -> Any:
        def signs(word: str) -> str:
            value = self._value(word, SIGN)
            return value and format(int(value), f"0{self.signs}b")[:length]

        return signs

    def _value(self, word: str, column: str) -> str:
        if self.floret is not None:
            return self._of_pieces(word, column)
        row = self.row_of(word)
        return "" if row == UNKNOWN else str(self.table.columns[column][row])

    def _of_pieces(self, word: str, column: str) -> str:
        assert self.floret is not None
        vectors, buckets = self.floret
        vector = np.asarray(vectors.get_batch([word]), dtype=np.float32)
        return str(buckets.columns(vector)[column][0]) if vector.any() else ""

    def templates(self, name: str) -> list[str]:
        names = [f"k{k}" for k in self.sizes] + ["sign"] * bool(self.signs)
        return [f"vec.{name}:{x}[{at}]" for x in names for at in range(-2, 3)]

    def fit(self, givens: Givens) -> None:
        vectors = givens.vocab.vectors if givens.vocab is not None else None
        if vectors is None or not vectors.shape[0]:
            raise ValueError(Errors.LP711.format(name=givens.name))
        self.floret = None
        if vectors.mode == "floret":
            self._fit_pieces(vectors, givens)
        else:
            self._fit_words(vectors, givens)

    def _fit_words(self, vectors: Vectors, givens: Givens) -> None:
        """Put all words that have a vector into a table."""
        data = vector_table(vectors)
        rows = np.fromiter(vectors.key2row.values(), np.int64, len(vectors.key2row))
        keys = np.fromiter(vectors.key2row.keys(), np.uint64, len(vectors.key2row))
        known = np.any(data, axis=1)[rows]
        rows, keys = rows[known], keys[known]
        # Vectors usually come in the order of how frequent their words are.
        first = np.unique(rows)[: self.words]
        buckets = self._buckets(data[first], givens)
        columns = buckets.columns(data)
        self.know(WordTable(keys, {name: x[rows] for name, x in columns.items()}))

    def _fit_pieces(self, vectors: Vectors, givens: Givens) -> None:
        """Keep the vectors of pieces: of words there is no end."""
        if givens.examples is None:
            raise ValueError(Errors.LP714.format(name=givens.name))
        ordered = frequent_words(givens.examples())
        settings = {name: getattr(vectors, name) for name in _FLORET}
        # As a model file has them, so that loading changes nothing.
        halves = vector_table(vectors).astype(np.float16)
        pieces = _floret(halves.astype(np.float32), settings)
        of_words = np.asarray(pieces.get_batch(ordered[: self.words]))
        self.floret = pieces, self._buckets(of_words[of_words.any(axis=1)], givens)
        self.know(WordTable.empty())

    def _buckets(self, data: NDArray[np.float32], givens: Givens) -> Buckets:
        if not len(data):
            raise ValueError(Errors.LP711.format(name=givens.name))
        return Buckets.fit(data, self.sizes, self.signs, givens.seed)

    @property
    def nbytes(self) -> int:
        pieces = self.floret[0].data.nbytes if self.floret is not None else 0
        return super().nbytes + pieces

    def header(self) -> dict[str, Any]:
        if self.floret is None:
            return {}
        vectors, _ = self.floret
        return {"floret": {name: getattr(vectors, name) for name in _FLORET}}

    def arrays(self) -> dict[str, np.ndarray]:
        if self.floret is None:
            return super().arrays()
        vectors, buckets = self.floret
        halves = vectors.data.astype(np.float16).view(np.uint16)
        return {"pieces": halves, **buckets.arrays()}

    def read(self, header: dict[str, Any], arrays: dict[str, Any]) -> WordTable:
        if "floret" not in header:
            limits = {f"k{k}": k for k in self.sizes}
            return WordTable.read(arrays, **limits, **{SIGN: 1 << self.signs})
        settings = header["floret"]
        for name, most in _FLORET.items():
            value = settings[name]
            good = isinstance(value, str) if most is None else type(value) is int
            if not good or (most is not None and not 0 <= value <= most):
                raise ValueError(f"{name} of the vectors is {value!r}"[:200])
        pieces = arrays["pieces"]
        if pieces.dtype != np.uint16 or pieces.ndim != 2 or not pieces.size:
            raise ValueError("the vectors of pieces have another form")
        data = pieces.view(np.float16).astype(np.float32)
        check_finite(data)
        buckets = Buckets.read(arrays, self.sizes, self.signs, data.shape[1])
        self.floret = _floret(data, settings), buckets
        return WordTable.empty()


def frequent_words(examples: Iterable[Any]) -> list[str]:
    """The words of examples, the most frequent ones first."""
    counts = Counter(token.orth_ for x in examples for token in x.predicted)
    return sorted(counts, key=lambda word: (-counts[word], word))


def _floret(data: NDArray[np.float32], settings: dict[str, Any]) -> Vectors:
    return Vectors(mode="floret", data=data, strings=StringStore(), **settings)


def vector_table(vectors: Vectors) -> NDArray[np.float32]:
    """The table of vectors, on the CPU, checked."""
    data = get_array_ops(vectors.data).to_numpy(vectors.data).astype(np.float32)
    check_finite(data)
    return data


def vectors(
    sizes: list[int] = SIZES,
    signs: int = 12,
    words: int = 50_000,
    lower: bool = True,
    digits: str = "",
    classes: bool = False,
    back_off: bool = False,
) -> VectorBuckets:
    """Buckets of the word vectors of the pipeline: `vec.NAME:k256[0]` is the nearest of
    256 centres, `vec.NAME:sign[0]` the signs of the projections on the directions in
    which vectors differ most, `vec.NAME:sign4[0]` the first four of them.

    Buckets are made when the component is initialised, from the vectors that
    `[initialize] vectors` names. The model keeps the bucket of every word, and of
    floret vectors the table of pieces of words. The pipeline needs no vectors then.

    Args:
        sizes: Numbers of centres; several give finer and coarser buckets.
        signs: How many signs there are; 0 for none.
        words: From the vectors of how many words buckets are made: the first of the
            table, or with floret the most frequent ones of the training data.
        lower: Look also for the lower-case form of a word. Not used with floret.
        digits: Look also for the form with this character for every digit; empty for
            none. Not used with floret.
        classes: Look also for the class of a URL or of a mention of a user. Not used
            with floret.
        back_off: Look also for the capitalised form, for what follows the last hyphen,
            and for what follows a hash sign. Not used with floret.
    """
    check_kind("sizes", sizes, (list, tuple), "a list of numbers")
    for size in sizes:
        check_count("sizes", size, low=2, high=LARGEST)
    check_count("signs", signs, low=0, high=MOST_SIGNS)
    check_count("words", words)
    normaliser = Normaliser(lower, digits, classes, back_off)
    return VectorBuckets(normaliser, list(dict.fromkeys(sizes)), signs, words)
