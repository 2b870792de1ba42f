from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

MAX_ORDER: int
# Ways of smoothing.
NONE: int
WITTEN_BELL: int
KNESER_NEY: int
MODIFIED_KNESER_NEY: int

class NgramTable:
    @classmethod
    def count(
        cls,
        ids: NDArray[np.int32],
        bounds: NDArray[np.int64],
        *,
        words: int,
        order: int,
        smoothing: int,
        least: Sequence[int],
    ) -> NgramTable | None: ...
    @classmethod
    def from_arrays(
        cls,
        smoothing: int,
        discounts: Sequence[float],
        arrays: Mapping[str, np.ndarray],
    ) -> NgramTable: ...
    def to_arrays(self) -> dict[str, np.ndarray]: ...
    @property
    def order(self) -> int: ...
    @property
    def words(self) -> int: ...
    @property
    def smoothing(self) -> int: ...
    @property
    def sizes(self) -> list[int]: ...
    @property
    def discounts(self) -> list[float]: ...
    def distribution(self, history: NDArray[np.int32]) -> NDArray[np.float64]: ...
    def probability(self, history: NDArray[np.int32], word: int) -> float: ...
    def score(
        self, ids: NDArray[np.int32], bounds: NDArray[np.int64]
    ) -> NDArray[np.float64]: ...
    def draw(
        self, history: NDArray[np.int32], n: int, seed: int
    ) -> NDArray[np.int32]: ...
    def sample(
        self,
        n: int,
        seed: int,
        *,
        first: int = 0,
        shortest: int = 1,
        longest: int = 200,
        attempts: int = 10000,
    ) -> tuple[NDArray[np.int32], NDArray[np.int64], int]: ...
