"""Learn rates from numbers, functions and generators."""

import copy
import itertools
import math
import pickle

import pytest
from builders.learners import make_batch, make_learner, train

from spacy_latperc.learners.perceptron import perceptron
from spacy_latperc.learners.schedules import DrawnSchedule, as_learn_rate


def halves():
    return (0.5**n for n in itertools.count())


def test_schedules_give_the_value_of_an_example():
    assert as_learn_rate(1) == 1.0
    assert as_learn_rate(math.exp) is math.exp
    rate = as_learn_rate(halves())
    assert [rate(n) for n in (0, 3, 1, 3, 5)] == [1.0, 0.125, 0.5, 0.125, 2**-5]
    rate = as_learn_rate(iter([1.0, 0.5]))
    assert [rate(n) for n in range(4)] == [1.0, 0.5, 0.5, 0.5]


@pytest.mark.parametrize(
    "make_copy", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_schedules_copy_keeps_what_was_drawn(make_copy):
    rate = DrawnSchedule(halves())
    rate(3)
    clone = make_copy(rate)
    assert [clone(n) for n in range(6)] == [1.0, 0.5, 0.25, 0.125, 0.125, 0.125]
    assert rate(5) == 2**-5


def test_schedules_refuse_what_is_none():
    for rate in ("fast", None, [1.0], {}):
        with pytest.raises(ValueError, match=r"\[LP028\]"):
            perceptron(learn_rate=rate)
    with pytest.raises(ValueError, match=r"\[LP028\].*empty"):
        perceptron(learn_rate=iter(()))


def test_schedules_steps_of_a_learner_follow_the_generator():
    batch = make_batch(1, noise=0.2)
    found = []
    for rate in (halves(), lambda examples: 0.5**examples):
        learner = make_learner(learner=perceptron(learn_rate=rate))
        train(learner, batch, passes=3)
        found.append(learner.to_bytes())
    assert found[0] == found[1]
    learner = make_learner(learner=perceptron(learn_rate=halves()))
    train(learner, batch, passes=1)
    assert pickle.loads(pickle.dumps(learner)).to_bytes() == learner.to_bytes()
