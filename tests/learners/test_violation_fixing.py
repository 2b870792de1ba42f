"""Violation fixing as a learner."""

import pytest
from builders.learners import make_batch, make_learner, train

from spacy_latperc.kernels.chains import PREFIXES
from spacy_latperc.learners.learner_settings import beam
from spacy_latperc.learners.perceptron import perceptron
from spacy_latperc.learners.violation_fixing import violation_fixing


@pytest.mark.parametrize("latent", [1, 2])
@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("method", PREFIXES)
def test_violation_fixing_learns_with_a_beam(method, order, latent):
    batch = make_batch(3)
    settings = violation_fixing(method)
    how = {"search": beam(2), "order": order, "latent": latent}
    learner = make_learner(learner=settings, **how)
    losses = train(learner, batch, passes=20)
    assert losses[-1] < 0.25 * losses[0]


def test_violation_fixing_with_exact_search_is_the_perceptron():
    batch = make_batch(5, noise=0.2)
    found = []
    for settings in (violation_fixing("early"), perceptron()):
        learner = make_learner(learner=settings, order=2)
        train(learner, batch)
        found.append(learner.to_bytes())
    assert found[0] == found[1]


def test_violation_fixing_methods_differ():
    batch = make_batch(5, noise=0.2)
    found = set()
    for method in PREFIXES:
        settings = violation_fixing(method)
        learner = make_learner(learner=settings, search=beam(1), order=2)
        train(learner, batch)
        found.add(learner.to_bytes())
    assert len(found) == len(PREFIXES)
