"""The ways to make negatives, by name.

MV (sections 4.1 and 4.3) takes all samples. They give themselves away by length,
brackets and final marks. The matched constructions prevent this.
"""

from dataclasses import dataclass, replace

from ...errors.check import check_choice


@dataclass(frozen=True)
class Construction:
    """A way to make n-gram negatives.

    Args:
        order: Words in an n-gram.
        min_counts: The lowest counts of n-grams of each length that are kept.
        matched: Take only samples that look like real sentences on the surface, are
            new, and have the length of a positive that still needs a negative.
        vocabulary: "any" word of the model's text, or only words of the "positives".
    """

    order: int = 3
    min_counts: tuple[int, ...] | None = None
    matched: bool = True
    vocabulary: str = "any"


VOCABULARIES = ("any", "positives")
# SRILM drops trigrams that occur once by default.
_SRILM = Construction(min_counts=(1, 1, 2))
_MATCHED = {"kn": Construction(), "srilm": _SRILM}
CONSTRUCTIONS: dict[str, Construction] = {
    **{f"{name}_m": matched for name, matched in _MATCHED.items()},
    **{f"{name}_raw": replace(m, matched=False) for name, m in _MATCHED.items()},
    # 4.1: filtered to the words of the positives. 4.3: test negatives, no filter.
    "paper": replace(_SRILM, matched=False, vocabulary="positives"),
    "paper_test": replace(_SRILM, matched=False),
}


def find_construction(name: str) -> Construction:
    """Look up a construction by name."""
    return CONSTRUCTIONS[check_choice("construction", name, CONSTRUCTIONS)]
