"""Features of sentences: what n-grams, contexts and the error detector say of them, and
their length.

Each number is a column with a name. The weights of the columns are in
`sentence_scorer.py`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..learners.base import Batch
from .evidence.context_evidence import ContextEvidence
from .evidence.ngram_evidence import NgramEvidence

Floats = NDArray[np.float64]
Bounds = NDArray[np.int64]

NGRAM, CONTEXTS, ERRORS, LENGTH = "ngram", "contexts", "errors", "length"
KINDS = (NGRAM, CONTEXTS, ERRORS, LENGTH)

_LEAST_COUNT = 0.5  # the count of an unknown word, before the logarithm
_SURE = 1e-6
_WORST = 3  # the number of tokens whose mean is taken
_LOWEST_GAIN = -12.0  # the largest loss of a word in context against the word alone
_KNOTS = (4, 8, 16, 32, 64)  # where the curve of length may bend
WORDS = "words"
MEAN = "log probability, mean"
CURVE = tuple(f"length, {n}" for n in _KNOTS)


def columns_of(kind: str) -> tuple[str, ...]:
    """Return the names of the columns of a kind of features.

    Args:
        kind: One of KINDS.
    """
    return tuple(_COLUMNS[kind])


# The sign that the weight of a column may have; 0: no weight, None: any sign. No column
# may make up for others: with equal worst words, rarer words around them are no fault.
_COLUMNS: dict[str, dict[str, int | None]] = {
    NGRAM: {
        MEAN: 0,  # for the floor
        "log probability, sum": 0,
        "above single words, mean": 1,
        "log probability, worst three": None,
        "unknown words": -1,
    },
    CONTEXTS: {
        "contexts: log probability, mean": 1,
        "contexts: log probability, sum": 0,
        "contexts: another word fits better, sum": -1,
        "contexts: better without a word, sum": -1,
    },
    ERRORS: {
        "no error, sum": 1,
        "errors expected": -1,
        "second worst token": -1,
        "log odds, worst token": -1,
    },
    LENGTH: {**dict.fromkeys(CURVE), WORDS: 0},
}
# The same where versions of one sentence are compared.
_OF_VERSIONS: dict[str, int | None] = {
    "log probability, sum": 1,
    "log probability, worst three": 1,
    "contexts: log probability, sum": 1,
    WORDS: None,  # each word costs some probability
    **dict.fromkeys(CURVE, 0),
}


def kind_of(column: str) -> str | None:
    """Return the kind of features that a column belongs to; None if there is no such
    column.

    Args:
        column: The name of the column.
    """
    return next((kind for kind, names in _COLUMNS.items() if column in names), None)


def names_of(kinds: Sequence[str]) -> list[str]:
    """Return the names of all columns of some kinds of features, in order.

    Args:
        kinds: Some of KINDS.
    """
    return [name for kind in kinds for name in _COLUMNS[kind]]


def signs_of(kinds: Sequence[str], *, versions: bool = False) -> list[float]:
    """Return the sign that the weight of each column may have: 1, -1, 0 for no weight,
    or NaN for any sign.

    Args:
        kinds: Some of KINDS.
        versions: True to compare versions of one sentence.
    """
    signs = {name: sign for kind in kinds for name, sign in _COLUMNS[kind].items()}
    if versions:
        signs |= {name: x for name, x in _OF_VERSIONS.items() if name in signs}
    return [float("nan") if sign is None else float(sign) for sign in signs.values()]


def length_columns(bounds: Bounds) -> Floats:
    """Return the features of length: how near its logarithm is to each of some knots,
    and the number of words.

    Args:
        bounds: The first token of each sentence, and the end.
    """
    knots = np.log(np.array(_KNOTS, dtype=np.float64))
    lengths = np.log(np.maximum(np.diff(bounds), 1))
    at = np.clip(lengths, knots[0], knots[-1])[:, None]
    width = np.diff(knots)[0]
    curve = np.maximum(0.0, 1 - np.abs(at - knots) / width)
    return np.column_stack([curve, np.diff(bounds)])


def error_columns(wrong: Floats, bounds: Bounds) -> Floats:
    """Return the features that come from an error detector.

    Args:
        wrong: The probability of each token to be wrong.
        bounds: The first token of each sentence, and the end.
    """
    wrong = np.clip(np.asarray(wrong, dtype=np.float64), _SURE, 1 - _SURE)
    worst = -_lowest(_ordered(-wrong, bounds), bounds, 2)
    first = np.clip(worst[:, 0], _SURE, 1 - _SURE)
    # The second token of a single word is right.
    second = np.where(np.diff(bounds) > 1, worst[:, 1], 0.0)
    odds = np.log(first) - np.log1p(-first)
    right = _sums(np.log1p(-wrong), bounds)
    return np.stack([right, _sums(wrong, bounds), second, odds], axis=1)


def ngram_columns(
    found: Mapping[str, NDArray], bounds: Bounds, tokens: float
) -> Floats:
    """Return the features that come from counts of n-grams.

    Args:
        found: The result of `NgramCounts.read`.
        bounds: The first token of each sentence, and the end.
        tokens: The number of tokens of the counted text.
    """
    n = np.maximum(np.diff(bounds), 1)
    prob = np.asarray(found["prob"], dtype=np.float64)
    count = np.asarray(found["count"], dtype=np.float64)
    last = np.zeros(len(bounds) - 1)
    some = np.diff(bounds) > 0
    last[some] = found["next"][bounds[1:][some] - 1]
    alone = np.log(np.maximum(count, _LEAST_COUNT) / max(tokens, 1.0))
    whole = _sums(prob, bounds) + last
    above = _sums(np.maximum(prob - alone, _LOWEST_GAIN), bounds) + last
    worst = _lowest(_ordered(prob, bounds), bounds, _WORST)
    return np.stack(
        [
            whole / (n + 1),
            whole,
            above / (n + 1),
            worst.mean(axis=1),
            _sums(count == 0, bounds),
        ],
        axis=1,
    )


def context_columns(found: Mapping[str, NDArray], bounds: Bounds) -> Floats:
    """Return the features that come from a context model.

    Args:
        found: The result of `ContextModel.read`.
        bounds: The first token of each sentence, and the end.
    """
    whole = _sums(found["fit"], bounds)
    columns = [whole / np.maximum(np.diff(bounds), 1), whole]
    for name in ("better", "fewer"):
        gains = np.asarray(found[name], dtype=np.float64)
        columns.append(_sums(np.maximum(gains, 0.0), bounds))
    return np.stack(columns, axis=1)


def evidence_tables(sources: Mapping[str, Any], batch: Batch) -> dict[str, Floats]:
    """Return the features of the sentences of a batch that come from sources of
    attributes, by kind: the first source of each kind counts.

    Args:
        sources: The sources, by name.
        batch: The batch, which was read with them.
    """
    tables: dict[str, Floats] = {}
    sentences = len(batch.bounds) - 1
    for source in sources.values():
        kind = _kind_of_source(source)
        found = batch.source_data.get(source) if kind else None
        if kind is None or kind in tables:
            continue
        if not len(batch.values):
            tables[kind] = np.zeros((sentences, len(columns_of(kind))))
        elif found is not None and kind == CONTEXTS:
            tables[kind] = context_columns(found.values, found.bounds)
        elif found is not None:
            tokens = source.known.tokens
            tables[kind] = ngram_columns(found.values, found.bounds, tokens)
    return tables


def _kind_of_source(source: Any) -> str | None:
    if isinstance(source, ContextEvidence):
        return CONTEXTS
    return NGRAM if isinstance(source, NgramEvidence) else None


def _sums(values: NDArray, bounds: Bounds) -> Floats:
    """Return the sum of each sentence; 0 if it is empty."""
    sums = np.concatenate([[0.0], np.cumsum(values, dtype=np.float64)])
    return sums[bounds[1:]] - sums[bounds[:-1]]


def _ordered(values: Floats, bounds: Bounds) -> Floats:
    """Sort the values of each sentence."""
    if not len(values):
        return values
    sentences = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    # One sort by both: values are moved to between 0 and 1, sentences come first.
    lowest, spread = values.min(), np.ptp(values) + 1
    return values[np.argsort((values - lowest) / spread + sentences)]


def _lowest(ordered: Floats, bounds: Bounds, k: int) -> Floats:
    """Return the k lowest values of each sentence; if it has fewer, the highest of
    them again."""
    lengths = np.diff(bounds)
    if not len(ordered):
        return np.zeros((len(lengths), k))
    at = np.minimum(np.arange(k)[None, :], np.maximum(lengths, 1)[:, None] - 1)
    places = np.minimum(bounds[:-1, None] + at, len(ordered) - 1)
    return np.where(lengths[:, None] > 0, ordered[places], 0.0)
