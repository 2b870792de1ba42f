"""What counts of n-grams and models of contexts say of a token and of those beside it,
taken together: boosted trees that tell wrong tokens from right ones, as a source of
attributes.

A template sees one bucket of one number at a time. Trees see that a rare word is no
error if the class of the word is usual there, or that a comma is missing only if
neither neighbour is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Errors
from ...errors.check import check_count, check_kind, check_number
from ...features.sources import Givens, Reading, Source, Tokens
from ...io.atomic import whole_file
from ...io.model_file import DAMAGED, pack, unpack
from ...kernels.text import (
    TREE_DEPTH,
    TREE_NUMBERS,
    WordHashes,
    learn_trees,
    tree_margins,
)
from .context_evidence import ContextEvidence, Fitting
from .ngram_counts import NO_OTHER
from .ngram_evidence import Found, NgramEvidence

KIND = "trees over evidence"
_ARRAYS = ("columns", "offsets", "least", "values")
REACH = 2  # tokens to both sides
UNKNOWN = 2  # the label of a token of which nothing is known
_LARGEST = TREE_NUMBERS - 1
_MOST_COLUMNS = 1024  # far more than there is evidence
_OUTSIDE = 0  # in every column, before and behind a sentence
_STEPS = 4  # buckets of margins, for each unit
_WIDEST = 7.0  # margin that makes a difference
_LONGEST_WORD = 20
_EDGE = 30  # tokens from the beginning and the end of a sentence
_AT_ONCE = 256

Numbers = NDArray[np.uint8]


@dataclass(frozen=True)
class TreeSettings:
    """How trees are learned.

    Attributes:
        trees: How many.
        depth: Questions of each.
        rate: By how much each tree goes where it would.
        prior: Tokens that are as often wrong as right, in every leaf.
        tokens: The share of the tokens that a tree learns from.
        questions: The share of the questions that it may ask at each level.
    """

    trees: int = 200
    depth: int = 5
    rate: float = 0.1
    prior: float = 20.0
    tokens: float = 0.3
    questions: float = 0.5

    def check(self) -> None:
        """Refuse what cannot be."""
        check_count("trees", self.trees, high=10_000, hint="default 200")
        check_count("depth", self.depth, high=TREE_DEPTH, hint="default 5")
        for name in ("rate", "tokens", "questions"):
            check_number(name, getattr(self, name), high=1.0)
        check_number("prior", self.prior, high=1e6)


@dataclass(frozen=True, eq=False)
class Trees:
    """What was learned: questions, and an answer for each leaf.

    Attributes:
        columns: Of each question; those of a tree stand together.
        offsets: How many tokens further on it asks.
        least: It asks whether the number is at least that.
        values: Of the leaves of each tree.
        depth: Questions of each tree.
        base: The log odds of a token of which nothing is known.
    """

    columns: NDArray[np.int32]
    offsets: NDArray[np.int32]
    least: NDArray[np.uint8]
    values: NDArray[np.float32]
    depth: int = 1
    base: float = 0.0

    @classmethod
    def none(cls) -> "Trees":
        """No tree at all."""
        ints, small = np.zeros(0, np.int32), np.zeros(0, np.uint8)
        return cls(ints, ints, small, np.zeros(0, np.float32))

    @classmethod
    def learn(
        cls,
        numbers: Numbers,
        labels: Numbers,
        settings: TreeSettings,
        seed: int,
        *,
        reach: int = REACH,
    ) -> "Trees":
        """Trees that tell tokens apart.

        Args:
            numbers: See `evidence_numbers`.
            labels: Of each place, 1 for a token that is wrong, 0 for one that is right.
            settings: How.
            seed: The same one, the same trees.
            reach: How many places to both sides they may ask about.
        """
        columns, offsets, least, values, base = learn_trees(
            numbers,
            labels,
            reach=reach,
            n=settings.trees,
            depth=settings.depth,
            rate=settings.rate,
            prior=settings.prior,
            places=settings.tokens,
            questions=settings.questions,
            seed=seed,
        )
        return cls(columns, offsets, least, values, settings.depth, base)

    def margins(self, numbers: Numbers, *, reach: int = REACH) -> NDArray[np.float32]:
        """Log odds of each place to be wrong.

        Args:
            numbers: See `evidence_numbers`.
            reach: As they were learned.
        """
        return tree_margins(numbers, reach=reach, **vars(self))

    def arrays(self) -> dict[str, NDArray]:
        """As files have them."""
        return {name: getattr(self, name) for name in _ARRAYS}


def _levels(values: NDArray, each: float, shift: float, low: int = 1) -> Numbers:
    levels = np.floor(np.asarray(values, dtype=np.float32) * np.float32(each))
    return np.clip(levels + np.float32(shift), low, _LARGEST).astype(np.uint8)


def _of_better(values: NDArray) -> Numbers:
    return np.where(values <= NO_OTHER, np.uint8(1), _levels(values, 4, 25, low=2))


def numbers_of(found: Mapping[str, NDArray]) -> list[Numbers]:
    """What counts say of tokens, as numbers from 1 to 63: logarithms by quarters,
    counts by their logarithms.

    Args:
        found: What `NgramCounts.read` gave.
    """
    rows = [_levels(found[name], 1, 1) for name in ("left", "right")]
    rows += [_levels(-found[name], 4, 1) for name in ("prob", "next", "gap")]
    rows += [
        _levels(np.log2(1 + found[name]), 2.5, 1)
        for name in ("count", "pair", "middle")
    ]
    without = found["gap"] - found["prob"] - found["next"]
    return [*rows, _levels(without, 4, 44)]


def context_numbers(found: Mapping[str, NDArray]) -> list[Numbers]:
    """What a model of contexts says of tokens, in the same way.

    Args:
        found: What `ContextModel.read` gave.
    """
    gains = [found[name] for name in ("better", "missing", "fewer")]
    return [_levels(-found["fit"], 4, 1), *map(_of_better, gains)]


def evidence_numbers(
    tables: Sequence[Found | Fitting], words: NDArray[np.uint64]
) -> tuple[Numbers, NDArray[np.int64]]:
    """What is known of tokens as a table of small numbers.

    Args:
        tables: What sources found, of the same sentences.
        words: What `_word_number` says of each token.

    Returns:
        [columns, places], where REACH empty places lie before, between and behind
        sentences; and the place of each token.
    """
    bounds = tables[0].bounds
    lengths = np.diff(bounds)
    n, sentences = int(bounds[-1]), len(lengths)
    number = np.repeat(np.arange(sentences), lengths)
    place = np.arange(n) + REACH * (number + 1)
    before = np.arange(n) - bounds[:-1][number]
    behind = bounds[1:][number] - 1 - np.arange(n)
    columns = [
        row
        for found in tables
        for row in (numbers_of if isinstance(found, Found) else context_numbers)(
            found.values
        )
    ]
    columns += [
        (words & np.uint64(0xFF)).astype(np.uint8),
        (words >> np.uint64(8)).astype(np.uint8),
        np.minimum(before + 1, _EDGE).astype(np.uint8),
        np.minimum(behind + 1, _EDGE).astype(np.uint8),
        np.minimum(lengths[number], _LARGEST).astype(np.uint8),
    ]
    places = n + REACH * (sentences + 1)
    numbers = np.full((len(columns), max(places, 2 * REACH + 1)), _OUTSIDE, np.uint8)
    for row, column in zip(numbers, columns, strict=True):
        row[place] = column
    return numbers, place


def _word_number(word: str) -> int:
    """How long a word is, and of which letters."""
    length = min(len(word), _LONGEST_WORD) + 1
    letters = word.isalpha()
    digits = not letters and any(map(str.isdigit, word))
    shape = 1 + word[:1].isupper() + 2 * letters + 4 * digits
    return length | shape << 8


@dataclass(eq=False)
class TreeEvidence(Source):
    """What trees make of the sources with counts of n-grams, and models of contexts,
    beside this one.

    Attributes:
        path: Of a file with trees; without one they learn from the examples.
        spans_key: Where in doc.spans of the examples errors are marked.
        tree_settings: How they learn.
        trees: Those of the file, of the examples, or of the model.
    """

    kind = "tree"

    path: str | Path = ""
    spans_key: str = "errors"
    tree_settings: TreeSettings = field(default_factory=TreeSettings)
    trees: Trees = field(default_factory=Trees.none)

    def __post_init__(self) -> None:
        self.forget()

    def settings(self) -> dict[str, Any]:
        """See Source."""
        return {}

    def attribute(self, argument: str) -> Reading:
        """See Source."""
        if argument:
            raise ValueError(Errors.LP709.format(argument=argument))
        return Reading(of_docs=self._buckets, few_values=True)

    def templates(self, name: str) -> list[str]:
        """See Source."""
        here, before, behind = (f"{self.kind}.{name}[{at}]" for at in (0, -1, 1))
        return [
            *(here, before, behind),
            f"{before}|{here}",
            f"{here}|{behind}",
            f"{here}|lower[0]",
            f"{here}|suf3[0]",
            f"{here}|lower[-1]",
            f"{here}|lower[1]",
        ]

    def forget(self) -> None:
        """See Source."""
        self._words = WordHashes(_word_number)

    # Reading --------------------------------------------------------------------------

    def _buckets(self, tokens: Tokens) -> NDArray[np.uint64]:
        if not len(tokens.words):
            return np.zeros(0, dtype=np.uint64)
        numbers, place = self.numbers(tokens)
        margins = self.trees.margins(numbers)[place]
        levels = np.floor(np.clip(margins, -_WIDEST, _WIDEST) * _STEPS)
        return (levels + _WIDEST * _STEPS + 1).astype(np.uint64)

    def numbers(self, tokens: Tokens) -> tuple[Numbers, NDArray[np.int64]]:
        """What trees ask about: see `evidence_numbers`.

        Args:
            tokens: Of some Docs.
        """
        kinds = NgramEvidence, ContextEvidence
        beside = [x for x in tokens.sources.values() if isinstance(x, kinds)]
        if not beside:
            raise ValueError(Errors.LP792)
        words = self._words.of(tokens.words, tokens.lookup)
        return evidence_numbers([source.found(tokens) for source in beside], words)

    def numbers_of_docs(
        self, docs: Sequence[Any], sources: Mapping[str, Source]
    ) -> tuple[Numbers, NDArray[np.int64]]:
        """What trees ask about: see `evidence_numbers`.

        Args:
            docs: One or more.
            sources: With counts of n-grams.
        """
        return self.numbers(Tokens.of(docs, sources))

    # Learning and saving --------------------------------------------------------------

    def fit(self, givens: Givens) -> None:
        """See Source."""
        if str(self.path):
            trees = read_trees(self.path)
        else:
            trees = Trees.learn(
                *self._examples(givens), self.tree_settings, givens.seed
            )
        self._know(trees)

    def _examples(self, givens: Givens) -> tuple[Numbers, Numbers]:
        parts = []
        assert givens.examples is not None
        examples = list(givens.examples())
        for start in range(0, len(examples), _AT_ONCE):
            batch = examples[start : start + _AT_ONCE]
            docs = [example.predicted for example in batch if len(example.predicted)]
            wrong = [
                wrong_tokens(example.reference, self.spans_key)
                if len(example.reference) == len(example.predicted)
                else np.full(len(example.predicted), UNKNOWN, np.uint8)
                for example in batch
            ]
            if docs:
                numbers = self.numbers_of_docs(docs, givens.sources)
                parts.append((*numbers, np.concatenate(wrong)))
        if not parts:
            raise ValueError(Errors.LP793.format(name=givens.name, key=self.spans_key))
        return labelled(parts)

    def _know(self, trees: Trees) -> None:
        self.trees = trees
        self.changes += 1

    def to_bytes(self) -> bytes:
        """See Source."""
        return trees_to_bytes(self.trees)

    def from_bytes(self, data: bytes) -> None:
        """See Source."""
        self._know(trees_from_bytes(data))

    def blank(self) -> "TreeEvidence":
        """See Source."""
        return type(self)(self.path, self.spans_key, self.tree_settings)

    def adopt(self, other: Source) -> None:
        """See Source."""
        super().adopt(other)
        self.forget()

    # What is only remembered stays behind.
    def __reduce__(self) -> tuple:
        return type(self), (self.path, self.spans_key, self.tree_settings, self.trees)

    @property
    def nbytes(self) -> int:
        """See Source."""
        return sum(array.nbytes for array in self.trees.arrays().values())


def wrong_tokens(doc: Any, spans_key: str) -> Numbers:
    """Of each token of a Doc 1 if it is in a span, else 0; UNKNOWN without spans.

    Args:
        doc: The Doc.
        spans_key: Of doc.spans.
    """
    if spans_key not in doc.spans:
        return np.full(len(doc), UNKNOWN, dtype=np.uint8)
    wrong = np.zeros(len(doc), dtype=np.uint8)
    for span in doc.spans[spans_key]:
        wrong[span.start : span.end] = 1
    return wrong


def labelled(
    parts: Sequence[tuple[Numbers, NDArray[np.int64], Numbers]],
) -> tuple[Numbers, Numbers]:
    """Several tables as one, with labels of their places.

    Args:
        parts: Numbers and places of tokens, and labels of these.
    """
    labels = []
    for numbers, place, given in parts:
        row = np.full(numbers.shape[1], UNKNOWN, dtype=np.uint8)
        row[place] = given
        labels.append(row)
    joined = np.concatenate([numbers for numbers, _, _ in parts], axis=1)
    return np.ascontiguousarray(joined), np.concatenate(labels)


def trees_to_bytes(trees: Trees) -> bytes:
    """What `trees_from_bytes` reads. The same trees give the same bytes.

    Args:
        trees: The trees.
    """
    return pack(
        {"kind": KIND, "depth": trees.depth, "base": trees.base}, trees.arrays()
    )


def trees_from_bytes(data: bytes) -> Trees:
    """Trees, checked.

    Args:
        data: What `trees_to_bytes` gave.

    Raises:
        ValueError: The bytes are damaged, or something else.
    """
    header, arrays = unpack(data)
    try:
        if header.get("kind") != KIND:
            raise ValueError("they are something else")
        depth, base = int(header["depth"]), float(header["base"])
        found = Trees(
            **{name: arrays[name] for name in _ARRAYS}, depth=depth, base=base
        )
        for name, array in Trees.none().arrays().items():
            given = getattr(found, name)
            if given.dtype != array.dtype or given.ndim != 1:
                raise ValueError(f"{name} are no numbers of the right kind")
        if not abs(base) < 1e6 or not np.isfinite(found.values).all():
            raise ValueError("a number is out of range")
        columns = int(found.columns.max(initial=0)) + 1
        if columns > _MOST_COLUMNS:
            raise ValueError(f"they ask for column {columns - 1}")
        found.margins(np.zeros((columns, 2 * REACH + 1), dtype=np.uint8))
    except DAMAGED as error:
        raise ValueError(Errors.LP023.format(error=error)) from error
    return found


def write_trees(trees: Trees, path: Path | str) -> None:
    """Write trees to a file, which changes in one step.

    Args:
        trees: The trees.
        path: The file.
    """
    with whole_file(Path(path)) as fresh:
        fresh.write_bytes(trees_to_bytes(trees))


def read_trees(path: Path | str) -> Trees:
    """The trees of a file.

    Args:
        path: Of `write_trees`.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(Errors.LP101.format(path=path))
    return trees_from_bytes(path.read_bytes())


def tree_evidence(
    path: str | Path = "",
    spans_key: str = "errors",
    trees: int = 200,
    depth: int = 5,
    rate: float = 0.1,
    prior: float = 20.0,
    tokens: float = 0.3,
    questions: float = 0.5,
) -> TreeEvidence:
    """How probable it is that a token is wrong, by all that sources with counts of
    n-grams or a model of contexts say of it and of the two tokens to either side, which
    templates see as `tree.NAME[0]`, in steps of a quarter. It stands behind these
    sources. The trees are learned from the examples before the chain is.

    Args:
        path: A file with trees; "": they learn from the examples.
        spans_key: Where in doc.spans the examples have errors.
        trees: How many trees.
        depth: How many questions each of them asks.
        rate: By how much each tree goes where it would.
        prior: Tokens that are as often wrong as right, in every leaf.
        tokens: The share of the tokens that a tree learns from.
        questions: The share of the questions that are tried at each level.
    """
    check_kind("path", path, (str, Path), "a path")
    check_kind("spans_key", spans_key, str, "a key of doc.spans")
    settings = TreeSettings(trees, depth, rate, prior, tokens, questions)
    settings.check()
    return TreeEvidence(path, spans_key, settings)
