import numpy as np
from numpy.typing import NDArray

from .classifier import ChunkViews
from .features import FeatureSpace
from .frozen import FrozenChain

class FrozenClassifier:
    @property
    def chains(self) -> list[FrozenChain]: ...
    @property
    def views(self) -> ChunkViews: ...
    def __init__(self, chains: list[FrozenChain], views: ChunkViews) -> None: ...
    def predict(
        self,
        space: FeatureSpace,
        attrs: NDArray[np.uint64],
        bounds: NDArray[np.int64],
    ) -> tuple[NDArray[np.float64], NDArray[np.int32]]: ...
    def contributions(
        self,
        space: FeatureSpace,
        attrs: NDArray[np.uint64],
        bounds: NDArray[np.int64],
        labels: NDArray[np.int32],
    ) -> NDArray[np.float32]: ...
    def span_costs(
        self,
        space: FeatureSpace,
        attrs: NDArray[np.uint64],
        bounds: NDArray[np.int64],
        *,
        longest: int = 3,
    ) -> NDArray[np.float32]: ...
