"""Vectors of counted contexts, against counting one pair at a time."""

from collections import Counter

import numpy as np
import pytest

from experiments import vector_values as experiment


def test_contexts_are_counted_on_both_sides(monkeypatch):
    monkeypatch.setattr(experiment, "CONTEXTS", 3)
    rng = np.random.default_rng(1)
    ids = rng.integers(-1, 5, size=60)
    expected: Counter[tuple[int, int]] = Counter()
    for here, word in enumerate(ids):
        for distance in (-2, -1, 1, 2):
            there = here + distance
            if word >= 0 and 0 <= there < len(ids) and 0 <= ids[there] < 3:
                expected[word, 3 * (distance > 0) + ids[there]] += 1
    found = experiment.count_contexts(ids, 5)
    assert found.shape == (5, 6)
    for word, context in np.ndindex(found.shape):
        assert found[word, context] == expected[word, context]


def test_tables_are_reduced_to_their_widest_directions():
    rng = np.random.default_rng(2)
    table = (rng.normal(size=(50, 4)) @ rng.normal(size=(4, 9))).astype(np.float32)
    found = experiment.reduce_table(table)
    u, s, _ = np.linalg.svd(table, full_matrices=False)
    expected = u[:, :4] * np.sqrt(s[:4])
    assert np.abs(found[:, :4]) == pytest.approx(np.abs(expected), abs=1e-2)
    assert np.abs(found[:, 4:]).max() < 0.1


def test_words_in_the_same_places_have_like_vectors():
    rng = np.random.default_rng(3)
    animals, verbs = ["cat", "dog", "cow"], ["eats", "sees", "likes"]
    sentences = [
        ["the", str(rng.choice(animals)), str(rng.choice(verbs)), "a", "thing"]
        for _ in range(300)
    ]
    words, vectors = experiment.make_vectors(sentences)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    at = {word: unit[i] for i, word in enumerate(words)}
    assert at["cat"] @ at["dog"] > at["cat"] @ at["eats"]
    assert at["eats"] @ at["sees"] > at["eats"] @ at["dog"]
