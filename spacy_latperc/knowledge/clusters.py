"""Clusters of words: `cl.NAME[0]` is the class of a word, `cl.NAME:4[0]` the first four
bits of its path in a hierarchy of classes, or its class in the fourth of several
clusterings."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ..errors import Errors
from ..errors.check import check_count, check_kind
from ..features.sources import FormPart, Givens, Reading
from .class_files import BROWN, ClassFile, is_path
from .normalise import Normaliser
from .word_source import UNKNOWN, WordSource, WordTable

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
        row = self._find(word)
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
        columns = max(map(len, names), default=0)
        flat = columns == 1 and not all(is_path(name) for (name,) in names)
        most = columns if columns > 1 else 1 if flat else LONGEST
        for number in sorted(self.wanted):
            if number > most or (flat and number):
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
    min_count: int = 1

    def fit(self, givens: Givens) -> None:
        file = ClassFile.open(Path(self.path))
        if self.min_count > 1 and file.format != BROWN:
            raise ValueError(
                Errors.LP708.format(path=file.path, min_count=self.min_count)
            )
        words = (
            (self.hash_form(line.word), line.classes)
            for line in file
            if line.count is None or line.count >= self.min_count
        )
        self.know_classes(words, file.path)


def cluster_file(
    path: str | Path, min_count: int = 1, prefixes: list[int] = PREFIXES
) -> FileClusters:
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
        min_count: The lowest count of a word that is kept, which makes the model
            smaller. Only Brown paths have counts.
        prefixes: The numbers after the colon in the templates that are added: bits of a
            path, or clusterings by number. Plain classes get none.
    """
    check_kind("path", path, (str, Path), "a path")
    check_count("min_count", min_count, hint="1 keeps every word")
    return FileClusters(Normaliser(), check_prefixes(prefixes), path, min_count)


def check_prefixes(prefixes: Sequence[int]) -> list[int]:
    """Check the numbers after the colon in templates."""
    check_kind("prefixes", prefixes, (list, tuple), "a list of numbers")
    for number in prefixes:
        check_count("prefixes", number, high=LONGEST)
    return list(prefixes)
