"""A dynamic oracle with exploration: for greedy parsers.

Goldberg and Nivre 2013 ("Training Deterministic Parsers with Non-Deterministic
Oracles"). A parser that learns from right actions alone never sees the states behind
its own errors. A dynamic oracle says in every state, also in such a one, which actions
put no head out of reach that still is within it. The parser goes through a sentence by
its own actions and learns in every state that the best of these should score more.
"""

from collections.abc import Callable
from dataclasses import dataclass

from ..errors import Errors
from ..errors.check import check_count, check_number
from ..kernels.chains import Rule
from .settings import online_learner


@dataclass(frozen=True)
class DynamicOracle:
    """What a parser reads of these settings. There is no rule for chains.

    Attributes:
        follow: See `dynamic_oracle`.
        from_pass: See `dynamic_oracle`.
    """

    follow: float
    from_pass: int

    def __call__(self) -> Rule:
        """Refuse to make a rule: a chain asked for it."""
        raise ValueError(Errors.LP813)


@online_learner(steps=True)
def dynamic_oracle(follow: float = 0.9, from_pass: int = 2) -> Callable[[], Rule]:
    """Learn in states behind errors what is best there: for a greedy parser.

    Args:
        follow: How often the parser goes on with an action that was wrong, as it would
            without gold: 1 is always, 0 is never.
        from_pass: The pass from which on it does so; before it goes the right way.
    """
    check_number("follow", follow, high=1.0)
    check_count("from_pass", from_pass)
    return DynamicOracle(follow, from_pass)
