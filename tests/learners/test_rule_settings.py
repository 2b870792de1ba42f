"""Settings of the learners that have more of them than the perceptron."""

import math

import pytest
from builders.learners import make_batch, make_learner, predict, train

from spacy_latperc.learners.arow import arow
from spacy_latperc.learners.mira import mira
from spacy_latperc.learners.passive_aggressive import passive_aggressive
from spacy_latperc.learners.perceptron import perceptron
from spacy_latperc.learners.probabilistic import probabilistic_perceptron
from spacy_latperc.learners.schedules import InverseDecay

LEARNERS = {
    "PA": passive_aggressive(variant="PA"),
    "PA-I": passive_aggressive(C=0.5),
    "PA-II": passive_aggressive(C=0.5, variant="PA-II"),
    "AROW": arow(r=0.1),
    "MIRA": mira(C=0.5),
    "MIRA without a cap": mira(n=3, C=None),
    "log-linear": probabilistic_perceptron(learn_rate=0.5),
    "linear": probabilistic_perceptron(form="linear", learn_rate=0.5),
    "polynomial": probabilistic_perceptron(form="polynomial", learn_rate=0.5),
    "AdaGrad": probabilistic_perceptron(step="adagrad", learn_rate=0.1),
}


def refused(code):
    return pytest.raises(ValueError, match=rf"\[{code}\]")


@pytest.mark.parametrize("latent", [1, 2])
@pytest.mark.parametrize("name", LEARNERS)
def test_rule_settings_learner_learns(name, latent):
    batch = make_batch(3)
    learner = make_learner(learner=LEARNERS[name], latent=latent)
    losses = train(learner, batch, passes=20)
    assert losses[-1] < 0.5 * losses[0]
    assert predict(learner, batch) == batch.gold.tolist()


@pytest.mark.parametrize("name", LEARNERS)
def test_rule_settings_same_seed_same_bytes(name):
    batch = make_batch(5, noise=0.1)
    found = []
    for _ in range(2):
        learner = make_learner(learner=LEARNERS[name], latent=2)
        train(learner, batch, passes=3)
        found.append(learner.to_bytes())
    assert found[0] == found[1]


@pytest.mark.parametrize("average", ["none", "average", "mavg"])
@pytest.mark.parametrize("make", [arow, mira, probabilistic_perceptron])
def test_rule_settings_averages_are_passed_on(make, average):
    settings = make(average=average, restart_every=3)
    assert settings.average == average
    assert settings.restart_every == (3 if average == "mavg" else 0)


def test_rule_settings_refuse_an_unknown_variant():
    with refused("LP085") as error:
        passive_aggressive(variant="PA-3")
    assert "PA-II" in str(error.value)


@pytest.mark.parametrize("r", [0.0, -1.0, math.nan, math.inf])
def test_rule_settings_refuse_arow_without_regularisation(r):
    with refused("LP015"):
        arow(r=r)


@pytest.mark.parametrize("make", [mira, probabilistic_perceptron])
@pytest.mark.parametrize("n", [0, -3])
def test_rule_settings_refuse_an_empty_list(make, n):
    with refused("LP086"):
        make(n=n)


@pytest.mark.parametrize("C", [0.0, -1.0, math.nan])
def test_rule_settings_refuse_a_cap_that_allows_no_step(C):
    with refused("LP015"):
        mira(C=C)


def test_rule_settings_refuse_an_unknown_form():
    with refused("LP085") as error:
        probabilistic_perceptron(form="cubic")
    assert "log-linear" in str(error.value)


@pytest.mark.parametrize("degree", [0.0, -2.0, math.inf])
def test_rule_settings_refuse_a_degree_that_is_none(degree):
    with refused("LP015"):
        probabilistic_perceptron(form="polynomial", degree=degree)


@pytest.mark.parametrize("make", [perceptron, probabilistic_perceptron])
def test_rule_settings_refuse_an_unknown_step(make):
    with refused("LP085"):
        make(step="adam")


def test_rule_settings_probabilistic_rate_falls_by_passes():
    # 0.1 / (1 + t / |S|), of t examples seen and |S| in a pass.
    settings = probabilistic_perceptron()
    assert settings.learn_rate == InverseDecay(0.1)
    assert settings.rates(8, 2, 8).tolist() == pytest.approx([0.05, 0.1 / (1 + 9 / 8)])
