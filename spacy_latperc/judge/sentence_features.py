"""What is known of a sentence beside the latent margin, as a few numbers: what n-grams
say, what the detector of errors says, and how long the sentence is.

Each number is one column, under a name of its own. The joined model (joined.py) says
what each is worth.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..learners.base import Batch
from .evidence.class_evidence import ClassNgramEvidence
from .evidence.context_evidence import ContextEvidence
from .evidence.ngram_evidence import NgramEvidence

Floats = NDArray[np.float64]
Bounds = NDArray[np.int64]

ERRORS, LENGTH = "errors", "length"
NGRAM, CLASSES = "ngram", "classes"  # of words, and of their classes
CONTEXTS = "contexts"
KINDS = (NGRAM, CLASSES, CONTEXTS, ERRORS, LENGTH)

_LEAST_COUNT = 0.5  # of a word, where its logarithm is taken
_SURE = 1e-6
_WORST = 3  # tokens, of which the mean is taken
_RARE = -12.0  # a logarithm below which it does not matter how far below
_LENGTHS = (4, 8, 16, 32, 64)  # where the curve of length may bend
# From where on a sentence is of no kind that is known.
_IMPROBABLE, _UNKNOWN, _CONTEXT = -9.0, 0.2, 1.8
_LONGEST_REPEAT = 3  # words
WORDS = "words"  # how many there are
CURVE = tuple(f"length, {n}" for n in _LENGTHS)


def columns_of(kind: str) -> tuple[str, ...]:
    """The names of the columns of a kind of evidence.

    Args:
        kind: One of KINDS.
    """
    return tuple(_COLUMNS[kind])


# What each column means for a sentence: the more the better (1) or the worse (-1). None
# makes up for others: with the same worst words, rarer words around them are no fault.
_OF_COUNTS: dict[str, int | None] = {
    "log probability, mean": 1,
    "log probability, sum": 0,  # long sentences are no worse
    "above single words, mean": 1,
    "log probability, worst": 1,
    "log probability, worst three": None,
    "log probability, tenth": 1,
    "unknown words": -1,
    "unseen pairs": -1,
    "unseen pairs, share": -1,
    "words seen in context, mean": 1,
    "better without a word, sum": -1,
    "better without a word, best": -1,
    # Nothing in most sentences, much in those of another language:
    "log probability, below -9": -1,
    "unknown words, above a fifth": -1,
    "words seen in context, below 1.8": -1,
    "repeated words": -1,
}
_COLUMNS: dict[str, dict[str, int | None]] = {
    NGRAM: {**_OF_COUNTS},
    CLASSES: {
        **{f"classes: {name}": sign for name, sign in _OF_COUNTS.items()},
        "classes: repeated words": 0,
    },
    CONTEXTS: {
        "contexts: log probability, mean": 1,
        "contexts: log probability, sum": 0,
        "contexts: log probability, worst": 1,
        "contexts: log probability, worst three": None,
        "contexts: another word fits better, sum": -1,
        "contexts: another word fits better, best": -1,
        "contexts: better with a word more, sum": -1,
        "contexts: better with a word more, best": -1,
        "contexts: better without a word, sum": -1,
        "contexts: better without a word, best": -1,
    },
    ERRORS: {
        "no error, mean": None,
        "no error, sum": 1,
        "errors expected": -1,
        "worst token": -1,
        "second worst token": -1,
        "log odds, worst token": -1,
    },
    LENGTH: {**dict.fromkeys(CURVE), WORDS: 0},
}
# What some mean otherwise where versions of one sentence are compared.
_OF_VERSIONS: dict[str, int | None] = {
    "log probability, sum": 1,
    "log probability, worst three": 1,
    "classes: log probability, sum": 1,
    "classes: log probability, worst three": 1,
    "contexts: log probability, sum": 1,
    "contexts: log probability, worst three": 1,
    "no error, mean": 1,
    WORDS: None,  # each word costs some probability
    **dict.fromkeys(CURVE, 0),
}


def kind_of(column: str) -> str | None:
    """The kind of evidence that a column is of; None if there is no such column.

    Args:
        column: Its name.
    """
    return next((kind for kind, names in _COLUMNS.items() if column in names), None)


def signs_of(kinds: Sequence[str], *, versions: bool = False) -> list[float]:
    """What each column means: 1: the more the better; -1: the worse; 0: nothing; no
    number: that is not known.

    Args:
        kinds: Some of KINDS.
        versions: Whether versions of one sentence are compared.
    """
    meant = {name: sign for kind in kinds for name, sign in _COLUMNS[kind].items()}
    if versions:
        meant |= {name: x for name, x in _OF_VERSIONS.items() if name in meant}
    signs = meant.values()
    return [float("nan") if sign is None else float(sign) for sign in signs]


def length_columns(bounds: Bounds) -> Floats:
    """A curve of the logarithm of the length: how near it is to each of some lengths;
    and the length.

    Args:
        bounds: The first token of each sentence, and the end.
    """
    knots = np.log(np.array(_LENGTHS, dtype=np.float64))
    lengths = np.log(np.maximum(np.diff(bounds), 1))
    at = np.clip(lengths, knots[0], knots[-1])[:, None]
    width = np.diff(knots)[0]
    curve = np.maximum(0.0, 1 - np.abs(at - knots) / width)
    return np.column_stack([curve, np.diff(bounds)])


def error_columns(wrong: Floats, bounds: Bounds) -> Floats:
    """What a detector of errors says of sentences.

    Args:
        wrong: The probability of each token to be wrong.
        bounds: The first token of each sentence, and the end.
    """
    wrong = np.clip(np.asarray(wrong, dtype=np.float64), _SURE, 1 - _SURE)
    n = np.maximum(np.diff(bounds), 1)
    right = _sums(np.log1p(-wrong), bounds)
    worst = _lowest(_ordered(-wrong, bounds), bounds, 2)
    first, second = -worst[:, 0], -worst[:, 1]
    odds = np.log(np.clip(first, _SURE, 1)) - np.log1p(-np.clip(first, 0, 1 - _SURE))
    return np.stack(
        [right / n, right, _sums(wrong, bounds), first, second, odds], axis=1
    )


def ngram_columns(
    found: Mapping[str, NDArray], bounds: Bounds, tokens: float
) -> Floats:
    """What counts of n-grams say of sentences.

    Args:
        found: What `NgramCounts.read` gave, and `repeat`, what `repeats` gave.
        bounds: The first token of each sentence, and the end.
        tokens: How many the counted text has.
    """
    n = np.maximum(np.diff(bounds), 1)
    wide = {name: np.asarray(x, dtype=np.float64) for name, x in found.items()}
    prob = wide["prob"]
    last = np.zeros(len(bounds) - 1)
    some = np.diff(bounds) > 0
    last[some] = wide["next"][bounds[1:][some] - 1]
    whole = _sums(prob, bounds) + last
    alone = np.log(np.maximum(wide["count"], _LEAST_COUNT) / max(tokens, 1.0))
    above = _sums(np.maximum(prob, alone + _RARE) - alone, bounds) + last
    ordered = _ordered(prob, bounds)
    worst = _lowest(ordered, bounds, _WORST)
    left = wide["left"]
    # A word that is not there does not cost its own probability.
    without = wide["gap"] - wide["next"]
    fewer = np.maximum(without, 0.0)
    mean = whole / (n + 1)
    unknown = _sums(wide["count"] == 0, bounds)
    context = _sums(np.minimum(left, 4), bounds) / n
    return np.stack(
        [
            mean,
            whole,
            above / (n + 1),
            worst[:, 0],
            worst.mean(axis=1),
            _tenth(ordered, bounds),
            unknown,
            _sums((wide["pair"] == 0) & (wide["count"] > 0), bounds),
            _sums(wide["pair"] == 0, bounds) / n,
            context,
            _sums(fewer, bounds),
            _highest(fewer, bounds),
            np.maximum(_IMPROBABLE - mean, 0.0),
            np.maximum(unknown / n - _UNKNOWN, 0.0),
            np.where(some, np.maximum(_CONTEXT - context, 0.0), 0.0),
            _sums(wide["repeat"], bounds),
        ],
        axis=1,
    )


def context_columns(found: Mapping[str, NDArray], bounds: Bounds) -> Floats:
    """What a model of contexts says of sentences.

    Args:
        found: What `ContextModel.read` gave.
        bounds: The first token of each sentence, and the end.
    """
    fit = np.asarray(found["fit"], dtype=np.float64)
    worst = _lowest(_ordered(fit, bounds), bounds, _WORST)
    whole = _sums(fit, bounds)
    columns = [
        whole / np.maximum(np.diff(bounds), 1),
        whole,
        worst[:, 0],
        worst.mean(axis=1),
    ]
    for name in ("better", "missing", "fewer"):
        gains = np.maximum(np.asarray(found[name], dtype=np.float64), 0.0)
        columns += [_sums(gains, bounds), _highest(gains, bounds)]
    return np.stack(columns, axis=1)


def repeats(keys: NDArray[np.uint64], bounds: Bounds) -> NDArray[np.bool_]:
    """Whether the words that end at each token, one to three of them, stand twice in a
    row.

    Args:
        keys: Of the words.
        bounds: The first token of each sentence, and the end.
    """
    found = np.zeros(len(keys), dtype=bool)
    sentences = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    for length in range(1, _LONGEST_REPEAT + 1):
        same = keys[length:] == keys[:-length]
        same &= sentences[length:] == sentences[:-length]
        sums = np.concatenate([[0], np.cumsum(same)])
        whole = sums[length:] - sums[:-length] == length
        found[2 * length - 1 :] |= whole
    return found


def counts_of(sources: Mapping[str, Any], batch: Batch) -> dict[str, Floats]:
    """What sources with counts of n-grams, and models of contexts, say of the sentences
    of a batch: by kind, the first source of each.

    Args:
        sources: Of attributes, by name.
        batch: That was read with them.
    """
    tables: dict[str, Floats] = {}
    for source in sources.values():
        if isinstance(source, ContextEvidence) and CONTEXTS not in tables:
            fitting = batch.kept.get(source)
            if not len(batch.values):
                columns = len(columns_of(CONTEXTS))
                tables[CONTEXTS] = np.zeros((len(batch.bounds) - 1, columns))
            elif fitting is not None:
                tables[CONTEXTS] = context_columns(fitting.values, fitting.bounds)
        if not isinstance(source, NgramEvidence):
            continue
        kind = CLASSES if isinstance(source, ClassNgramEvidence) else NGRAM
        found = batch.kept.get(source)
        if kind in tables:
            continue
        if not len(batch.values):
            tables[kind] = np.zeros((len(batch.bounds) - 1, len(_OF_COUNTS)))
        elif found is not None:
            twice = repeats(found.keys, found.bounds)
            values = {**found.values, "repeat": twice}
            tables[kind] = ngram_columns(values, found.bounds, source.known.tokens)
    return tables


def _sums(values: NDArray, bounds: Bounds) -> Floats:
    """Of each sentence; 0 of an empty one."""
    sums = np.concatenate([[0.0], np.cumsum(values, dtype=np.float64)])
    return sums[bounds[1:]] - sums[bounds[:-1]]


def _highest(values: Floats, bounds: Bounds) -> Floats:
    """Of each sentence; 0 of an empty one."""
    some = np.diff(bounds) > 0
    found = np.zeros(len(some))
    if some.any():
        found[some] = np.maximum.reduceat(values, bounds[:-1][some])
    return found


def _ordered(values: Floats, bounds: Bounds) -> Floats:
    """The values of each sentence from the lowest."""
    if not len(values):
        return values
    sentences = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    # One sort by both: values are moved to between 0 and 1, sentences come first.
    lowest, spread = values.min(), np.ptp(values) + 1
    return values[np.argsort((values - lowest) / spread + sentences)]


def _lowest(ordered: Floats, bounds: Bounds, k: int) -> Floats:
    """The k lowest values of each sentence; of one that has fewer, the last again."""
    lengths = np.diff(bounds)
    if not len(ordered):
        return np.zeros((len(lengths), k))
    at = np.minimum(np.arange(k)[None, :], np.maximum(lengths, 1)[:, None] - 1)
    places = np.minimum(bounds[:-1, None] + at, len(ordered) - 1)
    return np.where(lengths[:, None] > 0, ordered[places], 0.0)


def _tenth(ordered: Floats, bounds: Bounds) -> Floats:
    """The value that a tenth of the tokens of each sentence does not reach."""
    lengths = np.diff(bounds)
    if not len(ordered):
        return np.zeros(len(lengths))
    places = np.minimum(bounds[:-1] + np.maximum(lengths, 1) // 10, len(ordered) - 1)
    return np.where(lengths > 0, ordered[places], 0.0)


def names_of(kinds: Sequence[str]) -> list[str]:
    """The names of all columns of some kinds of evidence, in order.

    Args:
        kinds: Some of KINDS.
    """
    return [name for kind in kinds for name in _COLUMNS[kind]]
