"""The spans that are shown are those without which the sentence scores best."""

import numpy as np
import pytest
from builders.grammaticality import FACTORY, REAL, make_trained
from spacy.tokens import Doc

from spacy_latperc.grammaticality.annotations import WORST


@pytest.fixture(scope="module")
def nlp():
    return make_trained(explain=True, threshold=1.0)


def doc_of(nlp, words):
    return nlp(Doc(nlp.vocab, words=words))


@pytest.mark.parametrize("n", [1, 2, 7, 90])
def test_worst_spans_are_those_that_the_learner_finds(nlp, n):
    """classifier/test_removal.py has what the learner finds."""
    words = np.resize([word for text in REAL for word in text.split()[::-1]], n)
    doc = doc_of(nlp, words.tolist())
    pipe = nlp.get_pipe(FACTORY)
    batch = pipe.reader.read([doc])
    costs = pipe.learner.span_costs(pipe.learner.read(batch))
    group = doc.spans[WORST]
    assert len(group) == 3 or n < 90
    assert bool(group) == (n > 1)
    for span, cost in zip(group, group.attrs["scores"], strict=True):
        assert cost == pytest.approx(costs[span.start, len(span) - 1], abs=1e-6)
    if n > 1:
        assert max(group.attrs["scores"]) == pytest.approx(costs.max(), abs=1e-6)


def test_worst_spans_cover_what_was_put_in(nlp):
    covered = []
    for number, text in enumerate(REAL):
        words = text.split()
        at = 1 + number % 4
        doc = doc_of(nlp, [*words[:at], ".", *words[at:]])
        covered.append(any(x.start <= at < x.end for x in doc.spans[WORST]))
    assert np.mean(covered) > 0.8
