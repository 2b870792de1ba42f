"""Searches as settings."""

import pytest
from builders.learners import make_batch, make_learner, predict, train

from spacy_latperc.learners.learner_settings import beam, viterbi


def test_search_refuses_a_beam_of_nothing_and_no_sequences():
    for width in (0, -3):
        with pytest.raises(ValueError, match=f"LP086.*width.*Viterbi.*not {width}"):
            beam(width)
    with pytest.raises(ValueError, match="LP086"):
        viterbi(n=0)


def test_search_of_a_loaded_model_is_that_of_its_settings():
    batch = make_batch(3, noise=0.3)
    exact = make_learner(order=2)
    train(exact, batch)
    wide = make_learner(order=2, search=beam(9)).from_bytes(exact.to_bytes())
    narrow = make_learner(order=2, search=beam(1)).from_bytes(exact.to_bytes())
    assert predict(wide, batch) == predict(exact, batch)
    assert predict(narrow, batch) != predict(exact, batch)
