"""Pooled probabilities against slow twins, and weights that are the best ones."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_latperc.pooling import LEAST, fit_weights, log_table, pool
from spacy_latperc.schemes import LabelInventory, most_voted, shared_meaning
from spacy_latperc.schemes.representations import SCHEMES

TYPES = ["A", "B"]


def slow_best(tables, weights, inventory, n):
    """The best valid sequence of all: tried one by one."""
    best, found = -math.inf, None
    paths = [[]]
    for _ in range(n):
        paths = [
            [*path, label]
            for path in paths
            for label in range(len(inventory))
            if (inventory.starts[label] if not path else True)
            and (not path or inventory.transitions[path[-1], label])
        ]
    for path in paths:
        if inventory.ends[path[-1]]:
            score = 0.0
            for table, weight in zip(tables, weights, strict=True):
                score += weight * sum(table[i, label] for i, label in enumerate(path))
            if score > best + 1e-9:
                best, found = score, path
    return best, found


@given(st.integers(0, 10_000), st.integers(1, 4), st.integers(1, 3))
def test_pooling_finds_the_best_valid_sequence(seed, n, models):
    rng = np.random.default_rng(seed)
    inventory = LabelInventory("O+C", TYPES)
    says = np.eye(len(inventory), dtype=bool)
    tables = [
        log_table(rng.dirichlet(np.full(len(inventory), 0.3), size=n), says)
        for _ in range(models)
    ]
    weights = rng.random(models).tolist()
    joined = pool(tables, weights)
    labels = most_voted(joined, inventory, np.array([0, n]))
    best, _ = slow_best(tables, weights, inventory, n)
    assert joined[np.arange(n), labels].sum() == pytest.approx(best, abs=1e-6)


@pytest.mark.parametrize("scheme", SCHEMES)
@given(seed=st.integers(0, 10_000))
def test_pooling_every_label_means_one_of_its_own(scheme, seed):
    """Whatever chunks a sentence has: the label of each token in a representation may
    stand for its label in O+C."""
    rng = np.random.default_rng(seed)
    own, joint = LabelInventory(scheme, TYPES), LabelInventory("O+C", TYPES)
    says = shared_meaning(own.labels, scheme, joint)
    edges = np.sort(rng.choice(13, size=2 * int(rng.integers(1, 5)), replace=False))
    starts, ends = edges[::2], edges[1::2]
    types = rng.integers(0, 2, size=len(starts))
    bounds = np.array([0, 13])
    mine = own.encode_ids(starts, ends, types, 13, offsets=bounds)
    theirs = joint.encode_ids(starts, ends, types, 13, offsets=bounds)
    assert says[mine, theirs].all()
    assert (says.any(axis=0)).all() and (says.any(axis=1)).all()


@given(st.integers(0, 10_000))
def test_pooling_tables_equal_twin(seed):
    rng = np.random.default_rng(seed)
    own, joint = LabelInventory("IOB2", TYPES), LabelInventory("O+C", TYPES)
    says = shared_meaning(own.labels, "IOB2", joint)
    given_ = rng.dirichlet(np.full(len(own), 0.2), size=3)
    given_[1] = np.nan
    table = log_table(given_, says)
    for token, label in np.ndindex(*table.shape):
        p = sum(given_[token, i] for i in range(len(own)) if says[i, label])
        slow = 0.0 if token == 1 else math.log(min(max(p, LEAST), 1.0))
        assert table[token, label] == pytest.approx(slow, abs=1e-9)


def loss(tables, gold, weights):
    """What fit_weights makes small, token by token."""
    total = sum((w - 1) ** 2 for w in weights) / 2
    for token, label in enumerate(gold):
        if label >= 0:
            scores = [
                sum(w * t[token, y] for w, t in zip(weights, tables, strict=True))
                for y in range(tables[0].shape[1])
            ]
            total += math.log(sum(map(math.exp, scores))) - scores[label]
    return total


@pytest.mark.parametrize("seed", range(5))
def test_pooling_weights_are_the_best_that_there_are(seed):
    rng = np.random.default_rng(seed)
    gold = rng.integers(-1, 3, size=80).astype(np.int32)
    tables = []
    for skill in (0.8, 0.3, -0.5):  # the last one is worse than chance
        p = rng.dirichlet(np.ones(3), size=80)
        p[np.arange(80), gold] += np.where(gold >= 0, max(skill, 0.0), 0.0)
        p[np.arange(80), gold] *= 1.0 if skill > 0 else 0.2
        tables.append(np.log(p / p.sum(axis=1, keepdims=True)))
    found = fit_weights(tables, gold)
    assert found[2] == 0.0 and found[0] > found[1] > 0
    best = loss(tables, gold, found)
    for i in range(3):
        for step in (-0.01, 0.01):
            other = list(found)
            other[i] = max(other[i] + step, 0.0)
            assert loss(tables, gold, other) >= best - 1e-9


def test_pooling_weights_without_gold_are_equal():
    table = np.log(np.full((2, 3), 1 / 3))
    assert fit_weights([table, table], np.full(2, -1, np.int32)) == [1.0, 1.0]
