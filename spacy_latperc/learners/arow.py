"""AROW: adaptive regularisation of weights, diagonal, with Hamming cost.

Crammer, Kulesza, Dredze 2009 (Figure 1), for structures. Every weight has a variance
V_jj, which falls with each change:

    h = argmax F(h) + cost(h),   d = f(h*, x) - f(h, x),   loss = F(h) + cost(h) - F(h*)
    beta = 1 / (d . V d + r)
    w += loss * beta * V d,   V_jj -= beta * (V_jj d_j)^2

The rule is ArowRule in kernels/. What was seen often changes little, what is rare
changes at once. Of use where few passes can be made.
"""

from collections.abc import Callable
from functools import partial

from ..errors.check import check_positive
from ..kernels.chains import Rule
from .settings import online_learner


@online_learner(average="none", own_step="variances")
def arow(r: float = 100.0) -> Callable[[], Rule]:
    """Change surely known weights less.

    Args:
        r: How much is left to later examples; larger is smoother and slower. It is best
            below 10 with an average. (Steps shrink by themselves, and none was better.)
    """
    check_positive("r", r)
    return partial(Rule.arow, r)
