"""MIRA, the margin infused relaxed algorithm, with one or several margins a step.

McDonald, Crammer, Pereira 2005 (Figure 4, with the margins of the n best), for chains.
The rule is kernels/mira.hh, the smallest change by Hildreth's algorithm
(kernels/hildreth.hh). With n = 1 it is PA-I, or PA without a cap; more margins make the
steps of the first passes count for more.
"""

import math
from functools import partial

from ..kernels.rules import Rule
from .settings import LearnerSettings, check_averaging, check_count, check_positive


def mira(
    n: int = 5,
    C: float | None = 0.01,
    average: str = "average",
    restart_every: int = 4,
    pass_size: int | None = None,
    shuffle: bool = True,
    pull: float = 0.0,
) -> LearnerSettings:
    """Change the weights as little as n margins allow.

    n: margins a step: those that are missed by most.
    C: how much one of them may weigh; null for margins that are met at any price.
    average, restart_every, pass_size, shuffle, pull: as in the perceptron.
    """
    restart = check_averaging(average, restart_every, pass_size)
    check_count("n", n)
    cap = math.inf if C is None else check_positive("C", C)

    return LearnerSettings(
        name="mira",
        make_rule=partial(Rule.mira, n, cap),
        average=average,
        restart_every=restart,
        pass_size=pass_size,
        shuffle=shuffle,
        pull=check_positive("pull", pull, zero=True),
    )
