"""The likelihood and its slope, against the enumeration of all paths."""

from dataclasses import replace

import numpy as np
import pytest
from builders import chains as small
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.chain import path_scores
from reference.likelihood import (
    allowed_labels,
    expected_features,
    gold_pairs,
    negative_log_likelihood,
)

from spacy_latperc.kernels.chains import Objective

SETS = np.array([[1, 1, 0], [0, 1, 1]], dtype=np.uint8)
LABELS = 3


class Problem:
    """Random sentences with gold codes, as the kernel and as the twin see them."""

    def __init__(self, seed, shape, *, lengths=(3, 1, 4, 2), **how):
        partial, listed = how.get("partial", False), how.get("listed", False)
        rng = np.random.default_rng(seed)
        self.shape = shape
        self.space = small.make_space(how.get("min_count", 1))
        group_size = 1 if listed else 2
        structure = small.make_structure(self.space, shape, group_size=group_size)
        self.sentences, codes, blocks = [], [], []
        for n in lengths:
            attrs = small.random_sentence(rng, n, listed=listed)
            low = -3 if partial else 0
            gold = rng.integers(low, shape.labels, size=n)
            blocks.append(small.extract(self.space, [attrs], count=True))
            codes.append(gold)
            sets = SETS if partial else None
            allowed = allowed_labels(shape, gold, sets)
            self.sentences.append((small.hashes_of(attrs), allowed))
        gold = np.concatenate(codes).astype(np.int32)
        pairs = {k: how[k] for k in ("all_pairs", "all_transitions") if k in how}
        self.objective = Objective(
            self.space, structure, blocks, gold, sets=sets, **pairs
        )
        self.w = rng.normal(size=self.objective.n_pairs)

    def evaluate(self, w=None):
        w = self.w if w is None else w
        slope = np.empty_like(w)
        value, bad = self.objective.evaluate(w, slope)
        assert bad == -1
        return value, slope

    def weights(self, w):
        """A flat vector as the twin's rows."""
        result = {}
        for b in range(len(self.shape.blocks)):
            keys, sizes, cells, values = self.objective.rows(b, w)
            ends = np.cumsum(sizes)
            for key, size, end in zip(keys, sizes, ends, strict=True):
                row = np.zeros(self.shape.row_shape(b))
                row.reshape(-1)[cells[end - size : end]] = values[end - size : end]
                result[b, int(key)] = row
        return result

    def expected_value(self, w):
        weights = self.weights(w)
        given_ = ((self.shape, *sentence, weights) for sentence in self.sentences)
        values = [negative_log_likelihood(*x) for x in given_]
        return sum(value for value in values if np.isfinite(value))


def shapes():
    return st.builds(
        small.make_shape,
        st.sampled_from(["label", "full", "tied"]),
        labels=st.just(LABELS),
        latent=st.sampled_from([1, 2]),
        order=st.sampled_from([0, 1, 2]),
        edges=st.booleans(),
    )


def rounded(w):
    """Numbers that float32 holds, since rows come out as such."""
    return w.astype(np.float32).astype(np.float64)


PROBLEMS = st.builds(
    Problem,
    st.integers(0, 2**16),
    shapes(),
    partial=st.booleans(),
    all_pairs=st.booleans(),
    all_transitions=st.booleans(),
    listed=st.booleans(),
)


@settings(max_examples=30)
@given(PROBLEMS)
def test_objective_is_the_likelihood_by_enumeration(problem):
    w = rounded(problem.w)
    value, _ = problem.evaluate(w)
    assert value == pytest.approx(problem.expected_value(w), rel=1e-9, abs=1e-9)


@settings(max_examples=30)
@given(PROBLEMS, st.integers(0, 2**16))
def test_objective_slope_is_its_finite_difference(problem, seed):
    direction = np.random.default_rng(seed).normal(size=problem.objective.n_pairs)
    value, slope = problem.evaluate()
    step = 1e-5
    after, _ = problem.evaluate(problem.w + step * direction)
    before, _ = problem.evaluate(problem.w - step * direction)
    assert slope @ direction == pytest.approx((after - before) / (2 * step), abs=2e-5)


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("lengths", [(1, 3), (1, 2, 3), (2, 1, 4)])
def test_objective_short_sentences_first_leave_no_old_transitions(order, lengths):
    shape = small.make_shape("label", labels=LABELS, order=order, edges=False)
    problem = Problem(1, shape, lengths=lengths)
    problem.evaluate()
    w = rounded(-problem.w)
    value, _ = problem.evaluate(w)
    assert value == pytest.approx(problem.expected_value(w), rel=1e-9)


@settings(max_examples=15)
@given(st.integers(0, 2**16), shapes(), st.booleans(), st.booleans())
def test_objective_slope_is_free_minus_masked_expectation(seed, shape, partial, listed):
    problem = Problem(seed, shape, partial=partial, listed=listed)
    w = rounded(problem.w)
    _, slope = problem.evaluate(w)
    weights = problem.weights(w)
    expected = dict.fromkeys(all_pairs_of(problem, gold=True), 0.0)
    for hashes, allowed in problem.sentences:
        for sign, mask in ((1.0, None), (-1.0, allowed)):
            scores = path_scores(problem.shape, hashes, weights, allowed=mask)
            for pair, x in expected_features(problem.shape, hashes, scores).items():
                if pair in expected:
                    expected[pair] += sign * x
    found = sorted(slope)
    np.testing.assert_allclose(found, sorted(expected.values()), atol=1e-9)


def all_pairs_of(problem, *, gold):
    pairs = set()
    for hashes, allowed in problem.sentences:
        mask = allowed if gold else np.ones_like(allowed)
        pairs |= gold_pairs(problem.shape, hashes, mask)
    return pairs


@pytest.mark.parametrize("all_pairs", [False, True])
@pytest.mark.parametrize("form", ["label", "full", "tied"])
def test_objective_has_the_pairs_of_the_gold_or_all(form, all_pairs):
    shape = small.make_shape(form, labels=LABELS, latent=2, order=2)
    problem = Problem(5, shape, partial=True, all_pairs=all_pairs)
    expected = all_pairs_of(problem, gold=not all_pairs)
    assert_pairs(problem, expected)
    problem = Problem(5, shape, partial=True, all_pairs=all_pairs, all_transitions=True)
    transitions = {
        (b, *rest)
        for b, *rest in all_pairs_of(problem, gold=False)
        if shape.blocks[b][0] >= 1
    }
    assert transitions - expected or all_pairs
    assert_pairs(problem, expected | transitions)


def assert_pairs(problem, expected):
    assert problem.objective.n_pairs == len(expected)
    weights = problem.weights(np.ones(problem.objective.n_pairs))
    found = {
        (b, key, tuple(map(int, cell)))
        for (b, key), row in weights.items()
        for cell in zip(*np.nonzero(row), strict=True)
    }
    assert found == expected


def test_objective_forbidden_transitions_have_no_pairs_and_no_probability():
    shape = small.make_shape("label", labels=LABELS, order=1)
    transitions = np.ones((LABELS, LABELS), dtype=bool)
    transitions[0, 1] = False
    restricted = replace(shape, transitions=transitions)
    problem = Problem(8, restricted, partial=True, all_pairs=True)
    w = rounded(problem.w)
    assert problem.evaluate(w)[0] == pytest.approx(problem.expected_value(w), rel=1e-9)
    weights = problem.weights(np.ones_like(w))
    edges = [row for (b, _), row in weights.items() if shape.blocks[b][0] == 1]
    assert edges and not any(row[0, 1] for row in edges)


def test_objective_names_sentences_that_no_path_agrees_with():
    shape = small.make_shape("label", labels=LABELS, order=1)
    starts = np.array([False, True, True])
    problem = Problem(1, replace(shape, starts=starts))
    first = [int(np.argmax(allowed[0])) for _, allowed in problem.sentences]
    wrong = [number for number, label in enumerate(first) if label == 0]
    assert problem.objective.impossible == wrong
    assert problem.objective.n_sentences == 4 - len(wrong)


def test_objective_rows_come_back_and_leave_out_features_below_the_cut_off():
    problem = Problem(4, small.make_shape("tied", labels=LABELS, latent=2, order=2))
    w = rounded(problem.w)
    again = np.zeros_like(w)
    for b in range(len(problem.shape.blocks)):
        problem.objective.set_rows(b, again, *problem.objective.rows(b, w))
    np.testing.assert_array_equal(again, w)
    shape = small.make_shape("label", labels=LABELS)
    everything = Problem(3, shape).objective.n_pairs
    cut = Problem(3, shape, min_count=3)
    assert 0 < cut.objective.n_pairs < everything


def test_objective_noise_breaks_the_symmetry_of_latent_values():
    for order in (0, 1):
        shape = small.make_shape("tied", labels=LABELS, latent=2, order=order)
        problem = Problem(7, shape)
        w = np.zeros_like(problem.w)
        problem.objective.add_noise(w, 0.1, 3)
        assert 0 < np.abs(w).max() <= 0.1
        _, slope = problem.evaluate(w)
        rows = problem.weights(slope)
        own = [b for b, block in enumerate(shape.blocks) if block[:2] == (0, True)]
        latent = [row for (b, _), row in rows.items() if b in own]
        assert any(r[0] != r[1] for r in latent)


def test_objective_refuses_bad_gold_codes_and_names_sentences_of_odd_weights():
    problem = Problem(1, small.make_shape("label", labels=LABELS))
    sentence = small.random_sentence(np.random.default_rng(0), 1)
    given_ = problem.space, problem.objective.structure
    for code in (LABELS, -2):
        block = problem.space.extract(sentence, np.array([0, 1]))
        with pytest.raises(IndexError):
            Objective(*given_, [block], np.array([code], dtype=np.int32))
    odd = np.full_like(problem.w, np.nan)
    value, bad = problem.objective.evaluate(odd, np.empty_like(odd))
    assert np.isnan(value) and bad == 0
