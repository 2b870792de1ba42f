"""Knowledge of a raw text in a file, and a source of attributes that come from it."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...errors import Errors
from ...features.sources import Givens, Reading, Source, Tokens
from ...io.atomic import whole_file
from ...io.model_file import DAMAGED, map_file, pack_mapped, unpack
from ...kernels.text import WordHashes

Bucket = Callable[[NDArray], NDArray[np.uint64]]
SelfTables = TypeVar("SelfTables", bound="TextTables")
SelfSource = TypeVar("SelfSource", bound="TextSource")


class TextTables(ABC):
    """The knowledge of a text: arrays, which may be mapped from a file.

    Attributes:
        kind: What the file says that it is.
        tokens: The number of words of the text; 0 if it is not known.
    """

    kind: ClassVar[str]
    tokens: float = 0

    @property
    @abstractmethod
    def header(self) -> dict[str, Any]:
        """All but the arrays, for JSON."""

    @property
    @abstractmethod
    def arrays(self) -> Mapping[str, NDArray]:
        """The arrays by name."""

    @classmethod
    @abstractmethod
    def checked(
        cls: type[SelfTables], header: Mapping[str, Any], arrays: Mapping[str, NDArray]
    ) -> SelfTables:
        """Check what a file says, and return it."""

    @abstractmethod
    def key(self, word: str) -> int:
        """The number of a word that `look_up` wants."""

    @abstractmethod
    def look_up(
        self, keys: NDArray[np.uint64], bounds: NDArray[np.int64]
    ) -> dict[str, NDArray]:
        """Return by name a number for each token of sentences."""

    @property
    def nbytes(self) -> int:
        """The memory of all arrays."""
        return sum(array.nbytes for array in self.arrays.values())

    def to_bytes(self) -> bytes:
        """Serialize it. The same text and settings give the same bytes."""
        return pack_mapped({"kind": self.kind, **self.header}, self.arrays)

    @classmethod
    def from_bytes(cls: type[SelfTables], data: bytes) -> SelfTables:
        """Load the bytes of `to_bytes`."""
        return cls._read(*unpack(data))

    @classmethod
    def _read(
        cls: type[SelfTables], header: Mapping[str, Any], arrays: Mapping[str, NDArray]
    ) -> SelfTables:
        if header.get("kind") != cls.kind:
            raise ValueError(Errors.LP025.format(kind=header.get("kind")))
        try:
            return cls.checked(header, arrays)
        except DAMAGED as error:
            raise ValueError(Errors.LP023.format(error=error)) from error

    def to_disk(self, path: Path | str) -> None:
        """Save to a file, which changes in one step."""
        with whole_file(Path(path)) as fresh:
            fresh.write_bytes(self.to_bytes())

    @classmethod
    def from_disk(cls: type[SelfTables], path: Path | str) -> SelfTables:
        """Load the file of `to_disk`. The file is mapped into memory: it is read on
        demand, and processes that use it share its memory."""
        path = Path(path)
        if not path.is_file():
            raise FileNotFoundError(Errors.LP101.format(path=path))
        try:
            return cls._read(*map_file(path))
        except ValueError as error:
            said = Errors.LP764.format(path=path, kind=cls.kind, error=error)
            raise ValueError(said) from error


@dataclass(frozen=True, eq=False)
class Found:
    """The values of the tokens of a batch.

    Attributes:
        values: By name, a number for each token.
        bounds: The first token of each sentence, and the end.
    """

    values: dict[str, NDArray]
    bounds: NDArray[np.int64]


@dataclass(eq=False)
class TextSource(Source):
    """A source of attributes that come from tables."""

    tables_class: ClassVar[type[TextTables]]
    command: ClassVar[str]  # that makes the file
    buckets: ClassVar[Mapping[str, Bucket]]  # by argument of a template

    path: str | Path = ""
    tables: TextTables | None = None

    def __post_init__(self) -> None:
        self.forget()

    def settings(self) -> dict[str, Any]:
        """See Source."""
        return {}

    def attribute(self, argument: str) -> Reading:
        """See Source."""
        if argument not in self.buckets:
            known = ", ".join(f":{name}" for name in self.buckets)
            raise ValueError(Errors.LP713.format(argument=argument, known=known))
        bucket = self.buckets[argument]

        def read(tokens: Tokens) -> NDArray[np.uint64]:
            return bucket(self.found(tokens).values[argument])

        return Reading(of_docs=read, few_values=True)

    def found(self, tokens: Tokens) -> Found:
        """Return what is known of a batch, computed once."""
        if self not in tokens.source_data:
            known = self.known
            keys = self._words.of(tokens.words, tokens.lookup)
            bounds, _ = tokens.sentences
            tokens.source_data[self] = Found(known.look_up(keys, bounds), bounds)
        found: Found = tokens.source_data[self]
        return found

    @property
    def known(self) -> TextTables:
        """The tables."""
        if self.tables is None:
            raise ValueError(Errors.LP766.format(source=f"{type(self).__name__}.v1"))
        return self.tables

    def forget(self) -> None:
        """See Source."""
        self._words = WordHashes(lambda word: self.known.key(word))

    def replace(self, tables: TextTables | None) -> None:
        """Replace the tables."""
        self.tables = tables
        self.changes += 1
        self.forget()

    def fit(self, givens: Givens) -> None:
        """See Source."""
        if not str(self.path):
            said = Errors.LP767.format(name=givens.name, command=self.command)
            raise ValueError(said)
        self.read_files()

    def read_files(self) -> None:
        """Load the file."""
        self.replace(self.tables_class.from_disk(self.path))

    def to_bytes(self) -> bytes:
        """See Source."""
        return self.tables.to_bytes() if self.tables is not None else b""

    def from_bytes(self, data: bytes) -> None:
        """See Source."""
        if data:
            self.replace(self.tables_class.from_bytes(data))

    def blank(self: SelfSource) -> SelfSource:
        """See Source."""
        return type(self)(self.path)

    def adopt(self, other: Source) -> None:
        """See Source."""
        super().adopt(other)
        self.forget()

    def __reduce__(self) -> tuple:
        """Leave caches behind."""
        return type(self), (self.path, self.tables)

    @property
    def nbytes(self) -> int:
        """See Source."""
        return self.tables.nbytes if self.tables is not None else 0
