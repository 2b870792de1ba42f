"""Buckets of vectors against what they are by definition."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from spacy_latperc.knowledge import buckets
from spacy_latperc.knowledge.buckets import Buckets, k_means


def clouds(seed, n=60, width=5, middles=4):
    """Vectors around a few middles."""
    rng = np.random.default_rng(seed)
    middle = rng.normal(size=(middles, width)) * 3
    rows = middle[rng.integers(middles, size=n)] + rng.normal(size=(n, width)) * 0.3
    return rows.astype(np.float32)


def units(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def slow_k_means(vectors, k, seed):
    """By the same first centres, one vector after the other. Also how similar vectors
    and centres were, pass by pass, and by how much each was nearest, at least."""
    rng = np.random.default_rng(seed)
    chosen = rng.choice(len(vectors), size=min(k, len(vectors)), replace=False)
    centres = [vectors[i] for i in sorted(chosen)]
    similar, nearest, least = [], None, np.inf
    for _ in range(20):
        before = nearest
        table = np.asarray([[v @ c for c in centres] for v in vectors])
        nearest = table.argmax(axis=1).tolist()
        best = np.sort(table, axis=1)
        least = min(least, np.diff(best[:, -2:], axis=1).min(initial=np.inf))
        pairs = list(zip(vectors, nearest, strict=True))
        similar.append(sum(v @ centres[c] for v, c in pairs))
        if nearest == before:
            break
        for c in range(len(centres)):
            near = [v for v, home in pairs if home == c]
            if near:
                centres[c] = np.sum(near, axis=0) / np.linalg.norm(np.sum(near, axis=0))
    return np.asarray(centres), similar, least


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 1000), st.integers(1, 70))
def test_k_means_is_what_the_slow_one_is(seed, k):
    vectors = units(clouds(seed))
    wanted, similar, least = slow_k_means(vectors.astype(np.float64), k, seed)
    assume(least > 1e-6)  # else single precision may choose another centre
    np.testing.assert_allclose(k_means(vectors, k, seed), wanted, atol=1e-5)
    assert all(b >= a - 1e-4 for a, b in zip(similar, similar[1:], strict=False))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 1000))
def test_columns_are_nearest_centres_and_signs(seed):
    vectors = clouds(seed)
    made = Buckets.fit(vectors, [4, 9], 3, seed)
    columns = made.columns(vectors)
    unit = units(vectors.astype(np.float64))
    for k in (4, 9):
        similar = unit @ made.centres[k].T.astype(np.float64)
        best = similar[np.arange(len(unit)), columns[f"k{k}"]]
        np.testing.assert_allclose(best, similar.max(axis=1), atol=1e-5)
    centred = unit - unit.mean(axis=0)
    _, widths, axes = np.linalg.svd(centred, full_matrices=False)
    for s in range(3):
        if s and widths[s - 1] - widths[s] < 1e-3 or widths[s] - widths[s + 1] < 1e-3:
            continue  # directions of the same width are not told apart
        axis = axes[s] * np.sign(axes[s][np.abs(axes[s]).argmax()])
        projected = centred @ axis
        sure = np.abs(projected) > 1e-4
        bits = columns["sign"] >> np.uint32(2 - s) & 1
        np.testing.assert_array_equal(bits[sure], projected[sure] > 0)


def test_large_tables_are_read_in_parts(monkeypatch):
    vectors = clouds(3)
    whole = Buckets.fit(vectors, [5], 4, 0)
    wanted = whole.columns(vectors)
    monkeypatch.setattr(buckets, "_ROWS", 7)
    parts = Buckets.fit(vectors, [5], 4, 0)
    for name, column in parts.columns(vectors).items():
        np.testing.assert_array_equal(column, wanted[name])


def test_same_seed_same_bytes():
    vectors = clouds(5)
    for one, two in zip(
        Buckets.fit(vectors, [6], 4, 1).arrays().values(),
        Buckets.fit(vectors, [6], 4, 1).arrays().values(),
        strict=True,
    ):
        assert one.tobytes() == two.tobytes()
    other = Buckets.fit(vectors, [6], 4, 2)
    assert not np.array_equal(
        other.centres[6], Buckets.fit(vectors, [6], 4, 1).centres[6]
    )


def test_fewer_vectors_than_centres():
    made = Buckets.fit(clouds(1, n=3), [8], 2, 0)
    assert len(made.centres[8]) == 3
    assert set(made.columns(clouds(1, n=3))["k8"]) == {0, 1, 2}


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_numbers_that_are_not_finite_are_refused_by_row(value):
    vectors = clouds(1, n=20_000)
    vectors[12_345, 2] = value
    with pytest.raises(ValueError, match=r"LP712.*12345"):
        buckets.check_finite(vectors)
