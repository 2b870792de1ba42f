"""Violation-fixing perceptron: for searches that err.

Huang, Fayong, Guo 2012 ("Structured Perceptron with Inexact Search"); the rule is
kernels/violation.hh. A beam may lose the gold path although that scores more; learning
from whole paths then fixes no mistake, and may go on for ever. The remedy is to learn
from prefixes on which the gold path really loses. With exact search (`viterbi`) it is
the perceptron.
"""

from collections.abc import Callable
from functools import partial

from ..errors import Errors
from ..kernels.rules import PREFIXES, Rule
from .schedules import as_learn_rate
from .settings import LearnerSettings, check_averaging, check_positive, check_step


def violation_fixing(
    method: str = "max",
    average: str = "average",
    restart_every: int = 4,
    learn_rate: float | Callable = 1.0,
    step: str = "plain",
    pass_size: int | None = None,
    shuffle: bool = True,
    pull: float = 0.0,
) -> LearnerSettings:
    """Learn from the prefix that the method picks.

    method: "max", the prefix by which the gold path loses most; "early", where the gold
        path leaves the beam; "latest", the longest on which it loses; "standard", the
        whole sentence, for comparison.
    average, restart_every, learn_rate, step, pass_size, shuffle, pull: as in the
        perceptron.
    """
    restart = check_averaging(average, restart_every, pass_size)
    if method not in PREFIXES:
        known = ", ".join(PREFIXES)
        raise ValueError(Errors.LP052.format(method=method, known=known))

    return LearnerSettings(
        name="violation_fixing",
        make_rule=partial(Rule.violation, method),
        learn_rate=as_learn_rate(learn_rate),
        average=average,
        restart_every=restart,
        pass_size=pass_size,
        shuffle=shuffle,
        pull=check_positive("pull", pull, zero=True),
        step=check_step(step),
    )
