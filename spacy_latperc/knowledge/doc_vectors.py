"""Vectors of the tokens of Docs, as arrays [tokens, width]."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..errors import Errors
from ..errors.check import check_count, check_positive, refusal
from ..features.sources import Givens, Tokens
from ..features.values import LARGEST_VALUE, DenseColumn
from .vector_values import Directions, Floats, VectorSource

FITTED_TO = 60_000  # tokens
_DOCS = 64  # read at once


def is_vectors(values: Any) -> bool:
    """Return True for an array of floats with a row for each token."""
    return (
        isinstance(values, np.ndarray) and values.ndim == 2 and values.dtype.kind == "f"
    )


def join_vectors(docs: Sequence[Any], values: Sequence[Any], name: str) -> Floats:
    """Join the vectors of Docs, and check them.

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
        rows.append(array)
    with np.errstate(over="ignore"):
        joined = np.concatenate(rows).astype(np.float32, copy=False)
    if joined.min() >= -LARGEST_VALUE and joined.max() <= LARGEST_VALUE:
        return joined
    token, place = np.argwhere(~(np.abs(joined) <= LARGEST_VALUE))[0].tolist()
    found = str(np.concatenate(rows)[token, place])
    for doc in docs:  # whose token it is
        if token < len(doc):
            break
        token -= len(doc)
    where = f"token {token} of {text_of(doc)}"
    raise ValueError(Errors.LP750.format(name=name, found=found, place=where))


def text_of(doc: Any) -> str:
    """Return the beginning of a Doc, for messages."""
    return repr(doc.text.strip()[:60])


@dataclass(eq=False)
class DocVectors(VectorSource):
    """Vectors of the tokens of Docs, in their principal directions: `vec.NAME[0]`.

    Attributes:
        whitening: The power of its standard deviation that a direction is divided by.
    """

    saved_as: ClassVar[str] = "doc vectors"

    whitening: float

    def __post_init__(self) -> None:
        check_count("width", self.width)
        check_positive("length", self.length)
        if not 0 <= self.whitening <= 1:
            wanted = "from 0 to 1"
            raise refusal(Errors.LP590, "whitening", self.whitening, wanted=wanted)

    @property
    @abstractmethod
    def name(self) -> str:
        """The name of the vectors, for messages."""

    @abstractmethod
    def vectors(self, tokens: Tokens) -> list[NDArray[Any]]:
        """Return the vectors of each Doc, [tokens, any width]."""

    def settings(self) -> dict[str, Any]:
        names = ("width", "whitening", "length")
        return {name: getattr(self, name) for name in names}

    def templates(self, name: str) -> list[str]:
        return [f"vec.{name}[0]"]

    def fit(self, givens: Givens) -> None:
        if givens.examples is None:
            raise ValueError(Errors.LP731.format(name=givens.name, wanted="examples"))
        found, count = [], 0
        docs = self.training_docs(givens)
        while count < FITTED_TO and (batch := list(islice(docs, _DOCS))):
            tokens = Tokens.of(batch, givens.sources)
            # Tokens without a vector say nothing of directions.
            rows = join_vectors(tokens.docs, self.vectors(tokens), self.name)
            found.append(rows[rows.any(axis=1)])
            count += len(found[-1])
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
        """Return the vectors in the fitted directions."""
        if not len(tokens.words):
            return np.zeros(0, dtype=np.uint64)
        rows = join_vectors(tokens.docs, self.vectors(tokens), self.name)
        fitted = self.directions
        width = 0 if fitted is None else fitted.mean.shape[1]
        if fitted is None or width != rows.shape[1]:
            raise ValueError(
                Errors.LP687.format(name=self.name, width=width, found=rows.shape[1])
            )
        found = fitted.project(rows)
        found[~rows.any(axis=1)] = 0
        return DenseColumn.of(found)
