"""Conditional random field, learned sentence by sentence.

Lafferty, McCallum, Pereira 2001; Ke's notes on discriminative sequence labelling,
equations 19 to 44. With `latent` above 1 the same is the DPLVM of Sun et al. 2009
(equations 1 to 3), whose gold is the sum over all latent paths of the gold labels. The
rule is CRFRule in kernels/crf.hh; the whole-corpus optimiser is in batch/crf.py. Use it
where probabilities matter: its scores are log-probabilities as they are.
"""

from collections.abc import Callable

from ..errors import Errors
from ..kernels.rules import Rule
from .schedules import InverseDecay, LearnRate, as_learn_rate
from .settings import LearnerSettings, check_averaging, check_positive

OPTIMIZERS: dict[str, tuple[str, LearnRate]] = {
    "sgd": ("plain", InverseDecay(0.1)),
    "adagrad": ("adagrad", 0.1),
}


def crf(
    optimizer: str = "sgd",
    learn_rate: float | Callable | None = None,
    l2: float = 1.0,
    l1: float = 0.0,
    average: str = "none",
    pass_size: int | None = None,
    shuffle: bool = True,
    pull: float = 0.0,
) -> LearnerSettings:
    """Maximise log P(labels | sentence), less the penalties.

    optimizer: "sgd", or "adagrad" with a rate for every weight.
    learn_rate: a number or a schedule; None: 0.1 / (1 + passes), and 0.1 with AdaGrad.
    l2, l1: the objective is  sum of -log P  +  l2 / 2 |w|^2  +  l1 |w|  over a pass;
        with l1 weights become exactly zero. Both are proximal steps, made up for when
        a weight is next read.
    average: "none" or "average"; with l1 only "none", since averages are not sparse.
    pass_size, shuffle, pull: as in the perceptron.
    """
    if optimizer not in OPTIMIZERS:
        known = ", ".join(OPTIMIZERS)
        raise ValueError(Errors.LP047.format(optimizer=optimizer, known=known))
    if average == "mavg":
        raise ValueError(Errors.LP048)
    check_averaging(average, 1, pass_size)
    check_positive("l1", l1, zero=True)
    check_positive("l2", l2, zero=True)
    if l1 and average != "none":
        raise ValueError(Errors.LP049)
    step, rate = OPTIMIZERS[optimizer]
    return LearnerSettings(
        name="crf",
        make_rule=Rule.crf,
        learn_rate=rate if learn_rate is None else as_learn_rate(learn_rate),
        average=average,
        pass_size=pass_size,
        shuffle=shuffle,
        step=step,
        l1=l1,
        l2=l2,
        pull=check_positive("pull", pull, zero=True),
    )
