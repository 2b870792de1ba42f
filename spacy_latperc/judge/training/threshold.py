"""The threshold of a judge, in log odds.

Out-of-domain text has more unknown words and n-grams, and looks worse than it is. With
several texts, each is therefore also scored as out-of-domain text, and their mean
estimates the scores of unseen text. A threshold for the most distant of them would let
too much pass elsewhere. But few texts say little: with two, half the share is allowed,
and each further text halves the difference.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..recalibration import cut

Floats = NDArray[np.float64]

_MOST_TIMES = 2.0  # times the share, which any single text may lose


def choose_cut(
    known: Sequence[Floats],
    out_of_domain: Sequence[Floats],
    given: Sequence[Floats],
    share: float,
) -> float | None:
    """Choose the log odds below which a sentence is bad. It loses this share of the
    good sentences of out-of-domain text on average (less with few texts), at most twice
    the share of any text, and at most the share of text that users gave.

    Args:
        known: The log odds of good sentences of each text.
        out_of_domain: The same for out-of-domain text; a single text has none.
        given: The same for good text that users gave.
        share: The share, from 0 to below 1.

    Returns:
        The log odds; None if there is no sentence.
    """
    first, others, own = (
        [values for values in some if len(values)]
        for some in (known, out_of_domain, given)
    )
    cuts = [cut(values, share) for values in own]
    most = min(_MOST_TIMES * share, 0.999)
    cuts += [cut(values, most) for values in (*first, *others)]
    if expected := others or first:
        # Few texts say little of others.
        trust = 1 - 0.5 ** max(len(others) - 1, 1) if others else 1.0
        cuts.append(mean_cut(expected, share * trust))
    return min(cuts, default=None)


def mean_cut(texts: Sequence[Floats], share: float) -> float:
    """Return a number below which at most this share of the values is, averaged over
    the texts with equal weights.

    Args:
        texts: The values of each text, at least one.
        share: The share, from 0 to below 1.
    """
    values = np.concatenate(texts)
    weights = np.concatenate([np.full(len(x), 1 / len(x)) for x in texts])
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    below = np.cumsum(weights[order]) / len(texts)
    place = int(np.searchsorted(below, share * (1 + 1e-9), side="right"))
    last = min(place, len(ordered) - 1)
    before = ordered[place - 1] if place else ordered[0] - 1
    return float((before + ordered[last]) / 2)
