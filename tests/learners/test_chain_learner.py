"""A learner from arrays to labels: what it learns, what it keeps, what it refuses."""

import itertools
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from builders.learners import LABELS, make_batch, make_learner, predict, train
from reference.chain import END, START

from spacy_latperc.learners.chain import NO_PATH, UNKNOWN
from spacy_latperc.learners.passive_aggressive import passive_aggressive
from spacy_latperc.learners.perceptron import perceptron

RICH = ("w[0]", "w[-1]|w[0]", "suf1[0]", "t[0]", "bias")
SHAPES = list(itertools.product((1, 2), (0, 1, 2), ("tied", "full")))


@pytest.mark.parametrize("average", ["none", "average", "mavg"])
@pytest.mark.parametrize("make", [perceptron, partial(passive_aggressive, C=1.0)])
@pytest.mark.parametrize(("latent", "order", "form"), SHAPES)
def test_chain_learner_learns_what_can_be_learned(latent, order, form, make, average):
    batch = make_batch(1)
    settings = make(average=average, restart_every=8)
    shape = {"latent": latent, "order": order, "form": form}
    learner = make_learner(RICH, learner=settings, **shape)
    learner.start(len(batch.bounds) - 1)
    losses = train(learner, batch, passes=60)
    assert losses[0] > 0
    assert predict(learner, batch) == batch.gold.tolist()


def test_chain_learner_ignores_tokens_without_a_label():
    batch = make_batch(3)
    some = np.random.default_rng(3).random(len(batch.gold)) < 0.5
    partial = replace(batch, gold=np.where(some, batch.gold, UNKNOWN).astype(np.int32))
    learner = make_learner(RICH)
    train(learner, partial, passes=40)
    found = np.array(predict(learner, partial))
    assert (found[some] == batch.gold[some]).all()


def test_chain_learner_names_the_sentences_that_no_path_fits():
    learner = make_learner(rules={"starts": np.array([False, True, True])})
    batch = make_batch(4)
    begin_with_a = np.flatnonzero(batch.gold[batch.bounds[:-1]] == 0).tolist()
    assert begin_with_a
    _, impossible = learner.update(learner.extract(batch), batch.gold)
    assert impossible == begin_with_a


@pytest.mark.parametrize("latent", [1, 2])
def test_chain_learner_answers_obey_the_rules(latent):
    rules = {
        "transitions": ~np.eye(3, dtype=bool),
        "starts": np.array([False, True, True]),
        "ends": np.array([True, True, False]),
    }
    learner = make_learner(latent=latent, rules=rules)
    train(learner, make_batch(5, noise=0.5), passes=2)
    batch = make_batch(6, docs=60)
    found = np.array(predict(learner, batch))
    bounds = batch.bounds
    for first, end in itertools.pairwise(bounds.tolist()):
        sentence = found[first:end]
        if (sentence == NO_PATH).all():
            assert end - first == 1  # one token: only B may begin and end
            continue
        assert rules["starts"][sentence[0]]
        assert rules["ends"][sentence[-1]]
        assert rules["transitions"][sentence[:-1], sentence[1:]].all()


def test_chain_learner_says_where_a_mask_leaves_no_path():
    learner = make_learner()
    batch = make_batch(8)
    train(learner, batch)
    bounds = batch.bounds
    allowed = np.ones((len(batch.gold), 3), dtype=np.uint8)
    allowed[bounds[2]] = 0
    found = learner.predict(batch.within(allowed))
    dead = found == NO_PATH
    assert np.flatnonzero(dead).tolist() == list(range(bounds[2], bounds[3]))
    assert found[~dead].tolist() == np.array(predict(learner, batch))[~dead].tolist()


@pytest.mark.parametrize("docs", [0, 1, 3])
def test_chain_learner_takes_empty_docs(docs):
    learner = make_learner()
    train(learner, make_batch(9))
    before = learner.examples
    empty = make_batch(9, docs=docs, longest=0)
    assert learner.update(learner.extract(empty), empty.gold) == (0.0, [])
    assert learner.examples == before
    assert predict(learner, empty) == []


def test_chain_learner_leaves_out_rare_features():
    batch = make_batch(11)
    learner = make_learner(["w[-1]|w[0]"], min_count=4, order=0)
    learner.space.clear()
    blocks = learner.extract(batch, count=True)
    ids = np.concatenate([block.to_array() for block in blocks])
    ids, counts = np.unique(ids, return_counts=True)
    learner.start(20, keep_features=True)
    for _ in range(5):
        learner.update(learner.extract(batch), batch.gold)
    keys = set(learner.freeze().export(0)[0].tolist())
    assert {START, END} < keys  # which are never rare
    assert 2 < len(keys) <= 2 + (counts >= 4).sum() < len(ids)


def test_chain_learner_starts_anew():
    assert make_learner(learner=perceptron(epoch_size=7)).epoch_size == 7
    assert make_learner().epoch_size == 20
    batch = make_batch(12)
    learner = make_learner(latent=2)
    train(learner, batch)
    first = learner.to_bytes()
    learner.start(20)
    assert learner.examples == 0
    assert set(predict(learner, batch)) == {0}
    train(learner, batch)
    assert learner.to_bytes() == first


def test_chain_learner_modified_average_restarts_in_the_second_pass():
    # Both settings agree until pass 2, which starts from the average.
    batch = make_batch(13, noise=0.3)
    found = {}
    for average in ("average", "mavg"):
        settings = perceptron(average=average, restart_every=2)
        learner = make_learner(learner=settings)
        learner.start(len(batch.bounds) - 1)
        blocks = learner.extract(batch)
        for number in range(1, 4):
            learner.update(blocks, batch.gold)
            found[average, number] = learner.to_bytes()
    assert found["average", 1] == found["mavg", 1]
    assert found["average", 2] != found["mavg", 2]


@pytest.mark.parametrize(("latent", "order", "form"), SHAPES)
def test_chain_learner_same_seed_same_bytes(latent, order, form):
    batch, settings = make_batch(14, noise=0.2), perceptron()
    shape = {"latent": latent, "order": order, "form": form}
    found = set()
    for _ in range(2):
        learner = make_learner(RICH, learner=settings, **shape, seed=5)
        train(learner, batch, passes=3)
        found.add(learner.to_bytes())
    assert len(found) == 1


def weights_of(learner):
    frozen = learner.freeze()
    blocks = range(len(learner.plan.blocks))
    return [[part.tolist() for part in frozen.export(b)] for b in blocks]


@pytest.mark.parametrize("latent", [1, 2])
def test_chain_learner_seed_is_for_the_order_and_the_initial_noise(latent):
    batch = make_batch(15, noise=0.2)
    found = []
    for seed in (1, 2):
        learner = make_learner(learner=perceptron(), latent=latent, seed=seed)
        train(learner, batch, passes=3)
        found.append(weights_of(learner))
    assert found[0] != found[1]


@pytest.mark.parametrize("average", ["none", "average", "mavg"])
@pytest.mark.parametrize(("latent", "order", "form"), SHAPES)
def test_chain_learner_live_answers_are_those_of_frozen_rows(
    latent, order, form, average
):
    settings = passive_aggressive(C=0.3, average=average, restart_every=2)
    shape = {"latent": latent, "order": order, "form": form}
    learner = make_learner(RICH, learner=settings, **shape)
    batch = make_batch(18, docs=40, noise=0.4)
    blocks = learner.extract(batch)
    for number in range(6):
        learner.update(blocks, batch.gold)
        few = make_batch(100 + number, docs=3)
        allowed = np.random.default_rng(number).random((len(few.gold), 3)) < 0.8
        allowed = allowed.astype(np.uint8)
        live = [learner.predict(few.within(mask)) for mask in (None, allowed)]
        learner.freeze()
        frozen = [learner.predict(few.within(mask)) for mask in (None, allowed)]
        assert [x.tolist() for x in live] == [x.tolist() for x in frozen]


@pytest.mark.parametrize(("latent", "order", "form"), SHAPES)
def test_chain_learner_added_label_keeps_the_old_decisions(latent, order, form):
    batch, other = make_batch(19, noise=0.2), make_batch(20, docs=60)
    learner = make_learner(RICH, latent=latent, order=order, form=form)
    train(learner, batch)
    before = predict(learner, other)
    learner.set_labels([*LABELS, "D"])
    allowed = np.tile([1, 1, 1, 0], (len(other.gold), 1)).astype(np.uint8)
    assert learner.predict(other.within(allowed)).tolist() == before


@pytest.mark.parametrize("latent", [1, 2])
def test_chain_learner_added_label_can_be_learned(latent):
    batch = make_batch(21)
    learner = make_learner(RICH, latent=latent)
    train(learner, batch)
    before, examples = learner.to_bytes(), learner.examples
    assert examples == 5 * (len(batch.bounds) - 1)
    learner.set_labels(LABELS)
    assert learner.to_bytes() == before
    learner.set_labels([*LABELS, "D"])
    assert learner.examples == examples
    learner.space.clear()
    gold = np.where(batch.gold == 1, 3, batch.gold).astype(np.int32)
    train(learner, replace(batch, gold=gold), passes=60)
    assert predict(learner, batch) == gold.tolist()


def test_chain_learner_labels_may_get_other_rules_and_must_be_there():
    batch, learner = make_batch(24), make_learner()
    train(learner, batch)
    before = learner.to_bytes()
    for gold in (3, -2):
        wrong = batch.gold.copy()
        wrong[1] = gold
        with pytest.raises(IndexError):
            learner.update(learner.extract(batch), wrong)
        assert learner.to_bytes() == before
    learner.set_labels(LABELS, starts=np.array([True, False, False]))
    assert set(learner.predict(batch)[batch.bounds[:-1]]) == {0}
