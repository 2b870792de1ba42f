from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .features import FeatureBlock, FeatureSpace

# Templates that are summed together, and the (attribute, offset) pairs they depend on.
_Group = tuple[Sequence[int], Sequence[tuple[int, int]]]
_Rows = tuple[
    NDArray[np.uint64], NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float32]
]

def build_info() -> dict[str, bool]: ...

class Structure:
    @property
    def blocks(self) -> list[tuple[int, bool, list[list[int]]]]: ...
    @property
    def n_templates(self) -> int: ...
    @property
    def n_attributes(self) -> int: ...
    def __init__(
        self,
        space: FeatureSpace,
        *,
        labels: int,
        latent: int,
        order: int,
        blocks: Sequence[tuple[int, bool, Sequence[_Group]]],
        transitions: ArrayLike | None = None,
        starts: ArrayLike | None = None,
        ends: ArrayLike | None = None,
    ) -> None: ...
    @property
    def labels(self) -> int: ...
    def unpack(
        self, b: int, cells: ArrayLike
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]: ...

class Rule:
    @staticmethod
    def perceptron(rate: float = 1.0, margin: float = 0.0) -> Rule: ...
    @staticmethod
    def passive_aggressive(cap: float = 0.01) -> Rule: ...

class Chain:
    @property
    def space(self) -> FeatureSpace: ...
    @property
    def structure(self) -> Structure: ...
    examples: int
    pass_size: int
    random_state: int
    def __init__(
        self,
        space: FeatureSpace,
        structure: Structure,
        *,
        average: bool = True,
        pass_size: int = 0,
        restart_every: int = 0,
        noise: float = 0.0,
        seed: int = 0,
    ) -> None: ...
    @property
    def n_rows(self) -> list[int]: ...
    @property
    def nbytes(self) -> int: ...
    def update(
        self,
        blocks: list[FeatureBlock],
        gold: NDArray[np.int32],
        rule: Rule,
        *,
        shuffle: bool = True,
    ) -> tuple[float, list[int]]: ...
    def restart_from_average(self) -> None: ...
    def predict(
        self, block: FeatureBlock, allowed: NDArray[np.uint8] | None = None
    ) -> NDArray[np.int32]: ...
    def freeze(self) -> FrozenChain: ...
    def load(self, frozen: FrozenChain, examples: int) -> None: ...
    def weights(
        self, b: int, *, average: bool = False
    ) -> dict[int, NDArray[np.float32]]: ...

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
    def export(self, b: int) -> _Rows: ...
    def fill(
        self,
        b: int,
        keys: NDArray[np.uint64],
        sizes: NDArray[np.uint32],
        cells: NDArray[np.uint32],
        values: NDArray[np.float32],
    ) -> None: ...
