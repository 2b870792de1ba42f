"""Settings of the learners that have more of them than the perceptron."""

import math

import pytest
from toy_learners import make_batch, make_learner, predict, train

from spacy_latperc.learners.arow import arow
from spacy_latperc.learners.passive_aggressive import passive_aggressive


def refused(code):
    return pytest.raises(ValueError, match=rf"\[{code}\]")


@pytest.mark.parametrize("variant", ["PA", "PA-I", "PA-II"])
def test_rule_settings_every_variant_learns(variant):
    batch = make_batch(3)
    learner = make_learner(learner=passive_aggressive(C=0.5, variant=variant))
    losses = train(learner, batch, passes=20)
    assert losses[-1] < 0.1 * losses[0]
    assert predict(learner, batch) == batch.gold.tolist()


def test_rule_settings_refuse_an_unknown_variant():
    with refused("LP085") as error:
        passive_aggressive(variant="PA-3")
    assert "PA-II" in str(error.value)


@pytest.mark.parametrize("r", [0.0, -1.0, math.nan, math.inf])
def test_rule_settings_refuse_arow_without_regularisation(r):
    with refused("LP015"):
        arow(r=r)


def test_rule_settings_arow_learns():
    batch = make_batch(3)
    learner = make_learner(learner=arow(r=0.1))
    losses = train(learner, batch, passes=20)
    assert losses[-1] < 0.1 * losses[0]
    assert predict(learner, batch) == batch.gold.tolist()
