"""Conditional random field, learned sentence by sentence.

Lafferty, McCallum, Pereira 2001; DSL, equations 19 to 44. With `latent` above 1 this is
the DPLVM (LVP, equations 1 to 3), whose gold is the sum over all latent paths of the
gold labels:

    max  sum of log P(y | x)  -  l2 / 2 |w|^2  -  l1 |w|       over an epoch
    gradient of log P(y | x) = E[f | x, y] - E[f | x]          (DSL, equation 42)

With a margin, E[f | x] is under exp(score + margin * wrong labels).
The rule is CRFRule in kernels/; the batch optimiser is in batch/crf_batch.py. Use it if
probabilities matter: its scores are log probabilities without calibration.
"""

from functools import partial

from ..errors import Errors
from ..errors.check import check_choice, check_positive
from ..kernels.chains import Rule
from .learner_settings import InverseDecay, LearnerSettings, LearnRate, online_settings

OPTIMIZERS: dict[str, tuple[str, LearnRate]] = {
    "sgd": ("plain", InverseDecay(0.1)),
    "adagrad": ("adagrad", 0.1),
}


def crf(
    optimizer: str = "sgd",
    learn_rate: LearnRate | None = None,
    l2: float = 1.0,
    l1: float = 0.0,
    average: str = "none",
    epoch_size: int | None = None,
    margin: float = 0.0,
) -> LearnerSettings:
    """Maximise log P(labels | sentence), less the penalties.

    Args:
        optimizer: "sgd", or "adagrad" with a rate for every weight.
        learn_rate: A number or an InverseDecay; null for 0.1 / (1 + epochs), or 0.1
            with AdaGrad.
        l2: The L2 penalty l2 / 2 |w|^2 on the objective of an epoch, applied by lazy
            proximal steps when a weight is next read.
        l1: The L1 penalty l1 |w|, likewise; weights become exactly zero.
        margin: That of softmax-margin (Gimpel and Smith 2010): each wrong label adds it
            to its score in the sum over all label sequences. 0 is the plain CRF; above
            it, probabilities are no longer those of the model that was fitted.
        average: "none", or "average", which steadies what is learned of long sentences
            with few templates; with l1 only "none": averages are not sparse.
    """
    check_choice("optimizer", optimizer, OPTIMIZERS)
    if average == "mavg":
        raise ValueError(Errors.LP048)
    check_positive("margin", margin, zero=True)
    check_positive("l1", l1, zero=True)
    check_positive("l2", l2, zero=True)
    if l1 and average != "none":
        raise ValueError(Errors.LP049)
    step, rate = OPTIMIZERS[optimizer]
    return online_settings(
        "crf",
        partial(Rule.crf, margin),
        learn_rate=rate if learn_rate is None else learn_rate,
        average=average,
        step=step,
        epoch_size=epoch_size,
        l1=l1,
        l2=l2,
    )
