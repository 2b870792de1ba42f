"""Structured perceptron (Collins 2002; SL) and latent perceptron (LVP, Figure 1).

    h  = argmax F(h) + margin * cost(h)         the best path
    h* = argmax F(h)  over the paths of y       the best gold path (LVP, equation 8)
    w += learn_rate * (f(h*, x) - f(h, x))

cost(h) is the number of wrong labels. The rule is PerceptronRule in kernels/. Use this
learner as the baseline for comparisons; `PassiveAggressive.v1` is usually a little
better.
"""

from functools import partial

from ..errors.check import check_positive
from ..kernels.chains import Rule
from .learner_settings import LearnerSettings, online_settings
from .schedules import GivenRate


def perceptron(
    average: str = "average",
    restart_every: int = 4,
    margin: float = 0.0,
    learn_rate: GivenRate = 1.0,
    step: str = "plain",
    epoch_size: int | None = None,
    shuffle: bool = True,
) -> LearnerSettings:
    """Add the features of the gold path and subtract those of the predicted one.

    Args:
        margin: The cost of a wrong label in training (cost-augmented search); 0 for
            none. With step = "adagrad" it should be ten to thirty times the learn rate.
            With latent states, 1 keeps late epochs from getting worse.
    """
    check_positive("margin", margin, zero=True)
    return online_settings(
        "perceptron",
        partial(Rule.perceptron, margin),
        average=average,
        restart_every=restart_every,
        learn_rate=learn_rate,
        step=step,
        epoch_size=epoch_size,
        shuffle=shuffle,
    )
