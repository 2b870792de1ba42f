"""Probabilistic perceptron: the n best paths, weighed by their probabilities.

Xu Sun, "Probabilistic perceptron" (Algorithm 1, equations 1 to 3); the rule is
kernels/probabilistic.hh. A conditional random field that looks at n paths only: about
as accurate, and its probabilities are of use; it wants small learn rates.
"""

from collections.abc import Callable
from functools import partial

from ..kernels.rules import Rule
from .schedules import InverseDecay, as_learn_rate
from .settings import (
    LearnerSettings,
    check_averaging,
    check_choice,
    check_count,
    check_positive,
    check_step,
)

FORMS = ("log-linear", "linear", "polynomial")


def probabilistic_perceptron(
    n: int = 5,
    form: str = "log-linear",
    degree: float = 2.0,
    add_gold: bool = True,
    learn_rate: float | Callable | None = None,
    step: str = "plain",
    average: str = "average",
    restart_every: int = 4,
    pass_size: int | None = None,
    shuffle: bool = True,
    pull: float = 0.0,
) -> LearnerSettings:
    """Take away the n best paths, each by its probability, and add the gold one.

    n: paths; 5 to 10.
    form: "log-linear", P ~ exp(score); "polynomial", P ~ (1 + d / degree)^degree, where
        d is how far a score is above the lowest of the list; "linear", P ~ 1 + d.
    degree: of the polynomial.
    add_gold: the gold path joins the list where it is missing (line 5). Without it and
        with n = 1 this is the perceptron.
    learn_rate: null for 0.1 / (1 + t / |S|), after t of |S| examples; or a number, or a
        schedule.
    step: "plain" or "adagrad", as in the perceptron.
    average, restart_every, pass_size, shuffle, pull: as in the perceptron.
    """
    restart = check_averaging(average, restart_every, pass_size)
    check_count("n", n)
    check_choice("form", form, FORMS)
    check_positive("degree", degree)
    powers = {"log-linear": 0.0, "linear": 1.0, "polynomial": degree}
    rate = InverseDecay(0.1) if learn_rate is None else learn_rate

    return LearnerSettings(
        name="probabilistic_perceptron",
        make_rule=partial(Rule.probabilistic, n, powers[form], add_gold),
        learn_rate=as_learn_rate(rate),
        average=average,
        restart_every=restart,
        pass_size=pass_size,
        shuffle=shuffle,
        pull=check_positive("pull", pull, zero=True),
        step=check_step(step),
    )
