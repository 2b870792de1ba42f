"""Online passive-aggressive learning over latent chunkings.

Algorithms 1 and 2 of MV, with the slack of Crammer et al. (2006):

    z* = argmax w . phi(x, z),   loss = max(0, 1 - y w . phi(x, z*))
    w += tau y phi(x, z*),   tau = loss / |phi|^2                    PA
                             tau = min(C, loss / |phi|^2)            PA-I
                             tau = loss / (|phi|^2 + 1 / (2 C))      PA-II

A positive is decoded once in a pass, a negative again and again until it is right. The
rule is kernels/classifier/classifier.hh. This is the default of
`latperc_grammaticality`: better than the batch learners (LCLR), and faster.
"""

from ...errors.check import check_choice, check_count, check_flag, check_positive
from .settings import ONLINE, ClassifierSettings

VARIANTS = ("PA", "PA-I", "PA-II")


def latent_pa(
    C: float = 0.0005,
    variant: str = "PA-I",
    average_from: int = 0,
    most_decodings: int = 50,
    noise: float = 0.0,
    shuffle: bool = True,
    pass_size: int | None = None,
) -> ClassifierSettings:
    """Take the smallest step that meets the margin, limited by C.

    Args:
        C: The longest step ("PA-I"), or the price of a missed margin ("PA-II"). About
            0.0005 for one view, and a fifth of that for five.
        variant: "PA-I", "PA-II", or "PA" as in the paper (without C).
        average_from: Average the weights from this pass on, counted from 1; 0 for
            never. Averages over passes in which labels still change their meaning do
            harm.
        most_decodings: How often a negative is decoded in a pass, at most. If it is
            still wrong then, it waits for the next pass.
        noise: New features begin with weights within this distance of zero, at random.
            Without some, two views in one representation never differ.
        shuffle: Look at the examples in random order.
        pass_size: Examples in a pass; by default as many as were found when training
            began.
    """
    check_choice("variant", variant, VARIANTS)
    check_positive("C", C)
    check_count("average_from", average_from, low=0)
    check_flag("shuffle", shuffle)
    if pass_size is not None:
        check_count("pass_size", pass_size)
    return ClassifierSettings(
        name=ONLINE,
        cap=0.0 if variant == "PA" else C,
        squared=variant == "PA-II",
        average_from=average_from,
        most_decodings=check_count("most_decodings", most_decodings),
        noise=check_positive("noise", noise, zero=True),
        shuffle=shuffle,
        pass_size=pass_size,
    )
