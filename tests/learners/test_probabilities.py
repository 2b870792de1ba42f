"""Probabilities of a learner, and predictions by the rule that the search names."""

import math

import numpy as np
import pytest
from builders.learners import LABELS, make_batch, make_learner, train

from spacy_latperc.kernels.chains import Question
from spacy_latperc.learners.learner_settings import viterbi


def asked(latent=2, **settings):
    """A learner while it learns, and a batch of another seed."""
    learner = make_learner(latent=latent, **settings)
    train(learner, make_batch(1, noise=0.3), passes=2)
    return learner, make_batch(2, docs=5)


def test_probabilities_marginals_sum_to_one_while_learning_goes_on():
    """And a higher temperature makes them less sure."""
    learner, batch = asked()
    table, log_z = learner.marginals(learner.read(batch))
    assert table.shape == (len(batch.gold), len(LABELS))
    assert len(log_z) == len(batch.bounds) - 1
    np.testing.assert_allclose(table.sum(axis=1), 1.0, atol=1e-5)
    less, _ = learner.marginals(learner.read(batch), temperature=5.0)
    assert less.max(axis=1).mean() < table.max(axis=1).mean()
    for temperature in (0.0, -1.0, math.inf, math.nan):
        with pytest.raises(ValueError, match="LP015"):
            learner.marginals(learner.read(batch), temperature=temperature)


def test_probabilities_log_scores_take_label_sets_and_unknown_labels():
    learner, batch = asked()
    table, _ = learner.marginals(learner.read(batch))
    gold = np.full(len(batch.gold), -1, dtype=np.int32)
    some = learner.label_set(np.array([True, False, True]))
    for i in (0, 3):
        codes = gold.copy()
        codes[i] = some
        found = np.exp(learner.log_scores(learner.read(batch), codes))
        assert found.min() == pytest.approx(table[i, [0, 2]].sum(), abs=1e-5)


def test_probabilities_max_marginals_are_largest_along_the_predicted_path():
    learner, batch = asked()
    learner.freeze()
    best = learner.max_marginals(learner.read(batch))
    assert best.argmax(axis=1).tolist() == learner.predict(batch).tolist()


def test_probabilities_where_a_mask_leaves_no_path_are_not_numbers():
    learner, batch = asked()
    allowed = np.ones((len(batch.gold), len(LABELS)), dtype=np.uint8)
    allowed[0] = 0
    table, log_z = learner.marginals(learner.read(batch.within(allowed)))
    n = batch.bounds[1]
    assert np.isnan(table[:n]).all()
    assert not np.isnan(table[n:]).any()
    assert log_z[0] == -math.inf
    scores = learner.log_scores(learner.read(batch.within(allowed)), batch.gold)
    assert np.isnan(scores[0])
    assert not np.isnan(scores[1:]).any()


@pytest.mark.parametrize("latent", [1, 3])
@pytest.mark.parametrize("decode", ["label_marginal", "label_sequence"])
def test_decoding_follows_the_rule_of_the_search(decode, latent):
    learner, batch = asked(latent=latent)
    learner.search = viterbi(decode=decode, n=5)
    found = learner.predict(batch).tolist()
    frozen, read = learner.freeze(), learner.read(batch)
    question = Question(learner.space, read.attrs, read.bounds)
    if decode == "label_marginal":
        expected = frozen.decode_marginals(question)
    elif latent == 1:
        expected = frozen.decode(question)
    else:
        expected = frozen.decode_sequences(question, 5)
    assert found == expected.tolist()


def test_decoding_by_label_marginals_never_break_the_rules():
    apart = ~np.eye(3, dtype=bool)
    learner, batch = asked(rules={"transitions": apart})
    learner.search = viterbi(decode="label_marginal")
    labels = learner.predict(batch)
    bounds = batch.bounds
    inside = np.ones(len(labels), dtype=bool)
    inside[bounds[:-1]] = False
    assert (labels[1:] != labels[:-1])[inside[1:]].all()
