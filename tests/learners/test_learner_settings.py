"""Settings that make no sense are refused, with a code, where they are given."""

import math

import pytest
from builders.learners import make_batch, make_learner

from spacy_latperc.features.sets import custom_templates
from spacy_latperc.learners import ChainLearner
from spacy_latperc.learners.arow import arow
from spacy_latperc.learners.mira import mira
from spacy_latperc.learners.passive_aggressive import passive_aggressive
from spacy_latperc.learners.perceptron import perceptron
from spacy_latperc.learners.probabilistic import probabilistic_perceptron
from spacy_latperc.learners.search import viterbi

BOTH = pytest.mark.parametrize("make", [perceptron, passive_aggressive])
NOT_A_NUMBER = [math.nan, math.inf, -math.inf]


def refused(code):
    return pytest.raises(ValueError, match=rf"\[{code}\]")


@BOTH
def test_settings_defaults_average(make):
    settings = make()
    assert (settings.average, settings.restart_every) == ("average", 0)
    assert settings.epoch_size is None


@pytest.mark.parametrize(
    ("make", "settings"),
    [
        (passive_aggressive, {"C": 0.0}),
        (mira, {"C": 0.0}),
        (mira, {"n": 0}),
        (arow, {"r": 0.0}),
        (probabilistic_perceptron, {"form": "polynomial", "degree": 0.0}),
        (perceptron, {"epoch_size": 0}),
        (perceptron, {"temperature": 0.0}),
        (perceptron, {"average": "mavg", "restart_every": 0}),
    ],
)
def test_settings_refuse_zeros(make, settings):
    with pytest.raises(ValueError, match=r"LP015|LP086"):
        make(**settings)


@pytest.mark.parametrize(
    ("code", "settings"),
    [
        ("LP086", {"latent": 0}),
        ("LP086", {"latent": -1}),
        ("LP086", {"order": -1}),
        ("LP086", {"order": 3}),
        ("LP018.*edge", {"templates": ["w[0]", "edge:w[0]"], "order": 0}),
        ("LP018.*tri", {"templates": ["w[0]", "tri:bias"], "order": 0}),
        ("LP018.*tri", {"templates": ["w[0]", "tri:w[0]"], "order": 1}),
    ],
)
def test_settings_of_chains_are_refused(code, settings):
    with pytest.raises(ValueError, match=code):
        make_learner(**{"templates": ["w[0]"], **settings})


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("rate", [0.0, -1.0, 1e300, *NOT_A_NUMBER])
def test_settings_refuse_a_learn_rate_that_goes_nowhere(rate):
    for given in (rate, lambda examples: rate):
        with refused("LP012"):
            perceptron(learn_rate=given).rates(0, 1, 1)


def test_settings_learn_rate_may_be_a_schedule():
    seen = []

    def schedule(examples):
        seen.append(examples)
        return 3.0 - examples

    settings = perceptron(learn_rate=schedule)
    settings.rates(2, 1, 1)
    assert seen == [2]
    with pytest.raises(ValueError, match="LP012.*after 3 examples"):
        settings.rates(1, 4, 1)


@pytest.mark.parametrize(
    "labels", [["A", "B"], ["B", "A", "C"], ["A", "B", "D", "C"], []]
)
def test_settings_refuse_to_remove_or_move_labels(labels):
    learner = make_learner(labels=["A", "B", "C"])
    with refused("LP019"):
        learner.set_labels(labels)
    assert learner.labels == ["A", "B", "C"]


@pytest.mark.parametrize("action", ["predict", "update", "freeze"])
def test_settings_without_labels_nothing_can_be_done(action):
    learner = ChainLearner(custom_templates(["w[0]"]), perceptron(), viterbi())
    batch = make_batch(1, docs=2)
    call = {
        "predict": lambda: learner.predict(batch),
        "update": lambda: learner.update(learner.extract(batch), batch.gold),
        "freeze": learner.freeze,
    }
    with refused("LP024"):
        call[action]()
