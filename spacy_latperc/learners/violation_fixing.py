"""Violation-fixing perceptron: for searches that make errors.

Huang, Fayong, Guo 2012 ("Structured Perceptron with Inexact Search"; SL). A beam may
lose the gold path although that path scores more. Updates on whole paths then fix no
mistake, and training may never converge. The remedy is to learn from a prefix z_1..i of
the beam that scores more than the gold prefix y_1..i:

    w += learn_rate * (f(y_1..i, x) - f(z_1..i, x))

The rule is ViolationRule in kernels/. With exact search (`Viterbi.v1`) it is
the perceptron. Use it with `Beam.v1`.
"""

from collections.abc import Callable
from dataclasses import dataclass

from ..errors.check import check_choice
from ..kernels.chains import PREFIXES, Rule
from .learner_settings import online_learner


@dataclass(frozen=True)
class ViolationFixing:
    """A factory of the rule of chains. Parsers read the method."""

    method: str

    def __call__(self) -> Rule:
        """Make the rule of chains."""
        return Rule.violation(self.method)


@online_learner(steps=True)
def violation_fixing(method: str = "max") -> Callable[[], Rule]:
    """Learn from a prefix on which the gold path loses, for beam search.

    Args:
        method: The choice of the prefix: "max", on which the gold path loses by the
            most; "early", at which the gold path leaves the beam; "latest", the longest
            on which it loses; "standard", the whole sentence, for comparison.
    """
    check_choice("method", method, PREFIXES)
    return ViolationFixing(method)
