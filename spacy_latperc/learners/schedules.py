"""Schedules of learn rates."""

import math
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ..errors import Errors
from ..errors.check import check_positive


@dataclass(frozen=True)
class InverseDecay:
    """The rate initial / (1 + speed * t / |S|) after t examples, |S| in an epoch
    (Collins et al. 2008; the rate of the probabilistic perceptron, with speed 1)."""

    initial: float
    speed: float = 1.0

    def __post_init__(self) -> None:
        for name in ("initial", "speed"):
            check_positive(name, getattr(self, name))

    def at(self, passes: float) -> float:
        """Return the rate after a number of epochs."""
        return self.initial / (1.0 + self.speed * passes)


def inverse_decay(initial: float = 0.1, speed: float = 1.0) -> InverseDecay:
    """Lower the learn rate with each epoch: initial / (1 + speed * epochs).

    Args:
        initial: The rate of the first example.
        speed: The speed of the decay; 1 halves the rate in the first epoch.
    """
    return InverseDecay(initial, speed)


# A number, a function of the examples seen, or a decay by epochs.
LearnRate = float | Callable[[int], float] | InverseDecay
# The same in a config. Schedules of thinc are generators, in place of which spaCy 3.8.2
# checks an empty list.
GivenRate = float | list[float] | Callable | InverseDecay


def rates_of(rate: LearnRate, examples: int, n: int, epoch_size: int) -> list[float]:
    """Return the rates of the n examples after a number of others."""
    if isinstance(rate, InverseDecay):
        size = max(epoch_size, 1)
        return [rate.at((examples + k) / size) for k in range(n)]
    if callable(rate):
        return [float(rate(examples + k)) for k in range(n)]
    return [rate] * n


def as_learn_rate(rate: Any) -> LearnRate:
    """Convert the rate of a config: a number, a function of the examples seen, or a
    schedule of thinc, a generator whose n-th value is the rate after n examples."""
    if callable(rate) or isinstance(rate, InverseDecay):
        return rate
    if isinstance(rate, Iterator):
        return DrawnSchedule(rate)
    try:
        number = float(rate)
    except (TypeError, ValueError):
        raise ValueError(Errors.LP028.format(rate=rate)) from None
    if not (math.isfinite(number) and number > 0):
        raise ValueError(Errors.LP012.format(rate=number, examples=0))
    return number


class DrawnSchedule:
    """A cache of the values of a generator, which runs only forward and can be neither
    saved nor copied.

    A copy cannot draw further values and repeats the last one, as does an exhausted
    generator.
    """

    def __init__(self, generator: Iterator[float]):
        self._generator: Iterator[float] = generator
        self._values = array("d")
        self(0)

    def __call__(self, examples: int) -> float:
        """Return the rate after a number of examples."""
        while len(self._values) <= examples:
            value = next(self._generator, None)
            if value is None:
                break
            self._values.append(float(value))
        if not self._values:
            raise ValueError(Errors.LP028.format(rate="an empty schedule"))
        return self._values[min(examples, len(self._values) - 1)]

    def __getstate__(self) -> dict[str, Any]:
        return {"_values": self._values, "_generator": iter(())}
