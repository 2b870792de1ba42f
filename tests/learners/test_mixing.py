"""Mixed weights of shards are the means that a slow twin computes."""

from functools import partial

import numpy as np
import pytest
from builders.learners import make_batch, make_learner
from reference.mixing import mixed_average, mixed_weights

from spacy_latperc.learners.crf import crf
from spacy_latperc.learners.mixing import mix_states
from spacy_latperc.learners.passive_aggressive import passive_aggressive
from spacy_latperc.learners.perceptron import perceptron

LEARNERS = {
    "averaged": perceptron,
    "mavg": partial(perceptron, average="mavg", restart_every=2),
    "none": partial(perceptron, average="none"),
    "adagrad": partial(perceptron, step="adagrad", margin=1.0, learn_rate=0.1),
    "pa": partial(passive_aggressive, C=0.1),
    "crf": partial(crf, l2=0.01, learn_rate=0.5),
}


def started(name, **settings):
    """A learner, and the features and labels of its sentences."""
    batch = make_batch(23, docs=24, noise=0.2)
    learner = make_learner(learner=LEARNERS[name](), **settings)
    learner.start(len(batch.bounds) - 1)
    blocks = learner.extract(batch)
    ends = np.cumsum([block.n_tokens for block in blocks])
    return learner, list(zip(blocks, np.split(batch.gold, ends[:-1]), strict=True))


def learn(learner, state, examples):
    """Learn from the examples of a shard."""
    learner.restore_training_state(*state)
    if examples:
        blocks, golds = zip(*examples, strict=True)
        learner.update(list(blocks), np.concatenate(golds))
    return learner.training_state()


def epoch(learner, state, parts):
    """The states of shards that learn these parts, and the mixed state."""
    ends = [learn(learner, state, part) for part in parts]
    return ends, mix_states(state, ends)


def planes(learner, state):
    """Weights and averages of all blocks."""
    learner.restore_training_state(*state)
    return [
        {(b, key): row for b in blocks for key, row in chain.weights(b, **how).items()}
        for chain in [learner._chain]
        for blocks in [range(len(learner.plan.blocks))]
        for how in ({}, {"average": True})
    ]


@pytest.mark.parametrize("latent", [1, 2])
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("name", LEARNERS)
def test_mixed_weights_are_the_means_of_the_shards(name, k, latent):
    learner, examples = started(name, latent=latent)
    state = learner.training_state()
    for _ in range(3):
        parts = [examples[:4], *(examples[4 + s :: k - 1] for s in range(k - 1))]
        ends, mixed = epoch(learner, state, parts)
        seen = [header["examples"] - state[0]["examples"] for header, _ in ends]
        assert sum(seen) == mixed[0]["examples"] - state[0]["examples"]
        before, after = planes(learner, state), planes(learner, mixed)
        shards = [planes(learner, end) for end in ends]
        for key, row in after[0].items():
            found = [x[0].get(key, 0 * row) for x in shards]
            assert row == pytest.approx(mixed_weights(found, seen), abs=1e-5)
        for key, row in after[1].items():
            found = [x[1].get(key, 0 * row) for x in shards]
            mean = mixed_weights(found, seen)
            if state[0]["planes"][1]:  # it averages
                start = before[1].get(key, 0 * row)
                mean = mixed_average(start, found, state[0]["examples"], seen)
            assert row == pytest.approx(mean, abs=1e-4)
        state = mixed


@pytest.mark.parametrize("name", LEARNERS)
def test_a_single_shard_is_not_changed(name):
    learner, examples = started(name)
    state = learner.training_state()
    for _ in range(3):
        (end,), mixed = epoch(learner, state, [examples])
        alone, together = planes(learner, end), planes(learner, mixed)
        for one, other in zip(alone, together, strict=True):
            assert one.keys() == other.keys()
            assert all((row == other[key]).all() for key, row in one.items())
        state = mixed


def test_an_empty_shard_counts_for_nothing():
    learner, examples = started("pa")
    state = learner.training_state()
    for _ in range(2):
        (one, _), mixed = epoch(learner, state, [examples, []])
        both = (planes(learner, x) for x in (mixed, one))
        for plane, wanted in zip(*both, strict=True):
            for key, row in wanted.items():
                assert plane[key] == pytest.approx(row, abs=1e-6)
        state = mixed
    assert mix_states(state, [state, state]) is state


def test_mixing_goes_on_where_it_was_saved():
    learner, examples = started("adagrad")
    state = learner.training_state()
    _, state = epoch(learner, state, [examples[::2], examples[1::2]])
    learner.restore_training_state(*state)
    again = learner.training_state()
    assert again[0] == state[0]
    for name, array in state[1].items():
        assert np.array_equal(again[1][name], array), name
    other, _ = started("none")
    with pytest.raises(ValueError, match="another way"):
        other.restore_training_state(*learner.training_state())
