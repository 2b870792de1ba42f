"""Scores from outside, as learners take them: in answers and in training."""

import numpy as np
import pytest
from builders.learners import LABELS, make_batch, make_learner, train
from builders.registered_learners import LEARNERS, task

from spacy_latperc.learners.crf import crf
from spacy_latperc.learners.perceptron import perceptron

CHAINS = [learner for learner in LEARNERS if learner.is_chain]
SLOPED = {"CRF.v1", "Perceptron.v1", "ProbabilisticPerceptron.v1"}


def wishes(batch, label):
    """Scores that leave no doubt."""
    scores = np.zeros((len(batch.gold), len(LABELS)), dtype=np.float32)
    scores[:, label] = 1e4
    return scores


@pytest.mark.parametrize("latent", [1, 2])
def test_every_answer_starts_from_given_scores(latent):
    batch = make_batch(1)
    learner = make_learner(latent=latent)
    train(learner, batch)
    prepared = learner.read(batch)
    by_label = wishes(batch, 2)
    for given in (by_label, np.repeat(by_label, latent, axis=1)):
        asked = prepared.starting_from(given)
        assert (learner.best(asked) == 2).all()
        assert (learner.marginals(asked)[0][:, 2] > 0.99).all()
        assert (learner.max_marginals(asked).argmax(axis=1) == 2).all()
        labels, _, counts = learner.n_best(asked, 1)
        assert (counts == 1).all() and (labels == 2).all()
        certain = learner.log_scores(asked, np.full(len(batch.gold), 2))
        assert certain == pytest.approx(0, abs=1e-3)
    assert not (learner.best(prepared) == 2).all()


def test_live_weights_start_from_given_scores_too():
    batch = make_batch(1)
    learner = make_learner()
    train(learner, batch, passes=1)
    learner._live_tokens = -(10**6)  # as soon after an update: nothing is frozen
    asked = learner.read(batch).starting_from(wishes(batch, 1))
    assert (learner.best(asked) == 1).all()
    assert learner._frozen is None


@pytest.mark.parametrize("chain", CHAINS, ids=str)
def test_learners_say_whether_they_have_a_slope(chain):
    learner = chain.make()
    batch, classes = task(1)
    learner.start(len(classes))
    blocks = learner.extract(batch)
    gold = batch.gold
    given = np.zeros((len(gold), len(LABELS)), dtype=np.float32)
    slope = np.full_like(given, np.nan)
    if chain.name in ("CRFBatch.v1", "HMM.v1"):
        with pytest.raises(ValueError, match="LP643"):
            learner.update(blocks, gold, external_scores=given)
    elif chain.members:
        with pytest.raises(ValueError, match="LP453.*slope"):
            learner.update(blocks, gold, slope=slope)
        learner.update(blocks, gold, external_scores=given)
    elif chain.name in SLOPED:
        learner.update(blocks, gold, external_scores=given, slope=slope)
        assert np.isfinite(slope).all() and slope.any()
        np.testing.assert_allclose(slope.sum(axis=1), 0, atol=1e-4)
    else:
        with pytest.raises(ValueError, match="LP642"):
            learner.update(blocks, gold, external_scores=given, slope=slope)
        learner.update(blocks, gold, external_scores=given)


def test_what_is_given_need_not_be_learned():
    batch = make_batch(1)
    given = np.eye(len(LABELS), dtype=np.float32)[batch.gold] * 10
    learner = make_learner(learner=perceptron())
    loss, _ = learner.update(learner.extract(batch), batch.gold, external_scores=given)
    assert loss == 0
    assert not any(learner.freeze().n_rows)


def test_a_table_beneath_the_chain_learns_from_the_slope():
    """One score for each word, moved down the slope: what a network would do."""
    batch = make_batch(3)
    _, words = np.unique(batch.values[:, 0], return_inverse=True)
    table = np.zeros((words.max() + 1, len(LABELS)), dtype=np.float32)
    learner = make_learner(["bias"], learner=crf(l2=0.0))
    blocks = learner.extract(batch)
    slope = np.empty((len(words), len(LABELS)), dtype=np.float32)
    losses = []
    for _ in range(30):
        given = {"external_scores": table[words], "slope": slope}
        loss, _ = learner.update(blocks, batch.gold, **given)
        np.subtract.at(table, words, 0.1 * slope)
        losses.append(loss)
    alone = make_learner(["bias"], learner=crf(l2=0.0))
    without = train(alone, batch, passes=30)
    assert losses[-1] < 0.75 * without[-1]
