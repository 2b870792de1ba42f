"""The slow, obvious twins of the kernels, which share nothing with the package.

Features are hashed one at a time, every path is scored, averages are taken by their
definition. A path is a tuple of states; state = label * latent + value. Weights are
rows: (block, feature hash) -> array over units, one axis per state that the row looks
at. Exact as long as the numbers are dyadic and small.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

WORD = (1 << 64) - 1
UNKNOWN = -1
# Features of the first and of the last token, beside those of the templates.
START, END = 0x7F4A7C159E3779B9, 0xD1B54A32D192ED03

Path = tuple[int, ...]
Bag = Sequence[tuple[int, float]]  # features, and what each counts
Hashes = Sequence[Sequence[int | Bag]]  # [tokens, templates]
Parts = Sequence[tuple[int, int]]  # attribute, offset
Weights = dict[tuple[int, int], NDArray[np.float64]]
Features = Counter[tuple[int, int, Path]]  # block, hash, cell


def bag_of(seen):
    """A single feature counts 1."""
    return [(seen, 1)] if isinstance(seen, int) else seen


def mix(x):
    x ^= x >> 30
    x = x * 0xBF58476D1CE4E5B9 & WORD
    x ^= x >> 27
    x = x * 0x94D049BB133111EB & WORD
    return x ^ (x >> 31)


def join(h, value):
    h = (h ^ value) * 0x9E3779B97F4A7C15 & WORD
    return h ^ (h >> 29)


def text_hash(text, seed=0):
    h = seed + len(text)
    for char in text:
        h = join(h, ord(char) + 1)
    return mix(h)


def padding(distance):
    """The value `distance` tokens before (negative) or after the sentence."""
    return mix((0x5851F42D4C957F2D + distance) & WORD)


def feature_hash(seed, parts, attrs, i):
    n = len(attrs)
    h = seed
    for attribute, offset in parts:
        at = i + offset
        if at < 0:
            value = padding(at)
        elif at >= n:
            value = padding(at - n + 1)
        else:
            value = int(attrs[at, attribute])
        h = join(h, value)
    return h * 0xD6E8FEB86659FD93 & WORD


def feature_hashes(programs, attrs):
    """Hash the features of one sentence, [tokens, templates]."""
    return [
        [feature_hash(seed, parts, attrs, i) for seed, parts in programs]
        for i in range(len(attrs))
    ]


@dataclass(frozen=True)
class Shape:
    """The structure of a chain, as Structure takes it."""

    labels: int
    latent: int
    order: int
    blocks: Sequence[tuple[int, bool, Sequence[int]]]  # kind, latent rows, templates
    transitions: NDArray[np.bool_] | None = None
    starts: NDArray[np.bool_] | None = None
    ends: NDArray[np.bool_] | None = None
    boundaries: bool = False  # start and end weights

    @property
    def boundary_blocks(self):
        """The blocks with start and end weights."""
        return [
            b
            for b, (kind, _, _) in enumerate(self.blocks)
            if self.boundaries and not kind
        ]

    @property
    def states(self):
        return self.labels * self.latent

    def label_of(self, state):
        return state // self.latent

    def labels_of(self, path):
        return tuple(self.label_of(state) for state in path)

    def units(self, block):
        return self.states if self.blocks[block][1] else self.labels

    def row_shape(self, block):
        return (self.units(block),) * (self.blocks[block][0] + 1)

    def cell(self, block, path, i):
        """The cell of a row of the block that the path is in at token i."""
        kind, is_latent, _ = self.blocks[block]
        seen = path[i - kind : i + 1]
        return seen if is_latent else self.labels_of(seen)


def path_features(shape, hashes, path):
    """f(h, x): how often each feature is active along the path, or a prefix of one."""
    features: Features = Counter()
    for b, (kind, _, templates) in enumerate(shape.blocks):
        for i in range(kind, len(path)):
            for template in templates:
                for key, value in bag_of(hashes[i][template]):
                    features[b, key, shape.cell(b, path, i)] += value
    for b in shape.boundary_blocks if path else []:
        features[b, START, shape.cell(b, path, 0)] += 1
        if len(path) == len(hashes):
            features[b, END, shape.cell(b, path, len(path) - 1)] += 1
    return features


def score(weights, features):
    return sum(
        count * float(weights[b, key][cell])
        for (b, key, cell), count in features.items()
        if (b, key) in weights
    )


def path_scores(shape, hashes, weights, *, allowed=None, costs=None):
    """The score of every path: one axis per token; -inf for what is forbidden.

    allowed, costs: [tokens, labels]; costs also [tokens, states].
    """
    n = len(hashes)
    S = shape.states
    total = np.zeros((S,) * n)

    def add(values, last):
        first = last - values.ndim + 1
        axes = [S if first <= token <= last else 1 for token in range(n)]
        total[...] += values.reshape(axes)

    def barrier(flags):
        """0 where all labels are as they may be, else -inf; by state."""
        for axis in range(flags.ndim):
            flags = np.repeat(flags, shape.latent, axis=axis)
        return np.where(flags, 0.0, -np.inf)

    def add_row(b, key, last, value=1.0):
        kind, is_latent, _ = shape.blocks[b]
        row = weights.get((b, key))
        if row is not None:
            for axis in range(0 if is_latent else kind + 1):
                row = np.repeat(row, shape.latent, axis=axis)
            add(value * row, last)

    for b, (kind, _, templates) in enumerate(shape.blocks):
        for i in range(kind, n):
            for template in templates:
                for key, value in bag_of(hashes[i][template]):
                    add_row(b, key, i, value)
    for b in shape.boundary_blocks if n else []:
        add_row(b, START, 0)
        add_row(b, END, n - 1)
    for i in range(n):
        if costs is not None:
            add(np.repeat(costs[i], S // len(costs[i])), i)
        if allowed is not None:
            add(barrier(allowed[i]), i)
        if i and shape.transitions is not None:
            add(barrier(shape.transitions), i)
    if n and shape.starts is not None:
        add(barrier(shape.starts), 0)
    if n and shape.ends is not None:
        add(barrier(shape.ends), n - 1)
    return total


def first_best(scores):
    """The best path; of several the one whose last state is lowest, then the one before
    it, and so on. None if all are forbidden."""
    backwards = scores.transpose()
    best = int(np.argmax(backwards))
    if backwards.flat[best] == -np.inf:
        return None
    return tuple(int(state) for state in np.unravel_index(best, backwards.shape))[::-1]


def gold_mask(shape, gold):
    """Compute the labels that agree with the gold: all, where it is unknown."""
    mask = np.ones((len(gold), shape.labels), dtype=np.uint8)
    for i, label in enumerate(gold):
        if label != UNKNOWN:
            mask[i] = np.arange(shape.labels) == label
    return mask


def hamming(shape, gold, path):
    return sum(
        label not in (UNKNOWN, found)
        for label, found in zip(gold, shape.labels_of(path), strict=True)
    )


class Step(NamedTuple):
    """A step of a rule: weights += scale * (f(better) - f(worse))."""

    loss: float
    scale: float = 0.0
    better: Path = ()
    worse: Path = ()


Rule = Callable[[Shape, Hashes, Sequence[int], Weights], Step | None]


def search_both(shape, hashes, gold, weights, cost):
    """The best path inside the gold labels, and the best of all when every wrong label
    scores `cost` more; None if no path agrees with the gold."""
    mask = gold_mask(shape, gold)
    inside = first_best(path_scores(shape, hashes, weights, allowed=mask))
    if inside is None:
        return None
    costs = cost * (1.0 - mask)
    free = first_best(path_scores(shape, hashes, weights, costs=costs))
    assert free is not None
    return inside, free


def perceptron(rate=1.0, margin=0.0):
    """Sun et al. 2009, Figure 1: a step of fixed length after a mistake."""

    def step(shape, hashes, gold, weights):
        found = search_both(shape, hashes, gold, weights, margin)
        if found is None:
            return None
        inside, free = found
        wrong = hamming(shape, gold, free)
        return Step(wrong, rate if wrong else 0.0, inside, free)

    return step


def passive_aggressive(cap):
    """PA-I with Hamming cost: the smallest step that meets the margin, capped."""

    def step(shape, hashes, gold, weights):
        found = search_both(shape, hashes, gold, weights, 1.0)
        if found is None:
            return None
        return passive_aggressive_step(shape, hashes, gold, weights, *found, cap=cap)

    return step


def passive_aggressive_step(
    shape, hashes, gold, weights, inside, free, *, cap, variant="PA-I"
):
    """The step between two given paths."""
    better = path_features(shape, hashes, inside)
    worse = path_features(shape, hashes, free)
    cost = hamming(shape, gold, free)
    loss = score(weights, worse) + cost - score(weights, better)
    squared_norm = sum(x * x for x in difference(better, worse).values())
    if loss <= 0 or squared_norm == 0:
        return Step(max(loss, 0.0))
    lengths = {
        "PA": loss / squared_norm,
        "PA-I": min(cap, loss / squared_norm),
        "PA-II": loss / (squared_norm + 1 / (2 * cap)),
    }
    return Step(loss, lengths[variant], inside, free)


def difference(better, worse):
    """f(better) - f(worse), without its zeros."""
    result = Counter(better)
    result.subtract(worse)
    return Counter({key: count for key, count in result.items() if count})


@dataclass
class Learner:
    """One example after the other; the average is the mean of the weights after each.

    epoch_size, restart_every: modified averaging: pass q = 1, 2, ... starts from the
        average of all before it when q % restart_every == 0.
    counts, min_count: features seen less often are never learned.
    """

    shape: Shape
    rule: Rule
    weights: Weights = field(default_factory=dict)
    epoch_size: int = 0
    restart_every: int = 0
    counts: Counter[int] = field(default_factory=Counter)
    min_count: int = 1
    examples: int = 0
    total: Weights = field(default_factory=dict)

    def learn(self, hashes, gold):
        """RETURNS: the loss; None if no path agrees with the gold labels."""
        self.restart_if_due()
        step = self.rule(self.shape, hashes, gold, self.weights)
        if step is not None and step.scale:
            delta = difference(
                path_features(self.shape, hashes, step.better),
                path_features(self.shape, hashes, step.worse),
            )
            for (b, key, cell), count in delta.items():
                rare = self.min_count > 1 and self.counts[key] < self.min_count
                if rare and key not in (START, END):
                    continue
                row = self.weights.setdefault(
                    (b, key), np.zeros(self.shape.row_shape(b))
                )
                row[cell] += step.scale * count
        for name, row in self.weights.items():
            self.total[name] = self.total.get(name, 0.0) + row
        self.examples += 1
        return None if step is None else step.loss

    def restart_if_due(self):
        if not (self.epoch_size and self.restart_every and self.examples):
            return
        passes, within = divmod(self.examples, self.epoch_size)
        if within == 0 and (passes + 1) % self.restart_every == 0:
            self.weights = self.average()

    def average(self):
        return {name: total / self.examples for name, total in self.total.items()}
