from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .chain import Chain
from .features import FeatureBlock

COMBINE: tuple[str, ...]
MOST_VIEWS: int

class ChunkViews:
    def __init__(
        self, labels: Sequence[tuple], *, combine: str = "add", own_votes: float = 0.0
    ) -> None: ...
    def common(self, view: int, labels: NDArray[np.int32]) -> NDArray[np.int32]: ...
    def back(self, view: int, common: NDArray[np.int32]) -> NDArray[np.int32]: ...
    def combined(
        self, labels: Sequence[NDArray[np.int32]]
    ) -> list[NDArray[np.int32]]: ...

class Classifier:
    @property
    def chains(self) -> list[Chain]: ...
    @property
    def views(self) -> ChunkViews: ...
    random_state: int
    def __init__(
        self,
        chains: list[Chain],
        views: ChunkViews,
        *,
        cap: float = 0.0,
        squared: bool = False,
        most_decodings: int = 50,
        seed: int = 0,
    ) -> None: ...
    def update(
        self,
        blocks: list[FeatureBlock],
        gold: NDArray[np.int8],
        *,
        shuffled: bool = True,
        unaveraged: int = -1,
    ) -> dict[str, float]: ...
    def iterate(
        self,
        blocks: list[FeatureBlock],
        gold: NDArray[np.int8],
        *,
        strict: bool,
        most_passes: int,
        shuffled: bool = True,
        averaging: bool = False,
    ) -> dict[str, float]: ...
