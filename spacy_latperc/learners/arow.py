"""AROW: adaptive regularisation of weights, diagonal, with Hamming cost.

Crammer, Kulesza, Dredze 2009 (Figure 1), for structures. Every weight has a variance
V_jj, which falls with each change:

    h = argmax F(h) + cost(h),   d = f(h*, x) - f(h, x),   loss = F(h) + cost(h) - F(h*)
    beta = 1 / (d . V d + r)
    w += loss * beta * V d,   V_jj -= beta * (V_jj d_j)^2

The rule is ArowRule in kernels/. What was seen often changes little, what is rare
changes at once. Of use where few passes can be made.
"""

from functools import partial

from ..kernels.rules import Rule
from .settings import LearnerSettings, check_positive, online_learner


def arow(
    r: float = 100.0,
    average: str = "none",
    restart_every: int = 4,
    pass_size: int | None = None,
    shuffle: bool = True,
    pull: float = 0.0,
) -> LearnerSettings:
    """Change surely known weights less.

    Args:
        r: How much is left to later examples; larger is smoother and slower.
        average: "none", "average" or "mavg". Steps shrink by themselves, and none was
            better. With an average, r is best below 10.
    """
    check_positive("r", r)
    return online_learner(
        "arow",
        partial(Rule.arow, r),
        average=average,
        restart_every=restart_every,
        own_step="variances",
        pass_size=pass_size,
        shuffle=shuffle,
        pull=pull,
    )
