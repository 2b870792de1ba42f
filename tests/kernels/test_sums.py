"""Forward-backward against all paths where the numbers are extreme or the labels many.

Emissions are given; transitions are the weights of a feature that every token has.
`test_answers.py` has ordinary scores, masks, latent states and temperatures.
"""

import numpy as np
import pytest
from builders import chains as small
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.chain import Shape
from reference.sums import Lattice, log_sum, marginal, probabilities

from spacy_latperc.kernels.chains import Question


def summed(lattice):
    """RETURNS: log Z, and the marginals of the labels."""
    n, labels = lattice.e.shape
    tables = [x for x in (lattice.pairs, lattice.triples) if x is not None]
    blocks = [(0, False, [small.FIRST])]
    blocks += [(table.ndim - 1, False, [small.BIAS]) for table in tables]
    order = max(table.ndim - 1 for table in tables)
    shape = Shape(labels, 1, order, blocks, lattice.transitions)
    sentence = small.random_sentence(np.random.default_rng(0), n)
    keys = [row[small.BIAS] for row in small.hashes_of(sentence)]
    weights = {(b + 1, keys[0]): table for b, table in enumerate(tables)}
    space = small.make_space()
    frozen = small.freeze_weights(small.make_structure(space, shape), weights)
    attrs, bounds = small.in_a_row([sentence])
    asked = Question(space, attrs, bounds, None, lattice.e.astype(np.float32))
    table, log_z = frozen.marginals(asked)
    return log_z[0], table


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("size", [2.0, 30.0, 1000.0, 1e5])
@settings(max_examples=8)
@given(seed=st.integers(0, 2**32))
def test_sums_of_huge_scores_are_those_over_all_paths(order, size, seed):
    # Dyadic scores, so that float holds them exactly.
    rng = np.random.default_rng(seed)
    labels, n = int(rng.integers(1, 4)), int(rng.integers(1, 5))
    shapes = [(n, labels), (labels,) * 2, (labels,) * 3][: order + 1]
    parts = [np.round(rng.normal(size=shape) * size * 8) / 8 for shape in shapes]
    lattice = Lattice(*parts)
    log_z, table = summed(lattice)
    scores = lattice.scores()
    assert log_z == pytest.approx(log_sum(scores.reshape(-1)), rel=1e-5, abs=1e-5)
    p = probabilities(scores)
    for i, row in enumerate(table):
        np.testing.assert_allclose(row, marginal(p, i), atol=1e-4)


@pytest.mark.parametrize("order", [1, 2])
def test_sums_of_a_path_that_both_ends_speak_against_are_right(order):
    # No single score is beyond the range, but the path falls out of it step by step at
    # both ends, and wins by what lies between: neither direction alone sees it.
    e = np.zeros((40, 2))
    e[:4, 1] = e[-4:, 1] = -30.0
    pairs = np.array([[-20.0, 0.0], [0.0, 0.0]])
    triples = np.zeros((2, 2, 2)) if order == 2 else None
    apart = np.eye(2, dtype=bool)
    log_z, table = summed(Lattice(e, pairs, triples, transitions=apart))
    assert log_z == pytest.approx(-240.0)
    np.testing.assert_allclose(table[:, 1], 1.0)


@pytest.mark.parametrize("order", [1, 2])
def test_sums_take_logarithms_when_no_scale_is_wide_enough(order):
    e = np.zeros((3, 2))
    pairs = np.array([[0.0, -5000.0], [-5000.0, 0.0]])
    e[0, 0] = e[2, 1] = 1e4
    triples = np.zeros((2, 2, 2)) if order == 2 else None
    log_z, table = summed(Lattice(e, pairs, triples))
    assert log_z == pytest.approx(15000.0 + np.log(2.0))
    np.testing.assert_allclose(table, [[1, 0], [0.5, 0.5], [0, 1]], atol=1e-6)


# Labels at which rows of each strip of vector lanes are full or just begun.
@pytest.mark.parametrize("labels", [3, 4, 5, 8, 9, 16, 23, 24, 25, 33, 47, 48, 49, 57])
def test_sums_over_many_labels_are_those_over_all_paths(labels):
    rng = np.random.default_rng(labels)
    e = rng.normal(size=(3, labels)).astype(np.float32).astype(float)
    pairs = rng.normal(size=(labels, labels))
    first, second, third = e
    scores = first[:, None, None] + (pairs + second)[:, :, None] + (pairs + third)
    p = probabilities(scores)
    log_z, table = summed(Lattice(e, pairs))
    assert log_z == pytest.approx(log_sum(scores), rel=1e-6)
    for i in range(3):
        np.testing.assert_allclose(table[i], marginal(p, i), atol=2e-5)
