"""Learn rates that fall."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors.check import check_number, check_positive

LARGEST = 1e6  # a rate


@dataclass(frozen=True)
class InverseDecay:
    """The rate initial / (1 + speed * t / |S|) after t examples, |S| in an epoch
    (Collins et al. 2008; the rate of the probabilistic perceptron, with speed 1)."""

    initial: float
    speed: float = 1.0

    def __post_init__(self) -> None:
        check_number("initial", self.initial, above=True, high=LARGEST)
        check_positive("speed", self.speed)

    def at(self, epochs: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the rates after numbers of epochs."""
        return self.initial / (1.0 + self.speed * epochs)


def inverse_decay(initial: float = 0.1, speed: float = 1.0) -> InverseDecay:
    """Lower the learn rate with each epoch: initial / (1 + speed * epochs).

    Args:
        initial: The rate of the first example.
        speed: The speed of the decay; 1 halves the rate in the first epoch.
    """
    return InverseDecay(initial, speed)


LearnRate = float | InverseDecay


def check_rate(rate: LearnRate) -> LearnRate:
    """Check the rate of a config."""
    if isinstance(rate, InverseDecay):
        return rate
    return check_number("learn_rate", rate, above=True, high=LARGEST)
