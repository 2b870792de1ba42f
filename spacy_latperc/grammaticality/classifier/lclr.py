"""Batch learning over latent chunkings, for comparison.

LCLR is the algorithm of Chang, Goldwasser, Roth and Srikumar (2010), with passive-
aggressive steps in place of a support vector machine. The variant is Algorithm 5 of MV
(section 4.2). Both are in kernels/classifier/lclr.hh. An update is one outer iteration
and needs all the examples.
"""

from ...errors.check import check_choice, check_count, check_flag, check_positive
from .online import VARIANTS
from .settings import LCLR, LCLR_VARIANT, ClassifierSettings


def lclr(
    most_passes: int = 12,
    C: float = 0.0005,
    variant: str = "PA",
    most_decodings: int = 50,
    shuffle: bool = True,
) -> ClassifierSettings:
    """Configure the original LCLR; slow, for comparison.

    Positives keep the chunkings that an iteration begins with. Negatives collect their
    best chunkings, pass after pass, until none is new.

    Args:
        most_passes: The largest number of passes of an iteration. Negatives practically
            never run out of new chunkings, and each pass takes longer than the one
            before.
        C: The longest step, see LatentPA.v1.
        variant: The step, see LatentPA.v1.
        most_decodings: The limit on searches for a negative, see LatentPA.v1.
        shuffle: Visit the examples in random order.
    """
    return _settings(LCLR, most_passes, C, variant, most_decodings, shuffle)


def lclr_variant(
    most_passes: int = 1,
    C: float = 0.0005,
    variant: str = "PA",
    most_decodings: int = 50,
    shuffle: bool = True,
) -> ClassifierSettings:
    """Configure Algorithm 5 of MV, for comparison.

    All examples keep the chunkings that an iteration begins with (section 4.2). Passes
    follow until every sign is right, or until there were `most_passes` of them.

    The printed listing differs from that text: it decodes inside the loop that runs
    until convergence (lines 3 to 13, with the search in lines 4 and 5), so that each
    pass would have new chunkings. The text says that inference is left out of the inner
    loop and the structures stay fixed, which makes it a variant of LCLR. We follow the
    text. A positive gets one step a pass, and a negative steps until its sign is right
    (line 12).

    From zero weights, more than one pass makes models that accept everything.

    Args:
        most_passes: The largest number of passes of an iteration.
        C: The longest step, see LatentPA.v1.
        variant: The step, see LatentPA.v1.
        most_decodings: The largest number of steps on a negative's fixed chunking.
        shuffle: Visit the examples in random order.
    """
    return _settings(LCLR_VARIANT, most_passes, C, variant, most_decodings, shuffle)


def _settings(
    name: str, most_passes: int, C: float, variant: str, decodings: int, shuffle: bool
) -> ClassifierSettings:
    check_choice("variant", variant, VARIANTS)
    check_positive("C", C)
    check_flag("shuffle", shuffle)
    return ClassifierSettings(
        name=name,
        cap=0.0 if variant == "PA" else C,
        squared=variant == "PA-II",
        most_decodings=check_count("most_decodings", decodings),
        most_passes=check_count("most_passes", most_passes),
        shuffle=shuffle,
    )
