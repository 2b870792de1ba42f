"""The voted perceptron against a twin that keeps every weight vector whole."""

from collections import Counter

import numpy as np
import pytest
from builders import learners
from builders.learners import LABELS, make_batch, predict, train
from reference.chain import Learner, Shape, first_best, path_scores, perceptron

import spacy_latperc.learners.voted as voted
from spacy_latperc.features.sets import custom_templates
from spacy_latperc.io import model_file
from spacy_latperc.kernels.chains import Question
from spacy_latperc.learners.perceptron import perceptron as perceptron_settings
from spacy_latperc.learners.search import viterbi
from spacy_latperc.learners.voted import VotedLearner
from spacy_latperc.model import build_chain_model, get_learner

TEMPLATES = ("w[0]", "t[0]", "edge:t[0]")


def make_learner(*, order=1, **settings):
    learner = VotedLearner(
        custom_templates([t for t in TEMPLATES if order or "edge" not in t]),
        perceptron_settings(vote=True, shuffle=False, **settings),
        viterbi(),
        order=order,
    )
    learner.set_labels(LABELS)
    learner.start(20)
    return learner


def sentences_of(learner, batch):
    """Feature hashes of each sentence, by the learner's own extraction."""
    attrs = learner.space.assemble(batch.values, batch.lookup)
    bounds = batch.bounds
    pairs = zip(bounds[:-1], bounds[1:], strict=True)
    return [(learner.space.hashes(attrs[a:b]).tolist(), slice(a, b)) for a, b in pairs]


def twin_vectors(learner, batch, passes):
    """Every weight vector and the examples that it survived."""
    shape = Shape(
        len(LABELS),
        1,
        learner.order,
        [
            (kind, is_latent, [t for ts, _ in groups for t in ts])
            for kind, is_latent, groups in learner.plan.blocks
        ],
        boundaries=learner.boundaries,
    )
    twin = Learner(shape, perceptron())
    vectors = [({}, 0)]
    for _ in range(passes):
        for hashes, part in sentences_of(learner, batch):
            before = {name: row.copy() for name, row in twin.weights.items()}
            loss = twin.learn(hashes, batch.gold[part].tolist())
            if loss:
                vectors.append(({k: v.copy() for k, v in twin.weights.items()}, 0))
            else:
                assert before.keys() == twin.weights.keys()
            weights, survived = vectors[-1]
            vectors[-1] = (weights, survived + 1)
    return shape, vectors


@pytest.mark.parametrize("order", [0, 1, 2])
def test_voted_labels_have_the_most_votes_of_all_vectors(order):
    learner = make_learner(order=order)
    batch = make_batch(1, docs=8, longest=4, noise=0.4)
    other = make_batch(2, docs=6, longest=4)
    train(learner, batch, passes=3)
    shape, vectors = twin_vectors(learner, batch, 3)
    assert len(learner.updates) == len(vectors) - 1
    assert sum(survived for _, survived in vectors) == learner.examples
    found = np.array(predict(learner, other))
    for hashes, part in sentences_of(learner, other):
        votes = Counter()
        for weights, survived in vectors:
            path = first_best(path_scores(shape, hashes, weights))
            votes[path] += survived
        assert votes[tuple(found[part].tolist())] == max(votes.values())


def test_voted_learner_without_updates_votes_for_nothing_but_the_first_labels():
    learner = make_learner()
    assert set(predict(learner, make_batch(1))) == {0}


def test_voted_votes_differ_from_the_average_somewhere():
    learner = make_learner()
    train(learner, make_batch(1, noise=0.5), passes=3)
    batch = make_batch(2, docs=200)
    read = learner.read(batch)
    asked = Question(learner.space, read.attrs, read.bounds)
    average = learner.freeze().decode(asked).tolist()
    assert predict(learner, batch) != average


def test_voted_learner_goes_on_after_loading_as_if_nothing_had_been_saved():
    straight, broken = make_learner(), make_learner()
    batch = make_batch(1, noise=0.3)
    train(straight, batch, passes=4)
    train(broken, batch, passes=2)
    broken = make_learner().from_bytes(broken.to_bytes())
    train(broken, batch, passes=2)
    for name, array in straight.updates.arrays().items():
        assert (array == broken.updates.arrays()[name]).all()
    assert predict(broken, batch) == predict(straight, batch)


def test_voted_learner_keeps_its_votes_when_labels_are_added():
    learner = make_learner()
    batch = make_batch(1, noise=0.3)
    train(learner, batch, passes=2)
    before = predict(learner, batch)
    learner.set_labels([*LABELS, "D"])
    found = np.array(predict(learner, batch))
    known = found < len(LABELS)
    assert known.mean() > 0.9
    assert (found == np.array(before))[known].mean() > 0.9
    train(learner, batch, passes=1)


def test_voted_learner_obeys_masks():
    learner = make_learner()
    batch = make_batch(1, noise=0.3)
    train(learner, batch, passes=2)
    allowed = np.ones((len(batch.gold), len(LABELS)), dtype=np.uint8)
    allowed[:, 1] = 0
    assert 1 not in learner.predict(batch.within(allowed))


def test_voted_learner_stops_beyond_a_number_of_updates(monkeypatch):
    monkeypatch.setattr(voted, "MOST_UPDATES", 5)
    with pytest.raises(ValueError, match="LP057"):
        train(make_learner(), make_batch(1, noise=0.5))


@pytest.mark.parametrize(
    "settings", [{"average": "mavg"}, {"step": "adagrad"}, {"pull": 0.1}]
)
def test_voted_learner_refuses_weights_that_change_otherwise(settings):
    with pytest.raises(ValueError, match="LP058"):
        perceptron_settings(vote=True, **settings)


def test_voted_learner_refuses_latent_states():
    with pytest.raises(ValueError, match="LP058"):
        VotedLearner(
            custom_templates(["w[0]"]),
            perceptron_settings(vote=True),
            viterbi(),
            latent=2,
        )


def test_voted_learner_refuses_the_file_of_another_learner():
    plain = learners.make_learner(TEMPLATES)
    with pytest.raises(ValueError, match="LP025"):
        make_learner().from_bytes(plain.to_bytes())


def test_voted_learner_refuses_a_file_with_updates_missing():
    learner = make_learner()
    train(learner, make_batch(1, noise=0.3), passes=1)
    header, arrays = model_file.unpack(learner.to_bytes())
    for name in ("sizes", "values", "cells"):
        bad = model_file.pack(header, {**arrays, name: arrays[name][:-1]})
        with pytest.raises(ValueError, match="LP023"):
            make_learner().from_bytes(bad)


def test_voted_learner_is_what_a_model_with_votes_is_made_of():
    model = build_chain_model(
        custom_templates(["w[0]"]), viterbi(), perceptron_settings(vote=True)
    )
    assert isinstance(get_learner(model), VotedLearner)
