"""L-BFGS, and OWL-QN for L1 penalties: minimise a function of many weights.

Nocedal and Wright, "Numerical Optimization" (2nd edition): the two-loop recursion is
Algorithm 7.4, the line search Algorithm 3.1, which halves a step until it descends
enough. Steps along which the slope does not rise are left out of the model. Andrew and
Gao 2007, "Scalable Training of L1-Regularized Log-Linear Models": OWL-QN, whose weights
stay within one orthant per step, so that zeros are exact.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
# The value at a point, and the gradient, which the next call may overwrite.
Function = Callable[[Vector], tuple[float, Vector]]

SUFFICIENT = 1e-4  # decrease, as a share of the slope's prediction
MAX_TRIALS = 40  # of one line search
PERIOD = 10  # iterations for the test of convergence


@dataclass(frozen=True)
class Iteration:
    """The report of an iteration."""

    number: int
    value: float
    slope_norm: float
    nonzero: int
    evaluations: int
    seconds: float


@dataclass(frozen=True)
class Minimum:
    """The best point that was reached, and the reason for stopping there."""

    w: Vector
    value: float
    iterations: int
    evaluations: int
    reason: str
    stopped_by: BaseException | None = None


Progress = Callable[[Iteration], None]


def minimise(
    function: Function,
    start: Vector,
    *,
    l1: float = 0.0,
    memory: int = 6,
    max_iterations: int = 200,
    tolerance: float = 1e-5,
    progress: Progress | None = None,
) -> Minimum:
    """Minimise function(w) + l1 |w|.

    A KeyboardInterrupt or FloatingPointError in the function ends the search at the
    last good point; it is returned as `stopped_by`.

    Args:
        function: The value at a point, and the gradient.
        start: The first point.
        l1: The L1 penalty; above 0 the search is OWL-QN.
        max_iterations: The largest number of iterations.
        progress: A callback for every iteration.
        memory: The number of steps and gradient changes that model the curvature.
        tolerance: Stop when the last ten iterations together gained less than this
            share of the value, or at a gradient this small relative to the weights.
    """
    counter = _Counter(function)
    began = perf_counter()
    w = np.array(start, dtype=np.float64)
    history = _History(memory)
    values: list[float] = []
    iterations = 0
    value = np.nan

    def end(reason: str, error: BaseException | None = None) -> Minimum:
        return Minimum(w, value, iterations, counter.calls, reason, error)

    try:
        smooth, slope = counter(w)
        value = smooth + l1 * norm1(w)
        while True:
            steepest = pseudo_slope(w, slope, l1) if l1 else slope
            size = norm(steepest)
            if progress and iterations:
                seconds = perf_counter() - began
                nonzero = int(np.count_nonzero(w))
                progress(
                    Iteration(iterations, value, size, nonzero, counter.calls, seconds)
                )
            if size <= tolerance * max(1.0, norm(w)):
                return end("the slope vanished")
            values.append(value)
            if iterations >= PERIOD:
                gain = values[-PERIOD - 1] - value
                if gain <= tolerance * abs(value):
                    return end("progress ended")
            if iterations >= max_iterations:
                return end("max_iterations was reached")
            direction = history.direction(steepest)
            if l1:
                direction[direction * steepest >= 0] = 0.0
            downhill = dot(direction, steepest)
            if downhill >= 0 and history:  # the curvature misleads
                history.clear()
                continue
            first = 1.0 if history else 1.0 / size
            found = _search_line(counter, w, value, steepest, direction, first, l1)
            if found is None:
                if not history:
                    return end("no step goes down any more")
                history.clear()
                values.pop()
                continue
            history.add(found.w - w, found.slope - slope)
            w, value, slope = found.w, found.value, found.slope
            iterations += 1
    except (KeyboardInterrupt, FloatingPointError) as error:
        return end("it was stopped", error)


def dot(a: Vector, b: Vector) -> float:
    """Compute a dot product without BLAS, whose threads make the last bits vary."""
    return float(np.einsum("i,i->", a, b))


def norm(a: Vector) -> float:
    """Compute the Euclidean norm."""
    return float(np.sqrt(dot(a, a)))


def norm1(a: Vector) -> float:
    """Compute the sum of absolute values."""
    return float(np.abs(a).sum())


def pseudo_slope(w: Vector, slope: Vector, l1: float) -> Vector:
    """Compute the pseudo-gradient of function + l1 |w| (Andrew and Gao, equation 4): at
    zero it is the one-sided slope that descends, if there is one."""
    right, left = slope + l1, slope - l1
    at_zero = np.where(right < 0, right, np.where(left > 0, left, 0.0))
    return np.where(w > 0, right, np.where(w < 0, left, at_zero))


class _Counter:
    """A counter of evaluations, which copies gradients that may be overwritten."""

    def __init__(self, function: Function):
        self.function = function
        self.calls = 0

    def __call__(self, w: Vector) -> tuple[float, Vector]:
        self.calls += 1
        value, slope = self.function(w)
        return value, np.array(slope)


class _History:
    """Steps and changes of the gradient, for the two-loop recursion."""

    def __init__(self, memory: int):
        self.pairs: deque[tuple[Vector, Vector, float]] = deque(maxlen=memory)

    def __len__(self) -> int:
        return len(self.pairs)

    def clear(self) -> None:
        self.pairs.clear()

    def add(self, step: Vector, change: Vector) -> None:
        curvature = dot(step, change)
        if curvature > 1e-12 * dot(change, change):
            self.pairs.append((step, change, 1.0 / curvature))

    def direction(self, slope: Vector) -> Vector:
        """Multiply minus the gradient by the approximate inverse Hessian."""
        q = -slope
        scratch = np.empty_like(q)
        shares = []
        for step, change, inverse in reversed(self.pairs):
            share = inverse * dot(step, q)
            shares.append(share)
            q -= np.multiply(change, share, out=scratch)
        if self.pairs:
            _, change, inverse = self.pairs[-1]
            q *= 1.0 / (inverse * dot(change, change))
        for step, change, inverse in self.pairs:
            share = shares.pop() - inverse * dot(change, q)
            q += np.multiply(step, share, out=scratch)
        return q


class _Point(NamedTuple):
    """A point on the line."""

    w: Vector
    value: float
    slope: Vector


def _search_line(
    function: Function,
    w: Vector,
    value: float,
    steepest: Vector,
    direction: Vector,
    first: float,
    l1: float,
) -> _Point | None:
    """Find a point that descends enough; return None if rounding leaves none. With L1
    it stays within the orthant of w: weights that would cross zero stop there (Andrew
    and Gao, 3.2)."""
    orthant = np.where(w != 0, np.sign(w), -np.sign(steepest))
    at = first
    for _ in range(MAX_TRIALS):
        there = w + at * direction
        if l1:
            there[there * orthant <= 0] = 0.0
        smooth, slope = function(there)
        found = smooth + l1 * norm1(there) if l1 else smooth
        if found <= value + SUFFICIENT * dot(steepest, there - w):
            return _Point(there, found, slope) if (there != w).any() else None
        at *= 0.5
    return None
