"""AROW: adaptive regularisation of weights, diagonal, with Hamming cost.

Crammer, Kulesza, Dredze 2009 (Figure 1), for structures; the rule is kernels/arow.hh.
Every weight has a variance, which falls with each change: what was seen often changes
little, what is rare changes at once. Of use where few passes can be made.
"""

from functools import partial

from ..kernels.rules import Rule
from .settings import LearnerSettings, check_averaging, check_positive


def arow(
    r: float = 100.0,
    average: str = "none",
    restart_every: int = 4,
    pass_size: int | None = None,
    shuffle: bool = True,
    pull: float = 0.0,
) -> LearnerSettings:
    """Change surely known weights less.

    r: how much is left to later examples; larger is smoother and slower.
    average: as in the perceptron; steps shrink by themselves, and none was better. With
        an average, r is best below 10.
    restart_every, pass_size, shuffle, pull: as in the perceptron.
    """
    restart = check_averaging(average, restart_every, pass_size)
    check_positive("r", r)

    return LearnerSettings(
        name="arow",
        make_rule=partial(Rule.arow, r),
        average=average,
        restart_every=restart,
        pass_size=pass_size,
        shuffle=shuffle,
        pull=check_positive("pull", pull, zero=True),
        step="variances",
    )
