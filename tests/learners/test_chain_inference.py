"""Questions to a learner beside the best labels."""

import numpy as np
import pytest
from builders.learners import make_batch, make_learner, predict, train


def test_answers_n_best_begins_with_the_prediction():
    learner = make_learner()
    batch = make_batch(1)
    train(learner, batch)
    labels, _, counts = learner.n_best(learner.read(batch), 1)
    assert labels.tolist() == predict(learner, batch)
    assert set(counts.tolist()) == {1}


def test_answers_n_best_of_a_mask_without_paths_is_none():
    learner = make_learner()
    batch = make_batch(1)
    allowed = np.zeros((len(batch.gold), 3), dtype=np.uint8)
    labels, scores, counts = learner.n_best(learner.read(batch.within(allowed)), 5)
    assert (len(labels), len(scores), counts.any()) == (0, 0, False)


def test_answers_n_best_refuses_to_find_none():
    with pytest.raises(ValueError, match="LP086.*k must.*not 0"):
        learner = make_learner()
        learner.n_best(learner.read(make_batch(1)), 0)


def test_answers_without_labels_are_refused():
    with pytest.raises(ValueError, match="LP024"):
        learner = make_learner(labels=())
        learner.n_best(learner.read(make_batch(1)), 1)
