"""Iterative parameter mixing (McDonald, Hall and Mann 2010, Figure 3).

The shards of a corpus are trained for an epoch apart, all from the same weights w. The
next epoch starts from the mean of their weights,

    w' = sum_s mu_s w_s,    mu_s = examples of shard s / examples of all.

The average of all weights so far is w - a / c after c examples (see
kernels/weights/trained_weights.hh), so that c w - a is their sum. Every weight vector
of every shard counts once: with k shards, c_s = c + examples of s and c' = c + examples
of all, c' w' - a' = sum_s (c_s w_s - a_s) - (k - 1) (c w - a), which gives a'.

A feature that a shard has not seen has weight 0 there. Statistics of AdaGrad are
mixed like the weights.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .serialization.pieces import narrow, unite_rows
from .serialization.state import PLANES

Arrays = Mapping[str, NDArray[Any]]
# The header and the arrays of `ChainLearner.training_state`.
State = tuple[dict[str, Any], dict[str, NDArray[Any]]]


def mix_states(start: State, shards: Sequence[State]) -> State:
    """Compute the state that the next epoch starts from.

    Args:
        start: The state that all shards started from.
        shards: The state of each shard after the epoch.
    """
    before = start[0]["examples"]
    seen = [header["examples"] - before for header, _ in shards]
    if not any(seen):
        return start
    k, after = len(shards), before + sum(seen)
    mu = [n / sum(seen) for n in seen]
    clock = sum(x * shard[0]["clock"] for x, shard in zip(mu, shards, strict=True))
    header = {**shards[0][0], "examples": after, "clock": clock}
    # The planes whose sum makes a plane, with the factor of each state.
    sums = {name: {name: [0.0, *mu]} for name in PLANES}
    of_w = [after * x - (before + n) for x, n in zip(mu, seen, strict=True)]
    sums["a"] = {"a": [1.0 - k, *[1.0] * k], "w": [(k - 1.0) * before, *of_w]}
    arrays = {name: x for name, x in start[1].items() if name.startswith("state.")}
    states, b = [start[1], *(known for _, known in shards)], 0
    while f"{b}.state.keys" in start[1]:
        name = f"{b}.state."
        mixed = _mix_block([_part(known, name) for known in states], sums, clock)
        arrays |= {name + plane: values for plane, values in mixed.items()}
        b += 1
    return header, arrays


def _part(arrays: Arrays, start: str) -> Arrays:
    names = [name for name in arrays if name.startswith(start)]
    return {name.removeprefix(start): arrays[name] for name in names}


def _mix_block(
    parts: Sequence[Arrays], sums: Mapping[str, Mapping[str, Any]], clock: float
) -> Arrays:
    """Sum rows of weights that are in any of the parts."""
    rows = unite_rows(
        *(
            np.concatenate([x[name] for x in parts])
            for name in ("keys", "sizes", "cells")
        )
    )
    mixed: dict[str, NDArray[Any]] = {}
    for name, terms in sums.items():
        if all(name in part for part in parts):
            total: Any = 0.0
            for plane, factors in terms.items():
                scaled = zip(
                    factors, (x[plane].astype(float) for x in parts), strict=True
                )
                total = total + np.concatenate([x * values for x, values in scaled])
            values = np.bincount(rows.places, total, len(rows.cells))
            mixed[name] = values.astype(np.float32)
    if clock:
        mixed["stamps"] = np.full(len(rows.keys), clock)
    sizes, cells = narrow(rows.sizes), narrow(rows.cells)
    return {"keys": rows.keys, "sizes": sizes, "cells": cells, **mixed}
