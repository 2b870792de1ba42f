"""Scores on Docs: where they are kept, and who may read them."""

import numpy as np
import pytest
import spacy
from pipelines import make_doc
from spacy.tokens import Doc, DocBin, Span, Token

from spacy_latperc.pipeline.extensions import (
    EXTENSIONS,
    Analysis,
    entity_score,
    forget_entity_scores,
    forget_token_scores,
    n_best,
    pos_score,
    register_extensions,
    tag_score,
    write_entity_scores,
    write_n_best,
    write_token_scores,
)

ANALYSES = [
    Analysis([(1, 3, "GPE")], 0.75, 2.0),
    Analysis([], 0.25, 1.0),
]


@pytest.fixture
def doc() -> Doc:
    nlp = spacy.blank("xx")
    doc = make_doc(
        nlp, "in New York and Rome".split(), ents=[(1, 3, "GPE"), (4, 5, "GPE")]
    )
    write_entity_scores(doc, np.array([0.5, np.nan], dtype=np.float32))
    write_token_scores(doc, "tag", np.arange(5, dtype=np.float32))
    write_n_best(doc, "ner", ANALYSES)
    return doc


@pytest.fixture
def unregistered():
    """Whatever a test registers is gone afterwards."""
    saved = [
        (owner, name, owner.remove_extension(name))
        for owner, name, _ in EXTENSIONS
        if owner.has_extension(name)
    ]
    yield
    for owner, name, _ in EXTENSIONS:
        if owner.has_extension(name):
            owner.remove_extension(name)
    for owner, name, (default, method, getter, setter) in saved:
        given = {"default": default, "method": method, "getter": getter}
        owner.set_extension(
            name,
            setter=setter,
            **{key: value for key, value in given.items() if value is not None},
        )


def through_bytes(doc: Doc) -> Doc:
    return Doc(doc.vocab).from_bytes(doc.to_bytes())


def through_docbin(doc: Doc) -> Doc:
    return next(DocBin(docs=[doc]).get_docs(doc.vocab))


@pytest.mark.parametrize("travel", [through_bytes, through_docbin, Doc.copy])
def test_extensions_scores_travel_with_the_doc(doc, travel):
    other = travel(doc)
    assert [entity_score(ent) for ent in other.ents] == [0.5, None]
    assert [tag_score(token) for token in other] == [0, 1, 2, 3, 4]


def test_extensions_n_best_travel_with_user_data(doc):
    docbin = DocBin(docs=[doc], store_user_data=True)
    for other in (through_bytes(doc), next(docbin.get_docs(doc.vocab))):
        assert n_best(other) == {"ner": ANALYSES}


def test_extensions_n_best_of_several_components(doc):
    write_n_best(doc, "tagger", [Analysis(["IN"], 1.0, 0.0)])
    assert n_best(doc) == {"ner": ANALYSES, "tagger": [(["IN"], 1.0, 0.0)]}


def test_extensions_no_score_without_one(doc):
    assert entity_score(doc[0:2]) is None
    assert entity_score(doc[1:2]) is None
    assert entity_score(doc[4:4]) is None
    assert pos_score(doc[0]) is None
    bare = make_doc(spacy.blank("xx"), ["a"])
    assert (entity_score(bare[0:1]), tag_score(bare[0]), n_best(bare)) == (
        None,
        None,
        {},
    )


def test_extensions_scores_can_be_forgotten(doc):
    for _ in range(2):
        forget_entity_scores(doc)
        forget_token_scores(doc, "tag")
    assert entity_score(doc.ents[0]) is None
    assert tag_score(doc[0]) is None


def test_extensions_merged_tokens_have_no_tag_score(doc):
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[1:3])
    assert tag_score(doc[0]) is None


def test_extensions_are_read_as_attributes(doc, unregistered):
    register_extensions()
    register_extensions()
    assert doc.ents[0]._.ent_score == 0.5
    assert doc[3]._.tag_score == 3
    assert doc[3]._.pos_score is None
    assert doc._.latperc_n_best == {"ner": ANALYSES}


@pytest.mark.parametrize("owner, name", [(Span, "ent_score"), (Token, "tag_score")])
def test_extensions_of_others_stay_as_they_are(owner, name, unregistered):
    owner.set_extension(name, default="theirs")
    with pytest.warns(UserWarning, match=f"LP914.*{owner.__name__}._.{name}"):
        register_extensions()
    assert owner.get_extension(name)[0] == "theirs"
