"""Sizes are looked at before memory is asked for."""

import resource
import sys

import numpy as np
import pytest
from builders.chains import make_space
from builders.learners import make_batch, make_learner, train

from spacy_latperc.io.model_file import pack, unpack
from spacy_latperc.kernels.chains import FeatureSpace, Question, Rule, Structure
from spacy_latperc.kernels.checks import MOST_CELLS, MOST_PATHS, MOST_STATES
from spacy_latperc.kernels.text import NgramTable
from spacy_latperc.learners.batch.hmm import hmm
from spacy_latperc.learners.learner_settings import beam

STATE, EDGE, TRI = ([(kind, True, [([0], [])])] for kind in range(3))
TOO_MANY = (2**30, 2**31, 2**32 + 1, 2**62, 2**64, 2**500)


def structure(*, labels=2, latent=1, order=1, blocks=STATE, **settings):
    sizes = {"labels": labels, "latent": latent, "order": order, "blocks": blocks}
    return Structure(make_space(), **sizes, **settings)


@pytest.mark.parametrize("many", [46_341, *TOO_MANY])
def test_sizes_latent_values_and_labels_that_overflow_are_refused(many):
    for blocks in (STATE, EDGE, TRI) if many in TOO_MANY else ():
        with pytest.raises(ValueError, match=r"\[(LP500|LP086)\]"):
            structure(latent=many, blocks=blocks, order=2)
    with pytest.raises(ValueError, match=r"\[(LP500|LP086)\]"):
        structure(labels=many, blocks=EDGE)


def test_sizes_largest_tables_are_taken():
    side = int(MOST_CELLS**0.5)
    assert structure(labels=side, blocks=STATE).labels == side
    with pytest.raises(ValueError, match="LP500"):
        structure(labels=side + 1, blocks=STATE)
    assert structure(labels=MOST_STATES, order=0).labels == MOST_STATES
    with pytest.raises(ValueError, match="LP500"):
        structure(labels=MOST_STATES + 1, order=0)
    # What may begin a sentence makes even an order of 0 a chain to search.
    starts = np.ones(side + 1, dtype=bool)
    with pytest.raises(ValueError, match="LP500"):
        structure(labels=side + 1, order=0, starts=starts)


def test_sizes_odd_settings_of_a_structure_are_refused():
    odd = [{"beam": 2**31}, {"beam": -1}, {"labels": "2"}, {"order": 3}]
    for settings in (*odd, {"latent": 0}, {"latent": True}, {"latent": 1.0}):
        with pytest.raises(ValueError, match="LP086"):
            structure(**settings)


@pytest.mark.parametrize("n", [0, -1, 2**31, 2**500])
def test_sizes_odd_counts_are_refused(n):
    learner, batch = make_learner(), make_batch(4)
    train(learner, batch, passes=1)
    _, _, counts = learner.n_best(learner.read(batch), MOST_PATHS)
    assert (counts >= 1).all()
    frozen, read = learner.freeze(), learner.read(batch)
    asked = Question(learner.space, read.attrs, read.bounds)
    for ask in (frozen.kbest, frozen.decode_sequences):
        with pytest.raises(ValueError, match="LP086"):
            ask(asked, n)
    for make in (Rule.mira, Rule.probabilistic):
        with pytest.raises(ValueError, match="LP086"):
            make(n=n)
    with pytest.raises(ValueError, match="LP086"):
        FeatureSpace([], [], bits=n)
    ids, bounds = np.zeros(1, np.int32), np.array([0, 1])
    with pytest.raises(ValueError, match="LP086"):
        NgramTable.count(ids, bounds, words=4, order=n, least=[1])


def test_sizes_many_labels_are_warned_of_when_training_begins():
    """A step for each pair of labels at each token: cubed, if each has a token."""
    learner = make_learner()
    learner.set_labels([*learner.labels, *map(str, range(5_000))])
    with pytest.warns(UserWarning, match="LP920"):
        learner.start(1)
    few = make_learner(search=beam())
    few.set_labels([*few.labels, *map(str, range(5_000))])
    few.start(1)


def with_labels(labels):
    """A model file that names these labels, and has no weights."""
    header, arrays = unpack(make_learner().to_bytes())
    del header["labels"]
    return pack({**header, "labels": labels}, arrays)


def test_sizes_file_of_too_many_labels_is_refused():
    data = with_labels([f"L{n:05}" for n in range(46_341)])
    learner = make_learner()
    before = learner.to_bytes()
    with pytest.raises(ValueError, match=r"LP023.*LP500"):
        learner.from_bytes(data)
    assert learner.to_bytes() == before


@pytest.mark.skipif(sys.platform != "linux", reason="counts pages as Linux does")
def test_sizes_loading_costs_what_the_file_holds():
    """A row of 5,000 labels squared is 100 MB; zeros that nobody wrote cost nothing."""
    data = with_labels([f"L{n:05}" for n in range(5_000)])
    before = resident()
    learner = make_learner().from_bytes(data)
    assert len(learner.labels) == 5_000
    assert resident() - before < 20 << 20


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def test_sizes_rules_that_leave_no_labels_are_refused_on_load():
    templates = ["bias", "w[0]", "is_space[-1]", "edge:bias"]
    learner = make_learner(learner=hmm(), templates=templates)
    nothing = np.zeros((3, 3), dtype=bool)
    learner.set_labels(learner.labels, transitions=nothing)
    with pytest.raises(ValueError, match=r"LP023.*no labels for 2 tokens"):
        learner.from_bytes(learner.to_bytes())
    learner.set_labels(learner.labels, starts=nothing[0])
    with pytest.raises(ValueError, match=r"LP023.*no labels for 1 tokens"):
        learner.from_bytes(learner.to_bytes())
    batch = make_batch(4)
    learner = make_learner()
    train(learner, batch, passes=1)
    learner.set_labels(learner.labels, ends=np.zeros(3, dtype=bool))
    with pytest.raises(ValueError, match="LP509"):
        learner.predict(batch)
