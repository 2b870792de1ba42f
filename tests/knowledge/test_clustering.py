"""Clusters of words: what they are, and that nothing but text and seed decides."""

import numpy as np
import pytest
from builders.text import lines, read_lines, text
from hypothesis import given
from hypothesis import strategies as st

from spacy_latperc.knowledge import clustering as module
from spacy_latperc.knowledge.clustering import (
    ClusterSettings,
    bit_paths,
    class_bigrams,
    cluster_words,
)

SMALL = ClusterSettings(classes=8, min_count=1)


def found(settings=SMALL, sentences=None):
    return cluster_words(sentences or text(), settings)


def cluster_of(clusters, word):
    return clusters.paths[clusters.classes[clusters.words.index(word)]]


def test_clusters_are_words_that_stand_alike_written_as_brown_clusters():
    clusters = found()
    for alike in ("dog cat bird man", "sees finds likes", "old small red happy"):
        assert len({cluster_of(clusters, word) for word in alike.split()}) == 1
    assert len(set(clusters.paths)) == 8
    assert sum(2.0 ** -len(path) for path in clusters.paths) == 1.0  # it is a tree
    rows = [line.split("\t") for line in clusters.to_bytes().decode().splitlines()]
    assert rows == sorted(rows, key=lambda row: row[0])
    assert all(cluster_of(clusters, word) == path for path, word, _ in rows)
    words = " ".join(lines()).split()
    assert {word: int(n) for _, word, n in rows} == {w: words.count(w) for w in words}


@pytest.mark.parametrize("batch", [50, 1 << 17])
def test_clusters_are_the_same_with_any_number_of_threads(monkeypatch, batch):
    monkeypatch.setattr(module, "BATCH", batch)
    settings = (ClusterSettings(classes=5, min_count=1, threads=n) for n in (1, 2, 3))
    assert len({cluster_words(text(), x).to_bytes() for x in settings}) == 1


def test_clusters_of_a_seed():
    noise = np.random.default_rng(1).integers(0, 40, (80, 10))
    sentences = read_lines(*(" ".join(f"w{n}" for n in row) for row in noise))
    files = [
        found(ClusterSettings(classes=6, min_count=1, seed=seed), sentences).to_bytes()
        for seed in (1, 1, 2)
    ]
    assert files[0] == files[1] != files[2]


def test_clusters_make_the_text_likelier_from_epoch_to_pass():
    reports = []
    how = ClusterSettings(classes=4, min_count=1)
    cluster_words(text(), how, progress=reports.append)
    bits = [report.bits for report in reports]
    assert [report.number for report in reports] == list(range(len(reports)))
    assert len(bits) > 2
    assert bits == sorted(bits, reverse=True)
    assert reports[-1].moved == 0


def test_clusters_leave_rare_words_out():
    sentences = read_lines(*["the dog sleeps", "a cat sleeps"] * 2, "the rare word")
    clusters = found(ClusterSettings(classes=2, min_count=2), sentences)
    assert set(clusters.words) == {"the", "dog", "sleeps", "a", "cat"}
    assert clusters.tokens == 15
    assert sum(map(len, clusters.members)) == 5


def test_clusters_want_as_many_words_as_clusters():
    for line, how in (
        ("one", {"classes": 2}),
        ("a b c", {"classes": 4}),
        ("a b c d e a", {"classes": 2, "min_count": 2}),
    ):
        settings = ClusterSettings(**{"min_count": 1, **how})
        with pytest.raises(ValueError, match="LP720"):
            cluster_words(read_lines(line), settings)
    clusters = found(ClusterSettings(classes=3, min_count=1), read_lines("a b c"))
    assert sorted(map(len, clusters.members)) == [1, 1, 1]
    wrong = {"min_count": 0, "passes": 0, "seed": -1, "threads": 0}
    for name, value in (("classes", 1), ("classes", 5000), *wrong.items()):
        with pytest.raises(ValueError, match=name):
            cluster_words(text(), ClusterSettings(**{name: value}))


@given(
    st.lists(
        st.lists(st.integers(0, 5), min_size=1, max_size=5), min_size=1, max_size=5
    )
)
def test_class_bigrams_are_those_within_sentences(sentences):
    classes = np.asarray([0, 1, 1, 2, 0], dtype=np.int32)  # 5 is rare
    ids = np.asarray([word for ids in sentences for word in ids], dtype=np.int32)
    bounds = np.cumsum([0, *map(len, sentences)])
    wanted = np.zeros((3, 3), dtype=np.int64)
    for words in sentences:
        for left, right in zip(words, words[1:], strict=False):
            if left < 5 and right < 5:
                wanted[classes[left], classes[right]] += 1
    assert np.array_equal(class_bigrams(ids, bounds, classes, 3), wanted)


def test_bit_paths_follow_the_merges():
    assert bit_paths([(1, 3), (0, 2), (0, 1)]) == ["00", "10", "01", "11"]
    assert bit_paths([]) == [""]
