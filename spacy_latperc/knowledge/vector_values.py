"""Word vectors as real-valued features: one weight for each label and dimension.

`vec.NAME[0]` are the numbers of the vector of a word. Buckets of vectors (vectors.py)
are plain features, and faster; the numbers themselves know more.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.strings import get_string_id
from thinc.backends import get_array_ops

from ..errors import Errors
from ..errors.check import check_count, check_positive
from ..features.sources import Givens, Reading, Source, Tokens
from ..features.values import ListedColumn, place_keys
from ..io import model_file
from .buckets import Buckets
from .vectors import frequent_words, vector_table

_WORDS = 50_000  # from whose vectors directions are found
_GRAIN = 1 << 12  # values are multiples of one over this, whatever is summed first
_KIND = "vector values"


class VectorValues(Source):
    """The vectors of the vocabulary, in the directions in which they differ most."""

    kind = "vec"

    def __init__(self, size: int, length: float):
        self.size = size
        self.length = length
        self.directions: Buckets | None = None

    def settings(self) -> dict[str, Any]:
        return {"values": self.size, "length": self.length}

    def attribute(self, argument: str) -> Reading:
        if argument:
            raise ValueError(Errors.LP755.format(argument=argument))
        return Reading(of_docs=self._values)

    def templates(self, name: str) -> list[str]:
        return [f"vec.{name}[{offset}]" for offset in (-1, 0, 1)]

    def fit(self, givens: Givens) -> None:
        vocab = givens.vocab
        if vocab is None or not vocab.vectors.shape[0]:
            raise ValueError(Errors.LP711.format(name=givens.name))
        data = vector_table(vocab.vectors)
        if vocab.vectors.mode == "floret":  # a table of pieces of words
            if givens.examples is None:
                raise ValueError(Errors.LP714.format(name=givens.name))
            words = frequent_words(givens.examples())[:_WORDS]
            data = np.asarray(vocab.vectors.get_batch(words), dtype=np.float32)
        known = data[_known(data)][:_WORDS]
        if not len(known):
            raise ValueError(Errors.LP711.format(name=givens.name))
        self.directions = Buckets.fit(known, (), self.size, givens.seed)
        self.changes += 1

    def _values(self, tokens: Tokens) -> Any:
        words, word_of = np.unique(tokens.words, return_inverse=True)
        hashes = tokens.words.copy()
        if not len(words):
            return hashes
        vectors = self._vectors(tokens, words)
        known = _known(vectors)
        numbers = np.where(known, np.cumsum(known), 0).astype(np.int32)
        rows = self._project(vectors[known])
        n, width = rows.shape
        hashes[~known[word_of]] = 0
        return ListedColumn(
            hashes,
            numbers[word_of],
            np.arange(n + 1, dtype=np.int64) * width,
            np.tile(np.asarray(place_keys(width), dtype=np.uint64), n),
            rows.reshape(-1),
        )

    def _vectors(
        self, tokens: Tokens, words: NDArray[np.uint64]
    ) -> NDArray[np.float32]:
        """Of words, or of their lower-case forms; zeros where there are none."""
        table = tokens.docs[0].vocab.vectors
        width = self._fitted().mean.shape[1]
        if table.shape[1] != width or not table.shape[0]:
            raise ValueError(Errors.LP756.format(width=width, found=table.shape[1]))
        texts = [tokens.lookup(word) for word in words.tolist()]
        if table.mode == "floret":
            return np.asarray(table.get_batch(texts), dtype=np.float32)
        data = get_array_ops(table.data).to_numpy(table.data)
        found = np.zeros((len(words), width), dtype=np.float32)
        for forms in (texts, [text.lower() for text in texts]):
            missing = np.flatnonzero(~_known(found))
            keys = [get_string_id(forms[number]) for number in missing.tolist()]
            rows = np.array([table.key2row.get(key, -1) for key in keys], dtype=int)
            found[missing[rows >= 0]] = data[rows[rows >= 0]]
        if not np.isfinite(found).all():
            vector_table(table)  # names the row
        return found

    def _project(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        fitted = self._fitted()
        lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
        rows = (vectors / lengths - fitted.mean) @ fitted.directions.T.astype(
            np.float64
        )
        rows *= self.length / (np.linalg.norm(rows, axis=1, keepdims=True) + 1e-9)
        return (np.rint(rows * _GRAIN) / _GRAIN).astype(np.float32)

    def _fitted(self) -> Buckets:
        if self.directions is None:
            raise ValueError(Errors.LP756.format(width=0, found=0))
        return self.directions

    # Saving: the directions; vectors are saved with the vocabulary. ------------------

    def to_bytes(self) -> bytes:
        arrays = self.directions.arrays() if self.directions is not None else {}
        return model_file.pack({"kind": _KIND}, arrays)

    def from_bytes(self, data: bytes) -> None:
        header, arrays = model_file.unpack(data)
        if header.get("kind") != _KIND:
            raise ValueError("these are no directions of vectors")
        self.directions = self._read(arrays) if arrays else None
        self.changes += 1

    def _read(self, arrays: Mapping[str, np.ndarray]) -> Buckets:
        width = arrays["mean"].shape[-1] if arrays["mean"].ndim else 0
        return Buckets.read(arrays, (), self.size, width)

    def blank(self) -> "VectorValues":
        return type(self)(self.size, self.length)

    @property
    def nbytes(self) -> int:
        fitted = self.directions
        return 0 if fitted is None else sum(x.nbytes for x in fitted.arrays().values())


def _known(vectors: NDArray[np.float32]) -> NDArray[np.bool_]:
    """A row of zeros says nothing."""
    return np.count_nonzero(vectors, axis=1) > 0


def vector_values(size: int = 50, length: float = 1.0) -> VectorValues:
    """The numbers of the word vectors of the pipeline: `vec.NAME[0]`.

    A vector is projected on the directions in which vectors differ most, and brought to
    one length. Words without a vector have none of these features. Unlike buckets, the
    numbers are read from the vectors of the pipeline whenever it is used: they must be
    saved with it.

    Args:
        size: How many directions, and so how many numbers for each token. More cost
            time in proportion, and memory in training.
        length: Of every vector. Plain features count 1; vectors that are longer weigh
            more beside them.
    """
    check_count("size", size)
    check_positive("length", length)
    return VectorValues(size, length)
