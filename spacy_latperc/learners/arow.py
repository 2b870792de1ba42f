"""AROW: adaptive regularisation of weights, diagonal, with Hamming cost.

Crammer, Kulesza, Dredze 2009 (Figure 1), for structures. Every weight has a variance
V_jj, which falls with each change:

    h = argmax F(h) + cost(h),   d = f(h*, x) - f(h, x),   loss = F(h) + cost(h) - F(h*)
    beta = 1 / (d . V d + r)
    w += loss * beta * V d,   V_jj -= beta * (V_jj d_j)^2

The rule is ArowRule in kernels/. Weights of frequent features change little, weights of
rare ones change at once. Use it when you can afford only a few epochs.
"""

from collections.abc import Callable
from functools import partial

from ..errors.check import check_positive
from ..kernels.chains import Rule
from .learner_settings import online_learner


@online_learner(average="none", own_step="variances")
def arow(r: float = 100.0) -> Callable[[], Rule]:
    """Change weights less the more often they have changed.

    Args:
        r: The regularisation; larger values make smaller steps. Below 10 is best with
            an average; without one, the default, 100 is good: steps shrink anyway.
    """
    check_positive("r", r)
    return partial(Rule.arow, r)
