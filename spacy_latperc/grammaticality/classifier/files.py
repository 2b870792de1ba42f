"""Latent classifiers as bytes: see io/model_file.py and learners/serialization."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import Errors
from ...io import model_file
from ...kernels.frozen import FrozenChain
from ...learners.serialization import pieces

KIND = "classifier"
_COUNTS = {"examples": 63, "averaged": 63, "pass_size": 63, "random_state": 64}


def write_classifier(
    shape: Mapping[str, Any],
    progress: Mapping[str, int],
    chains: Sequence[FrozenChain],
    *,
    bits: int,
) -> bytes:
    """The bytes of a classifier.

    Args:
        shape: What a learner must have in common with the file to read it.
        progress: Counts that learning needs to go on.
        chains: The weights of each view.
        bits: 32 keeps the weights exactly; 16 rounds them to 65,535 steps.
    """
    header: dict[str, Any] = {"kind": KIND, **shape, **progress}
    arrays: dict[str, np.ndarray] = {}
    for view, chain in enumerate(chains):
        for b in range(len(chain.structure.blocks)):
            name = f"{view}.{b}"
            arrays.update(pieces.write_rows(header, name, chain.export(b), bits))
    return model_file.pack(header, arrays)


def read_classifier(
    data: bytes, shape: Mapping[str, Any], chains: Sequence[FrozenChain]
) -> dict[str, int]:
    """Fill the chains with what `write_classifier` wrote.

    Args:
        data: The bytes.
        shape: What the file must have in common with the learner.
        chains: Empty ones, one for each view.

    Returns:
        The progress that was written.
    """
    header, arrays = pieces.open_model(data, KIND, shape, Errors.LP438)
    with pieces.suspicion():
        for view, chain in enumerate(chains):
            for b in range(len(chain.structure.blocks)):
                name = f"{view}.{b}"
                chain.fill(b, *pieces.read_rows(header, arrays, name))
        return {
            name: pieces.read_count(header, name, bits=bits)
            for name, bits in _COUNTS.items()
        }
