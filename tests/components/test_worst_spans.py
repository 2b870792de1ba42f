"""What spans cost: the score of what is left without them, less that of all."""

import numpy as np
import pytest
from grammaticality_pipelines import FACTORY, REAL, SHUFFLED, make_trained
from spacy.tokens import Doc

from spacy_latperc.components import worst_spans as module
from spacy_latperc.components.sentence_scores import WORST
from spacy_latperc.components.worst_spans import removal_gains, worst_spans


@pytest.fixture(scope="module")
def nlp():
    return make_trained(explain=True)


def doc_of(nlp, words, **settings):
    return Doc(nlp.vocab, words=words, **settings)


def gains(nlp, docs, sentences, longest):
    pipe = nlp.get_pipe(FACTORY)
    batch = pipe.reader.read(docs)
    bounds, _ = pipe.learner.bounds(batch.values, batch.docs)
    return removal_gains(pipe.learner, batch, bounds, sentences, longest=longest)


def margin(nlp, words):
    return nlp(doc_of(nlp, words))._.grammaticality_margin


@pytest.mark.parametrize("longest", (1, 3, 9))
def test_worst_spans_cost_what_scoring_without_them_says(nlp, longest):
    sentences = [SHUFFLED[0].split(), REAL[1].split(), ["alone"], SHUFFLED[5].split()]
    words = [word for sentence in sentences for word in sentence]
    starts = [i == 0 for sentence in sentences for i in range(len(sentence))]
    docs = [doc_of(nlp, []), doc_of(nlp, words, sent_starts=starts)]
    found = gains(nlp, docs, [0, 2, 3], longest)
    assert sorted(found) == [0, 2, 3]
    for number, costs in found.items():
        sentence = sentences[number]
        assert costs.shape == (len(sentence), longest)
        whole = margin(nlp, sentence)
        for (i, length), cost in np.ndenumerate(costs):
            rest = sentence[:i] + sentence[i + length + 1 :]
            if i + length + 1 > len(sentence) or not rest:
                assert cost == -np.inf
            else:
                assert cost == pytest.approx(margin(nlp, rest) - whole, abs=1e-5)


def test_worst_spans_of_many_sentences_are_those_of_each(nlp, monkeypatch):
    docs = [doc_of(nlp, text.split()) for text in SHUFFLED]
    together = gains(nlp, docs, range(len(docs)), 2)
    monkeypatch.setattr(module, "_TOKENS_AT_ONCE", 1)
    apart = gains(nlp, docs, range(len(docs)), 2)
    assert all((together[s] == apart[s]).all() for s in together)


def test_worst_spans_of_long_sentences_lie_within_pieces(nlp, monkeypatch):
    monkeypatch.setattr(module, "LONGEST_PIECE", 3)
    costs = gains(nlp, [doc_of(nlp, REAL[0].split())], [0], 2)[0]
    assert np.isfinite(costs[:, 0]).all()
    assert (costs[[2, 5], 1] == -np.inf).all()  # across the end of a piece


def test_worst_spans_do_not_overlap():
    rows = [[1, 5, -1], [2, 4, 3], [0.5, 3, -9], [1, -9, -9]]
    costs = np.array(rows, dtype=np.float64)
    assert worst_spans(costs, 3) == [(0, 2, 5.0), (2, 4, 3.0)]
    assert worst_spans(costs, 1) == [(0, 2, 5.0)]
    assert worst_spans(-np.abs(costs), 3) == []


def test_worst_spans_cover_what_was_put_in():
    nlp = make_trained(explain=True, threshold=1.0)
    covered = []
    for number, text in enumerate(REAL):
        words = text.split()
        at = 1 + number % 4
        doc = nlp(doc_of(nlp, [*words[:at], ".", *words[at:]]))
        covered.append(any(x.start <= at < x.end for x in doc.spans[WORST]))
    assert np.mean(covered) > 0.8
