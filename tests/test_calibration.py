"""The arithmetic of calibration, against definitions and known draws."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_latperc import calibration as cal

judged = st.lists(
    st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60
).map(lambda pairs: tuple(np.array(column) for column in zip(*pairs, strict=True)))


def draw(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities, and answers that are right as often as these say."""
    rng = np.random.default_rng(seed)
    p = rng.beta(3, 1, size=n)
    return p, rng.random(n) < p


def slow_error(p, right, bins):
    total = 0.0
    for b in range(bins):
        inside = [
            i
            for i, x in enumerate(p)
            if b / bins <= x and (x < (b + 1) / bins or b + 1 == bins)
        ]
        if inside:
            confidence = sum(p[i] for i in inside) / len(inside)
            accuracy = sum(right[i] for i in inside) / len(inside)
            total += len(inside) / len(p) * abs(confidence - accuracy)
    return total


@given(judged, st.integers(1, 20))
def test_calibration_error_is_its_definition(data, bins):
    p, right = data
    p = np.round(p, 3) + 1e-4  # off the borders, where rounding decides
    p = np.minimum(p, 1.0)
    assert cal.expected_calibration_error(p, right, bins) == pytest.approx(
        slow_error(p, right, bins)
    )


@pytest.mark.parametrize("n, most", [(1_000, 0.08), (100_000, 0.008)])
def test_calibration_error_of_calibrated_draws_tends_to_zero(n, most):
    assert cal.expected_calibration_error(*draw(n)) < most


def test_calibration_of_overconfidence_certainty_and_nothing():
    right = np.arange(1000) % 2 == 0
    assert cal.expected_calibration_error(np.full(1000, 0.95), right) == pytest.approx(
        0.45
    )
    assert cal.expected_calibration_error([], []) == 0
    assert cal.log_loss([], []) == 0
    assert [cut.answers for cut in cal.threshold_table([], [], 3)] == [0] * len(
        cal.THRESHOLDS
    )
    assert math.isfinite(cal.log_loss([1.0, 0.0], [False, True]))
    assert cal.Calibration(1.0, 0.5, 2.0, -2.0)([0.0, 1.0]).tolist() == [0.0, 1.0]


@given(judged)
def test_calibration_bins_hold_every_answer(data):
    p, right = data
    table = cal.reliability(p, right)
    assert sum(entry.answers for entry in table) == len(p)
    for entry in table:
        assert entry.low - 1e-9 <= entry.confidence <= entry.high + 1e-9
        assert 0 <= entry.accuracy <= 1


# Thresholds ---------------------------------------------------------------------------


@given(judged)
def test_calibration_recall_falls_with_the_threshold(data):
    p, right = data
    table = cal.threshold_table(p, right, int(right.sum()) + 1)
    recalls = [cut.recall for cut in table]
    assert recalls == sorted(recalls, reverse=True)


def test_calibration_precision_of_calibrated_draws_rises_with_the_threshold():
    p, right = draw(100_000)
    table = cal.threshold_table(p, right, len(p))
    for before, after in zip(table, table[1:], strict=False):
        assert after.precision >= before.precision - 2 * after.error
        assert after.precision >= after.threshold


def test_calibration_thresholds_by_hand():
    table = cal.threshold_table(
        [0.2, 0.6, 0.9], [False, True, True], 4, [0.0, 0.5, 0.95]
    )
    assert [(c.answers, c.precision, c.recall) for c in table] == [
        (3, pytest.approx(2 / 3), 0.5),
        (2, 1.0, 0.5),
        (0, 1.0, 0.0),
    ]


# Fitting ------------------------------------------------------------------------------


@pytest.mark.parametrize("temperature", [0.02, 0.5, 1.0, 3.0, 200.0])
def test_calibration_temperature_of_the_draws_is_found(temperature):
    p, right = draw(20_000)
    scores = cal.log_odds(p) * temperature
    found = cal.fit_temperature(lambda t: cal.log_loss(cal.sigmoid(scores / t), right))
    assert found == pytest.approx(temperature, rel=0.05)


def test_calibration_temperature_is_the_least_of_a_valley_within_bounds():
    found = cal.fit_temperature(lambda t: abs(math.log(t) - 1.2345))
    assert math.log(found) == pytest.approx(1.2345, abs=1e-3)
    assert 1e-3 <= cal.fit_temperature(lambda t: t) < 1.01e-3
    assert 0.99e3 < cal.fit_temperature(lambda t: -t) <= 1e3


@pytest.mark.parametrize("curve", [(1, 1, 0), (0.4, 0.4, 0), (2, 2, -1.5), (0.5, 2, 1)])
def test_calibration_curve_of_the_draws_is_found(curve):
    rng = np.random.default_rng(0)
    given = rng.random(100_000)
    right = rng.random(len(given)) < cal.Calibration(1.0, *curve)(given)
    assert cal.fit_curve(given, right) == pytest.approx(curve, abs=0.1)


@given(judged)
def test_calibration_curve_never_makes_the_loss_worse_or_turns_the_order_round(data):
    p, right = data
    low, high, bias = cal.fit_curve(p, right)
    assert low >= 0 and high >= 0
    after = cal.Calibration(1.0, low, high, bias)(np.linspace(0, 1, 101))
    assert (np.diff(after) >= -1e-12).all()
    p = np.clip(p, 1e-9, 1 - 1e-9)
    after = cal.Calibration(1.0, *cal.fit_curve(p, right))(p)
    assert cal.log_loss(after, right) <= cal.log_loss(p, right) + 1e-9


@pytest.mark.parametrize("outcome", [True, False])
def test_calibration_curve_stays_finite_when_all_answers_agree(outcome):
    curve = cal.fit_curve(np.linspace(0.5, 0.9, 50), np.full(50, outcome))
    after = cal.Calibration(1.0, *curve)([0.5, 0.9])
    assert ((0 < after) & (after < 1)).all()
    assert (after > 0.8).all() if outcome else (after < 0.2).all()


def test_calibration_curve_of_few_answers_stays_close():
    assert cal.fit_curve([], []) == (1.0, 1.0, 0.0)
    assert cal.fit_curve([0.9], [True]) == pytest.approx((1, 1, 0), abs=0.5)


@given(st.lists(st.floats(0, 1), max_size=20))
def test_calibration_of_nothing_changes_nothing(p):
    assert cal.Calibration()(p).tolist() == p


# The line through margins -------------------------------------------------------------


@pytest.mark.parametrize("scale", (1e-4, 1.0, 1e4))
def test_calibration_line_is_found_again(scale):
    rng = np.random.default_rng(0)
    margins = rng.normal(size=20_000)
    positive = rng.random(20_000) < cal.sigmoid(2 * margins - 0.5)
    line = cal.fit_line(margins * scale, positive)
    assert scale / line.temperature == pytest.approx(2, rel=0.05)
    assert line.bias == pytest.approx(-0.5, abs=0.05)
    assert (line.low, line.high) == (1, 1)


def test_calibration_line_stays_finite_and_says_what_the_calibration_says():
    margins = np.array([-2.0, -1.0, 1.0, 2.0])
    line = cal.fit_line(margins, margins > 0)
    assert math.isfinite(line.bias) and 0 < line.temperature < math.inf
    p = cal.sigmoid(margins / line.temperature + line.bias)
    assert (p > 0.5).tolist() == [False, False, True, True]
    line = cal.Calibration(temperature=0.5, bias=-1.0)
    margins = np.linspace(-3, 3, 7)
    expected = cal.sigmoid(margins / 0.5 - 1.0)
    assert line(cal.sigmoid(margins / 0.5)) == pytest.approx(expected)


@pytest.mark.parametrize("margins", ([0.0] * 4, [1.0] * 4, [2.0, 1.0, -1.0, -2.0]))
def test_calibration_line_keeps_the_order_of_margins(margins):
    line = cal.fit_line(margins, [False, False, True, True])
    assert 0 < line.temperature < math.inf
    p = cal.sigmoid(np.array(margins) / line.temperature + line.bias)
    assert (np.diff(p) <= 0).all()
    assert p.mean() == pytest.approx(0.5, abs=0.05)
