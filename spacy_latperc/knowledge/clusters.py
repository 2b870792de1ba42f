"""Clusters of words: `cl.NAME[0]` is the class of a word, `cl.NAME:4[0]` the first four
bits of its path in a hierarchy of classes, or its class in the fourth of several
clusterings. Their base, sources with a table of words, serves look-ups as well."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import Errors
from ..errors.check import check_count, check_kind
from ..features.sources import FormPart, Givens, Reading, Source
from ..io import model_file
from ..kernels.chains import SortedKeys, text_hash
from .class_files import ClassFile, is_path
from .normalise import Normaliser

Self = TypeVar("Self", bound="WordSource")
UNKNOWN = -1
Columns = Mapping[str, NDArray[np.unsignedinteger]]


class WordTable:
    """Numbers of words, by the hashes of their forms.

    Args:
        keys: The hashes; the first of equal ones counts.
        columns: The numbers, by name, as long as the keys.
    """

    def __init__(self, keys: NDArray[np.uint64], columns: Columns):
        order = np.argsort(keys, kind="stable")
        kept = order[np.diff(keys[order], prepend=~keys[order[:1]]) != 0]
        self._take(keys[kept], {x: column[kept] for x, column in columns.items()})

    def _take(self, keys: NDArray[np.uint64], columns: Columns) -> None:
        self.keys = np.ascontiguousarray(keys)
        self.columns = {name: _narrow(column) for name, column in columns.items()}
        self._places = SortedKeys(self.keys)
        # The row of a hash, or -1.
        self.find: Callable[[int], int] = self._places.find

    # Compiled objects cannot be copied.
    def __getstate__(self) -> dict[str, Any]:
        return self.arrays()

    def __setstate__(self, arrays: dict[str, Any]) -> None:
        self._take(arrays.pop("keys"), arrays)

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def nbytes(self) -> int:
        """The memory of the table in bytes."""
        arrays = self.arrays().values()
        return self._places.nbytes + sum(array.nbytes for array in arrays)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return all arrays for a file."""
        return {"keys": self.keys, **self.columns}

    @classmethod
    def read(cls, arrays: Mapping[str, np.ndarray], **limits: int) -> "WordTable":
        """Read and check the arrays of a table.

        Args:
            arrays: The arrays of a file.
            limits: The names of the columns, with upper limits of their numbers.
        """
        keys = arrays["keys"]
        if keys.dtype != np.uint64 or keys.ndim != 1 or np.any(keys[1:] <= keys[:-1]):
            raise ValueError("the words of a table are not sorted")
        # A source that was not fitted has no columns.
        columns = {x: arrays[x] for x in limits if len(keys) or x in arrays}
        for name, column in columns.items():
            if column.shape != keys.shape or column.dtype.kind != "u":
                raise ValueError(f"the column {name} of a table has another form")
            if column.max(initial=0) >= max(limits[name], 1):
                raise ValueError(f"the column {name} of a table is out of range")
        table = cls.__new__(cls)
        table._take(keys, columns)
        return table


def _narrow(column: NDArray[np.unsignedinteger]) -> NDArray[np.unsignedinteger]:
    """Convert numbers to the smallest type that holds them."""
    return column.astype(np.min_scalar_type(int(column.max(initial=0))))


def _empty() -> WordTable:
    return WordTable(np.zeros(0, dtype=np.uint64), {})


@dataclass(eq=False)
class WordSource(Source):
    """A source that looks words up in its own table."""

    normaliser: Normaliser
    table: WordTable = field(init=False, default_factory=_empty)

    # The hash of a form in the table.
    hash_form = staticmethod(text_hash)

    def row_of(self, word: str) -> int:
        """Return the row of a word in the table, or UNKNOWN."""
        if not word:
            return UNKNOWN
        for form in self.normaliser.forms(word):
            row = self.table.find(self.hash_form(form))
            if row >= 0:
                return row
        return UNKNOWN

    def know(self, table: WordTable) -> None:
        """Replace the table."""
        self.table = table
        self.changes += 1

    def settings(self) -> dict[str, Any]:
        return asdict(self.normaliser)

    def blank(self: Self) -> Self:
        return replace(self)

    @property
    def is_absent(self) -> bool:
        return self.optional and not len(self.table)

    @property
    def nbytes(self) -> int:
        return self.table.nbytes

    def to_bytes(self) -> bytes:
        return model_file.pack(self.header(), self.table.arrays())

    def from_bytes(self, data: bytes) -> None:
        header, arrays = model_file.unpack(data)
        self.know(self.read(header, arrays))

    def header(self) -> dict[str, Any]:
        """Return what a file keeps beside the table, for JSON."""
        return {}

    @abstractmethod
    def read(self, header: dict[str, Any], arrays: dict[str, Any]) -> WordTable:
        """Read and check the table of a file."""


PREFIXES = [4, 6, 10]
LONGEST = 64  # bits of a path
MOST_CLASSES = 1 << 20


@dataclass(eq=False)
class Clusters(WordSource):
    """Classes of words.

    Attributes:
        prefixes: The numbers after the colon in standard templates.
        classes: The names of the classes, with their columns.
    """

    kind: ClassVar[str] = "cl"

    prefixes: Sequence[int] = field(default_factory=list)
    classes: list[list[str]] = field(init=False, default_factory=list)
    wanted: set[int] = field(init=False, default_factory=set)

    def attribute(self, argument: str) -> Reading:
        if not argument:
            whole = FormPart(self._names, _first)
            return Reading(of_form=whole, few_values=True)
        number = int(argument) if argument.isdecimal() else 0
        if not 1 <= number <= LONGEST:
            raise ValueError(Errors.LP706.format(argument=argument, most=LONGEST))
        self.wanted.add(number)

        def part(names: tuple[str, ...]) -> str:
            if len(names) == 1:
                return names[0][:number]
            return names[number - 1] if number <= len(names) else ""

        cut = FormPart(self._names, part)
        return Reading(of_form=cut, few_values=True)

    def know(self, table: WordTable) -> None:
        super().know(table)
        self._names_of = [tuple(names) for names in self.classes]
        if len(table):
            self._class_of = table.columns["class"].data

    def _names(self, word: str) -> tuple[str, ...]:
        row = self.row_of(word)
        return () if row == UNKNOWN else self._names_of[self._class_of[row]]

    def templates(self, name: str) -> list[str]:
        whole = super().templates(name)
        cut = [f"{self.kind}.{name}:{number}" for number in self.prefixes]
        return whole + [f"{text}[{at}]" for text in cut for at in range(-2, 3)]

    def know_classes(
        self, words: Iterable[tuple[int, tuple[str, ...]]], where: object
    ) -> None:
        """Set the classes.

        Args:
            words: The hash of each word, and its classes.
            where: The origin of the classes, for messages.
        """
        numbers: dict[tuple[str, ...], int] = {}
        keys, found = [], []
        for key, classes in words:
            keys.append(key)
            found.append(numbers.setdefault(classes, len(numbers)))
        names = [list(classes) for classes in numbers]
        self._check_wanted(names, where)
        self.classes = names
        columns = {"class": np.asarray(found, dtype=np.uint32)}
        self.know(WordTable(np.asarray(keys, dtype=np.uint64), columns))

    def _check_wanted(self, names: list[list[str]], where: object) -> None:
        most = max(map(len, names), default=0)
        if most <= 1:
            most = LONGEST if all(is_path(name) for (name,) in names) else 0
        for number in sorted(self.wanted):
            if number > most:
                first = " ".join(next(iter(names), []))
                raise ValueError(
                    Errors.LP707.format(path=where, argument=number, first=first)
                )

    def header(self) -> dict[str, Any]:
        return {"classes": self.classes}

    def read(self, header: dict[str, Any], arrays: dict[str, Any]) -> WordTable:
        classes = header["classes"]
        if not isinstance(classes, list) or len(classes) > MOST_CLASSES:
            raise ValueError("the classes are no list")
        columns = len(classes[0]) if classes else 1
        for names in classes:
            if not isinstance(names, list) or len(names) != columns:
                raise ValueError("a class has no names")
            if not all(isinstance(name, str) for name in names):
                raise ValueError("a name of a class is no text")
        table = WordTable.read(arrays, **{"class": len(classes)})
        self.classes = classes
        return table


def _first(names: tuple[str, ...]) -> str:
    return names[0] if names else ""


@dataclass(eq=False)
class FileClusters(Clusters):
    """Word clusters of a file."""

    path: str | Path = ""

    def fit(self, givens: Givens) -> None:
        file = ClassFile.open(Path(self.path))
        words = ((self.hash_form(word), classes) for word, classes in file)
        self.know_classes(words, file.path)


def cluster_file(path: str | Path, prefixes: list[int] = PREFIXES) -> FileClusters:
    """Read word clusters from a file: `cl.NAME[0]` is the class of a word and
    `cl.NAME:4[0]` the first four bits of its path, or its class in the fourth of
    several clusterings.

    The file is read when the component is initialised; the model keeps a table of it.
    The format of its lines is detected from the first one: Brown paths (a bit path, a
    tab, a word, a tab, a count), pairs (a word, a tab, a class, and a tab and a class
    for each further clustering), or classes of word2vec (a word, a space, a class).

    A word that is not in the file is looked up in lower case, with a 0 for every digit,
    as the class of a URL (<URL-domain>, <URL>) or of a mention of a user (<@MENTION>,
    <USER>), capitalised, and by its part after the last hyphen or a hash sign.

    Args:
        path: The file, plain or .gz.
        prefixes: The numbers after the colon in the templates that are added: bits of a
            path, or clusterings by number. Plain classes get none.
    """
    check_kind("path", path, (str, Path), "a path")
    return FileClusters(Normaliser(), check_prefixes(prefixes), path)


def check_prefixes(prefixes: Sequence[int]) -> list[int]:
    """Check the numbers after the colon in templates."""
    check_kind("prefixes", prefixes, (list, tuple), "a list of numbers")
    for number in prefixes:
        check_count("prefixes", number, high=LONGEST)
    return list(prefixes)
