"""Batch learning over latent chunkings, to compare with.

LCLR is Chang, Goldwasser, Roth, Srikumar 2010, with passive-aggressive steps in the
place of an SVM; the variant is Algorithm 5 of "An online algorithm for learning over
constrained latent representations using multiple views" (section 4.2). Both are in
kernels/lclr.hh. An update is one outer iteration, and wants all the examples.
"""

from ...learners.settings import check_choice, check_count, check_positive
from .online import VARIANTS
from .settings import LCLR, LCLR_VARIANT, ClassifierSettings


def lclr(
    most_passes: int = 12,
    C: float = 0.0005,
    variant: str = "PA",
    most_decodings: int = 50,
    shuffle: bool = True,
) -> ClassifierSettings:
    """Positives keep the chunkings that an iteration begins with; negatives gather all
    that they find, pass after pass, until they find none that is new.

    most_passes: of one iteration. Negatives practically never run out of new
        chunkings, and a pass takes longer with each.
    C, variant, most_decodings: as in the online learner.
    """
    return _settings(LCLR, most_passes, C, variant, most_decodings, shuffle)


def lclr_variant(
    most_passes: int = 1,
    C: float = 0.0005,
    variant: str = "PA",
    most_decodings: int = 50,
    shuffle: bool = True,
) -> ClassifierSettings:
    """Algorithm 5, as the text of section 4.2 has it: all examples keep the chunkings
    that an iteration begins with, for passes until every sign is right, or there were
    `most_passes` of them.

    The printed listing differs from that text. It decodes inside the loop that goes on
    until convergence (lines 3 to 13, with the search in lines 4 and 5), so that each
    pass would have new chunkings. The text says that inference is left out of the inner
    loop and the structures stay fixed, which is what makes it a variant of LCLR, and we
    follow the text. As line 12 has it, a positive gets one step a pass, and a negative
    steps until its sign is right.

    From zero weights more than one pass makes models that accept everything.
    """
    return _settings(LCLR_VARIANT, most_passes, C, variant, most_decodings, shuffle)


def _settings(
    name: str, most_passes: int, C: float, variant: str, decodings: int, shuffle: bool
) -> ClassifierSettings:
    check_choice("variant", variant, VARIANTS)
    check_positive("C", C)
    return ClassifierSettings(
        name=name,
        cap=0.0 if variant == "PA" else C,
        squared=variant == "PA-II",
        most_decodings=check_count("most_decodings", decodings),
        most_passes=check_count("most_passes", most_passes),
        shuffle=shuffle,
    )
