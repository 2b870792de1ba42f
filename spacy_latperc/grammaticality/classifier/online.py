"""Online passive-aggressive learning over latent chunkings.

Algorithms 1 and 2 of MV, with the slack of Crammer et al. (2006):

    z* = argmax w . phi(x, z),   loss = max(0, 1 - y w . phi(x, z*))
    w += tau y phi(x, z*),   tau = loss / |phi|^2                    PA
                             tau = min(C, loss / |phi|^2)            PA-I
                             tau = loss / (|phi|^2 + 1 / (2 C))      PA-II

A positive is decoded once in an epoch, a negative until it is right, at most 50 times.
The kernel is in kernels/classifier/classifier.hh. This is the default of
`latperc_grammaticality`: more accurate than the batch learners (LCLR), and faster.
"""

from ...errors.check import check_choice, check_count, check_positive
from .classifier_settings import ONLINE, ClassifierSettings

VARIANTS = ("PA", "PA-I", "PA-II")


def latent_pa(
    C: float = 0.0005,
    variant: str = "PA-I",
    average_from: int = 0,
    noise: float = 0.0,
    epoch_size: int | None = None,
) -> ClassifierSettings:
    """Take the smallest step that meets the margin, limited by C.

    Args:
        C: The longest step ("PA-I"), or the weight of the squared loss ("PA-II"). Use
            about 0.0005 for one view, and a fifth of that for five.
        variant: "PA-I", "PA-II", or "PA" as in the paper (without C).
        average_from: Average the weights from this epoch on, counted from 1; 0 for
            never. Averages over epochs in which labels still change their meaning do
            harm.
        noise: The range of random initial weights around zero. With 0, two views in one
            representation never differ.
        epoch_size: The examples in an epoch; by default the number found when training
            began.
    """
    check_choice("variant", variant, VARIANTS)
    check_positive("C", C)
    check_count("average_from", average_from, low=0)
    if epoch_size is not None:
        check_count("epoch_size", epoch_size)
    return ClassifierSettings(
        name=ONLINE,
        cap=0.0 if variant == "PA" else C,
        squared=variant == "PA-II",
        average_from=average_from,
        noise=check_positive("noise", noise, zero=True),
        epoch_size=epoch_size,
    )
