"""The threshold of a judge: which log odds good sentences reach.

Text of another kind has more words and n-grams that are unknown, and looks worse than
it is. Of several texts each is therefore seen as text of another kind, too, and their
mean is what is to be expected of text that nobody has seen yet. A cut that suits the
strangest of them alone would let too much pass everywhere else. But few texts say
little: of two, half the share is allowed, and each further text halves what is missing.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..recalibration import cut

Floats = NDArray[np.float64]

_MOST_TIMES = 2.0  # the share, that may be lost of any text


def choose_cut(
    known: Sequence[Floats],
    strange: Sequence[Floats],
    given: Sequence[Floats],
    share: float,
) -> float | None:
    """The log odds below which a sentence is bad: a share of the good sentences of
    text of another kind in the mean, less where there are few texts, at most twice that
    of any text, and at most that share of what users gave.

    Args:
        known: Of each text, log odds of good sentences.
        strange: The same of texts that are seen as text of another kind; of a single
            text there are none.
        given: Of good text that users gave for this.
        share: From 0 to below 1.

    Returns:
        None if there is no sentence at all.
    """
    first, others, own = (
        [values for values in some if len(values)] for some in (known, strange, given)
    )
    cuts = [cut(values, share) for values in own]
    most = min(_MOST_TIMES * share, 0.999)
    cuts += [cut(values, most) for values in (*first, *others)]
    if expected := others or first:
        cuts.append(mean_cut(expected, share * trust(len(others))))
    return min(cuts, default=None)


def trust(texts: int) -> float:
    """Return the part of a share that is allowed for the mean of so many texts.

    Args:
        texts: Seen as text of another kind; 0: nothing is known of such text.
    """
    return 1 - 0.5 ** max(texts - 1, 1) if texts else 1.0


def mean_cut(texts: Sequence[Floats], share: float) -> float:
    """A number below which no more than this share of some texts is, in the mean over
    the texts, however long each is.

    Args:
        texts: Numbers of each; none is empty.
        share: From 0 to below 1.
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
