"""Batch learning over latent chunkings, for comparison.

LCLR is the algorithm of Chang, Goldwasser, Roth and Srikumar (2010), with
passive-aggressive steps in place of a support vector machine. With `fixed` it is
Algorithm 5 of MV (section 4.2). Both are in kernels/classifier/lclr.hh. An update is
one outer iteration and needs all the examples.
"""

from ...errors.check import check_choice, check_count, check_flag, check_positive
from .classifier_settings import LCLR, LCLR_VARIANT, ClassifierSettings
from .online import VARIANTS


def lclr(
    fixed: bool = False,
    most_epochs: int | None = None,
    C: float = 0.0005,
    variant: str = "PA",
) -> ClassifierSettings:
    """Train in outer iterations over all examples; slow, for comparison.

    Positives keep the chunkings that an iteration begins with. Negatives collect their
    best chunkings, pass after pass, until none is new. With `fixed`, which is Algorithm
    5 of MV as section 4.2 describes it, negatives keep theirs, too: passes follow until
    every sign is right, or until there were `most_epochs` of them.

    The printed listing of Algorithm 5 differs from that text. It decodes inside the
    loop that runs until convergence (lines 3 to 13, with the search in lines 4 and 5),
    so that each pass would have new chunkings. A positive gets one step a pass, and a
    negative steps until its sign is right (line 12). From zero weights, more than one
    pass of it makes models that accept everything.

    Args:
        fixed: Keep the chunkings of all examples throughout an iteration.
        most_epochs: The largest number of passes in an iteration; by default 12, and 1
            with `fixed`. Negatives practically never run out of new chunkings, and each
            pass takes longer than the one before.
        C: The longest step, see LatentPA.v1.
        variant: The step, see LatentPA.v1.
    """
    check_flag("fixed", fixed)
    check_choice("variant", variant, VARIANTS)
    check_positive("C", C)
    if most_epochs is None:
        most_epochs = 1 if fixed else 12
    return ClassifierSettings(
        name=LCLR_VARIANT if fixed else LCLR,
        cap=0.0 if variant == "PA" else C,
        squared=variant == "PA-II",
        most_epochs=check_count("most_epochs", most_epochs),
    )
