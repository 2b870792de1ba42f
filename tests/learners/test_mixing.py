"""Shards that learn apart, and their weights mixed."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest
from builders.chains import (
    assert_same_weights,
    extract,
    freeze_weights,
    hashes_of,
    make_shape,
    make_space,
    make_structure,
    random_weights,
    read_weights,
)
from builders.learners import make_batch, make_learner, predict
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.chain import Learner, perceptron
from reference.mixing import Mixed
from reference.side_by_side import ROUNDING, SHAPES, random_corpus

from spacy_latperc.kernels.chains import (
    Chain,
    Deltas,
    MixingInPlace,
    Rule,
    meet_shard,
    mixed,
    take_mixed,
)
from spacy_latperc.learners import mixing, threads
from spacy_latperc.learners.arow import arow
from spacy_latperc.learners.crf import crf
from spacy_latperc.learners.mixing import Examples, PassSettings, Shard, Shards
from spacy_latperc.learners.passive_aggressive import passive_aggressive
from spacy_latperc.learners.perceptron import perceptron as perceptron_learner

IN_ORDER = PassSettings(Rule.perceptron, shuffle=False)
STEPS = {
    "plain": {},
    "no average": {"average": False},
    "adagrad": {"step": "adagrad"},
    "penalties": {"l1": 1e-3, "l2": 1e-2},
    "pull": {"pull": 0.1},
}
LEARNERS = {
    "averaged": perceptron_learner,
    "mavg": partial(perceptron_learner, average="mavg", restart_every=2),
    "none": partial(perceptron_learner, average="none"),
    "adagrad": partial(perceptron_learner, step="adagrad", margin=1.0, learn_rate=0.1),
    "pa": partial(passive_aggressive, C=0.1),
    "arow": arow,
    "crf": partial(crf, l2=0.01, learn_rate=0.5),
}


def make_examples(space, corpus, counts):
    """The corpus as it comes in a pass, one Doc for each count of sentences."""
    examples, start = Examples(), 0
    for n in counts:
        part = corpus[start : start + n]
        gold = np.concatenate([np.empty(0, np.int32), *(gold for _, gold in part)])
        examples.add([extract(space, [x for x, _ in part])], gold)
        start += n
    return examples


@pytest.mark.parametrize(
    ("kind", "rounds"), [("examples", 1), ("changes", 1), ("changes", 3)]
)
@pytest.mark.parametrize("restart_every", [0, 2, 3])
@pytest.mark.parametrize("n", [2, 3])
@pytest.mark.parametrize(("order", "latent", "form"), SHAPES)
def test_mixing_equals_its_twin(order, latent, form, n, restart_every, kind, rounds):
    rng = np.random.default_rng(29 + order)
    shape = make_shape(form, labels=2, latent=latent, order=order)
    corpus = random_corpus(rng, 2, sentences=7)
    start = random_weights(
        rng, shape, [x for x, _ in corpus], steps=1 << 16, grain=2**-16, share=1.0
    )
    space = make_space()
    structure = make_structure(space, shape)
    chain = Chain(space, structure)
    chain.load(freeze_weights(structure, start), 0)
    shards = Shards(
        chain,
        lambda: Chain(space, structure),
        n,
        restart_every=restart_every,
        pass_size=len(corpus),
    )
    twin = Mixed(
        {name: row.copy() for name, row in start.items()},
        lambda weights: Learner(shape, perceptron(), weights),
        restart_every=restart_every,
        kind=kind,
    )
    for _ in range(5):
        examples = make_examples(space, corpus, [1] * len(corpus))
        parts = examples.cut(n)
        edges = np.cumsum([0, *(part.sentences for part in parts)])
        slow = [
            [(hashes_of(x), gold.tolist()) for x, gold in corpus[i:j]]
            for i, j in zip(edges[:-1], edges[1:], strict=True)
        ]
        for k, of_round in enumerate(
            zip(*(x.deal(rounds) for x in parts), strict=True)
        ):
            loss = shards.learn_round(of_round, IN_ORDER, kind, begins=not k)
            slow_round = [shard[k::rounds] for shard in slow]
            assert loss == pytest.approx(twin.learn_pass(slow_round, begins=not k))
        assert_same_weights(read_weights(chain), twin.weights, within=ROUNDING)
        averaged = read_weights(chain, average=True)
        assert_same_weights(averaged, twin.average(), within=ROUNDING)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("latent", [1, 2])
def test_one_shard_learns_what_a_chain_learns_alone(step, latent):
    rng = np.random.default_rng(31)
    shape = make_shape("label", labels=3, latent=latent)
    corpus = random_corpus(rng, 3, sentences=12)
    space = make_space()
    structure = make_structure(space, shape)
    noise = {"noise": 0.01, "seed": 3} if latent > 1 else {}
    settings = {"pass_size": len(corpus), **noise, **STEPS[step]}
    start = random_weights(rng, shape, [x for x, _ in corpus], steps=16, grain=2**-9)
    alone, weights = (
        Chain(space, structure, **settings),
        Chain(space, structure, **settings),
    )
    for chain in (alone, weights):
        chain.load(freeze_weights(structure, start), 0)
    shards = Shards(weights, lambda: Chain(space, structure, **settings), 1)
    for _ in range(4):
        examples = make_examples(space, corpus, [5, 0, 7])
        alone.update(
            examples.blocks,
            examples.codes,
            Rule.perceptron(),
            shuffle=False,
        )
        shards.learn_round(examples.cut(1), IN_ORDER)
        assert weights.examples == alone.examples
        assert weights.clock == pytest.approx(alone.clock)
        for average in (False, True):
            assert_same_weights(
                read_weights(weights, average=average),
                read_weights(alone, average=average),
                within=1e-4,
            )


def learn(learner, batch, passes=4):
    blocks = learner.extract(batch)
    losses = []
    ends = np.cumsum([block.n_tokens for block in blocks])[:-1]
    golds = np.split(batch.gold, ends)
    for _ in range(passes):
        for first in range(0, len(blocks), 4):
            gold = np.concatenate(golds[first : first + 4])
            losses.append(learner.update(blocks[first : first + 4], gold)[0])
    return losses


def sharded(make, n, batch, **settings):
    learner = make_learner(learner=make(shards=n), **settings)
    learner.start(len(batch.bounds) - 1)
    return learner


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("latent", [1, 2])
def test_the_number_of_threads_changes_nothing(name, latent, monkeypatch):
    batch = make_batch(17, docs=40, noise=0.2)
    found = []
    for cores in (1, 2, 7):
        monkeypatch.setattr(mixing, "usable_cores", lambda cores=cores: cores)
        learner = sharded(LEARNERS[name], 3, batch, latent=latent)
        losses = learn(learner, batch)
        found.append((losses, learner.to_bytes()))
    assert found == found[:1] * 3


@pytest.mark.parametrize("name", LEARNERS)
def test_shards_learn_the_task(name):
    batch = make_batch(18, docs=120)
    learner = sharded(LEARNERS[name], 4, batch)
    learn(learner, batch, passes=12)
    right = np.array(predict(learner, batch)) == batch.gold
    assert right.mean() > 0.9
    assert learner.examples == 12 * (len(batch.bounds) - 1)


def test_weights_change_when_the_pass_is_complete():
    batch = make_batch(19, docs=20)
    learner = sharded(perceptron_learner, 2, batch)
    before = learner.to_bytes()
    losses = learn(learner, batch, passes=1)
    assert [loss > 0 for loss in losses] == [False] * 4 + [True]
    assert learner.to_bytes() != before


def test_one_shard_is_plain_training_byte_by_byte():
    batch = make_batch(20, docs=40, noise=0.2)
    found = []
    for shards in ({}, {"shards": 1}):
        learner = make_learner(learner=perceptron_learner(**shards))
        learner.start(len(batch.bounds) - 1)
        learn(learner, batch)
        found.append(learner.to_bytes())
    assert found[0] == found[1]


def test_learning_goes_on_after_an_error_as_if_nothing_was(monkeypatch):
    batch = make_batch(21, docs=40, noise=0.2)
    plain, other = (sharded(perceptron_learner, 3, batch) for _ in range(2))
    learn(plain, batch, passes=2)
    learn(other, batch, passes=1)

    def fails(*_):
        raise KeyboardInterrupt

    blocks, before = other.extract(batch), other.to_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(mixing, "mix", fails)
        with pytest.raises(KeyboardInterrupt):
            other.update(blocks, batch.gold)
    assert other.to_bytes() == before
    learn(other, batch, passes=1)
    assert other.to_bytes() == plain.to_bytes()


@dataclass
class Apart:
    """Shards as on a cluster: what they change is sent, mixed elsewhere and taken."""

    weights: Chain
    shards: list[Shard]

    def mix(self, *, by_changes):
        met = [meet_shard(self.weights, shard.chain) for shard in self.shards]
        sent = [
            shard.deltas(self.weights).arrays(self.weights) for shard in self.shards
        ]
        deltas = [Deltas.from_arrays(self.weights, arrays) for arrays in sent]
        values = mixed(self.weights, deltas, by_changes=by_changes)
        for chain in (self.weights, *(shard.chain for shard in self.shards)):
            for taken in (*met, values):
                take_mixed(chain, taken)


def states(chain):
    """All that a chain knows, as bytes."""
    blocks = range(len(chain.structure.blocks))
    found = [chain.examples, chain.clock]
    for keys, *arrays, planes in map(chain.state, blocks):
        found += [keys.tobytes(), *(x.tobytes() for x in arrays)]
        found += [(name, x.tobytes()) for name, x in sorted(planes.items())]
    return found


SETTINGS = st.fixed_dictionaries(
    {
        "seed": st.integers(0, 1000),
        "shape": st.sampled_from(SHAPES),
        "labels": st.sampled_from([1, 3, 5, 13, 70]),
        "step": st.sampled_from(sorted(STEPS)),
        "rule": st.sampled_from([Rule.perceptron, Rule.crf]),
        "by_changes": st.booleans(),
        "shards": st.integers(1, 4),
        "threads": st.integers(1, 5),
    }
)


@given(SETTINGS)
@settings(max_examples=60, deadline=None)
def test_mixing_in_place_is_mixing_what_was_sent(how):
    """Bit by bit, the order of rows too."""
    rng = np.random.default_rng(how["seed"])
    order, latent, form = how["shape"]
    labels = min(how["labels"], (70, 13, 5)[order])
    shape = make_shape(form, labels=labels, latent=latent, order=order)
    space = make_space()
    structure = make_structure(space, shape)
    noise = {"noise": 0.01, "seed": 3} if latent > 1 else {}
    learning = {"pass_size": 12, **noise, **STEPS[how["step"]]}

    def chain():
        return Chain(space, structure, **learning)

    here, there = chain(), chain()
    local = [Shard(chain(), here) for _ in range(how["shards"])]
    in_place = MixingInPlace(here, [shard.chain for shard in local])
    apart = Apart(there, [Shard(chain(), there) for _ in local])
    settings = PassSettings(how["rule"])
    for turn in range(3):
        corpus = random_corpus(rng, labels, sentences=12, values=2 + 3 * turn)
        examples = make_examples(space, corpus, [1] * len(corpus))
        for shards in (local, apart.shards):
            for s, part in enumerate(examples.cut(len(local))):
                shards[s].learn(part, settings, turn + s)
        in_place.mix(turn, by_changes=how["by_changes"], threads=how["threads"])
        apart.mix(by_changes=how["by_changes"])
        assert here.random_state == turn
        expected = states(there)
        assert states(here) == expected
        for average in (False, True):
            every = [read_weights(x.chain, average=average) for x in local]
            for found in every:
                assert_same_weights(
                    found, read_weights(here, average=average), within=0.0
                )


def test_deltas_travel_as_arrays():
    """A shard elsewhere has features of its own, by other numbers."""
    rng = np.random.default_rng(37)
    shape = make_shape("label", labels=3)
    corpus = random_corpus(rng, 3, sentences=12)
    parts = (corpus[:5], corpus[5:])
    settings = {"step": "adagrad"}

    def chains(n):
        space = make_space()
        structure = make_structure(space, shape)
        return [Chain(space, structure, **settings) for _ in range(n)]

    here, *twins = chains(3)
    local = [Shard(chain, here) for chain in twins]
    in_place = MixingInPlace(here, twins)
    (there,) = chains(1)
    places = [chains(2) for _ in parts]
    remote = [Shard(shard, weights) for weights, shard in places]
    for turn in range(3):
        for shard, part in zip(local, parts, strict=True):
            shard.learn(make_examples(here.space, part, [len(part)]), IN_ORDER, turn)
        in_place.mix(0, by_changes=turn == 1, threads=turn + 1)
        sent = []
        for shard, (weights, _), part in zip(remote, places, parts, strict=True):
            examples = make_examples(weights.space, part, [len(part)])
            shard.learn(examples, IN_ORDER, turn)
            meet_shard(weights, shard.chain)
            sent.append(shard.deltas(weights).arrays(weights))
        deltas = [Deltas.from_arrays(there, arrays) for arrays in sent]
        values = mixed(there, deltas, by_changes=turn == 1).arrays(there)
        for chain in (there, *(chain for place in places for chain in place)):
            take_mixed(chain, Deltas.from_arrays(chain, values))
        for average in (False, True):
            expected = read_weights(here, average=average)
            assert expected
            for chain in (there, *(weights for weights, _ in places)):
                found = read_weights(chain, average=average)
                assert_same_weights(found, expected, within=0.0)


@pytest.mark.parametrize("name", ["keys", "cells", "w", "a"])
def test_damaged_arrays_are_refused(name):
    shape = make_shape("label", labels=3)
    space = make_space()
    structure = make_structure(space, shape)
    weights, chain = (Chain(space, structure) for _ in range(2))
    corpus = random_corpus(np.random.default_rng(41), 3, sentences=5)
    shard = Shard(chain, weights)
    shard.learn(make_examples(space, corpus, [5]), IN_ORDER, 0)
    meet_shard(weights, chain)
    arrays = shard.deltas(weights).arrays(weights)
    for damaged in (arrays[f"0.{name}"][:-1], arrays[f"0.{name}"] + 2**30):
        if name in ("keys", "w", "a") and len(damaged) == len(arrays[f"0.{name}"]):
            continue
        with pytest.raises(ValueError):
            Deltas.from_arrays(weights, {**arrays, f"0.{name}": damaged})


def test_parts_hold_all_examples_in_order():
    rng = np.random.default_rng(43)
    space = make_space()
    corpus = random_corpus(rng, 2, sentences=9, longest=6)
    examples = make_examples(space, corpus, [1, 0, 3, 2, 1, 2])
    for n in range(1, 12):
        parts = examples.cut(n)
        assert len(parts) == n
        assert [b for part in parts for b in part.blocks] == examples.blocks
        assert sum(part.sentences for part in parts) == 9


def test_shards_make_a_vote_impossible():
    with pytest.raises(ValueError, match="shards = 2"):
        perceptron_learner(vote=True, shards=2)


def test_work_is_dealt_to_so_many_threads():
    jobs = [partial(int, number) for number in range(7)]
    for n in (1, 2, 3, 20):
        assert threads.together(jobs, n) == list(range(7))
