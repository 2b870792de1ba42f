"""Violation-fixing perceptron: for searches that make errors.

Huang, Fayong, Guo 2012 ("Structured Perceptron with Inexact Search"; SL). A beam may
lose the gold path although that scores more; learning from whole paths then fixes no
mistake, and may go on for ever. The remedy is to learn from a prefix z_1..i of the beam
on which the gold prefix y_1..i really loses:

    w += learn_rate * (f(y_1..i, x) - f(z_1..i, x))

The rule is ViolationRule in kernels/. With exact search (`viterbi`) it is the
perceptron.
"""

from collections.abc import Callable
from functools import partial

from ..errors.check import check_choice
from ..kernels.chains import PREFIXES, Rule
from .settings import online_learner


@online_learner(steps=True)
def violation_fixing(method: str = "max") -> Callable[[], Rule]:
    """Learn from the prefix that the method picks.

    Args:
        method: "max", the prefix by which the gold path loses most; "early", where the
            gold path leaves the beam; "latest", the longest on which it loses;
            "standard", the whole sentence, for comparison.
    """
    check_choice("method", method, PREFIXES)
    return partial(Rule.violation, method)
