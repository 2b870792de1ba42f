"""Chains that start from the probabilities of other models."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
import spacy
from builders import pipelines as small

from spacy_latperc.pipeline.outside import outside_scores

CHUNKER = "latperc_chunker"
LABELS = ["O", "B-NP", "I-NP"]


def coder_of(nlp):
    return nlp.get_pipe(CHUNKER).coder


def only(value):
    """An outside model that is sure of the second label everywhere."""

    def scores(doc):
        table = np.zeros((len(doc), len(LABELS)))
        table[:, LABELS.index(value)] = 1.0
        return table

    return outside_scores(scores, LABELS)


def with_outside(model, **settings):
    nlp = small.make_trained(CHUNKER, passes=1, **settings)
    coder_of(nlp).outside["mine"] = model
    return nlp


def set_weight(nlp, weight):
    outside = coder_of(nlp).outside
    outside["mine"] = replace(outside["mine"], weight=weight)


def chunks(nlp, text):
    doc = nlp(text)
    return small.triples(doc.spans["chunks"])


def types(nlp):
    return {label for _, _, label in chunks(nlp, small.TEXTS[0])}


# Outside models -----------------------------------------------------------------------


def test_pooling_outside_scores_count():
    nlp = with_outside(only("O"))
    set_weight(nlp, 100.0)
    # It knows of NP only: whether there is a VP, it cannot say.
    assert "NP" not in types(nlp)
    coder_of(nlp).outside["mine"] = only("B-NP")
    set_weight(nlp, 100.0)
    n = len(nlp(small.TEXTS[0]))
    assert chunks(nlp, small.TEXTS[0]) == [(i, i + 1, "NP") for i in range(n)]


def test_pooling_outside_scores_without_opinion_change_nothing_and_right_ones_count():
    silent = outside_scores(lambda doc: np.full((len(doc), 3), np.nan), LABELS)
    with_it, without = with_outside(silent), small.make_trained(CHUNKER, passes=1)
    for text in ["", *small.TEXTS]:
        assert chunks(with_it, text) == chunks(without, text)
    nlp = with_outside(outside_scores(right, LABELS, weight=100.0))
    found = {x for x in chunks(nlp, small.TEXTS[0]) if x[2] == "NP"}
    assert found == {x for x in small.SENTENCES[0].chunks if x[2] == "NP"}


def right(doc):
    """The known noun phrases."""
    gold = {" ".join(x.words): x.chunks for x in small.SENTENCES}
    table = np.full((len(doc), 3), 0.01)
    label = np.zeros(len(doc), dtype=int)
    for start, end, type_ in gold[" ".join(token.text for token in doc)]:
        if type_ == "NP":
            label[start:end] = 2
            label[start] = 1
    table[np.arange(len(doc)), label] = 0.98
    return table


@pytest.mark.parametrize(
    "given, code",
    [
        (np.zeros((2, 3)), "LP660"),
        (None, "LP660"),
        ("text", "LP660"),
        (np.full((9, 3), -1.0), "LP661"),
        (np.full((9, 3), np.inf), "LP661"),
    ],
)
def test_pooling_bad_outside_scores_are_refused(given, code):
    nlp = with_outside(outside_scores(lambda doc: given, LABELS))
    with pytest.raises(ValueError, match=rf"{code}.*'mine'"):
        nlp(small.make_doc(nlp, "a b c d e f g h i".split()))


def block(**settings):
    """Scores from a registered function, as a config has them."""

    @spacy.registry.misc("tests.only_o.v1")
    def make():
        return only("O").scores

    return {
        "mine": {
            "@misc": "spacy_latperc.OutsideScores.v1",
            "labels": LABELS,
            "scores": {"@misc": "tests.only_o.v1"},
            **settings,
        }
    }


# A single chain, which starts from outside scores -------------------------------------


def test_outside_scores_are_where_a_chain_starts_and_nothing_in_training(tmp_path):
    nlp = small.make_trained(CHUNKER, passes=3, outside=block())
    set_weight(nlp, 50.0)
    assert "NP" not in types(nlp)
    nlp.to_disk(tmp_path)
    other = spacy.load(tmp_path)
    assert "NP" not in types(other)
    set_weight(other, 1e-3)
    assert "NP" in types(other)
    with_it = small.make_trained(CHUNKER, passes=3, outside=block())
    without = small.make_trained(CHUNKER, passes=3)
    first, second = (nlp.get_pipe(CHUNKER).model for nlp in (with_it, without))
    assert first.to_bytes() == second.to_bytes()


def test_outside_scores_count_in_every_answer():
    """Twin: the same scores as if they were those of single tokens in the search."""
    rng = np.random.default_rng(0)
    rows = rng.dirichlet(np.ones(3), size=40)
    nlp = small.make_trained(
        CHUNKER, passes=2, scheme="IOB2", scores="marginal", n_best=3
    )
    component, coder = nlp.get_pipe(CHUNKER), coder_of(nlp)
    words = small.SENTENCES[0].words[:3]
    doc = small.make_doc(nlp, words)
    _, plain = component.read_docs([doc])
    joint = coder.inventory
    valid = [
        path
        for path in itertools.product(range(len(joint)), repeat=len(words))
        if joint.starts[path[0]]
        and all(joint.transitions[a, b] for a, b in itertools.pairwise(path))
    ]
    columns = {"O": 0, "B-NP": 1, "I-NP": 2}
    own = [
        float(component.learner.log_scores(plain, np.array(path, np.int32))[0])
        for path in valid
    ]
    score = np.array(own) + [
        2.0
        * sum(
            np.log(rows[i, columns.get(joint.labels[y], 0)]) for i, y in enumerate(path)
        )
        for path in valid
    ]
    coder.outside["mine"] = outside_scores(lambda doc: rows[: len(doc)], LABELS)
    set_weight(nlp, 2.0)
    _, batch = component.read_docs([doc])
    best = valid[int(score.argmax())]
    assert component.learner.best(batch).tolist() == list(best)
    log_z = np.logaddexp.reduce(score)
    for path, expected in zip(valid[:50], score[:50], strict=True):
        found = component.learner.log_scores(batch, np.array(path, np.int32))[0]
        assert found == pytest.approx(expected - log_z, abs=1e-3)
    listed = component.n_best(doc, k=5, share="all")
    shares = np.sort(np.exp(score - log_z))[::-1][:5]
    assert [x.probability for x in listed] == pytest.approx(shares, abs=1e-3)


def test_pooling_refuses_outside_scores_of_other_kinds():
    with pytest.raises(ValueError, match="weight.*-1"):
        outside_scores(len, ["O"], weight=-1)
    with pytest.raises(ValueError, match="LP662.*S-NP"):
        outside_scores(len, ["O", "S-NP"], "IOB2")
    message = r"LP590.*outside\.other must.*OutsideScores.*not 3"
    with pytest.raises(ValueError, match=message):
        spacy.blank("en").add_pipe("latperc_ner", config={"outside": {"other": 3}})
