"""The floor of a judge: the lowest mean log probability of a sentence, which no n-gram
model of the training text explains below it.

Text of another kind is less probable, though it is good. If there are several texts,
each is scored by n-grams of the others, and the mean of their floors is used. A single
text says little of others: there the floor is twice as far from its median.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_SHARE = 0.005  # of the good sentences, below the floor
_FEW = 20  # sentences, of which no floor is chosen

Floats = NDArray[np.float64]


def choose_floor(known: Sequence[Floats], strange: Sequence[Floats]) -> float | None:
    """Return the lowest mean log probability of good sentences; None if there are too
    few sentences.

    Args:
        known: The mean log probabilities of held-out good sentences of each text.
        strange: The same, of n-grams that were counted in other texts alone.
    """
    known, strange = ([x for x in some if len(x) >= _FEW] for some in (known, strange))
    if not known:
        return None
    lowest = [float(np.quantile(x, _SHARE)) for x in known]
    if strange:
        others = float(np.mean([np.quantile(x, _SHARE) for x in strange]))
    else:
        others = min(
            2 * low - float(np.median(x)) for low, x in zip(lowest, known, strict=True)
        )
    return min(*lowest, others)


def check_floor(saved: Any) -> None:
    """Raise an error unless `saved` is a floor: a finite number, or None."""
    if saved is not None and (
        isinstance(saved, bool)
        or not isinstance(saved, int | float)
        or not np.isfinite(saved)
    ):
        raise ValueError("floor must be a finite number or null")
