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
    allowed = np.zeros((len(batch.gold), 3), dtype=np.uint8)
    labels, scores, counts = learner.n_best(learner.read(batch.within(allowed)), 5)
    assert (len(labels), len(scores), counts.any()) == (0, 0, False)
    with pytest.raises(ValueError, match="LP086.*k must.*not 0"):
        learner.n_best(learner.read(batch), 0)
