"""Learn rates that change while learning."""

import math
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ..errors import Errors
from ..errors.check import check_positive


@dataclass(frozen=True)
class InverseDecay:
    """initial / (1 + speed * t / |S|), t examples seen, |S| examples in a pass (Collins
    et al. 2008; the rate of the probabilistic perceptron, with speed 1)."""

    initial: float
    speed: float = 1.0

    def __post_init__(self) -> None:
        for name in ("initial", "speed"):
            check_positive(name, getattr(self, name))

    def at(self, passes: float) -> float:
        """The rate after so many passes."""
        return self.initial / (1.0 + self.speed * passes)


def inverse_decay(initial: float = 0.1, speed: float = 1.0) -> InverseDecay:
    """A learn rate that falls with the passes: initial / (1 + speed * passes).

    Args:
        initial: The rate of the first example.
        speed: 1 halves it in the first pass; smaller falls slower.
    """
    return InverseDecay(initial, speed)


# A number, a function of the examples seen, or a decay by passes.
LearnRate = float | Callable[[int], float] | InverseDecay
# The same in a config. Schedules of thinc are generators, in place of which spaCy 3.8.2
# checks an empty list.
GivenRate = float | list[float] | Callable | InverseDecay


def rates_of(rate: LearnRate, examples: int, n: int, pass_size: int) -> list[float]:
    """The rates of n examples, of which the first comes after so many others."""
    if isinstance(rate, InverseDecay):
        size = max(pass_size, 1)
        return [rate.at((examples + k) / size) for k in range(n)]
    if callable(rate):
        return [float(rate(examples + k)) for k in range(n)]
    return [rate] * n


def as_learn_rate(rate: Any) -> LearnRate:
    """What a config gives: a number, a function of the number of examples seen, or a
    schedule of thinc. That is a generator: its n-th value is the rate after n examples.
    """
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
    """The values of a generator by number, kept as they are drawn: a generator goes
    forward only, and can be neither saved nor copied.

    A copy cannot draw any further, and goes on with the last value; so does a generator
    that has come to its end.
    """

    def __init__(self, generator: Iterator[float]):
        self._generator: Iterator[float] = generator
        self._values = array("d")
        self(0)

    def __call__(self, examples: int) -> float:
        """The rate after so many examples."""
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
