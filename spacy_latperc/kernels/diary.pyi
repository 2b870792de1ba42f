import numpy as np
from numpy.typing import NDArray

from .chain import Chain

_Updates = tuple[
    NDArray[np.int64],
    NDArray[np.uint32],
    NDArray[np.uint8],
    NDArray[np.uint64],
    NDArray[np.uint32],
    NDArray[np.float32],
]

def record(chain: Chain) -> None: ...
def take(chain: Chain) -> _Updates: ...
def replay(
    chain: Chain,
    examples: int,
    blocks: NDArray[np.uint8],
    keys: NDArray[np.uint64],
    cells: NDArray[np.uint32],
    values: NDArray[np.float32],
    *,
    grow: bool = False,
) -> None: ...
