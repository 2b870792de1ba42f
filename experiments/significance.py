"""Do two systems differ on the same sentences?"""

import json
from collections.abc import Callable, Sequence
from math import comb
from typing import Any

import numpy as np

from spacy_latperc.autofit.summary import Counts, p_value

Row = dict[str, Any]
_counts: dict[str, Sequence[Counts]] = {}  # of each seed, by the settings of the row


def compare(
    row: Row,
    runs: Sequence[Counts],
    reference: Row | None,
    measure: Callable[[Row], object],
) -> dict[str, float]:
    """The p-value of the difference to a reference row, over the seeds that both have.

    A sentence has the sum of its counts over the seeds, so that what one seed has by
    chance is no difference between systems. McNemar's test is that of seed 0.

    Args:
        row: The settings of a row.
        runs: Its counts, for each seed.
        reference: The settings of the other row, or None.
        measure: Measures the other row, and so calls this function, where it is not
            known yet.
    """
    _counts[json.dumps(row)] = runs
    if reference is None:
        return {}
    if json.dumps(reference) not in _counts:
        measure(reference)
    others = _counts[json.dumps(reference)]
    seeds = min(len(runs), len(others))
    one, other = (np.array(x[:seeds]).sum(axis=0) for x in (runs, others))
    figures = {"p": p_value(one, other)}
    if row.get("mcnemar"):
        figures["mcnemar"] = mcnemar(runs[0], others[0])
    return figures


def mcnemar(x: Counts, y: Counts) -> float:
    """The exact p-value of McNemar's test over sentences that are right as a whole."""
    only = [0, 0]
    for one, other in zip(x, y, strict=True):
        right = [right == given == gold for right, given, gold in (one, other)]
        for side in (0, 1):
            only[side] += right[side] and not right[1 - side]
    n, least = sum(only), min(only)
    return min(1.0, 2 * sum(comb(n, k) for k in range(least + 1)) / 2**n)
