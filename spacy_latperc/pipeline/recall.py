"""The recall constant of a component: a score for "outside" at every token.

Where spans are rare, or unlike those of training, a chain finds too few. A constant
below 0 raises recall, above 0 precision (Minkov, Wang, Tomasic and Cohen 2006, NER
systems that suit user's preferences). It is fitted to held-out data: spans are
predicted with a few constants, and counted.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.training import Example

from ..errors import Errors
from ..schemes.decode import Chunks
from .doc_reader import same_tokens
from .gold_spans import align_gold
from .span_coder import SpanCoder

KEY = "recall_constant"
# A constant for each of these: it makes so many tokens "outside", or if below 0 the
# opposite, as shares of the tokens that are inside spans without it.
_SIZES = (0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.35)
SHARES = (-2, -1.4, -1, -0.7, -0.5, *(-size for size in _SIZES), *_SIZES)
WIDER = (-5, -3, *SHARES, 0, 0.6, 0.8, 0.9, 0.95, 0.98)  # for a precision or recall
HALVINGS = 10
SMALLEST = 1e-12

Counts = NDArray[np.float64]  # [sentences, 3]: correct spans, predicted ones, gold ones


@dataclass(frozen=True)
class RecallFit:
    """A fitted recall constant: precision, recall and F of the held-out data without
    any, and with it."""

    constant: float
    before: tuple[float, float, float]
    after: tuple[float, float, float]


def has_recall_constant(pipe: Any) -> bool:
    """Return True if a component predicts spans, so that it can have a constant."""
    return isinstance(getattr(pipe, "coder", None), SpanCoder)


def fit_recall_constant(
    pipe: Any,
    batches: Iterable[Sequence[Example]],
    *,
    precision: float | None = None,
    recall: float | None = None,
) -> RecallFit | None:
    """Fit the recall constant of a component to held-out examples, and set it.

    By default it is that of the best F, shrunk towards 0 by as much as chance may have
    made it the best: to 0 where nothing is gained.

    Args:
        pipe: The component.
        batches: The examples, annotated by the components before it.
        precision: Instead, the highest recall with this precision.
        recall: Instead, the highest precision with this recall.

    Returns:
        The fit; None if no spans are annotated.
    """
    parts = [_Part(pipe, examples) for examples in batches]
    n_gold = sum(int(part.gold.sum()) for part in parts)
    if not n_gold:
        return None

    def count(constant: float) -> Counts:
        return np.concatenate([part.count(constant) for part in parts])

    def constants(shares: Sequence[float]) -> list[float]:
        return _constants(np.concatenate([part.gaps for part in parts]), n_gold, shares)

    plain = count(0.0)
    if precision is not None or recall is not None:
        found = _reach(pipe.name, count, constants(WIDER), precision, recall)
    else:
        tried = [0.0, *constants(SHARES)]
        found = shrunk_best(tried, [plain, *map(count, tried[1:])])
    pipe.cfg[KEY] = found
    return RecallFit(found, _scores(plain), _scores(count(found)))


def shrunk_best(constants: Sequence[float], counts: Sequence[Counts]) -> float:
    """Return the constant of the best F, shrunk towards 0, the first of all.

    The factor is that of James and Stein (1961, Estimation with quadratic loss): 1 less
    the square of the standard error, over sentences, of what is gained by the best, as
    a share of it; 0 below.
    """
    f = [_scores(each)[2] for each in counts]
    best = int(np.argmax(f))
    error = np.sum((_pulls(counts[best]) - _pulls(counts[0])) ** 2)
    factor = 1 - error / max((f[best] - f[0]) ** 2, error, SMALLEST)
    return _rounded(factor * constants[best])


def _scores(counts: Counts) -> tuple[float, float, float]:
    """Return precision, recall and F."""
    correct, predicted, gold = counts.sum(axis=0).tolist()
    return (
        correct / predicted if predicted else 1.0,
        correct / gold,
        2 * correct / (predicted + gold),
    )


def _pulls(counts: Counts) -> NDArray[np.float64]:
    """Return by how much each sentence moves F, to first order."""
    f = _scores(counts)[2]
    return (2 * counts[:, 0] - f * (counts[:, 1] + counts[:, 2])) / counts[:, 1:].sum()


def _constants(
    gaps: NDArray[np.float32], n_gold: int, shares: Sequence[float]
) -> list[float]:
    """Return the constants that change these shares of the decisions."""
    gaps = np.sort(gaps)
    inside = int(np.searchsorted(gaps, 0))
    places = [inside - round(share * max(inside, n_gold)) for share in shares]
    return (-gaps[np.clip(places, 0, len(gaps) - 1)]).tolist()


def _rounded(constant: float) -> float:
    return float(f"{constant:.4g}") + 0.0  # not -0.0


def _reach(
    name: str,
    count: Callable[[float], Counts],
    constants: Sequence[float],
    precision: float | None,
    recall: float | None,
) -> float:
    """Return the first constant that reaches a precision, or the last one that reaches
    a recall."""
    which, wanted = (0, precision) if precision is not None else (1, recall)
    assert wanted is not None

    def value(constant: float) -> float:
        return _scores(count(constant))[which]

    tried = sorted(constants, reverse=precision is None)
    values = [value(constant) for constant in tried]
    reached = [i for i, each in enumerate(values) if each >= wanted]
    if not reached:
        what = ("precision", "recall")[which]
        message = Errors.LP084.format(
            name=name, what=what, wanted=wanted, found=max(values)
        )
        raise ValueError(message)
    far, near = tried[max(reached[0] - 1, 0)], tried[reached[0]]
    for _ in range(HALVINGS):
        middle = (far + near) / 2
        if value(middle) >= wanted:
            near = middle
        else:
            far = middle
    return near


class _Part:
    """Some examples, read once, and their gold spans."""

    def __init__(self, pipe: Any, examples: Sequence[Example]):
        self.coder: SpanCoder = pipe.coder
        self.docs = [example.predicted for example in examples]
        _, batch = pipe.read_docs(self.docs)
        self.batch = replace(batch, recall_constant=0.0)
        same = [same_tokens(example) for example in examples]
        (spans, missing, _), _ = align_gold(self.coder.layer, examples, same)
        types, known = self.coder.type_ids(spans[:, 2])
        types[~known] = -1
        starts, ends = spans[:, :2].astype(np.int64).T
        self.missing = np.concatenate([[0], np.cumsum(missing)])
        self.gold_keys = self._keys((starts, ends, types))
        self.gold = self._by_sentence(starts)
        self.gaps = self._gaps()

    def _gaps(self) -> NDArray[np.float32]:
        by_label = self.coder.learner.max_marginals(self.batch)
        if by_label.shape[1] < 2:
            return np.zeros(0, dtype=np.float32)
        gaps = by_label[:, 0] - by_label[:, 1:].max(axis=1)
        return gaps[np.isfinite(gaps)]

    def count(self, constant: float) -> Counts:
        """Count spans with a constant, in each sentence."""
        batch = replace(self.batch, recall_constant=constant)
        labels = self.coder.decide(self.docs, batch).labels
        found = self.coder.answers(labels, batch.bounds)
        starts, ends = found[:2]
        known = self.missing[starts] == self.missing[ends]
        correct = np.isin(self._keys(found), self.gold_keys) & known
        sides = [starts[correct], starts[known]]
        return np.stack([*map(self._by_sentence, sides), self.gold], axis=1)

    def _keys(self, spans: Chunks) -> NDArray[np.int64]:
        starts, ends, types = (x.astype(np.int64) for x in spans)
        n, kinds = self.batch.n_tokens + 1, len(self.coder.labels) + 1
        return (starts * n + ends) * kinds + types

    def _by_sentence(self, starts: NDArray[Any]) -> NDArray[np.int64]:
        bounds = self.batch.bounds
        number = np.searchsorted(bounds, starts, side="right") - 1
        return np.bincount(number, minlength=len(bounds) - 1)
