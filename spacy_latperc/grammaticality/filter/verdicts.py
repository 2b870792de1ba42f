"""What is found of a text, and what of it is written beside the text."""

from typing import NamedTuple

SCORE_FIELD = "grammaticality"
REASONS_FIELD = "grammaticality_reasons"


class Verdict(NamedTuple):
    """What is found of a text.

    Args:
        score: The probability that it is grammatical; of a document, the share of its
            sentences that are good.
        reasons: The words that speak most against it; of a document, its bad
            sentences. Empty if they are not asked for.
    """

    score: float
    reasons: tuple[str, ...] = ()


class Columns(NamedTuple):
    """What is written beside a text that is kept."""

    scores: bool = False
    reasons: bool = False

    def any(self) -> bool:
        """Whether there is any column."""
        return self.scores or self.reasons
