"""Structured perceptron and latent perceptron.

Collins 2002; Sun, Matsuzaki, Okanohara, Tsujii 2009 ("Latent Variable Perceptron
Algorithm for Structured Classification"), Figure 1 and equation 8; the rule itself is
PerceptronRule in kernels/rules.hh. Use it as the baseline that everything is compared
with; `passive_aggressive` is usually a little better.
"""

from collections.abc import Callable
from functools import partial

from ..kernels.rules import Rule
from .schedules import as_learn_rate
from .settings import (
    LearnerSettings,
    check_averaging,
    check_positive,
    check_step,
    check_vote,
)


def perceptron(
    average: str = "average",
    restart_every: int = 4,
    margin: float = 0.0,
    learn_rate: float | Callable = 1.0,
    step: str = "plain",
    pass_size: int | None = None,
    shuffle: bool = True,
    pull: float = 0.0,
    vote: bool = False,
) -> LearnerSettings:
    """Add the features of the gold path, take away those of the predicted one.

    average: "none", "average" or "mavg" (the paper's modified averaging, 3.1).
    restart_every: with "mavg", k: pass q starts from the average when q % k == 0.
    margin: added to wrong labels while learning (cost-augmented search); 0 for none.
    learn_rate: length of a step; a number, or a schedule with a value per example.
    step: "plain", or "adagrad": every weight has its own rate, which falls with the
        squares of its changes. Then learn_rate is about 0.1, and the margin should be
        ten to thirty times that.
    pass_size: examples in a pass, for streamed corpora; None counts at initialisation.
    shuffle: shuffle the sentences of each batch with the model's own generator.
    pull: how hard weights are pulled back to those that learning went on from, after
        loading a model or with `init_from`; 0 lets them go.
    vote: keep every update, and let every weight vector vote for whole label sequences
        (voted.py): for small models without latent states.
    """
    restart = check_averaging(average, restart_every, pass_size)
    check_positive("margin", margin, zero=True)

    if vote:
        check_vote(average, step, pull)
    return LearnerSettings(
        name="perceptron",
        make_rule=partial(Rule.perceptron, margin),
        learn_rate=as_learn_rate(learn_rate),
        average=average,
        restart_every=restart,
        pass_size=pass_size,
        shuffle=shuffle,
        pull=check_positive("pull", pull, zero=True),
        step=check_step(step),
        vote=vote,
    )
