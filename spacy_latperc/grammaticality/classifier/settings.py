"""What the learner block of a latent classifier says, and what an update reports."""

from __future__ import annotations

from dataclasses import dataclass, fields

ONLINE, LCLR, LCLR_VARIANT = "online", "lclr", "lclr_variant"


@dataclass(frozen=True)
class ClassifierSettings:
    """A learner of latent classifiers.

    Args:
        name: ONLINE, or LCLR or LCLR_VARIANT, which need all examples in each update.
        cap: C, the longest step; 0 for none.
        squared: PA-II, where C is the price of the square of what is missed.
        average_from: The pass from which weights are averaged, counted from 1; 0 for
            never.
        most_decodings: Of a negative in a pass, or steps on fixed chunkings.
        most_passes: Over fixed chunkings in one update, for the batch learners.
        noise: The weights of a feature begin within this distance of zero, at random.
        shuffle: Look at the examples in random order.
        pass_size: Examples in a pass; None for what `start` was told.
    """

    name: str = ONLINE
    cap: float = 0.0
    squared: bool = False
    average_from: int = 0
    most_decodings: int = 50
    most_passes: int = 1
    noise: float = 0.0
    shuffle: bool = True
    pass_size: int | None = None

    @property
    def needs_all(self) -> bool:
        """Whether an update wants all the examples at once."""
        return self.name != ONLINE


@dataclass(frozen=True)
class Progress:
    """What an update did.

    Args:
        examples: Learned from. For LCLR, how often a chunking was learned from.
        negatives: Those of them that are negative.
        wrong: Examples on the wrong side before the first step on them.
        updates: Steps.
        decodings: Searches for the best chunking.
        negative_decodings: Those of them for negatives.
        capped: Negatives decoded as often as allowed and still wrong.
        structures: Chunkings that LCLR keeps for negatives.
        passes: Over fixed chunkings.
        loss: The sum of the hinge losses before each first step.
    """

    examples: int = 0
    negatives: int = 0
    wrong: int = 0
    updates: int = 0
    decodings: int = 0
    negative_decodings: int = 0
    capped: int = 0
    structures: int = 0
    passes: int = 0
    loss: float = 0.0

    def __add__(self, other: Progress) -> Progress:
        """Both together."""
        names = [field.name for field in fields(Progress)]
        return Progress(**{x: getattr(self, x) + getattr(other, x) for x in names})

    @property
    def decodings_per_negative(self) -> float:
        """How often a negative was decoded, on average (online learning)."""
        return self.negative_decodings / max(self.negatives, 1)
