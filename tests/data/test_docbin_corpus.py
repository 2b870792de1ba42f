"""The reader of .spacy files, and what it copies to the predicted Docs."""

import pytest
import spacy
from spacy.tokens import Doc, DocBin, Span

from spacy_latperc.data.docbin_corpus import docbin_corpus

ALL_INPUTS = ["tag", "pos", "lemma", "ent", "sent_starts", "spans:sc"]


@pytest.fixture
def nlp():
    return spacy.blank("en")


def annotated(nlp, words, **settings):
    n = len(words)
    doc = Doc(
        nlp.vocab,
        words=words,
        tags=["NN"] * n,
        pos=["NOUN"] * n,
        lemmas=["x"] * n,
        sent_starts=[True, *[False] * (n - 1)],
        **settings,
    )
    doc.set_ents([Span(doc, 0, 1, "LOC")])
    doc.spans["sc"] = [Span(doc, 0, 2, "NP"), Span(doc, 1, 2, "NP")]
    return doc


def write(path, *docs):
    DocBin(docs=docs, store_user_data=True).to_disk(path)
    return path


@pytest.fixture
def path(tmp_path, nlp):
    doc = annotated(nlp, ["Rome", "burns"])
    return write(tmp_path / "a.spacy", doc, annotated(nlp, ["Oslo", "sleeps", "."]))


def test_docbin_reader_copies_what_is_named_and_nothing_else(path, nlp):
    for example in docbin_corpus(path, inputs=ALL_INPUTS)(nlp):
        for copy, gold in zip(example.predicted, example.reference, strict=True):
            assert (copy.tag_, copy.pos_, copy.lemma_) == ("NN", "NOUN", "x")
            assert copy.is_sent_start == gold.is_sent_start
        assert [x.label_ for x in example.predicted.ents] == ["LOC"]
        spans = [(x.start, x.end, x.label_) for x in example.predicted.spans["sc"]]
        assert spans == [(0, 2, "NP"), (1, 2, "NP")]
    for example in docbin_corpus(path, inputs=["tag"])(nlp):
        doc = example.predicted
        assert doc.has_annotation("TAG")
        assert not any(doc.has_annotation(x) for x in ("POS", "LEMMA", "ENT_IOB"))
        assert len(doc.spans) == 0


def test_docbin_reader_aligns_where_tokens_differ(tmp_path, nlp):
    doc = annotated(nlp, ["New York", "is", "big"], spaces=[True, True, False])
    reader = docbin_corpus(write(tmp_path / "a.spacy", doc), inputs=ALL_INPUTS)
    predicted = next(iter(reader(nlp))).predicted
    assert [t.text for t in predicted] == ["New", "York", "is", "big"]
    assert [x.text for x in predicted.ents] == ["New York"]
    assert [x.text for x in predicted.spans["sc"]] == ["New York is", "is"]
    assert predicted[3].tag_ == "NN"


def test_docbin_reader_counts_its_limit_over_files_and_skips_empty_docs(path, nlp):
    write(path.with_name("b.spacy"), Doc(nlp.vocab), annotated(nlp, ["Bern", "eats"]))
    assert len(list(docbin_corpus(path.parent)(nlp))) == 3
    assert len(list(docbin_corpus(path.parent, limit=1)(nlp))) == 1


def test_docbin_reader_takes_gold_tokens(tmp_path, nlp):
    words, spaces = ["New York", "isn", "'t"], [True, False, False]
    doc = annotated(nlp, words, spaces=spaces)
    path = write(tmp_path / "a.spacy", doc)
    (example,) = docbin_corpus(path, gold_tokens=True)(nlp)
    assert [t.text for t in example.predicted] == words
    assert example.predicted.text == "New York isn't"


def test_docbin_reader_warns_of_an_input_that_is_nowhere(path, tmp_path, nlp):
    bare = write(tmp_path / "bare.spacy", Doc(nlp.vocab, words=["a"]))
    for file, name in ((bare, "tag"), (path, "ent=spans:first")):
        with pytest.warns(UserWarning, match=rf"LP901.*'{name}'.*\.spacy"):
            list(docbin_corpus(file, inputs=[name])(nlp))


def test_docbin_reader_refuses_no_path_and_places_that_do_not_go_together(nlp):
    with pytest.raises(ValueError, match="LP114"):
        list(docbin_corpus(None)(nlp))
    with pytest.raises(ValueError, match="LP118.*'chunk'.*tag, pos.*spans:<key>"):
        docbin_corpus("a.spacy", inputs=["chunk"])
    for name in ("tag=ent", "ent=tag", "ent=", "=ent", "ent=spans:"):
        with pytest.raises(ValueError, match="LP118.*ent=spans:<key>"):
            docbin_corpus("a.spacy", inputs=[name])


def test_docbin_reader_puts_spans_elsewhere(tmp_path, nlp):
    doc = annotated(nlp, ["Rome", "burns"])
    doc.spans["first"] = [Span(doc, 1, 2, "ORG")]
    path = write(tmp_path / "a.spacy", doc)
    inputs = ["ent=spans:first", "spans:chunks=spans:first", "spans:gold=ent"]
    (example,) = docbin_corpus(path, inputs=inputs)(nlp)
    copy = example.predicted
    assert [(x.start, x.end, x.label_) for x in copy.ents] == [(1, 2, "ORG")]
    assert [x.label_ for x in copy.spans["chunks"]] == ["ORG"]
    assert [x.label_ for x in copy.spans["gold"]] == ["LOC"]
    assert [x.label_ for x in example.reference.ents] == ["LOC"]
