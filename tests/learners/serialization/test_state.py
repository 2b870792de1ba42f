"""Learners with their state continue after loading as if they had never been saved."""

import dataclasses
import math
from dataclasses import replace

import numpy as np
import pytest
from builders.learners import make_batch, make_learner, predict, train

from spacy_latperc.io import model_file
from spacy_latperc.learners.learner_settings import InverseDecay
from spacy_latperc.learners.passive_aggressive import passive_aggressive
from spacy_latperc.learners.perceptron import perceptron

BATCH = make_batch(1, docs=12, noise=0.2)
OTHER = make_batch(2, docs=60)
LEARNERS = {
    "averaged": perceptron(margin=1.0),
    "not averaged": perceptron(average="none"),
    "mavg": passive_aggressive(C=0.1, average="mavg", restart_every=3),
    "adagrad": perceptron(step="adagrad", learn_rate=0.1, margin=1.0),
    "a schedule": perceptron(learn_rate=InverseDecay(1.0)),
    "L2": dataclasses.replace(perceptron(), l2=0.5),
    "L1": dataclasses.replace(perceptron(step="adagrad", learn_rate=0.1), l1=0.05),
}
SHAPES = [(1, 1, "tied", 1), (1, 2, "tied", 3), (2, 1, "tied", 1), (3, 0, "full", 1)]


def make(name, *, keep_state=True, **shape):
    templates = ("w[0]", "w[-1]|w[0]", "suf1[0]", "t[0]")
    learner = make_learner(templates, learner=LEARNERS[name], **shape)
    learner.keep_state = keep_state
    return learner


def counted(learner):
    """Features are counted, as initialisation does with a cut-off."""
    learner.extract(BATCH, count=True)
    learner.start(20, keep_features=True)
    return learner


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("shape", SHAPES)
def test_state_learning_goes_on_exactly(name, shape):
    shape = dict(zip(("latent", "order", "form", "min_count"), shape, strict=True))
    whole, half = counted(make(name, **shape)), counted(make(name, **shape))
    train(whole, BATCH, passes=4)
    train(half, BATCH, passes=2)
    loaded = make(name, **shape).from_bytes(half.to_bytes())
    assert predict(loaded, OTHER) == predict(half, OTHER)
    train(loaded, BATCH, passes=2)
    assert loaded.examples == whole.examples
    assert loaded.to_bytes() == whole.to_bytes()


@pytest.mark.parametrize("name", LEARNERS)
def test_state_looking_at_a_learner_does_not_change_it(name):
    watched, alone = make(name, latent=2), make(name, latent=2)
    for _ in range(4):
        train(watched, BATCH, passes=1)
        for docs in (2, 200):
            predict(watched, make_batch(17, docs=docs))
        watched.to_bytes()
        train(alone, BATCH, passes=1)
    assert watched.to_bytes() == alone.to_bytes()


def test_state_counts_what_was_learned_before_loading():
    first = make("averaged", keep_state=False)
    train(first, BATCH, passes=2)
    second = make("averaged").from_bytes(first.to_bytes())
    train(second, BATCH, passes=1)
    third = make("averaged").from_bytes(second.to_bytes())
    assert 2 * third.examples == 3 * first.examples
    for learner in (second, third):
        train(learner, BATCH, passes=1)
    assert third.to_bytes() == second.to_bytes()


def test_state_without_it_the_average_begins_anew():
    """Else the next ten examples would not be felt after a long training."""
    batch = make_batch(1, docs=12)
    learner = make_learner(learner=passive_aggressive(C=1.0))
    train(learner, batch, passes=40)
    loaded = make_learner(learner=passive_aggressive(C=1.0))
    loaded.from_bytes(learner.to_bytes())
    turned = replace(batch, gold=(batch.gold + 1) % 3)
    train(loaded, turned, passes=4)
    assert (np.array(predict(loaded, turned)) == turned.gold).mean() > 0.7


def test_state_is_only_kept_and_read_when_asked_for():
    kept, plain = make("averaged"), make("averaged", keep_state=False)
    for learner in (kept, plain):
        train(learner, BATCH, passes=2)
    header, arrays = model_file.unpack(plain.to_bytes())
    assert "state" not in header
    assert not [name for name in arrays if "state" in name]
    assert len(kept.to_bytes()) > len(plain.to_bytes())
    plain = make("averaged", keep_state=False).from_bytes(kept.to_bytes())
    assert predict(plain, OTHER) == predict(kept, OTHER)
    assert "state" not in model_file.unpack(plain.to_bytes())[0]
    short = kept.to_bytes(bits=16)
    assert "state" not in model_file.unpack(short)[0]
    assert make("averaged").from_bytes(short).to_bytes() == short


@pytest.mark.parametrize("name", ["not averaged", "adagrad"])
def test_state_of_other_steps_gives_way_to_the_average(name):
    learner = make("averaged")
    train(learner, BATCH, passes=2)
    loaded = make(name).from_bytes(learner.to_bytes())
    assert predict(loaded, OTHER) == predict(learner, OTHER)
    train(loaded, BATCH, passes=1)


def without(name):
    return lambda header, arrays: arrays.pop(name)


def replaced(name, change):
    def apply(header, arrays):
        if name in header["state"]:
            header["state"][name] = change
        else:
            arrays[name] = change(arrays[name])

    return apply


CHANGES = {
    "no cells": without("0.state.cells"),
    "no stamps, where rows shrink": lambda h, a: a.update(
        {"0.state.stamps": a["0.state.stamps"][:-1]}
    ),
    "a row that shrank later than now": replaced("0.state.stamps", lambda x: x + 1e6),
    "a row that shrank at no time": replaced("0.state.stamps", lambda x: x * math.nan),
    "a clock that is no number": replaced("clock", "noon"),
    "a clock that is not finite": replaced("clock", math.inf),
    "a clock that went backwards": replaced("clock", -1.0),
    "examples below zero": replaced("examples", -1),
    "more examples than in all": replaced("examples", 10**6),
    "a feature twice": replaced("0.state.keys", lambda x: np.full_like(x, 7)),
    "keys of another type": replaced("0.state.keys", lambda x: x.astype(np.float32)),
    "cells outside the rows": replaced("0.state.cells", lambda x: x + np.uint8(99)),
    "sizes that do not fit": replaced("0.state.sizes", lambda x: x + np.uint8(1)),
    "sizes below zero": replaced("0.state.sizes", lambda x: x.astype(np.int16) - 9),
    "a weight that is not a number": replaced("0.state.w", lambda x: x * math.nan),
    "an accumulator that is too short": replaced("0.state.a", lambda x: x[:-1]),
    "an infinite accumulator": replaced("0.state.a", lambda x: x * math.inf),
    "weights of another type": replaced("1.state.w", lambda x: x.astype(np.float64)),
    "a state that is none": lambda h, a: h.update(state=3),
    "a state without planes": lambda h, a: h["state"].pop("planes"),
    "counts below zero": replaced("state.counts", lambda x: x - 99),
    "fewer counts than features": replaced("state.counts", lambda x: x[:-1]),
}


@pytest.mark.parametrize("what", CHANGES)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_state_refuses_bad_contents(what):
    learner = counted(make("L2", min_count=2))
    train(learner, BATCH, passes=2)
    before = learner.to_bytes()
    header, arrays = model_file.unpack(before)
    CHANGES[what](header, arrays)
    with pytest.raises(ValueError, match=r"\[LP023\]"):
        learner.from_bytes(model_file.pack(header, arrays))
    assert learner.to_bytes() == before
    train(learner, BATCH, passes=1)
