import numpy as np
from numpy.typing import ArrayLike, NDArray

def matrices(
    scores: ArrayLike | None, history: int, n: int, S: int
) -> NDArray[np.float64]: ...

class ArraySums:
    @property
    def n(self) -> int: ...
    @property
    def log_z(self) -> float: ...
    @property
    def fallbacks(self) -> int: ...
    def __init__(
        self,
        emissions: ArrayLike,
        pairs: ArrayLike | None = None,
        triples: ArrayLike | None = None,
        *,
        latent: int = 1,
        transitions: ArrayLike | None = None,
        starts: ArrayLike | None = None,
        ends: ArrayLike | None = None,
        wide: bool = False,
        temperature: float = 1.0,
        hold: bool = False,
    ) -> None: ...
    def run(self, *, temperature: float = 1.0, hold: bool = False) -> float: ...
    def states(self) -> NDArray[np.float64]: ...
    def edges(self, i: int = 0) -> NDArray[np.float64]: ...
    def triples(self, i: int = 0) -> NDArray[np.float64]: ...
