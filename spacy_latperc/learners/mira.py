"""MIRA, the margin infused relaxed algorithm, with one or several margins a step.

McDonald, Crammer, Pereira 2005 (Figure 4, with the margins of the n best), for chains:
the smallest change of w after which the gold path h* wins against each of n paths h_k
by its cost, with slack xi_k:

    min |w' - w|^2 / 2 + C sum xi_k,   w' . (f(h*, x) - f(h_k, x)) >= cost(h_k) - xi_k

The rule is MiraRule in kernels/, which solves this by Hildreth's algorithm. With n = 1
it is PA-I, or PA without a cap; more margins speed up the first epochs.
"""

import math
from collections.abc import Callable
from functools import partial

from ..errors.check import check_count, check_positive
from ..kernels.chains import Rule
from .learner_settings import online_learner


@online_learner()
def mira(n: int = 5, C: float | None = 0.01) -> Callable[[], Rule]:
    """Change the weights as little as n margins allow.

    Args:
        n: The number of paths in a step: those that violate their margins most.
        C: The largest coefficient of a path in a step; null for no limit.
    """
    check_count("n", n)
    cap = math.inf if C is None else check_positive("C", C)
    return partial(Rule.mira, n, cap)
