"""The settings of the parser component and of its model."""

from dataclasses import dataclass

from ..errors.check import check_count, check_flag, check_seed
from ..pipeline.component_settings import ThreadSettings


@dataclass(frozen=True, kw_only=True)
class ParserSettings(ThreadSettings):
    """The settings of `latperc_parser`.

    Attributes:
        overwrite: Replace heads that are already set. With false they stay, and the
            search finds the best heads for the other tokens. Sentence boundaries that
            are set always stay.
        min_lifted: The lowest count of a relation of words lifted out of crossing arcs
            (`nsubj||ccomp`) that is learned as such; rarer ones are learned as plain
            relations.
    """

    overwrite: bool = False
    min_lifted: int = 20

    def __post_init__(self) -> None:
        check_flag("overwrite", self.overwrite)
        check_count("min_lifted", self.min_lifted)


@dataclass(frozen=True, kw_only=True)
class ParserOptions:
    """The settings of a parser other than templates, learner and search.

    Attributes:
        most_weights: The number of largest weights that predictions keep; 0 for all.
        seed: The seed of shuffling.
    """

    most_weights: int = 2_000_000
    seed: int = 0

    def __post_init__(self) -> None:
        check_count("most_weights", self.most_weights, low=0)
        check_seed(self.seed)
