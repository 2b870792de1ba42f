"""Settings that make no sense are refused, with a code, where they are given."""

import math

import pytest
from builders.learners import make_batch, make_learner

from spacy_latperc.features.sets import custom_templates
from spacy_latperc.learners import ChainLearner
from spacy_latperc.learners.learner_settings import InverseDecay, viterbi
from spacy_latperc.learners.mira import mira
from spacy_latperc.learners.passive_aggressive import passive_aggressive
from spacy_latperc.learners.perceptron import perceptron
from spacy_latperc.learners.probabilistic import probabilistic_perceptron

REFUSED = [
    (passive_aggressive, {"C": 0.0}, "LP015|LP086"),
    (perceptron, {"temperature": 0.0}, "LP015|LP086"),
    *((mira, x, "LP015|LP086") for x in ({"C": 0.0}, {"n": 0})),
    (probabilistic_perceptron, {"form": "polynomial", "degree": 0.0}, "LP015|LP086"),
    (perceptron, {"epoch_size": 0}, "LP015|LP086"),
    (perceptron, {"average": "mavg", "restart_every": 0}, "LP015|LP086"),
    *((make_learner, {"latent": n}, "LP086") for n in (0, -1)),
    *((make_learner, {"order": n}, "LP086") for n in (-1, 3)),
    (make_learner, {"templates": ["w[0]", "edge:w[0]"], "order": 0}, "LP018.*edge"),
    (make_learner, {"templates": ["w[0]", "tri:bias"], "order": 0}, "LP018.*tri"),
    (make_learner, {"templates": ["w[0]", "tri:w[0]"], "order": 1}, "LP018.*tri"),
]


@pytest.mark.parametrize(("make", "settings", "code"), REFUSED)
def test_settings_that_make_no_sense_are_refused(make, settings, code):
    plain = {"templates": ["w[0]"]} if make is make_learner else {}
    with pytest.raises(ValueError, match=code):
        make(**{**plain, **settings})


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "rate", [0, -1.0, 1e300, "fast", math.nan, math.inf, -math.inf]
)
def test_settings_refuse_a_learn_rate_that_goes_nowhere(rate):
    for make in (lambda: perceptron(learn_rate=rate), lambda: InverseDecay(rate)):
        with pytest.raises(ValueError, match=r"\[LP015\]"):
            make()


def test_settings_learn_rate_falls_by_epochs():
    rates = perceptron(learn_rate=InverseDecay(1.0, 2.0)).rates(2, 3, 4)
    assert rates.tolist() == pytest.approx([1 / (1 + 2 * t / 4) for t in (2, 3, 4)])


def test_settings_refuse_to_remove_or_move_labels():
    learner = make_learner(labels=["A", "B", "C"])
    for labels in (["A", "B"], ["B", "A", "C"], ["A", "B", "D", "C"], []):
        with pytest.raises(ValueError, match=r"\[LP019\]"):
            learner.set_labels(labels)
        assert learner.labels == ["A", "B", "C"]


def test_settings_without_labels_nothing_can_be_done():
    learner = ChainLearner(custom_templates(["w[0]"]), perceptron(), viterbi())
    batch = make_batch(1, docs=2)
    for call in (
        lambda: learner.predict(batch),
        lambda: learner.update(learner.extract(batch), batch.gold),
        learner.freeze,
        lambda: learner.n_best(learner.read(batch), 1),
    ):
        with pytest.raises(ValueError, match=r"\[LP024\]"):
            call()
