"""Passive-aggressive learning, PA, PA-I and PA-II, with Hamming cost.

Crammer, Dekel, Keshet, Shalev-Shwartz, Singer 2006 (Figure 1), for structures: the best
path under score + number of wrong labels; the smallest step that lets the gold path win
by that cost, held back by C. The rule is kernels/passive_aggressive.hh. The most
repeatable trainer here: the default of every component.
"""

from functools import partial

from ..kernels.rules import SLACKS, Rule
from .settings import (
    LearnerSettings,
    check_averaging,
    check_choice,
    check_positive,
)


def passive_aggressive(
    C: float = 0.01,
    variant: str = "PA-I",
    average: str = "average",
    restart_every: int = 4,
    pass_size: int | None = None,
    shuffle: bool = True,
    pull: float = 0.0,
) -> LearnerSettings:
    """Step just far enough, within what C allows.

    C: the largest step ("PA-I"), or how dear what is missed is ("PA-II"). Smaller is
        smoother and slower; 0.003 to 0.03 is flat.
    variant: "PA-I"; "PA-II"; "PA" (no C: any example is fitted at once, noise too).
    average, restart_every, pass_size, shuffle, pull: as in the perceptron.
    """
    restart = check_averaging(average, restart_every, pass_size)
    check_positive("C", C)
    check_choice("variant", variant, SLACKS)

    return LearnerSettings(
        name="passive_aggressive",
        make_rule=partial(Rule.passive_aggressive, C, variant),
        average=average,
        restart_every=restart,
        pass_size=pass_size,
        shuffle=shuffle,
        pull=check_positive("pull", pull, zero=True),
    )
