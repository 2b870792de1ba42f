"""The ways to make negatives, by name.

MV (section 4.1) takes all samples of known words. They give themselves away by length,
brackets and final marks. The matched construction prevents this.
"""

from dataclasses import dataclass

from ...errors.check import check_choice


@dataclass(frozen=True)
class Construction:
    """A way to make n-gram negatives.

    Args:
        order: Words in an n-gram.
        min_counts: The lowest counts of n-grams of each length that are kept.
        matched: Take only samples that look like real sentences on the surface, are
            new, and have the length of a positive that still needs a negative.
        vocabulary_of_positives: Take only samples whose words all occur in positives.
    """

    order: int = 3
    min_counts: tuple[int, ...] | None = None
    matched: bool = True
    vocabulary_of_positives: bool = False


CONSTRUCTIONS: dict[str, Construction] = {
    "kn_m": Construction(),
    # SRILM drops trigrams that occur once by default.
    "paper": Construction(
        min_counts=(1, 1, 2), matched=False, vocabulary_of_positives=True
    ),
}


def find_construction(name: str) -> Construction:
    """Look up a construction by name."""
    return CONSTRUCTIONS[check_choice("construction", name, CONSTRUCTIONS)]
