import numpy as np
from numpy.typing import NDArray

from .features import FeatureBlock, FeatureSpace
from .structure import Structure

def impossible_sentences(
    space: FeatureSpace,
    structure: Structure,
    blocks: list[FeatureBlock],
    gold: NDArray[np.int32],
    sets: NDArray[np.uint8] | None = None,
) -> list[int]: ...

class Objective:
    @property
    def space(self) -> FeatureSpace: ...
    @property
    def structure(self) -> Structure: ...
    def __init__(
        self,
        space: FeatureSpace,
        structure: Structure,
        blocks: list[FeatureBlock],
        gold: NDArray[np.int32],
        *,
        sets: NDArray[np.uint8] | None = None,
        all_pairs: bool = False,
        wanted: NDArray[np.uint8] | None = None,
    ) -> None: ...
    @property
    def n_pairs(self) -> int: ...
    @property
    def n_tokens(self) -> int: ...
    @property
    def n_sentences(self) -> int: ...
    @property
    def impossible(self) -> list[int]: ...
    @property
    def nbytes(self) -> int: ...
    def evaluate(
        self, w: NDArray[np.float64], slope: NDArray[np.float64]
    ) -> tuple[float, int]: ...
    def add_noise(self, w: NDArray[np.float64], scale: float, seed: int) -> None: ...
    def rows(
        self, b: int, w: NDArray[np.float64]
    ) -> tuple[
        NDArray[np.uint64],
        NDArray[np.uint32],
        NDArray[np.uint32],
        NDArray[np.float32],
    ]: ...
    def set_rows(
        self,
        b: int,
        w: NDArray[np.float64],
        keys: NDArray[np.uint64],
        sizes: NDArray[np.uint32],
        cells: NDArray[np.uint32],
        values: NDArray[np.float32],
    ) -> None: ...
