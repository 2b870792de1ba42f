"""Online passive-aggressive learning over latent chunkings.

Algorithms 1 and 2 of "An online algorithm for learning over constrained latent
representations using multiple views", with the slack of Crammer et al. 2006:
z* = argmax w . phi(x, z); loss = max(0, 1 - y w . phi(x, z*)); w += tau y phi(x, z*)
PA     tau = loss / |phi|^2
PA-I   tau = min(C, loss / |phi|^2)
PA-II  tau = loss / (|phi|^2 + 1 / (2 C))
A positive is decoded once a pass; a negative until it was right before the step. The
rule is kernels/classifier.hh. The default: better than the batch learners, and faster.
"""

from ...learners.settings import check_choice, check_count, check_positive
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
    """Step as far as the margin asks, within what C allows.

    C: the longest step ("PA-I"), or how dear what is missed is ("PA-II"). About 0.0005
        for one view and a fifth of that for five.
    variant: "PA-I"; "PA-II"; "PA", the paper's (no C).
    average_from: average the weights from this pass on (counted from 1); 0: never.
        Averages over passes in which labels still change their meaning do harm.
    most_decodings: a negative that is still wrong then is left for the next pass.
    noise: start weights of new features: without some, two views in one and the same
        representation never part.
    """
    check_choice("variant", variant, VARIANTS)
    check_positive("C", C)
    check_count("average_from", average_from + 1)
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
