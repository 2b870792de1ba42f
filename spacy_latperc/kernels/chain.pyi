from typing import Any

import numpy as np
from numpy.typing import NDArray

from .features import FeatureBlock, FeatureSpace
from .frozen import FrozenChain
from .rules import Rule
from .structure import Structure

STEPS: tuple[str, ...]

class Chain:
    @property
    def space(self) -> FeatureSpace: ...
    @property
    def structure(self) -> Structure: ...
    @property
    def noise(self) -> float: ...
    @property
    def planes(self) -> list: ...
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
        step: str = "plain",
        l1: float = 0.0,
        l2: float = 0.0,
        pull: float = 0.0,
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
        sets: NDArray[np.uint8] | None = None,
        rates: NDArray[np.float32] | None = None,
        shuffle: bool = True,
    ) -> tuple[float, list[int]]: ...
    def restart_from_average(self) -> None: ...
    def predict(
        self, block: FeatureBlock, allowed: NDArray[np.uint8] | None = None
    ) -> NDArray[np.int32]: ...
    def freeze(self) -> FrozenChain: ...
    def load(self, frozen: FrozenChain, examples: int) -> None: ...
    def stay_here(self) -> None: ...
    @property
    def clock(self) -> float: ...
    def state(self, b: int) -> tuple[NDArray[np.uint64], dict[str, NDArray[Any]]]: ...
    def restore(
        self, b: int, keys: NDArray[np.uint64], planes: dict[str, NDArray[Any]]
    ) -> None: ...
    def set_progress(self, examples: int, clock: float) -> None: ...
    def weights(
        self, b: int, *, average: bool = False
    ) -> dict[int, NDArray[np.float32]]: ...
