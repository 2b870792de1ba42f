"""The rows of an explanation add up to the gap between two analyses, which the kernels
compute in another way (`max_marginals`)."""

import numpy as np
import pytest
from builders.pipelines import MEMBERS, TEXTS, make_trained, templates
from spacy.tokens import Doc, Token

from spacy_latperc.explain.feature_text import FeatureText, active_features

WITH_EDGES = templates("w[-1]", "w[0]", "suf2[0]|w[1]", "edge:w[0]", "bias")
FULL = {**WITH_EDGES, "latent_form": "full"}
WITH_PAIRS = templates("w[0]", "shape[0]", "edge:w[0]", "tri:w[0]", latent_form="full")
PERCEPTRON = {"@misc": "spacy_latperc.Perceptron.v1"}


@pytest.fixture(scope="module", autouse=True)
def extensions():
    """A token's letters (several values), and a number."""
    Token.set_extension("letters", getter=lambda token: list(token.text), force=True)
    Token.set_extension("size", getter=lambda token: len(token) / 4, force=True)
    yield
    Token.remove_extension("letters")
    Token.remove_extension("size")


VALUES = templates("w[0]", "_.letters[0]", "_.letters[-1]|_.size[0]", "_.size[1]")
NGRAMS = templates("w[0]", "ng3[0]", "ng2[-1]|w[0]")


def gaps(component, doc, token):
    """The score gap between the best label of a token and each label."""
    batch, prepared = component.read_docs([doc])
    scores = component.learner.max_marginals(prepared)[token]
    return dict(zip(component.learner.labels, scores.max() - scores, strict=True))


@pytest.mark.parametrize(
    "factory", ["latperc_tagger", "latperc_chunker", "latperc_ner"]
)
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"order": 0},
        {"boundaries": False},
        {"features": WITH_EDGES},
        {"features": WITH_EDGES, "latent": 2},
        {"features": FULL, "latent": 3, "learner": PERCEPTRON},
        {"features": WITH_EDGES, "latent": 2, "order": 2},
        {"features": WITH_PAIRS, "latent": 2, "order": 2, "learner": PERCEPTRON},
        {"features": VALUES, "latent": 2, "order": 0},
        {"features": VALUES},
        {"features": NGRAMS},
        {"features": VALUES, "latent": 2},
        {"members": MEMBERS},
    ],
)
@pytest.mark.filterwarnings("ignore:.LP921")
def test_explanations_add_up(factory, settings):
    nlp = make_trained(factory, passes=3, **settings)
    component = nlp.get_pipe(factory)
    if factory != "latperc_tagger":
        component.cfg["recall_constant"] = 0.25
    for text in [TEXTS[0], "An unknown London", "One"]:
        doc = nlp.make_doc(text)
        for token in range(len(doc)):
            found = component.explain(doc, token)
            gap = gaps(component, doc, token)
            assert gap[found.chosen] == 0
            assert found.margin == pytest.approx(gap[found.rejected], abs=1e-4)
            *rows, (_, _, total) = found.rows(3)
            assert sum(weight for *_, weight in rows) == pytest.approx(total, abs=1e-4)
            assert total == found.margin


def test_compact_models_with_clusters_add_up(tmp_path):
    clusters = tmp_path / "clusters.tsv"
    clusters.write_text("Ada\t0\nLondon\t01\nmet\t11\nthe\t10\n")
    features = {
        "@misc": "spacy_latperc.NERFeatures.v1",
        "sources": {
            "own": {"@misc": "spacy_latperc.ClusterFile.v1", "path": str(clusters)}
        },
    }
    nlp = make_trained("latperc_ner", features=features, passes=3)
    ner = nlp.get_pipe("latperc_ner")
    ner.learner.from_bytes(ner.learner.to_bytes(bits=16))
    doc = nlp.make_doc(TEXTS[0])
    found = ner.explain(doc, 0)
    assert found.margin == pytest.approx(gaps(ner, doc, 0)[found.rejected], abs=1e-4)
    assert any(x.feature.startswith("cl.own") for x in found.features)


def test_whole_docs_are_explained_and_shown_in_notebooks():
    nlp = make_trained("latperc_ner")
    ner = nlp.get_pipe("latperc_ner")
    doc = nlp.make_doc(TEXTS[0])
    doc[4].is_sent_start = True
    found = ner.explain(doc)
    assert [x.token for x in found] == [0, 1, 7]
    assert found[2] == ner.explain(doc, 7)
    assert found._repr_html_().count("<table") == 3
    every = ner.explain(nlp.make_doc("They walk"))
    assert [x.chosen for x in every] == ["O", "O"]
    html = ner.explain(Doc(nlp.vocab, words=["<b>"]), 0)._repr_html_()
    assert "&lt;b&gt;" in html and "<b>" not in html
    assert "Transitions" in ner.top_features([doc])._repr_html_()


def test_own_annotation_is_ignored():
    nlp = make_trained("latperc_ner")
    ner = nlp.get_pipe("latperc_ner")
    doc = nlp(TEXTS[0])
    assert doc.ents
    assert ner.explain(doc, 0) == ner.explain(nlp.make_doc(TEXTS[0]), 0)


def test_label_can_be_chosen():
    nlp = make_trained("latperc_tagger")
    tagger = nlp.get_pipe("latperc_tagger")
    doc = nlp.make_doc(TEXTS[0])
    for label, gap in gaps(tagger, doc, 3).items():
        found = tagger.explain(doc, 3, label)
        assert found.rejected == label
        assert found.rejected_labels[3] == label
        assert found.margin == pytest.approx(gap, abs=1e-4)


def test_sentences_are_explained_one_by_one():
    nlp = make_trained("latperc_tagger")
    tagger = nlp.get_pipe("latperc_tagger")
    doc = nlp.make_doc(" ".join(TEXTS))
    second = len(TEXTS[0].split())
    doc[second].is_sent_start = True
    found = tagger.explain(doc, second + 2)
    assert found.start == second
    assert all(feature.token >= second for feature in found.features)
    first = tagger.explain(doc, second).features
    assert any(x.feature == "word[-1]=<start>" for x in first)


def test_features_have_readable_names():
    features = templates(
        "w[0]|suf2[-1]", "pre1[0]", "is_title[0]", "shape[1]", "e[0]", "_.letters[0]"
    )
    features["templates"].append("ng4[1]")
    nlp = make_trained("latperc_tagger", features=features, passes=4)
    doc = nlp.make_doc("Ada Lovelace met")
    found = nlp.get_pipe("latperc_tagger").explain(doc, 0)
    names = {feature.feature for feature in found.features}
    assert "word[0]=Ada | suf2[-1]=<start>" in names
    assert names <= {
        *("word[0]=Ada | suf2[-1]=<start>", "word[0]=Lovelace | suf2[-1]=da"),
        *("word[0]=met | suf2[-1]=ce", "pre1[0]=A", "pre1[0]=L", "pre1[0]=m"),
        *("is_title[0]=yes", "is_title[0]=no", "ent[0]=O", "shape[1]=xxx"),
        *("shape[1]=Xxxxx", "shape[1]=<end>", "start of sentence"),
        *(f"ng4[1]={x}" for x in ("<lov", "love", "ovel", "vela", "elac", "lace")),
        *("ng4[1]=ace>", "ng4[1]=<met", "ng4[1]=met>", "ng4[1]=<end>"),
        *("end of sentence", *(f"_.letters[0]={x}" for x in "AdaLovelacemet")),
    }


def test_features_of_lists_have_their_own_names_and_can_be_chosen():
    nlp = make_trained("latperc_tagger", features=VALUES)
    learner, doc = nlp.get_pipe("latperc_tagger").learner, nlp.make_doc("She met Lo")
    batch, prepared = nlp.get_pipe("latperc_tagger").read_docs([doc])
    text = FeatureText(learner.features, learner.plan, doc, batch)
    every = list(active_features(learner.empty_space(), prepared))
    names = {(x.token, text.names(x.template, x.token, 0, 3)[x.place]) for x in every}
    letters = {(t.i, f"_.letters[0]={x}") for t in doc for x in t.text}
    assert letters <= names and len(names) == len(every)
    some = np.array(sorted(x.key for x in every[::2]), dtype=np.uint64)
    chosen = list(active_features(learner.empty_space(), prepared, some))
    assert chosen == [x for x in every if x.key in some]
    assert any(x.place for x in chosen) and len(chosen) < len(every)


def test_weights_are_those_of_the_model_that_was_saved(tmp_path):
    nlp = make_trained("latperc_ner")
    doc = nlp.make_doc(TEXTS[1])
    before = nlp.get_pipe("latperc_ner").explain(doc, 1)
    nlp.to_disk(tmp_path)
    loaded = type(nlp)(nlp.vocab).from_config(nlp.config).from_disk(tmp_path)
    after = loaded.get_pipe("latperc_ner").explain(doc, 1)
    assert [x[:2] for x in after.features] == [x[:2] for x in before.features]
    assert after.margin == pytest.approx(before.margin)


@pytest.mark.parametrize(
    "token, label, error",
    [(9, None, "LP649"), (-4, None, "LP649"), (0, "XY", "LP650")],
)
def test_bad_requests_are_refused(token, label, error):
    nlp = make_trained("latperc_tagger", passes=1)
    with pytest.raises(ValueError, match=error):
        nlp.get_pipe("latperc_tagger").explain(
            nlp.make_doc("Ada met her"), token, label
        )


def test_top_features_are_the_largest_weights():
    nlp = make_trained("latperc_tagger", features=WITH_EDGES)
    tagger = nlp.get_pipe("latperc_tagger")
    docs = [nlp.make_doc(text) for text in TEXTS]
    found = tagger.top_features(docs, n=1000)
    weights = {
        (label, x.text): x.weight
        for label, both in found.features.items()
        for features in both
        for x in features
    }
    explained = tagger.explain(docs[1], 4)
    assert explained.chosen_labels[3] == explained.rejected_labels[3]
    for feature, token, weight in explained.features:
        if token == 4 and not feature.startswith("edge:"):
            chosen, rejected = explained.chosen, explained.rejected
            gap = weights.get((chosen, feature), 0) - weights.get(
                (rejected, feature), 0
            )
            assert weight == pytest.approx(gap, abs=1e-5)
    for best, worst in found.features.values():
        assert all(x.weight > 0 and x.text for x in best)
        assert all(x.weight < 0 and x.text for x in worst)
        assert [x.weight for x in best] == sorted(
            (x.weight for x in best), reverse=True
        )
    seen = {(x.before, x.label) for x in found.transitions}
    assert ("NNP", "VBD") in seen
    assert np.all(np.diff([x.weight for x in found.transitions]) <= 0)


def test_latent_states_have_typical_words():
    nlp = make_trained("latperc_tagger", features=FULL, latent=2)
    tagger = nlp.get_pipe("latperc_tagger")
    before = tagger.to_bytes()
    states = tagger.top_features([nlp.make_doc(x) for x in TEXTS], n=9).states
    assert set(states) == set(tagger.learner.labels)
    for words in states.values():
        assert len(words) == 2 and max(map(len, words)) <= 9
    assert "They" in sum(states["PRP"], [])
    assert "London" in sum(states["NNP"], [])
    assert tagger.to_bytes() == before
    plain = make_trained("latperc_tagger").get_pipe("latperc_tagger")
    assert plain.top_features([nlp.make_doc("x")]).states == {}


def test_top_features_have_no_text_without_docs():
    nlp = make_trained("latperc_tagger", features=templates("w[0]"))
    found = nlp.get_pipe("latperc_tagger").top_features(n=2)
    texts = [x.text for best, _ in found.features.values() for x in best]
    assert set(texts) <= {"", "start of sentence", "end of sentence"}
