"""Probabilistic perceptron: the n best paths, weighted by their probabilities.

PP, Algorithm 1 and equations 1 to 3, with the gold path h* in the list Y (line 5):

    w += learn_rate * (f(h*, x) - sum over Y of P_k f(h_k, x))
    P_k ~ exp(F(h_k))                                  log-linear
    P_k ~ (1 + (F(h_k) - min F) / degree)^degree       polynomial; linear for degree 1

The rule is ProbabilisticRule in kernels/. It approximates a conditional random field by
n paths: it is about as accurate, and its probabilities are useful. It needs small learn
rates.

The n best are found by Lawler's partition of the label sequences (kernels/, kbest.hh),
not by the lazy lists of Huang and Chiang as in the paper. Both are exact.
"""

from collections.abc import Callable
from functools import partial

from ..errors.check import check_choice, check_count, check_flag, check_positive
from ..kernels.chains import Rule
from .learner_settings import InverseDecay, online_learner

FORMS = ("log-linear", "linear", "polynomial")


@online_learner(steps=True, learn_rate=InverseDecay(0.1))
def probabilistic_perceptron(
    n: int = 5,
    form: str = "log-linear",
    degree: float = 2.0,
    add_gold: bool = True,
) -> Callable[[], Rule]:
    """Add the gold path and subtract the n best, each weighted by its probability.

    Args:
        n: The number of paths; 5 to 10 are good.
        form: "log-linear", P ~ exp(score); "polynomial", P ~ (1 + d / degree)^degree,
            where d is the score minus the lowest of the list; "linear", P ~ 1 + d.
        degree: The degree of the polynomial.
        add_gold: Add the gold path to the list if it is missing (line 5). Without it
            and with n = 1 this is the perceptron.
    """
    check_count("n", n)
    check_flag("add_gold", add_gold)
    check_choice("form", form, FORMS)
    check_positive("degree", degree)
    powers = {"log-linear": 0.0, "linear": 1.0, "polynomial": degree}
    return partial(Rule.probabilistic, n, powers[form], add_gold)
