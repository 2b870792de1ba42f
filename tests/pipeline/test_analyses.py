"""The n best of a Doc out of those of its sentences, against trying all."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_latperc.pipeline import best_sequences as best

sentence_scores = st.lists(
    st.lists(st.integers(-5, 5), min_size=1, max_size=4).map(
        lambda scores: sorted(scores, reverse=True)
    ),
    max_size=4,
)


def make_sentences(all_scores):
    """Two tokens a sentence; labels tell which sequence was taken."""
    return [
        best.Sequences(
            np.array([[s, i] for i in range(len(scores))], dtype=np.int32),
            np.array(scores, dtype=np.float64),
        )
        for s, scores in enumerate(all_scores)
    ]


@given(sentence_scores, st.integers(1, 12))
def test_analyses_join_is_the_best_of_all_combinations(all_scores, k):
    found = best.join_sequences(make_sentences(all_scores), k)
    every = sorted((sum(scores) for scores in product(*all_scores)), reverse=True)
    assert found.scores.tolist() == every[:k]
    assert set(found.labels[0, 1::2].tolist()) <= {0}
    for labels, score in zip(found.labels.tolist(), found.scores, strict=True):
        assert labels[::2] == list(range(len(all_scores)))
        chosen = zip(all_scores, labels[1::2], strict=True)
        assert sum(scores[i] for scores, i in chosen) == score
    assert len({tuple(labels) for labels in found.labels.tolist()}) == len(found.labels)


def test_analyses_are_split_by_sentence_and_share_one():
    labels = np.array([1, 2, 3, 4, 7], dtype=np.int32)
    scores = np.array([5, 4, 3], dtype=np.float32)
    first, second = best.split_sequences(
        labels, scores, np.array([2, 1], dtype=np.int32), np.array([0, 2, 3])
    )
    assert first.labels.tolist() == [[1, 2], [3, 4]]
    assert first.scores.tolist() == [5, 4]
    assert second.labels.tolist() == [[7]]
    found = best.join_sequences(make_sentences([[0, -1, -2]] * 3000), 10)
    assert found.scores.tolist() == [0, *[-1] * 9]
    assert best.softmax(np.array([1e6, 1e6 - np.log(3)])) == pytest.approx([0.75, 0.25])
