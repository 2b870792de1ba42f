"""Vectors of the tokens of Docs, as arrays [tokens, width]."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import Errors
from ..errors.check import check_count, check_positive, refusal
from ..features.sources import Givens, Reading, Source, Tokens
from ..features.values import LARGEST_VALUE, DenseColumn
from ..io import model_file
from .vector_values import Directions

FITTED_TO = 60_000  # tokens
_DOCS = 64  # read at once
_KIND = "doc vectors"


def is_vectors(values: Any) -> bool:
    """Return True for an array of floats with a row for each token."""
    return (
        isinstance(values, np.ndarray) and values.ndim == 2 and values.dtype.kind == "f"
    )


def join_vectors(docs: Sequence[Any], values: Sequence[Any], name: str) -> DenseColumn:
    """Join the vectors of Docs into a column, and check them.

    Args:
        docs: The Docs, at least one of them not empty.
        values: An array for each Doc; those of empty Docs may have any form.
        name: The name of the attribute, for messages.
    """
    rows = []
    width = None
    for doc, array in zip(docs, values, strict=True):
        if not len(doc):
            continue
        if not is_vectors(array) or array.shape != (len(doc), width or array.shape[1]):
            found = f"an array of shape {np.shape(array)}"
            wanted = f"floats of shape {(len(doc), width or 'width')}"
            raise ValueError(
                Errors.LP757.format(
                    name=name, doc=text_of(doc), found=found, wanted=wanted
                )
            )
        width = array.shape[1]
        with np.errstate(over="ignore"):
            rows.append(array.astype(np.float32))
        bad = np.argwhere(~(np.abs(rows[-1]) <= LARGEST_VALUE))
        if len(bad):
            token, place = bad[0].tolist()
            where = f"token {token} of {text_of(doc)}"
            found = str(array[token, place])
            raise ValueError(Errors.LP750.format(name=name, found=found, place=where))
    return DenseColumn.of(np.concatenate(rows))


def text_of(doc: Any) -> str:
    """Return the beginning of a Doc, for messages."""
    return repr(doc.text.strip()[:60])


class DocVectors(Source):
    """Vectors of the tokens of Docs, in their principal directions: `vec.NAME[0]`.

    Args:
        width: The number of directions.
        whitening: The power of its standard deviation that a direction is divided by.
        length: The mean length of a vector.
    """

    kind = "vec"

    def __init__(self, width: int, whitening: float, length: float):
        check_count("width", width)
        check_positive("length", length)
        if not 0 <= whitening <= 1:
            raise refusal(Errors.LP590, "whitening", whitening, wanted="from 0 to 1")
        self.width = width
        self.whitening = whitening
        self.length = length
        self.directions: Directions | None = None

    @abstractmethod
    def vectors(self, tokens: Tokens) -> list[NDArray[Any]]:
        """Return the vectors of each Doc, [tokens, any width]."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The name of the vectors, for messages."""

    def settings(self) -> dict[str, Any]:
        return {
            "width": self.width, "whitening": self.whitening, "length": self.length,
        }  # fmt: skip

    def attribute(self, argument: str) -> Reading:
        if argument:
            raise ValueError(Errors.LP709.format(argument=argument))
        return Reading(of_docs=self._values)

    def templates(self, name: str) -> list[str]:
        return [f"vec.{name}[0]"]

    def fit(self, givens: Givens) -> None:
        if givens.examples is None:
            raise ValueError(Errors.LP731.format(name=givens.name, wanted="examples"))
        found = []
        count = 0
        docs = self.training_docs(givens)
        while batch := list(islice(docs, _DOCS)):
            tokens = Tokens.of(batch, givens.sources)
            # Tokens without a vector say nothing of directions.
            rows = join_vectors(tokens.docs, self.vectors(tokens), self.name).numbers
            found.append(rows[rows.any(axis=1)])
            count += len(found[-1])
            if count >= FITTED_TO:
                break
        if not count:
            raise ValueError(Errors.LP686.format(name=givens.name, source=self.name))
        rows = np.concatenate(found)[:FITTED_TO].astype(np.float32)
        self.directions = Directions.whitened(
            rows, self.width, self.whitening, self.length
        )
        self.changes += 1

    def training_docs(self, givens: Givens) -> Iterator[Any]:
        """Return the Docs whose vectors directions are found from."""
        assert givens.examples is not None
        return (x.predicted for x in givens.examples() if len(x.predicted))

    def _values(self, tokens: Tokens) -> Any:
        if not len(tokens.words):
            return np.zeros(0, dtype=np.uint64)
        return DenseColumn.of(self.project(tokens, self.vectors(tokens)))

    def project(self, tokens: Tokens, arrays: Sequence[Any]) -> NDArray[np.float32]:
        """Return the vectors of Docs in the fitted directions, in 16 bits' precision:
        those that are kept are the same as fresh ones."""
        rows = join_vectors(tokens.docs, arrays, self.name).numbers
        fitted = self.directions
        if fitted is None or fitted.mean.shape[1] != rows.shape[1]:
            width = 0 if fitted is None else fitted.mean.shape[1]
            raise ValueError(
                Errors.LP687.format(name=self.name, width=width, found=rows.shape[1])
            )
        there = np.asarray(rows.any(axis=1))
        rows = np.where(there[:, None], fitted.project(rows), 0)
        return rows.astype(np.float16).astype(np.float32)

    # Saving: the directions. ---------------------------------------------------------

    def extra(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """Return what a file keeps beside the directions: a header and arrays."""
        return {}, {}

    def take_extra(
        self, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]
    ) -> None:
        """Read what `extra` returned, and check it."""

    def to_bytes(self) -> bytes:
        header, arrays = self.extra()
        fitted = self.directions.arrays() if self.directions is not None else {}
        return model_file.pack({"kind": _KIND, **header}, {**fitted, **arrays})

    def from_bytes(self, data: bytes) -> None:
        header, arrays = model_file.unpack(data)
        if header.get("kind") != _KIND:
            raise ValueError("these are no directions of vectors")
        self.take_extra(header, arrays)
        fitted = "mean" in arrays
        self.directions = Directions.read(arrays, self.width) if fitted else None
        self.changes += 1

    @property
    def nbytes(self) -> int:
        fitted = self.directions
        return 0 if fitted is None else sum(x.nbytes for x in fitted.arrays().values())
