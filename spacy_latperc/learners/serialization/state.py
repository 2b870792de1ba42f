"""The complete training state of rows in a model file, from which training continues
exactly as if it had not been interrupted.

Only cells that are not zero in some plane are written. Reading checks them, like the
rest of the file: see pieces.py.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...kernels.chains import Chain
from .pieces import Arrays, Header, narrow, read_count

# The values of each weight, by their names in the chain.
PLANES = ("w", "a", "g")


def write_state(chain: Chain) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the entries of the header of a file, and the arrays."""
    header: dict[str, Any] = {
        "examples": chain.examples,
        "clock": chain.clock,
        "noise": chain.noise > 0,
        "planes": chain.planes,
    }
    arrays: dict[str, np.ndarray] = {}
    for b in range(len(chain.structure.blocks)):
        keys, sizes, cells, planes = chain.state(b)
        arrays[f"{b}.state.keys"] = keys
        arrays[f"{b}.state.sizes"] = narrow(sizes)
        arrays[f"{b}.state.cells"] = narrow(cells)
        for name in PLANES:
            if name in planes:
                arrays[f"{b}.state.{name}"] = planes[name]
        if planes["stamps"].any():
            arrays[f"{b}.state.stamps"] = planes["stamps"]
    keys, counts = chain.space.counted()
    if len(keys):
        arrays["state.features"], arrays["state.counts"] = keys, counts
    return header, arrays


def restore_state(chain: Chain, header: Header, arrays: Arrays) -> bool:
    """Load the state of `write_state` into an untrained chain. Damaged state raises
    ValueError, TypeError or KeyError.

    Returns:
        False without any change if the chain differs from the written one in its step
        or its averaging.
    """
    if header["planes"] != chain.planes:
        return False
    clock = header["clock"]
    if not isinstance(clock, float) or not 0 <= clock < math.inf:
        raise ValueError(f"the clock of the penalties is {clock!r}")
    chain.set_progress(read_count(header, "examples"), clock)
    if "state.features" in arrays:
        chain.space.restore_counts(arrays["state.features"], arrays["state.counts"])
    for b in range(len(chain.structure.blocks)):
        _restore_block(chain, b, arrays)
    return True


def _restore_block(chain: Chain, b: int, arrays: Arrays) -> None:
    keys, sizes, cells = (arrays[f"{b}.state.{x}"] for x in ("keys", "sizes", "cells"))
    if sizes.dtype.kind != "u" or cells.dtype.kind != "u":
        raise ValueError("sizes and cells are no whole numbers")
    planes: dict[str, NDArray[Any]] = {}
    for name in PLANES:
        values = arrays.get(f"{b}.state.{name}")
        if values is None:
            continue
        if values.dtype != np.float32 or values.shape != cells.shape:
            raise ValueError(f"the plane {name} has another size")
        planes[name] = values
    if f"{b}.state.stamps" in arrays:
        planes["stamps"] = arrays[f"{b}.state.stamps"]
    chain.restore(b, keys, sizes.astype(np.uint32), cells.astype(np.uint32), planes)
