"""n-gram models in the ARPA format, which SRILM, KenLM and others read and write.

Of each n-gram it has the logarithm (base 10) of the probability of the last word after
the others and, if it is a context of longer ones, of the share that goes to its shorter
context.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...errors import Errors
from ...kernels.text import (
    BEGIN,
    END,
    FIRST_WORD,
    MAX_ORDER,
    UNKNOWN,
    NgramTable,
    Vocabulary,
)

MARKS = {"<s>": BEGIN, "</s>": END, "<unk>": UNKNOWN}
_NEVER = -99.0  # the logarithm of 0 in these files
_LOWEST = 10**_NEVER
_AT_ONCE = 50_000  # n-grams
_SECTION = re.compile(r"\\(\d+)-grams:")
_SIZE = re.compile(r"ngram\s+(\d+)\s*=\s*(\d+)")

Rows = NDArray[np.int32]
Floats = NDArray[np.float64]


def arpa_lines(vocabulary: Vocabulary, table: NgramTable) -> Iterator[str]:
    """Write a model as the lines of an ARPA file."""
    names = [*MARKS, *map(vocabulary.word, range(FIRST_WORD, table.words))]
    for name in names[FIRST_WORD:]:
        if name in MARKS or name.encode().split() != [name.encode()]:
            raise ValueError(Errors.LP408.format(word=name))
    yield "\\data\\\n"
    for number, size in enumerate(table.sizes, 1):
        yield f"ngram {number}={size}\n"
    rows: Rows = np.zeros((1, 0), dtype=np.int32)
    for number in range(1, table.order + 1):
        word, begin, _ = table.level(number)
        contexts = np.repeat(np.arange(len(begin) - 1), np.diff(begin))
        rows = np.column_stack([rows[contexts], word])
        rests = table.level(number + 1)[2] if number < table.order else None
        yield f"\n\\{number}-grams:\n"
        for start in range(0, len(rows), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            p = _logarithms(table.last_words(rows[part]))
            ends = [""] * len(p)
            if rests is not None:
                ends = [f"\t{rest:.7g}" for rest in _logarithms(rests[part])]
            for row, x, end in zip(rows[part].tolist(), p, ends, strict=True):
                yield f"{x:.7g}\t{' '.join([names[word] for word in row])}{end}\n"
    yield "\n\\end\\\n"


def _logarithms(values: Floats) -> list[float]:
    return np.log10(np.maximum(values, _LOWEST)).tolist()


@dataclass
class _Level:
    """The n-grams of one length, as they stand in the file."""

    first: int  # line
    ids: array[int] = field(default_factory=lambda: array("i"))
    p: array[float] = field(default_factory=lambda: array("d"))
    rests: array[float] = field(default_factory=lambda: array("d"))


class _Reader:
    """A reader of an ARPA file, which names the line of what is wrong."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._line = 0
        self._levels: list[_Level] = []
        self.vocabulary = Vocabulary()
        self._ids = {name.encode(): number for name, number in MARKS.items()}

    def refuse(self, problem: str, line: int | None = None) -> ValueError:
        line = self._line if line is None else line
        return ValueError(
            Errors.LP407.format(path=self._path, line=line, problem=problem)
        )

    def read(self) -> NgramTable:
        with self._path.open("rb") as file:
            sizes = self._header(self._counted(file))
            for number, size in enumerate(sizes, 1):
                self._section(self._counted(file), number, size)
            if self._next(self._counted(file)) != "\\end\\":
                raise self.refuse(f"\\end\\ must follow the {sizes[-1]} n-grams")
        return self._table()

    def _counted(self, file: Iterator[bytes]) -> Iterator[bytes]:
        for line in file:
            self._line += 1
            yield line

    def _next(self, lines: Iterator[bytes]) -> str:
        """The next line that is not blank; empty at the end of the file."""
        line = next((line for line in lines if line.strip()), b"")
        return line.strip().decode("utf8", "replace")

    def _header(self, lines: Iterator[bytes]) -> list[int]:
        for line in lines:
            if line.strip() == b"\\data\\":
                break
        else:
            raise self.refuse("the file has no \\data\\ and is no ARPA file")
        sizes: list[int] = []
        for line in lines:
            if not line.strip():
                break
            found = _SIZE.fullmatch(line.strip().decode("utf8", "replace"))
            if not found or int(found[1]) != len(sizes) + 1 or int(found[2]) < 1:
                raise self.refuse(f"'ngram {len(sizes) + 1}=NUMBER' is expected")
            sizes.append(int(found[2]))
        if not 2 <= len(sizes) <= MAX_ORDER:
            raise self.refuse(f"the order must be 2 to {MAX_ORDER}, not {len(sizes)}")
        return sizes

    def _section(self, lines: Iterator[bytes], number: int, size: int) -> None:
        found = _SECTION.fullmatch(self._next(lines))
        if not found or int(found[1]) != number:
            raise self.refuse(f"\\{number}-grams: is expected")
        level = _Level(self._line + 1)
        self._levels.append(level)
        ids = self._ids
        for line in islice(lines, size):
            values = line.split()
            if not number + 1 <= len(values) <= number + 2:
                raise self.refuse(f"a number, {number} word(s) and a number are needed")
            try:
                p = float(values[0])
                rest = float(values[number + 1]) if len(values) > number + 1 else 0.0
                if number == 1:
                    self._add(values[1])
                level.ids.extend([ids[word] for word in values[1 : number + 1]])
            except KeyError as error:
                word = error.args[0].decode("utf8", "replace")
                raise self.refuse(f"'{word}' is not one of the 1-grams") from None
            except ValueError as error:
                raise self.refuse(str(error)) from None
            if not (p <= 0 and abs(rest) < np.inf):
                raise self.refuse(f"{p} and {rest} are not logarithms of probabilities")
            level.p.append(p)
            level.rests.append(rest)
        if len(level.p) < size:
            raise self.refuse(
                f"{size} {number}-grams are announced, not {len(level.p)}"
            )

    def _add(self, word: bytes) -> None:
        if word not in self._ids:
            self._ids[word] = self.vocabulary.add(word.decode("utf8"))

    def _table(self) -> NgramTable:
        first = self._levels[0]
        # Marks that the file does not have are never seen.
        missing = sorted(set(MARKS.values()) - set(first.ids))
        first.ids.extend(missing)
        first.p.extend([_NEVER] * len(missing))
        first.rests.extend([0.0] * len(missing))
        rests: Floats = np.zeros(1)
        levels, orders = [], []
        for number, level in enumerate(self._levels, 1):
            rows = np.frombuffer(level.ids, dtype=np.int32).reshape(-1, number)
            order = np.lexsort(rows.T[::-1])
            orders.append(order)
            rows = np.ascontiguousarray(rows[order])
            repeated = np.flatnonzero((rows[1:] == rows[:-1]).all(axis=1))
            if len(repeated):
                line = level.first + int(order[repeated[0] + 1])
                raise self.refuse(f"this {number}-gram stands twice", line)
            levels.append((rows, 10 ** np.frombuffer(level.p)[order], rests))
            rests = 10 ** np.frombuffer(level.rests)[order]
        table, bad = NgramTable.from_levels(levels)
        if table is None:
            level, row = bad
            line = self._levels[level].first + int(orders[level][row])
            raise self.refuse(f"its first {level} word(s) are no {level}-gram", line)
        return table


def read_arpa(path: Path) -> tuple[Vocabulary, NgramTable]:
    """Read an ARPA file."""
    reader = _Reader(path)
    table = reader.read()
    return reader.vocabulary, table
