"""The settings of a latent classifier, and the report of an update."""

from dataclasses import dataclass

ONLINE, LCLR, LCLR_VARIANT = "online", "lclr", "lclr_variant"


@dataclass(frozen=True)
class ClassifierSettings:
    """The settings of a latent classifier.

    Args:
        name: ONLINE, or LCLR or LCLR_VARIANT, which need all examples in each update.
        cap: C, the longest step; 0 for none.
        squared: PA-II, where C is the weight of the squared loss.
        average_from: The epoch from which weights are averaged, counted from 1; 0 for
            never.
        most_epochs: The limit on passes in one update of the batch learners.
        noise: The range of random initial weights around zero.
        epoch_size: The examples in an epoch; None for the numbers given to `start`.
    """

    name: str = ONLINE
    cap: float = 0.0
    squared: bool = False
    average_from: int = 0
    most_epochs: int = 1
    noise: float = 0.0
    epoch_size: int | None = None

    @property
    def needs_all(self) -> bool:
        """True if an update needs all the examples at once."""
        return self.name != ONLINE


@dataclass(frozen=True)
class Progress:
    """The report of an update.

    Args:
        examples: Examples visited. For LCLR, chunkings visited.
        negatives: Negative examples among them.
        wrong: Examples on the wrong side before the first step on them.
        updates: Steps.
        decodings: Searches for the best chunking.
        negative_decodings: Searches for negatives.
        capped: Negatives decoded as often as allowed and still wrong.
        structures: Chunkings that LCLR keeps for negatives.
        passes: Passes over fixed chunkings.
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
