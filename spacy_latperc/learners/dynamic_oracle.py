"""A dynamic oracle with exploration, for greedy parsers.

Goldberg and Nivre 2013 ("Training Deterministic Parsers with Non-Deterministic
Oracles"). A parser that learns only from gold actions never sees the states after its
own errors. A dynamic oracle names in every state, also after an error, the actions that
make no reachable gold head unreachable. The parser follows its own actions through a
sentence and learns in every state that the best of these actions should score more.
"""

from collections.abc import Callable

from ..errors import Errors
from ..kernels.chains import Rule
from .learner_settings import online_learner

FOLLOW = 0.9  # the probability of following a wrong action, as in prediction
FROM_EPOCH = 2  # the first epoch in which wrong actions are followed, counted from 1


class DynamicOracle:
    """The mark of this learner, for parsers. There is no rule for chains."""

    def __call__(self) -> Rule:
        """Refuse to make a rule for chains."""
        raise ValueError(Errors.LP813)


@online_learner(steps=True)
def dynamic_oracle() -> Callable[[], Rule]:
    """Learn the best actions also in states after errors, for a greedy parser. From the
    second epoch on it follows nine in ten of its wrong actions."""
    return DynamicOracle()
