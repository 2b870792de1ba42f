"""Lists of values through whole components."""

import numpy as np
import pytest
from builders.pipelines import make_doc, make_pipeline, templates, train
from spacy.tokens import Token
from spacy.training import Example

WORDS = "a b c a".split()
VALUES = {"a": ["x", "y"], "b": 0.5, "c": {"y": 2.0, "z": -1}}


@pytest.fixture(autouse=True)
def extension():
    Token.set_extension("given", getter=lambda token: VALUES.get(token.orth_))
    yield
    Token.remove_extension("given")


def trained(**settings):
    features = templates("bias", "_.given[0]", "edge:_.given[0]", "_.given[-1]|w[0]")
    nlp = make_pipeline("latperc_tagger", features=features, **settings)
    words = [WORDS, WORDS[::-1], ["b", "b", "c"]]
    tags = [list("XYZX"), list("XZYX"), list("YYZ")]
    examples = [
        Example(make_doc(nlp, w), make_doc(nlp, w, tags=t))
        for w, t in zip(words, tags, strict=True)
    ]
    return train(nlp, examples)


@pytest.mark.parametrize("order", [1, 2])
def test_values_labellings_have_the_probabilities_of_all(order):
    nlp = trained(order=order)
    pipe = nlp.get_pipe("latperc_tagger")
    doc = make_doc(nlp, WORDS)
    found = pipe.n_best(doc, 81, share="all")
    assert len(found) == 81
    assert sum(each.probability for each in found) == pytest.approx(1.0, abs=1e-4)
    batch = pipe.learner.read(pipe.reader.read([doc]))
    table, _ = pipe.learner.marginals(batch)
    np.testing.assert_allclose(table.sum(axis=1), 1.0, atol=1e-5)


def test_values_that_change_are_read_again():
    nlp = trained()
    pipe = nlp.get_pipe("latperc_tagger")
    docs = [make_doc(nlp, WORDS) for _ in range(2)]
    examples = [Example(make_doc(nlp, WORDS), doc) for doc in docs]
    before = pipe.prepare(examples, remember=True)
    same = pipe.prepare(examples, remember=True)
    assert [x is y for (x, _), (y, _) in zip(before, same, strict=True)] == [True] * 2
    old = VALUES["a"]
    VALUES["a"] = ["x", "w"]
    try:
        after = pipe.prepare(examples, remember=True)
    finally:
        VALUES["a"] = old
    for (first, _), (second, _) in zip(before, after, strict=True):
        ids = first.weighted_features()[2], second.weighted_features()[2]
        assert not np.array_equal(*ids)


def test_values_are_the_same_in_several_processes():
    nlp = trained()
    docs = [make_doc(nlp, WORDS[::step]) for step in (1, -1, 2, 3)]
    alone = [[t.tag_ for t in nlp(doc.copy())] for doc in docs]
    several = nlp.pipe([doc.copy() for doc in docs], n_process=2, batch_size=1)
    assert [[t.tag_ for t in doc] for doc in several] == alone
