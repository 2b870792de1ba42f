"""What the learner block of a latent classifier says."""

from __future__ import annotations

from dataclasses import dataclass, fields

ONLINE, LCLR, LCLR_VARIANT = "online", "lclr", "lclr_variant"


@dataclass(frozen=True)
class ClassifierSettings:
    """A learner of latent classifiers.

    name: ONLINE; or LCLR or LCLR_VARIANT, which want all examples in each update.
    cap: C, the longest step; 0 for none.
    squared: PA-II, where C says how dear the square of what is missed is.
    average_from: the pass from which weights are averaged, counted from 1; 0: never.
    most_decodings: of a negative in a pass, or steps on fixed structures.
    most_passes: over fixed structures in one update, of the batch learners.
    noise: the weights of a feature start within this distance of zero, at random.
    pass_size: examples in a pass; None: what `start` was told.
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

    examples: learned from (LCLR: how often structures were), of which `negatives`.
    wrong: before the first step on them. loss: likewise, the hinge losses' sum.
    updates: steps. decodings: searches for the best structures.
    capped: negatives that were decoded as often as allowed and still wrong.
    structures: that LCLR keeps for negatives. passes: over fixed structures.
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
        """Of online learning."""
        return self.negative_decodings / max(self.negatives, 1)
