"""Fitting of a judge to the features of held-out sentences: weights, probabilities,
floor and threshold."""

from collections.abc import Sequence

import numpy as np

from ...calibration import fit_line, sigmoid
from ..floor import Floor, WordModel
from ..judge_component import LatpercJudge
from ..sentence_scorer import Joined
from .feature_views import JUNK_EVERY, Scored, View
from .junk import KINDS as JUNK
from .threshold import choose_cut

_ABOVE = 0.4  # of the lost share, above the floor, which rejects the rest elsewhere


def fit_judge(
    judge: LatpercJudge,
    words: WordModel,
    known: Sequence[View],
    out_of_domain: Sequence[View],
    given: Sequence[Scored],
    share: float,
) -> None:
    """Fit a judge."""
    floor = Floor.fit(
        words,
        [*(view.clean for view in known), *given],
        [view.clean for view in out_of_domain],
    )
    joined = _join(judge, floor, known, out_of_domain)
    # Whatever the floor says.
    found = choose_cut(
        [judge.log_odds(joined(view.clean[0])) for view in known],
        [judge.log_odds(joined(view.clean[0])) for view in out_of_domain],
        [judge.log_odds(joined(table)) for table, _ in given],
        share * _ABOVE,
    )
    if found is not None:
        judge.threshold = float(sigmoid(np.array(found)))


def _join(
    judge: LatpercJudge,
    floor: Floor,
    known: Sequence[View],
    out_of_domain: Sequence[View],
) -> Joined:
    """Fit the weights of the features, and the probabilities of sentences.

    New text looks stranger than what was learned from. So probabilities are fitted to
    the strangest text alone, and to kinds of bad sentences in equal shares: errors,
    each kind of junk, and two that the floor finds: other languages, and tweets.
    """
    views = [*known, *out_of_domain]
    good, wrong, junk = (
        np.concatenate([getattr(view, name) for view in views])
        for name in ("good", "wrong", "junk")
    )
    # Preferences are fitted in-domain.
    differences = np.concatenate([view.good - view.wrong for view in known])
    joined = Joined.fit(good, np.concatenate([wrong, junk]), differences)
    judge.fit(joined, floor)
    view = min(views, key=lambda view: np.median(joined(view.good)))
    bad = np.concatenate([view.wrong[:: JUNK_EVERY * len(JUNK)], view.junk])
    n_good = len(bad) * (len(JUNK) + 3) // (len(JUNK) + 1)
    table = np.concatenate([view.good[:n_good], bad])
    truth = np.arange(len(table)) < n_good
    judge.calibration = fit_line(joined(table), truth)
    return joined
