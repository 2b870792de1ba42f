"""Features of sentences: what n-grams, contexts and the error detector say of them, and
their length.

Each number is a column with a name. The weights of the columns are in
`sentence_scorer.py`.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..learners.base import Batch
from .evidence.context_evidence import ContextEvidence
from .evidence.ngram_evidence import NgramEvidence

Floats = NDArray[np.float64]
Bounds = NDArray[np.int64]

_LEAST_COUNT = 0.5  # the count of an unknown word, before the logarithm
_SURE = 1e-6
_WORST = 3  # the number of tokens whose mean is taken
_LOWEST_GAIN = -12.0  # the largest loss of a word in context against the word alone
_KNOTS = (4, 8, 16, 32, 64)  # where the curve of length may bend
WORDS = "words"
MEAN = "log probability, mean"

# The sign that the weight of a column may have; 0: no weight, NaN: any sign. No column
# may make up for others: with equal worst words, rarer words around them are no fault.
_ANY = float("nan")
_CURVE = dict.fromkeys((f"length, {n}" for n in _KNOTS), _ANY)
_NGRAMS = {
    MEAN: 0,  # for the floor
    "log probability, sum": 0,
    "above single words, mean": 1,
    "log probability, worst three": _ANY,
    "unknown words": -1,
}
_CONTEXTS = {
    "contexts: log probability, mean": 1,
    "contexts: log probability, sum": 0,
    "contexts: another word fits better, sum": -1,
    "contexts: better without a word, sum": -1,
}
_ERRORS = {
    "no error, sum": 1,
    "errors expected": -1,
    "second worst token": -1,
    "log odds, worst token": -1,
}
SIGNS: dict[str, float] = {**_NGRAMS, **_CONTEXTS, **_ERRORS, **_CURVE, WORDS: 0}
COLUMNS = tuple(SIGNS)
# The same where versions of one sentence are compared.
VERSION_SIGNS: dict[str, float] = {
    **SIGNS,
    "log probability, sum": 1,
    "log probability, worst three": 1,
    "contexts: log probability, sum": 1,
    WORDS: _ANY,  # each word costs some probability
    **dict.fromkeys(_CURVE, 0),
}


def sentence_features(
    wrong: Floats, bounds: Bounds, sources: Iterable[Any], batch: Batch
) -> Floats:
    """Return the features of sentences, [sentences, COLUMNS]. Those of n-grams and
    contexts come from the first such source of attributes; without one they are 0.
    """
    ngrams = np.zeros((len(bounds) - 1, len(_NGRAMS)))
    contexts = np.zeros((len(bounds) - 1, len(_CONTEXTS)))
    for source in reversed([x for x in sources if x in batch.source_data]):
        found = batch.source_data[source]
        if isinstance(source, NgramEvidence):
            ngrams = ngram_columns(found.values, bounds, source.known.tokens)
        elif isinstance(source, ContextEvidence):
            contexts = context_columns(found.values, bounds)
    errors, lengths = error_columns(wrong, bounds), length_columns(bounds)
    return np.concatenate([ngrams, contexts, errors, lengths], axis=1)


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
    """Return the features that come from counts of n-grams."""
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
    """Return the features that come from a context model."""
    whole = _sums(found["fit"], bounds)
    columns = [whole / np.maximum(np.diff(bounds), 1), whole]
    for name in ("better", "fewer"):
        gains = np.asarray(found[name], dtype=np.float64)
        columns.append(_sums(np.maximum(gains, 0.0), bounds))
    return np.stack(columns, axis=1)


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
