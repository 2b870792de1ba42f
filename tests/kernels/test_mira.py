"""MIRA against a twin that tries all sets of active margins; what its steps promise.

Each case is one step from random weights: a step that just meets its margins leaves
several paths equally good.
"""

import math

import numpy as np
import pytest
from builders import chains as small
from reference.chain import first_best, gold_mask, path_scores, score
from reference.rules import add_cells, margins, smallest_change
from reference.side_by_side import SHAPES, learn_one, random_corpus, start_chain

from spacy_latperc.kernels.chains import Rule

NEAR = 1e-4


def one_step(shape, seed, n, cap, **how):
    """RETURNS: the margins, weights before and after, and the loss of a step."""
    rng = np.random.default_rng(seed)
    ((sentence, gold),) = random_corpus(rng, 2, sentences=1, **how)
    chain = start_chain(shape, [(sentence, gold)], rng)
    before = small.read_weights(chain)
    found = margins(shape, small.hashes_of(sentence), gold.tolist(), before, n)
    loss, impossible = learn_one(chain, sentence, gold, Rule.mira(n, cap))
    assert impossible == []
    return found, before, small.read_weights(chain), loss


@pytest.mark.parametrize("listed", [False, True])
@pytest.mark.parametrize("cap", [0.02, 0.1, math.inf])
@pytest.mark.parametrize("n", [1, 2, 4])
@pytest.mark.parametrize(("order", "latent", "form"), SHAPES)
def test_mira_equals_twin(order, latent, form, n, cap, listed):
    shape = small.make_shape(form, labels=2, latent=latent, order=order)
    for seed in range(3):
        how = {"unknown": 0.2, "listed": listed}
        found, before, after, loss = one_step(shape, seed, n, cap, **how)
        worst = max((missing for _, missing in found), default=0.0)
        assert loss == pytest.approx(max(worst, 0.0), abs=NEAR)
        change = smallest_change(found, cap) if worst > 0 else {}
        small.assert_same_weights(after, add_cells(shape, before, change), within=NEAR)


@pytest.mark.parametrize("n", [1, 3, 8])
@pytest.mark.parametrize(("order", "latent", "form"), SHAPES)
def test_mira_without_a_cap_meets_every_margin(order, latent, form, n):
    shape = small.make_shape(form, labels=2, latent=latent, order=order)
    for seed in range(4):
        found, before, after, _ = one_step(shape, seed, n, math.inf)
        for d, missing in found:
            if d:
                gained = score(after, d) - score(before, d)
                assert gained >= missing - 1e-3


@pytest.mark.parametrize(("order", "latent", "form"), SHAPES)
def test_mira_with_one_margin_is_passive_aggressive(order, latent, form):
    rng = np.random.default_rng(67)
    shape = small.make_shape(form, labels=2, latent=latent, order=order)
    corpus = random_corpus(rng, 2, sentences=6, unknown=0.2)
    found = []
    for rule in (Rule.mira(1, 0.125), Rule.passive_aggressive(0.125)):
        chain = start_chain(shape, corpus[:1], np.random.default_rng(71))
        for sentence, gold in corpus * 2:
            learn_one(chain, sentence, gold, rule)
        found.append(small.read_weights(chain))
    small.assert_same_weights(*found, within=1e-6)


def test_mira_survives_margins_that_nothing_can_meet():
    # The same observation twice, with two labels: some differences cancel, some oppose.
    shape = small.make_shape("label", labels=3, order=0)
    chain = small.make_chain(shape)
    sentence = np.ones((4, 2), np.uint64)
    for _ in range(20):
        gold = np.array([0, 1, 2, 0], np.int32)
        learn_one(chain, sentence, gold, Rule.mira(6, math.inf))
    weights = small.read_weights(chain)
    assert all(np.isfinite(row).all() for row in weights.values())
    assert max(np.abs(row).max() for row in weights.values()) < 100


@pytest.mark.parametrize(
    "rule", [Rule.mira(4, math.inf), Rule.passive_aggressive(math.inf)]
)
def test_mira_reaches_its_margins_on_separable_data(rule):
    rng = np.random.default_rng(7)
    shape = small.make_shape("label", labels=3)
    sentences = [small.random_sentence(rng, 4, values=9) for _ in range(12)]
    golds = [(x[:, 0] % 3).astype(np.int32) for x in sentences]
    chain = small.make_chain(shape)
    block = small.extract(chain.space, sentences)
    gold = np.concatenate(golds)
    losses = [chain.update([block], gold, rule)[0] for _ in range(60)]
    assert losses[-1] < 1e-2 * losses[0]
    weights = small.nonzero(small.read_weights(chain))
    for sentence, labels in zip(sentences, golds, strict=True):
        mask = gold_mask(shape, labels.tolist())
        best = first_best(path_scores(shape, small.hashes_of(sentence), weights))
        assert (mask[np.arange(4), list(best)] == 1).all()
