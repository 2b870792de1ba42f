"""What the `learner` and `search` blocks of a config say, checked."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from ..errors import Errors
from ..kernels.rules import Rule
from .schedules import LearnRate

AVERAGES = ("none", "average", "mavg")


@dataclass(frozen=True)
class LearnerSettings:
    """A learner: the rule, how often it averages, in what order it sees examples.

    make_rule: the compiled rule at a given learn rate.
    learn_rate: a number, or a function of the number of examples seen.
    average: "none", "average", or "mavg" (every `restart_every`-th pass starts from the
        average of all before).
    pass_size: examples in a pass; None: what `initialize` counted.
    """

    name: str
    make_rule: Callable[[float], Rule]
    learn_rate: LearnRate = 1.0
    average: str = "average"
    restart_every: int = 0
    pass_size: int | None = None
    shuffle: bool = True

    def rule_at(self, examples: int) -> Rule:
        """The rule after so many examples."""
        rate = self.learn_rate
        value = float(rate(examples)) if callable(rate) else float(rate)
        if not (math.isfinite(value) and value > 0):
            raise ValueError(Errors.LP012.format(rate=value, examples=examples))
        return self.make_rule(value)


def check_averaging(average: str, restart_every: int, pass_size: int | None) -> int:
    """The restart interval in passes that these settings mean; 0 for none."""
    if average not in AVERAGES:
        raise ValueError(Errors.LP011.format(average=average, known=AVERAGES))
    if pass_size is not None and pass_size < 1:
        raise ValueError(Errors.LP013.format(pass_size=pass_size))
    if average != "mavg":
        return 0
    if restart_every < 1:
        raise ValueError(Errors.LP014.format(restart_every=restart_every))
    return restart_every


@dataclass(frozen=True)
class SearchSettings:
    """A search for the best path."""

    name: str
