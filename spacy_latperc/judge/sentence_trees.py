"""Boosted trees over the evidence of sentences: which columns together speak for a good
one, and how much a column says depends on others, such as the length.

They stand in the settings of a component as plain lists: each question is a column and
the least number that answers it with yes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..kernels.text import TREE_DEPTH, TREE_NUMBERS
from .evidence.tree_evidence import Trees, TreeSettings

Floats = NDArray[np.float64]

_STEPS = TREE_NUMBERS - 2  # numbers that a column is cut into
_DIGITS = 6
_LARGEST = 1e9
_MOST_TREES = 10_000
SETTINGS = TreeSettings(
    trees=300, depth=4, rate=0.05, prior=200.0, tokens=0.3, questions=0.2
)


@dataclass(frozen=True)
class SentenceTrees:
    """What was learned.

    Attributes:
        columns: How many columns there are.
        depth: Questions of each tree.
        base: The log odds of a sentence of which nothing is known.
        questions: Of each question, the column.
        least: And the least number that answers it with yes.
        values: Of the leaves of each tree.
    """

    columns: int
    depth: int
    base: float
    questions: tuple[int, ...]
    least: tuple[float, ...]
    values: tuple[float, ...]

    def __post_init__(self) -> None:
        asked = np.array(self.questions, dtype=np.int32)
        least = np.array(self.least, dtype=np.float64)
        edges = [np.unique(least[asked == column]) for column in range(self.columns)]
        number = [
            1 + int(edges[column].searchsorted(x, side="right"))
            for column, x in zip(self.questions, self.least, strict=True)
        ]
        if max(number, default=0) >= TREE_NUMBERS:
            raise ValueError("trees ask too much of a column")
        trees = Trees(
            asked,
            np.zeros(len(asked), dtype=np.int32),
            np.array(number, dtype=np.uint8),
            np.array(self.values, dtype=np.float32),
            self.depth,
            self.base,
        )
        object.__setattr__(self, "_known", (edges, trees))

    @classmethod
    def learn(
        cls, table: Floats, good: NDArray[np.bool_], seed: int = 0
    ) -> "SentenceTrees":
        """Trees that tell sentences apart.

        Args:
            table: Of sentences, [sentences, columns].
            good: Whether each is.
            seed: The same one, the same trees.
        """
        edges = [_edges_of(column) for column in np.asarray(table, np.float64).T]
        numbers = _numbers(table, edges)
        found = Trees.learn(numbers, good.astype(np.uint8), SETTINGS, seed, reach=0)
        least = [
            float(edges[column][n - 2]) if n > 1 else -_LARGEST
            for column, n in zip(
                found.columns.tolist(), found.least.tolist(), strict=True
            )
        ]
        return cls(
            table.shape[1],
            found.depth,
            found.base,
            tuple(found.columns.tolist()),
            tuple(least),
            tuple(float(f"{x:.{_DIGITS}g}") for x in found.values.tolist()),
        )

    def __call__(self, table: NDArray) -> Floats:
        """The log odds of each sentence to be good.

        Args:
            table: Of sentences, [sentences, columns].
        """
        if not len(table):
            return np.zeros(0)
        edges, trees = vars(self)["_known"]
        numbers = _numbers(np.asarray(table, dtype=np.float64), edges)
        return np.asarray(trees.margins(numbers, reach=0), dtype=np.float64)

    def to_dict(self) -> dict[str, Any]:
        """As cfg has it."""
        return {
            "columns": self.columns,
            "depth": self.depth,
            "base": self.base,
            "questions": list(self.questions),
            "least": list(self.least),
            "values": list(self.values),
        }

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any], columns: int) -> "SentenceTrees":
        """What `to_dict` gave, checked.

        Args:
            saved: It.
            columns: How many there are to be.

        Raises:
            ValueError: It is something else.
        """
        wanted = {"columns", "depth", "base", "questions", "least", "values"}
        if not isinstance(saved, Mapping) or set(saved) != wanted:
            raise ValueError("trees are no object with questions and values")
        depth, questions = saved["depth"], saved["questions"]
        if not _is_whole(depth, 1, TREE_DEPTH) or saved["columns"] != columns:
            raise ValueError("trees are for other columns, or too deep")
        lists = [questions, saved["least"], saved["values"]]
        if not all(isinstance(x, list) for x in lists):
            raise ValueError("questions and values of trees must be lists")
        n = len(questions) // depth
        sizes = [n * depth, n * depth, n << depth]
        if n > _MOST_TREES or [len(x) for x in lists] != sizes:
            raise ValueError("there must be an answer for each leaf of a tree")
        if not all(_is_whole(x, 0, columns - 1) for x in questions):
            raise ValueError("a tree asks about a column that is not there")
        for number in (saved["base"], *saved["least"], *saved["values"]):
            if isinstance(number, bool) or not isinstance(number, int | float):
                raise ValueError("numbers of trees must be numbers")
            if not abs(number) <= _LARGEST:
                raise ValueError(f"numbers must be from -{_LARGEST:g} to {_LARGEST:g}")
        return cls(
            columns,
            depth,
            float(saved["base"]),
            tuple(questions),
            tuple(map(float, saved["least"])),
            tuple(map(float, saved["values"])),
        )


def _is_whole(number: Any, low: int, high: int) -> bool:
    return type(number) is int and low <= number <= high


def _edges_of(column: Floats) -> Floats:
    """Numbers that cut a column into parts of like size, of few digits."""
    cuts = np.quantile(column, np.linspace(0, 1, _STEPS + 1)[1:-1])
    return np.unique([float(f"{cut:.{_DIGITS}g}") for cut in cuts.tolist()])


def _numbers(table: Floats, edges: Sequence[Floats]) -> NDArray[np.uint8]:
    """How many edges each number reaches, from 1: [columns, sentences]."""
    found = np.ones((len(edges), len(table)), dtype=np.uint8)
    for row, cuts, column in zip(found, edges, np.asarray(table).T, strict=True):
        if len(cuts):
            row += cuts.searchsorted(column, side="right").astype(np.uint8)
    return found
