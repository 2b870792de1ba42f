import numpy as np
from numpy.typing import NDArray

from .features import FeatureSpace
from .structure import Structure

_Rows = tuple[
    NDArray[np.uint64], NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float32]
]

class FrozenChain:
    @property
    def structure(self) -> Structure: ...
    def __init__(self, structure: Structure) -> None: ...
    @property
    def n_rows(self) -> list[int]: ...
    def decode(
        self,
        space: FeatureSpace,
        attrs: NDArray[np.uint64],
        bounds: NDArray[np.int64],
        allowed: NDArray[np.uint8] | None = None,
    ) -> NDArray[np.int32]: ...
    def kbest(
        self,
        space: FeatureSpace,
        attrs: NDArray[np.uint64],
        bounds: NDArray[np.int64],
        k: int,
        allowed: NDArray[np.uint8] | None = None,
    ) -> tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.int32]]: ...
    def marginals(
        self,
        space: FeatureSpace,
        attrs: NDArray[np.uint64],
        bounds: NDArray[np.int64],
        allowed: NDArray[np.uint8] | None = None,
        *,
        temperature: float = 1.0,
    ) -> tuple[NDArray[np.float32], NDArray[np.float64]]: ...
    def max_marginals(
        self,
        space: FeatureSpace,
        attrs: NDArray[np.uint64],
        bounds: NDArray[np.int64],
        allowed: NDArray[np.uint8] | None = None,
    ) -> NDArray[np.float32]: ...
    def log_scores(
        self,
        space: FeatureSpace,
        attrs: NDArray[np.uint64],
        bounds: NDArray[np.int64],
        labels: NDArray[np.int32],
        allowed: NDArray[np.uint8] | None = None,
        *,
        temperature: float = 1.0,
        sets: NDArray[np.uint8] | None = None,
    ) -> NDArray[np.float64]: ...
    def span_probabilities(
        self,
        space: FeatureSpace,
        attrs: NDArray[np.uint64],
        bounds: NDArray[np.int64],
        starts: NDArray[np.int64],
        ends: NDArray[np.int64],
        types: NDArray[np.int32],
        type_of: NDArray[np.int32],
        boundary: NDArray[np.uint8],
        allowed: NDArray[np.uint8] | None = None,
        *,
        temperature: float = 1.0,
    ) -> NDArray[np.float64]: ...
    def decode_marginals(
        self,
        space: FeatureSpace,
        attrs: NDArray[np.uint64],
        bounds: NDArray[np.int64],
        allowed: NDArray[np.uint8] | None = None,
        *,
        temperature: float = 1.0,
    ) -> NDArray[np.int32]: ...
    def decode_sequences(
        self,
        space: FeatureSpace,
        attrs: NDArray[np.uint64],
        bounds: NDArray[np.int64],
        k: int,
        allowed: NDArray[np.uint8] | None = None,
        *,
        temperature: float = 1.0,
    ) -> NDArray[np.int32]: ...
    def export(self, b: int) -> _Rows: ...
    def fill(
        self,
        b: int,
        keys: NDArray[np.uint64],
        sizes: NDArray[np.uint32],
        cells: NDArray[np.uint32],
        values: NDArray[np.float32],
    ) -> None: ...
