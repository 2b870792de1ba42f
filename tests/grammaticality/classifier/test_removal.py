"""What spans cost: the score of what is left without them, less that of all."""

import numpy as np
import pytest
from builders.classifiers import FIVE, trained

from spacy_latperc.grammaticality.classifier import removal
from spacy_latperc.grammaticality.classifier.removal import worst_spans
from spacy_latperc.learners.base import Batch


def score(classifier, values, lookup):
    """Of one sentence, which is a Doc of its own."""
    values = values.copy()
    values[:, 1] = 0
    batch = Batch(values, np.array([0, len(values)]), lookup)
    return float(classifier.predict(batch).scores.sum())


def slow_costs(classifier, values, lookup, longest):
    """Each span of a sentence by itself, read with all of the sentence around it."""
    costs = np.full((len(values), longest), -np.inf)
    whole = score(classifier, values, lookup)
    for (i, last), _ in np.ndenumerate(costs):
        end = i + last + 1
        if end <= len(values) and end - i < len(values):
            rest = np.concatenate([values[:i], values[end:]])
            costs[i, last] = score(classifier, rest, lookup) - whole
    return costs


def long_sentence(batch, n):
    values = np.resize(np.roll(batch.values, 3, axis=0), (n, batch.values.shape[1]))
    values[:, 1] = 0
    return values


@pytest.mark.parametrize("at_once", [1, 1 << 17])
@pytest.mark.parametrize("combine", ["add", "cotrain"])
@pytest.mark.parametrize("longest", [1, 4, 20])
def test_removal_costs_are_those_of_scoring_without_the_span(
    combine, longest, at_once, monkeypatch
):
    monkeypatch.setattr(removal, "TOKENS_AT_ONCE", at_once)
    classifier, batch, _ = trained(schemes=FIVE, combine=combine)
    costs = classifier.span_costs(classifier.read(batch), longest=longest)
    assert costs.shape == (len(batch.values), longest)
    bounds = batch.bounds
    for start, end in zip(bounds[:-1], bounds[1:], strict=True):
        slow = slow_costs(classifier, batch.values[start:end], batch.lookup, longest)
        np.testing.assert_allclose(costs[start:end], slow, atol=1e-5)


def costs_of(classifier, values, lookup, longest):
    """Of a Doc."""
    batch = Batch(values, np.array([0, len(values)]), lookup)
    return classifier.span_costs(classifier.read(batch), longest=longest)


@pytest.mark.parametrize("n", [61, 90, removal.LONGEST_SENTENCE, 201])
def test_removal_costs_do_not_change_their_meaning_with_the_length(n):
    classifier, batch, _ = trained(schemes=("IOB2", "O+C"))
    values = long_sentence(batch, n)
    costs = costs_of(classifier, values, batch.lookup, 2)
    if n > removal.LONGEST_SENTENCE:
        assert (costs == -np.inf).all()
        return
    slow = slow_costs(classifier, values, batch.lookup, 2)
    np.testing.assert_allclose(costs, slow, atol=1e-4)


def test_removal_costs_of_some_sentences_are_those_of_all():
    classifier, batch, _ = trained(schemes=FIVE)

    def costs(batch, **which):
        return classifier.span_costs(classifier.read(batch), **which)

    every, bounds = costs(batch), batch.bounds
    found = costs(batch, sentences=np.arange(0, len(bounds) - 1, 2))
    for s, (start, end) in enumerate(zip(bounds[:-1], bounds[1:], strict=True)):
        expected = every[start:end] if s % 2 == 0 else -np.inf
        assert (found[start:end] == expected).all()
    none = np.zeros(0, dtype=np.int64)
    assert (costs(batch, sentences=none) == -np.inf).all()
    assert costs(Batch(batch.values[:0], np.zeros(1, np.int64), batch.lookup)).size == 0


def test_worst_spans_do_not_overlap():
    rows = [[1, 5, -1], [2, 4, 3], [0.5, 3, -9], [1, -9, -9]]
    costs = np.array(rows, dtype=np.float64)
    assert worst_spans(costs, 3) == [(0, 2, 5.0), (2, 4, 3.0)]
    assert worst_spans(costs, 1) == [(0, 2, 5.0)]
    assert worst_spans(-np.abs(costs), 3) == []
