"""The hidden Markov model of the synthetic data: its samples and what it knows."""

import itertools

import numpy as np
import pytest

from experiments.synthetic import cycle_model


def brute_joint(model, observations):
    """P(label at token i, observations), path by path, and the labels of the most
    likely paths."""
    n = len(observations)
    result = np.zeros((n, model.label_of.max() + 1))
    paths = []
    for path in itertools.product(range(len(model.start)), repeat=n):
        p = model.start[path[0]]
        for before, state in itertools.pairwise(path):
            p *= model.transition[before, state]
        for state, seen in zip(path, observations, strict=True):
            p *= model.emission[state, seen]
        for i, state in enumerate(path):
            result[i, model.label_of[state]] += p
        paths.append((p, model.label_of[list(path)].tolist()))
    best = max(p for p, _ in paths)
    return result, [labels for p, labels in paths if p > best * (1 - 1e-9)]


@pytest.mark.parametrize("emission", [0.5, 0.6, 0.9])
@pytest.mark.parametrize("n", [1, 2, 5])
def test_synthetic_posteriors_and_best_path_equal_brute_force(n, emission):
    model = cycle_model(0.8, emission=emission)
    observations = np.array(list(itertools.product((0, 1), repeat=n)))
    joint, viterbi = model.joint(observations), model.viterbi(observations)
    for row, found, path in zip(observations, joint, viterbi, strict=True):
        expected, best_paths = brute_joint(model, row)
        assert found == pytest.approx(expected)
        assert path.tolist() in best_paths


@pytest.mark.parametrize("p", [0.4, 0.7, 0.9])
def test_synthetic_bound_without_observations_has_a_closed_form(p):
    # The phase is known at first and is lost at rate 1 - p.
    by_token, _ = cycle_model(p, emission=0.5).best_accuracies(lengths=[8])
    expected = [_closed_form(p, t) for t in range(8)]
    assert by_token == pytest.approx(np.mean(expected))


def _closed_form(p, t):
    """P(most likely label at token t), from powers of the transition matrix."""
    model = cycle_model(p)
    odds = model.start @ np.linalg.matrix_power(model.transition, t)
    return max(odds[:2].sum(), odds[2:].sum())


def test_synthetic_bound_of_the_paper_setting_is_what_samples_give():
    model = cycle_model(0.9)
    by_token, by_path = model.best_accuracies()
    assert by_token == pytest.approx(0.848, abs=0.002)
    assert by_path == pytest.approx(by_token, abs=0.001)
    sample = model.sample(np.random.default_rng(1), 3000)
    right = [model.viterbi(x[None])[0] == y for x, y in sample]
    assert np.concatenate(right).mean() == pytest.approx(by_path, abs=0.01)
    for p, emission in itertools.product((0.3, 0.6, 0.95), (0.5, 0.7)):
        by_token, by_path = cycle_model(p, emission=emission).best_accuracies()
        assert by_token >= by_path - 1e-12


def test_synthetic_same_seed_same_sample():
    one, other = (
        cycle_model().sample(np.random.default_rng(2), 20, lengths=[4, 7]) for _ in "ab"
    )
    assert {len(x) for x, _ in one} == {4, 7}
    for (x, y), (x2, y2) in zip(one, other, strict=True):
        assert x.tolist() == x2.tolist()
        assert y.tolist() == y2.tolist()


def test_synthetic_labels_follow_the_cycle_and_little_else():
    sample = cycle_model(1.0).sample(np.random.default_rng(3), 5, lengths=[9])
    for _, labels in sample:
        assert labels.tolist() == [0, 0, 1, 1, 0, 0, 1, 1, 0]
    sample = cycle_model(0.9).sample(np.random.default_rng(4), 500, lengths=[60])
    labels = np.stack([y for _, y in sample])
    changes = (labels[:, 20:-1] != labels[:, 21:]).mean()
    assert changes == pytest.approx(0.5, abs=0.02)
    sample = cycle_model(0.9).sample(np.random.default_rng(5), 4000)
    x, y = (np.concatenate(part) for part in zip(*sample, strict=True))
    assert (x == y).mean() == pytest.approx(0.55, abs=0.01)
