"""The optimisers, on functions whose minimum is known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_latperc.learners.batch.lbfgs import minimise, pseudo_slope


def quadratic(seed, n=8, spread=100.0):
    """1/2 w A w - b w with A of condition `spread`; its minimum solves A w = b."""
    rng = np.random.default_rng(seed)
    turn, _ = np.linalg.qr(rng.normal(size=(n, n)))
    A = turn @ np.diag(np.geomspace(1.0, spread, n)) @ turn.T
    b = rng.normal(size=n)
    return (lambda w: (0.5 * w @ A @ w - b @ w, A @ w - b)), np.linalg.solve(A, b)


def rosenbrock(w):
    x, y = w
    value = (1 - x) ** 2 + 100 * (y - x * x) ** 2
    slope = [-2 * (1 - x) - 400 * x * (y - x * x), 200 * (y - x * x)]
    return value, np.array(slope)


@given(st.integers(0, 2**16))
def test_lbfgs_finds_the_minimum_of_a_quadratic(seed):
    function, expected = quadratic(seed)
    found = minimise(function, np.zeros(8), tolerance=1e-10, max_iterations=500)
    np.testing.assert_allclose(found.w, expected, atol=1e-5)
    again = minimise(function, np.zeros(8), tolerance=1e-10, max_iterations=500)
    assert again.w.tobytes() == found.w.tobytes()


def test_lbfgs_finds_the_minimum_of_rosenbrock():
    found = minimise(rosenbrock, np.array([-1.2, 1.0]), tolerance=1e-9)
    np.testing.assert_allclose(found.w, [1.0, 1.0], atol=1e-5)
    assert found.iterations < 60


def test_lbfgs_survives_a_first_step_that_is_far_too_long():
    found = minimise(lambda w: (w @ w * 1e8, w * 2e8), np.full(3, 1e-3))
    np.testing.assert_allclose(found.w, np.zeros(3), atol=1e-7)


def test_lbfgs_value_falls_with_every_iteration():
    values = []
    minimise(
        rosenbrock, np.array([-1.2, 1.0]), progress=lambda at: values.append(at.value)
    )
    assert values == sorted(values, reverse=True)
    assert len(set(values)) == len(values)


def test_lbfgs_stops_at_max_iterations_and_at_the_minimum():
    found = minimise(rosenbrock, np.array([-1.2, 1.0]), max_iterations=3)
    assert (found.iterations, found.reason) == (3, "max_iterations was reached")
    found = minimise(rosenbrock, np.array([1.0, 1.0]))
    assert (found.iterations, found.evaluations) == (0, 1)


@pytest.mark.parametrize("error", [KeyboardInterrupt, FloatingPointError])
def test_lbfgs_keeps_the_last_good_point_when_stopped(error):
    calls = []

    def failing(w):
        calls.append(w)
        if len(calls) > 12:
            raise error
        return rosenbrock(w)

    found = minimise(failing, np.array([-1.2, 1.0]))
    assert isinstance(found.stopped_by, error)
    assert found.value == rosenbrock(found.w)[0] < rosenbrock([-1.2, 1.0])[0]


@given(st.integers(0, 2**16), st.floats(0.01, 3.0))
def test_lbfgs_l1_of_separate_weights_is_the_soft_threshold(seed, l1):
    target = np.random.default_rng(seed).normal(size=20)

    def function(w):
        return 0.5 * float((w - target) @ (w - target)), w - target

    found = minimise(function, np.zeros(20), l1=l1, tolerance=1e-9)
    expected = np.sign(target) * np.maximum(np.abs(target) - l1, 0.0)
    np.testing.assert_allclose(found.w, expected, atol=1e-6)
    assert (found.w == 0).tolist() == (expected == 0).tolist()


@given(st.integers(0, 2**16), st.floats(0.05, 1.0))
def test_lbfgs_l1_minimum_has_no_way_down(seed, l1):
    """The conditions of Karush, Kuhn and Tucker: the pseudo-slope is zero."""
    function, _ = quadratic(seed, spread=10.0)
    found = minimise(function, np.zeros(8), l1=l1, tolerance=1e-9, max_iterations=1000)
    slope = pseudo_slope(found.w, function(found.w)[1], l1)
    np.testing.assert_allclose(slope, np.zeros(8), atol=1e-4)
