"""Passive-aggressive learning, PA-I, with Hamming cost.

Crammer, Dekel, Keshet, Shalev-Shwartz, Singer 2006, for structures: the best path under
score + number of wrong labels; the smallest step that lets the gold path win by that
cost, at most C. The rule is PassiveAggressiveRule in kernels/rules.hh. The most
repeatable trainer here: the default of every component.
"""

from functools import partial

from ..kernels.rules import Rule
from .settings import LearnerSettings, check_averaging, check_positive


def passive_aggressive(
    C: float = 0.01,
    average: str = "average",
    restart_every: int = 4,
    pass_size: int | None = None,
    shuffle: bool = True,
) -> LearnerSettings:
    """Step just far enough, at most C.

    C: the largest step. Smaller is smoother and slower; 0.003 to 0.03 is flat.
    average, restart_every, pass_size, shuffle: as in the perceptron.
    """
    restart = check_averaging(average, restart_every, pass_size)
    check_positive("C", C)

    return LearnerSettings(
        name="passive_aggressive",
        make_rule=partial(Rule.passive_aggressive, C),
        average=average,
        restart_every=restart,
        pass_size=pass_size,
        shuffle=shuffle,
    )
