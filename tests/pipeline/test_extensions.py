"""Scores on Docs: where they are kept, and who may read them."""

import pickle

import numpy as np
import pytest
import spacy
from builders.pipelines import gold_labels, make_doc, make_pipeline, triples
from spacy.tokens import Doc, DocBin, Span, Token
from spacy.training import Example

from spacy_latperc.grammaticality.annotations import (
    doc_grammaticality,
    write_sentence_scores,
)
from spacy_latperc.pipeline import extensions as ext

ANALYSES = [ext.Analysis([(1, 3, "GPE")], 0.75, 2.0), ext.Analysis([], 0.25, 1.0)]


@pytest.fixture
def doc() -> Doc:
    nlp = spacy.blank("xx")
    doc = make_doc(
        nlp, "in New York and Rome".split(), ents=[(1, 3, "GPE"), (4, 5, "GPE")]
    )
    ext.write_entity_scores(doc, np.array([0.5, np.nan], dtype=np.float32))
    ext.write_token_scores(doc, "tag", np.arange(5, dtype=np.float32))
    ext.write_n_best(doc, "ner", ANALYSES)
    sentence = np.zeros(1)
    write_sentence_scores(doc, np.array([0]), sentence, sentence, (0.5, 0.0))
    return doc


@pytest.fixture
def unregistered():
    """Whatever a test registers is gone afterwards."""
    saved = [
        (owner, name, owner.remove_extension(name))
        for owner, name, _ in ext.EXTENSIONS
        if owner.has_extension(name)
    ]
    yield
    for owner, name, _ in ext.EXTENSIONS:
        if owner.has_extension(name):
            owner.remove_extension(name)
    for owner, name, (default, method, getter, setter) in saved:
        given = {"default": default, "method": method, "getter": getter}
        owner.set_extension(
            name,
            setter=setter,
            **{key: value for key, value in given.items() if value is not None},
        )


def docbin_of(doc: Doc, **settings) -> Doc:
    return next(DocBin(docs=[doc], **settings).get_docs(doc.vocab))


def test_extensions_scores_travel_with_the_doc(doc):
    plain = docbin_of(doc)
    for other in (
        Doc(doc.vocab).from_bytes(doc.to_bytes()),
        docbin_of(doc, store_user_data=True),
        pickle.loads(pickle.dumps(doc)),
        doc.copy(),
        plain,
    ):
        assert entity_scores(other) == [0.5, None]
        assert token_scores(other) == [0, 1, 2, 3, 4]
        assert other is plain or ext.n_best(other) == {"ner": ANALYSES}
    ext.write_n_best(doc, "tagger", [ext.Analysis(["IN"], 1.0, 0.0)])
    assert ext.n_best(doc) == {"ner": ANALYSES, "tagger": [(["IN"], 1.0, 0.0)]}


def test_extensions_no_score_without_one_and_once_they_are_forgotten(doc):
    for span in (doc[0:2], doc[1:2], doc[4:4]):
        assert ext.entity_score(span) is None
    assert ext.pos_score(doc[0]) is None
    bare = make_doc(spacy.blank("xx"), ["a"])
    assert ext.entity_score(bare[0:1]) is ext.tag_score(bare[0]) is None
    assert ext.n_best(bare) == {}
    for _ in range(2):
        ext.forget_entity_scores(doc)
        ext.forget_token_scores(doc, "tag")
    assert ext.entity_score(doc.ents[0]) is ext.tag_score(doc[0]) is None


def token_scores(doc):
    return [ext.tag_score(token) for token in doc]


def entity_scores(doc):
    return [ext.entity_score(ent) for ent in doc.ents]


@pytest.mark.parametrize(
    ("merged", "tokens", "second"),
    [((1, 3), [0, None, 3, 4], None), ((0, 2), [None, 2, 3, 4], 0.25)],
)
def test_extensions_scores_outside_merged_tokens_stay(doc, merged, tokens, second):
    if second:
        ext.write_entity_scores(doc, np.array([0.5, second], dtype=np.float32))
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[slice(*merged)])
    assert token_scores(doc) == tokens
    assert entity_scores(doc)[-1] == second


def test_extensions_scores_are_those_of_a_label_and_stay_outside_split_tokens(doc):
    other = doc.copy()
    with other.retokenize() as retokenizer:
        retokenizer.split(other[2], ["Yo", "rk"], heads=[other[1], other[1]])
    assert token_scores(other) == [0, 1, None, None, 3, 4]
    assert entity_scores(other) == [0.5, None]
    doc[0].tag_ = "XYZ"
    doc.ents = [Span(doc, 1, 3, "PERSON")]
    assert token_scores(doc) == [None, 1, 2, 3, 4]
    assert entity_scores(doc) == [None]


@pytest.mark.filterwarnings("ignore:.*W102")
def test_extensions_scores_that_are_left_behind_are_none(doc):
    for other in (
        Doc(doc.vocab).from_json(doc.to_json()),
        doc[1:5].as_doc(),
        doc[1:5].as_doc(copy_user_data=True),
        Doc.from_docs([doc, doc]),
    ):
        assert len(other.ents) >= 1
        assert set(entity_scores(other)) == set(token_scores(other)) == {None}
        assert ext.n_best(other) == {}
        assert doc_grammaticality(other) is None


def test_extensions_are_read_as_attributes(doc, unregistered):
    ext.register_extensions()
    ext.register_extensions()
    assert doc.ents[0]._.ent_score == 0.5
    assert doc[3]._.tag_score == 3
    assert doc[3]._.pos_score is None
    assert doc._.latperc_n_best == {"ner": ANALYSES}


@pytest.mark.parametrize("owner, name", [(Span, "ent_score"), (Token, "tag_score")])
def test_extensions_of_others_stay_as_they_are(owner, name, unregistered):
    owner.set_extension(name, default="theirs")
    with pytest.warns(UserWarning, match=f"LP914.*{owner.__name__}._.{name}"):
        ext.register_extensions()
    assert owner.get_extension(name)[0] == "theirs"


def test_unsure_answers_become_unknown_labels():
    nlp = make_pipeline("latperc_ner")
    words, tags = "in New York and Rome".split(), "IN NNP NNP CC NNP".split()
    ents, chunks = [(1, 3, "GPE"), (4, 5, "GPE")], [(1, 3, "NP"), (4, 5, "NP")]
    doc = make_doc(nlp, words, tags=tags, ents=ents, chunks=chunks)
    doc.spans["chunks"].attrs["scores"] = np.array([0.4, 0.9])
    ext.write_entity_scores(doc, np.array([0.4, np.nan], dtype=np.float32))
    ext.write_token_scores(doc, "tag", np.array([0.9, 0.4, 0.9, 0.9, 0.5]))
    for layer in ("ents", "tag", "chunks"):
        ext.leave_unsure(doc, layer, 0.5)
    assert [token.tag_ for token in doc] == ["IN", "", "NNP", "CC", "NNP"]
    assert triples(doc.spans["chunks"]) == [(4, 5, "NP")]
    assert triples(doc.spans["missing_chunks"]) == [(1, 3, "NP")]
    nlp.initialize(lambda: [Example(doc, doc)])
    labels = gold_labels(nlp, Example(make_doc(nlp, words), doc))
    assert labels == ["O", None, None, "O", "S-GPE"]
