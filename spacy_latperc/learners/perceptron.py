"""Structured perceptron (Collins 2002; SL) and latent perceptron (LVP, Figure 1).

    h  = argmax F(h) + margin * cost(h)         the best path
    h* = argmax F(h)  over the paths of y       the best gold path (LVP, equation 8)
    w += learn_rate * (f(h*, x) - f(h, x))

cost(h) is the number of wrong labels. The rule is PerceptronRule in kernels/. Use this
learner as the baseline for comparisons; `PassiveAggressive.v1` is usually a little
better.

The latent perceptron divides what it learns of a label among the states. With
`states = "expected"` (ExpectedPerceptronRule; not in the papers) all states of a label
share each update, by their probabilities inside the label sequence:

    w += learn_rate * (E[f | y] - E[f | labels of h])    under exp(score / temperature)
"""

from functools import partial

from ..errors.check import check_choice, check_positive
from ..kernels.chains import Rule
from .learner_settings import LearnerSettings, LearnRate, online_settings

STATES = ("best", "expected")


def perceptron(
    average: str = "average",
    restart_every: int = 4,
    margin: float = 0.0,
    learn_rate: LearnRate = 1.0,
    step: str = "plain",
    states: str = "best",
    temperature: float = 5.0,
    epoch_size: int | None = None,
) -> LearnerSettings:
    """Add the features of the gold path and subtract those of the predicted one.

    Args:
        margin: The cost of a wrong label in training (cost-augmented search); 0 for
            none. With step = "adagrad" it should be ten to thirty times the learn rate.
            With latent states, 1 keeps late epochs from getting worse.
        states: The latent states that an update changes: "best", those of the two
            paths, or "expected", all states of their labels by probability.
        temperature: With "expected": towards 0 it is "best", towards infinity the
            perceptron without latent states.
    """
    check_positive("margin", margin, zero=True)
    check_choice("states", states, STATES)
    check_positive("temperature", temperature)
    heat = temperature if states == "expected" else 0.0
    return online_settings(
        "perceptron",
        partial(Rule.perceptron, margin, heat),
        average=average,
        restart_every=restart_every,
        learn_rate=learn_rate,
        step=step,
        epoch_size=epoch_size,
        splits_counts=states == "best" and not margin,
    )
