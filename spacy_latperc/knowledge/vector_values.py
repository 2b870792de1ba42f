"""Word vectors as real-valued features: one weight for each label and dimension.

`vec.NAME[0]` has the components of the vector of a word.
"""

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from spacy.strings import get_string_id
from spacy.vectors import Vectors
from thinc.backends import get_array_ops

from ..errors import Errors
from ..errors.check import check_count, check_positive
from ..features.sources import Givens, Reading, Source, Tokens
from ..features.values import ListedColumn, place_keys
from ..io import model_file

_WORDS = 50_000  # that directions are fitted to
_GRAIN = 1 << 12  # values are multiples of one over this, so that sums are exact

Floats = NDArray[np.float32]
Self = TypeVar("Self", bound="VectorSource")


@dataclass(frozen=True, eq=False)
class Directions:
    """The directions in which vectors differ most, the widest first."""

    rows: Floats
    mean: Floats

    @classmethod
    def fit(cls, vectors: Floats, size: int) -> "Directions":
        """Find the principal directions of normalised vectors, none all zero."""
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        units = (vectors / lengths).astype(np.float32)
        mean = units.mean(axis=0, dtype=np.float64)
        centred = units.astype(np.float64) - mean
        rows, _ = principal_axes(centred.T @ centred, size)
        return cls(rows.astype(np.float32), mean.astype(np.float32)[None])

    @classmethod
    def whitened(
        cls, vectors: Floats, size: int, power: float, length: float
    ) -> "Directions":
        """Find the principal directions of vectors as they are, each divided by a power
        of its standard deviation, and all by the factor that gives the mean length.

        Args:
            vectors: Rows of numbers.
            size: The number of directions.
            power: The power; 0 leaves the directions as they are.
            length: The mean length of a vector.
        """
        mean = vectors.mean(axis=0, dtype=np.float64)
        centred = vectors - mean.astype(np.float32)
        covariance = (centred.T @ centred).astype(np.float64) / len(vectors)
        rows, spread = principal_axes(covariance, size)
        rows = rows / np.maximum(spread, 1e-6 * spread.max() + 1e-12)[:, None] ** power
        norms = np.linalg.norm(centred @ rows.T.astype(np.float32), axis=1)
        rows *= length / max(float(norms.mean()), 1e-12)
        return cls(rows.astype(np.float32), mean.astype(np.float32)[None])

    def project(self, vectors: Floats) -> Floats:
        """Return vectors in these directions."""
        return np.asarray((vectors - self.mean) @ self.rows.T, dtype=np.float32)

    def arrays(self) -> dict[str, Floats]:
        """Return the arrays that a file keeps."""
        return {"directions": self.rows, "mean": self.mean}

    @classmethod
    def read(cls, arrays: Mapping[str, np.ndarray], size: int) -> "Directions":
        """Read what `arrays` returned, and check it."""
        width = arrays["mean"].shape[-1] if arrays["mean"].ndim else 0
        for name, most in (("directions", size), ("mean", 1)):
            array = arrays[name]
            good = array.dtype == np.float32 and array.ndim == 2
            if not (good and array.shape[1] == width and len(array) <= most):
                raise ValueError(f"the {name} of vectors have another form")
            if not np.isfinite(array).all():
                raise ValueError(f"the {name} of vectors are not finite")
        return cls(arrays["directions"], arrays["mean"])


def principal_axes(
    covariance: NDArray[np.float64], size: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the widest directions of a covariance, and their standard deviations."""
    squares, axes = np.linalg.eigh(covariance)
    # The sign of an eigenvector is arbitrary; fixing it makes bytes reproducible.
    widest = axes[:, ::-1][:, :size].T
    largest = np.take_along_axis(widest, np.abs(widest).argmax(axis=1)[:, None], axis=1)
    return widest * np.sign(largest), np.sqrt(np.maximum(squares[::-1][:size], 0))


@dataclass(eq=False)
class VectorSource(Source):
    """A source of vectors, in the directions that it is fitted to.

    Attributes:
        width: The number of directions.
        length: The length of a vector, or the mean of all.
        directions: The directions; None before `fit`.
    """

    kind: ClassVar[str] = "vec"
    saved_as: ClassVar[str]  # in the header of a file

    width: int
    length: float
    directions: Directions | None = field(init=False, default=None)

    def attribute(self, argument: str) -> Reading:
        if argument:
            raise ValueError(Errors.LP709.format(argument=argument))
        return Reading(of_docs=self._values)

    @abstractmethod
    def _values(self, tokens: Tokens) -> Any:
        """Return the column of a batch."""

    def blank(self: Self) -> Self:
        return replace(self)

    def state(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """Return the content of a file: a header and arrays."""
        fitted = self.directions
        return {"kind": self.saved_as}, {} if fitted is None else fitted.arrays()

    def load(self, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        """Read what `state` returned, and check it."""
        if header.get("kind") != self.saved_as:
            raise ValueError("these are no directions of vectors")
        self.directions = Directions.read(arrays, self.width) if arrays else None
        self.changes += 1

    def to_bytes(self) -> bytes:
        return model_file.pack(*self.state())

    def from_bytes(self, data: bytes) -> None:
        self.load(*model_file.unpack(data))

    @property
    def nbytes(self) -> int:
        fitted = self.directions
        return 0 if fitted is None else sum(x.nbytes for x in fitted.arrays().values())


class VectorValues(VectorSource):
    """The vectors of the vocabulary, projected on their principal directions."""

    saved_as = "vector values"

    def settings(self) -> dict[str, Any]:
        return {"values": self.width, "length": self.length}

    def templates(self, name: str) -> list[str]:
        return [f"vec.{name}[{offset}]" for offset in (-1, 0, 1)]

    def fit(self, givens: Givens) -> None:
        vocab = givens.vocab
        if vocab is None or not vocab.vectors.shape[0]:
            raise ValueError(Errors.LP711.format(name=givens.name))
        data = vector_table(vocab.vectors)
        if vocab.vectors.mode == "floret":  # a table of pieces of words
            if givens.examples is None:
                raise ValueError(
                    Errors.LP731.format(name=givens.name, wanted="examples")
                )
            words = frequent_words(givens.examples())[:_WORDS]
            data = np.asarray(vocab.vectors.get_batch(words), dtype=np.float32)
        known = data[_known(data)][:_WORDS]
        if not len(known):
            raise ValueError(Errors.LP711.format(name=givens.name))
        self.directions = Directions.fit(known, self.width)
        self.changes += 1

    def _values(self, tokens: Tokens) -> Any:
        words, word_of = np.unique(tokens.words, return_inverse=True)
        hashes = tokens.words.copy()
        if not len(words):
            return hashes
        table, fitted = tokens.docs[0].vocab.vectors, self.directions
        width = 0 if fitted is None else fitted.mean.shape[1]
        if fitted is None or table.shape[1] != width or not table.shape[0]:
            raise ValueError(Errors.LP756.format(width=width, found=table.shape[1]))
        vectors = _vectors_of([tokens.lookup(x) for x in words.tolist()], table)
        known = _known(vectors)
        numbers = np.where(known, np.cumsum(known), 0).astype(np.int32)
        rows = self._project(vectors[known], fitted)
        n, width = rows.shape
        hashes[~known[word_of]] = 0
        return ListedColumn(
            hashes,
            numbers[word_of],
            np.arange(n + 1, dtype=np.int64) * width,
            np.tile(np.asarray(place_keys(width), dtype=np.uint64), n),
            rows.reshape(-1),
        )

    def _project(self, vectors: Floats, fitted: Directions) -> Floats:
        lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
        rows = (vectors / lengths - fitted.mean) @ fitted.rows.T.astype(np.float64)
        rows *= self.length / (np.linalg.norm(rows, axis=1, keepdims=True) + 1e-9)
        return (np.rint(rows * _GRAIN) / _GRAIN).astype(np.float32)


def _vectors_of(texts: list[str], table: Vectors) -> Floats:
    """Return the vectors of words or their lower-case forms; zeros for others."""
    if table.mode == "floret":
        return np.asarray(table.get_batch(texts), dtype=np.float32)
    data = get_array_ops(table.data).to_numpy(table.data)
    found = np.zeros((len(texts), table.shape[1]), dtype=np.float32)
    for forms in (texts, [text.lower() for text in texts]):
        missing = np.flatnonzero(~_known(found))
        keys = [get_string_id(forms[number]) for number in missing.tolist()]
        rows = np.array([table.key2row.get(key, -1) for key in keys], dtype=int)
        found[missing[rows >= 0]] = data[rows[rows >= 0]]
    if not np.isfinite(found).all():
        vector_table(table)  # names the row
    return found


def _known(vectors: Floats) -> NDArray[np.bool_]:
    """Return a mask of the rows that are not all zero."""
    return np.count_nonzero(vectors, axis=1) > 0


def frequent_words(examples: Iterable[Any]) -> list[str]:
    """List the words of examples, the most frequent ones first."""
    counts = Counter(token.orth_ for x in examples for token in x.predicted)
    return sorted(counts, key=lambda word: (-counts[word], word))


def vector_table(vectors: Vectors) -> Floats:
    """Return the table of vectors on the CPU, without NaN and infinity."""
    data = get_array_ops(vectors.data).to_numpy(vectors.data).astype(np.float32)
    bad = np.flatnonzero(~np.isfinite(data).all(axis=1))
    if len(bad):
        raise ValueError(Errors.LP712.format(row=int(bad[0])))
    return data


def vector_values(size: int = 50, length: float = 1.0) -> VectorValues:
    """Use the components of the word vectors of the pipeline: `vec.NAME[0]`.

    A vector is projected on the principal directions and normalised. Words without a
    vector have none of these features. The vectors of the pipeline are needed whenever
    it is used: they must be saved with it.

    Args:
        size: The number of directions, and so of components for each token. Time, and
            memory in training, grow in proportion.
        length: The norm of every vector. Plain features have the value 1; longer
            vectors get more influence.
    """
    check_count("size", size)
    check_positive("length", length)
    return VectorValues(size, length)
