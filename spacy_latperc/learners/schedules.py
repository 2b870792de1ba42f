"""Learn rates that change while learning."""

from array import array
from collections.abc import Callable, Iterator
from typing import Any

from ..errors import Errors

# A number, or a function of the examples seen.
LearnRate = float | Callable[[int], float]


def as_learn_rate(rate: Any) -> LearnRate:
    """What a config gives: a number, a function of the number of examples seen, or a
    schedule of thinc. That is a generator: its n-th value is the rate after n examples.
    """
    if callable(rate):
        return rate
    if isinstance(rate, Iterator):
        return DrawnSchedule(rate)
    try:
        return float(rate)
    except (TypeError, ValueError):
        raise ValueError(Errors.LP028.format(rate=rate)) from None


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
