from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .features import FeatureSpace

# Templates that are summed together, and the (attribute, offset) pairs they depend on.
_Group = tuple[Sequence[int], Sequence[tuple[int, int]]]

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
        beam: int = 0,
    ) -> None: ...
    @property
    def labels(self) -> int: ...
    def cells(self, b: int) -> int: ...
    def unpack(
        self, b: int, cells: ArrayLike
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]: ...
