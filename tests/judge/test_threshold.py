"""The threshold of a judge lets good text pass: of each kind, and in the mean."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_latperc.judge.recalibration import cut
from spacy_latperc.judge.training.threshold import choose_cut, mean_cut

VALUES = st.lists(st.integers(-20, 20), min_size=1, max_size=40)
TEXTS = st.lists(VALUES, max_size=4)
SHARES = st.sampled_from([0.0, 0.03, 0.05, 0.25, 0.5])


def arrays(texts):
    return [np.array(values, dtype=np.float64) for values in texts]


def lost(texts, cut):
    return [float((values < cut).mean()) for values in texts]


@given(TEXTS, TEXTS, TEXTS, SHARES)
@settings(max_examples=150)
def test_no_text_loses_more_than_is_allowed(known, strange, own, share):
    known, strange, own = arrays(known), arrays(strange), arrays(own)
    chosen = choose_cut(known, strange, own, share)
    if not (known or strange or own):
        assert chosen is None
        return
    nearly = 1e-9
    expected = strange or known
    trust = 1 - 0.5 ** max(len(strange) - 1, 1) if strange else 1
    allowed = share * trust + nearly
    assert not expected or np.mean(lost(expected, chosen)) <= allowed
    assert max(lost(known + strange, chosen), default=0) <= 2 * share + nearly
    assert max(lost(own, chosen), default=0) <= share + nearly


@given(VALUES, SHARES)
def test_of_one_text_it_is_the_share_of_that(values, share):
    (text,) = arrays([values])
    assert mean_cut([text], share) == pytest.approx(cut(text, share))
    assert choose_cut([text], [], [], share) == pytest.approx(cut(text, share))


def test_the_mean_of_texts_counts_and_not_their_lengths():
    long, short = np.arange(100.0), np.arange(-10.0, 0.0)
    assert mean_cut([long], 0.05) == 4.5
    found = mean_cut([long, short], 0.2)  # four of the short one: 0.4 / 2
    assert found == pytest.approx(-6.5)
    assert np.mean(lost([long, short], found)) == pytest.approx(0.2)


def test_a_single_strange_text_does_not_decide_alone():
    usual = [np.linspace(0, 1, 100) for _ in range(4)]
    stranger = np.linspace(-2, 1, 100)
    found = choose_cut(usual, [*usual, stranger], [], 0.05)
    assert np.mean(stranger < found) == pytest.approx(0.1)
    alone = choose_cut([stranger], [], [], 0.05)
    assert np.mean(stranger < alone) == pytest.approx(0.05)
    assert choose_cut(usual, usual, [stranger], 0.05) == pytest.approx(alone)
