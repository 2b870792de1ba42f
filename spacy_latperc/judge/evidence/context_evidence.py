"""A context model as a source of attributes.

`ctx.NAME:fit[0]` is how probable a word is between its neighbours; `ctx.NAME:better[0]`
by how much one that may be meant in its place would fit better.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Errors
from ...errors.check import check_kind
from ...features.sources import Givens, Reading, Source, Tokens
from ...kernels.text import WordHashes
from .context_model import COLUMNS, NO_OTHER, ContextModel

_LOWEST = 20  # of the buckets of logarithms
_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)


def _logarithm(values: NDArray) -> NDArray[np.uint64]:
    """Down to the whole number below, without its sign."""
    return np.clip(-np.floor(values), 0, _LOWEST).astype(np.uint64)


def _gain(values: NDArray) -> NDArray[np.uint64]:
    """Return buckets of gains: 0 where there is no other word; else integers from -6 to
    9, moved up."""
    moved = np.clip(np.floor(values), -6, 9) + 7
    return np.where(values <= NO_OTHER, 0, moved).astype(np.uint64)


# What a template may have after the colon, and the buckets.
ATTRIBUTES: dict[str, Callable[[NDArray], NDArray[np.uint64]]] = {
    "fit": _logarithm,
    "better": _gain,
    "missing": _gain,
    "fewer": _gain,
}


@dataclass(frozen=True, eq=False)
class Fitting:
    """The output of a context model for the tokens of a batch.

    Attributes:
        values: The result of `ContextModel.read`.
        bounds: The first token of each sentence, and the end.
    """

    values: dict[str, NDArray]
    bounds: NDArray[np.int64]


@dataclass(eq=False)
class ContextEvidence(Source):
    """A source of attributes that come from a context model.

    Attributes:
        path: The file of a model.
        model: The model of the file or of the pipeline.
    """

    kind = "ctx"

    path: str | Path = ""
    model: ContextModel | None = None

    def __post_init__(self) -> None:
        self.forget()

    def settings(self) -> dict[str, Any]:
        """See Source."""
        return {}

    def attribute(self, argument: str) -> Reading:
        """See Source."""
        if argument not in ATTRIBUTES:
            known = ", ".join(f":{name}" for name in COLUMNS)
            raise ValueError(Errors.LP713.format(argument=argument, known=known))
        bucket = ATTRIBUTES[argument]

        def read(tokens: Tokens) -> NDArray[np.uint64]:
            return bucket(self.found(tokens).values[argument])

        return Reading(of_docs=read, few_values=True)

    def templates(self, name: str) -> list[str]:
        """See Source."""
        fit, better, missing, fewer = (f"{self.kind}.{name}:{x}" for x in COLUMNS)
        return [
            *(f"{x}[{at}]" for x in (fit, better, missing, fewer) for at in (-1, 0, 1)),
            f"{fit}[0]|{fit}[1]",
            f"{fit}[0]|{better}[0]",
            f"{better}[0]|lower[0]",
            f"{missing}[0]|lower[0]",
            f"{fewer}[0]|lower[0]",
        ]

    # Reading --------------------------------------------------------------------------

    def found(self, tokens: Tokens) -> Fitting:
        """Return all attributes, computed once for each batch.

        Args:
            tokens: The tokens of some Docs.
        """
        if self not in tokens.source_data:
            tokens.source_data[self] = self._read(tokens)
        found: Fitting = tokens.source_data[self]
        return found

    def _read(self, tokens: Tokens) -> Fitting:
        model = self.known
        keys = self._words.of(tokens.words, tokens.lookup)
        bounds, _ = tokens.sentences
        symbols = (keys & _LOW).astype(np.int32)
        begins = bounds[:-1][np.diff(bounds) > 0]
        symbols[begins] = (keys[begins] >> _HALF).astype(np.int32)
        return Fitting(model.read(symbols, bounds), bounds)

    @property
    def known(self) -> ContextModel:
        """The model."""
        if self.model is None:
            raise ValueError(Errors.LP766.format(source="ContextEvidence.v1"))
        return self.model

    def forget(self) -> None:
        """See Source."""
        self._words = WordHashes(self._key)

    def _key(self, word: str) -> int:
        """The symbols of a word: in a sentence, and at its beginning."""
        return self.known.symbol(word) | self.known.first_symbol(word) << int(_HALF)

    # Learning and saving --------------------------------------------------------------

    def replace_model(self, model: ContextModel | None) -> None:
        """Replace the model.

        Args:
            model: The new model.
        """
        self.model = model
        self.changes += 1
        self.forget()

    def fit(self, givens: Givens) -> None:
        """See Source."""
        if not str(self.path):
            raise ValueError(Errors.LP767.format(name=givens.name, command="contexts"))
        self.read_files()

    def read_files(self) -> None:
        """Read the file."""
        self.replace_model(ContextModel.from_disk(self.path))

    def to_bytes(self) -> bytes:
        """See Source."""
        return self.model.to_bytes() if self.model is not None else b""

    def from_bytes(self, data: bytes) -> None:
        """See Source."""
        if data:
            self.replace_model(ContextModel.from_bytes(data))

    def blank(self) -> "ContextEvidence":
        """See Source."""
        return type(self)(self.path)

    def adopt(self, other: Source) -> None:
        """See Source."""
        super().adopt(other)
        self.forget()

    # What is only remembered stays behind.
    def __reduce__(self) -> tuple:
        return type(self), (self.path, self.model)

    @property
    def nbytes(self) -> int:
        """See Source."""
        return self.model.nbytes if self.model is not None else 0


def context_evidence(path: str | Path) -> ContextEvidence:
    """Build a source of attributes that come from a context model. Templates see them
    as `ctx.NAME:fit[0]` (how probable the word is between its neighbours), `:better`
    (how much better another form of the word, or another small word, would fit),
    `:missing` (a small word before it) and `:fewer` (nothing in its place).

    The file is read when the component is initialised; the pipeline keeps the model.

    Args:
        path: A file that `spacy latperc knowledge contexts` wrote.
    """
    check_kind("path", path, (str, Path), "a path")
    return ContextEvidence(path)
