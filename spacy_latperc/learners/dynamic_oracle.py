"""A dynamic oracle with exploration, for greedy parsers.

Goldberg and Nivre 2013 ("Training Deterministic Parsers with Non-Deterministic
Oracles"). A parser that learns only from gold actions never sees the states after its
own errors. A dynamic oracle names in every state, also after an error, the actions that
make no reachable gold head unreachable. The parser follows its own actions through a
sentence and learns in every state that the best of these actions should score more.
"""

from collections.abc import Callable
from dataclasses import dataclass

from ..errors import Errors
from ..errors.check import check_count, check_number
from ..kernels.chains import Rule
from .learner_settings import online_learner


@dataclass(frozen=True)
class DynamicOracle:
    """The settings that a parser reads. There is no rule for chains.

    Attributes:
        follow: See `dynamic_oracle`.
        from_epoch: See `dynamic_oracle`.
    """

    follow: float
    from_epoch: int

    def __call__(self) -> Rule:
        """Refuse to make a rule for chains."""
        raise ValueError(Errors.LP813)


@online_learner(steps=True)
def dynamic_oracle(follow: float = 0.9, from_epoch: int = 2) -> Callable[[], Rule]:
    """Learn the best actions also in states after errors, for a greedy parser.

    Args:
        follow: The probability of following a wrong action, as in prediction: 1 is
            always, 0 is never.
        from_epoch: The first epoch in which wrong actions are followed, counted from 1.
    """
    check_number("follow", follow, high=1.0)
    check_count("from_epoch", from_epoch)
    return DynamicOracle(follow, from_epoch)
