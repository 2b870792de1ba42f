"""Settings of the component, and of the model in it."""

from dataclasses import dataclass

from ..errors.check import check_choice, check_count, check_flag, check_seed
from ..kernels.parsing import SYSTEMS
from ..pipeline.component_settings import ThreadSettings


@dataclass(frozen=True, kw_only=True)
class ParserSettings(ThreadSettings):
    """What stays on Docs, and what is learned.

    Attributes:
        overwrite: Replace heads that are already set. With false these stay, and the
            search finds the best heads for the other tokens. Bounds of sentences that
            are set always stay.
        min_lifted: Relations of words that were lifted out of crossing arcs
            (`nsubj||ccomp`) are learned as such from so many occurrences on; rarer ones
            as plain relations.
    """

    overwrite: bool = False
    min_lifted: int = 20

    def __post_init__(self) -> None:
        check_flag("overwrite", self.overwrite)
        check_count("min_lifted", self.min_lifted)


@dataclass(frozen=True, kw_only=True)
class ParserOptions:
    """What a parser is, beside its templates, its learner and its search.

    Attributes:
        system: "arc_hybrid" or "arc_standard".
        most_weights: Weights that predictions keep, the largest ones; 0 for all.
        seed: Of shuffling.
    """

    system: str = "arc_hybrid"
    most_weights: int = 2_000_000
    seed: int = 0

    def __post_init__(self) -> None:
        check_choice("system", self.system, SYSTEMS)
        check_count("most_weights", self.most_weights, low=0)
        check_seed(self.seed)
