"""The attributes that the templates of a config read from a Doc."""

import numpy as np
import pytest
import spacy
from builders.pipelines import example_of, make_doc, make_pipeline, templates, train
from spacy.attrs import IS_DIGIT, ORTH, SENT_START, TAG
from spacy.tokens import Doc, Token
from spacy.training import Example

from spacy_latperc.kernels.text import doc_rows
from spacy_latperc.pipeline.doc_reader import DocReader, entity_spans
from spacy_latperc.pipeline.gold_spans import align_spans, read_rows, read_spans

WORDS = ["a", "b", "c", "d", "e"]


@pytest.fixture(scope="module")
def nlp():
    return spacy.blank("xx")


@pytest.fixture
def extension():
    """A token extension for one test."""
    name = "latperc_test"
    Token.set_extension(name, default=None)
    yield name
    Token.remove_extension(name)


def column(doc: Doc, name: str) -> list[int]:
    batch = DocReader(["ORTH", "SENT_START", name]).read([doc])
    return batch.values[:, 2].tolist()


# Columns ------------------------------------------------------------------------------


def test_docs_columns_are_those_of_the_docs(nlp):
    docs = [
        make_doc(nlp, ["1", "b"], tags=["X", "Y"]),
        make_doc(nlp, []),
        make_doc(nlp, ["c"], tags=["Z"]),
    ]
    batch = DocReader(["ORTH", "SENT_START", "TAG", "IS_DIGIT"]).read(docs)
    expected = [doc.to_array([ORTH, SENT_START, TAG, IS_DIGIT]) for doc in docs]
    assert batch.values.tolist() == np.concatenate(expected).tolist()
    assert batch.docs.tolist() == [0, 2, 2, 3]
    assert batch.lookup(docs[2][0].orth) == "c"


@pytest.mark.parametrize("tagged", [(), (0,), (2,), (0, 2)])
def test_docs_say_whether_columns_beside_are_empty(nlp, tagged):
    docs = [make_doc(nlp, words) for words in (["a", "b"], [], ["c"])]
    for number in tagged:
        docs[number][len(docs[number]) - 1].tag_ = "X"
    for some in (docs, docs[2:]):
        batch = DocReader(["ORTH", "SENT_START"]).read(some, [TAG])
        expected = np.concatenate([doc.to_array([TAG]) for doc in some])
        assert batch.extra.ravel().tolist() == expected.tolist()
        assert batch.blank == (not expected.any())
    assert not DocReader(["ORTH", "SENT_START"]).read(docs).blank


def test_docs_rows_are_refused_where_lengths_differ(nlp):
    docs = [make_doc(nlp, ["a", "b"]), make_doc(nlp, ["c"])]
    for offsets in ([0, 1, 3], [0, 2], [0, 4, 3], [-1, 1, 2]):
        with pytest.raises((ValueError, IndexError)):
            doc_rows(docs, [ORTH, TAG], np.array(offsets, dtype=np.int64))
    with pytest.raises(ValueError, match="lengths"):
        doc_rows(docs, [ORTH, TAG], np.array([0, 2, 3], dtype=np.int64), 3)


def test_docs_empty_docs_have_no_rows(nlp):
    for name in ("ent", "spans:chunks", "TAG", "_.unheard_of"):
        assert column(make_doc(nlp, []), name) == []
    for names in (["ORTH", "SENT_START"], ["ORTH", "SENT_START", "ent"]):
        batch = DocReader(names).read([])
        assert batch.values.shape == (0, len(names))
        assert batch.docs.tolist() == [0]
    with pytest.raises(ValueError, match="LP030.*'_.unheard_of'"):
        column(make_doc(nlp, WORDS), "_.unheard_of")


def test_docs_columns_of_spans_mark_begins(nlp):
    doc = make_doc(nlp, WORDS, ents=[(0, 2, "LOC"), (2, 3, "LOC")])
    first, inside, second, *outside = column(doc, "ent")
    assert first == second != inside
    assert outside == [0, 0]
    # PERSON, NORP, FACILITY, ORG, GPE, LOC are neighbouring numbers in spaCy.
    labels = ["PERSON", "NORP", "FACILITY", "ORG", "GPE", "LOC", "PRODUCT", "EVENT"]
    docs = [make_doc(nlp, ["a", "b"], ents=[(0, 2, label)]) for label in labels]
    assert len({x for doc in docs for x in column(doc, "ent")}) == 2 * len(labels)
    doc = make_doc(nlp, WORDS, chunks=[(1, 3, "NP"), (3, 4, "NP"), (4, 5, "VP")])
    outside, first, inside, second, other = column(doc, "spans:chunks")
    assert outside == 0 and first == second
    assert len({first, inside, other}) == 3
    assert column(make_doc(nlp, WORDS), "spans:other") == [0] * 5


def test_docs_extension_column_reads_values(nlp, extension):
    doc = make_doc(nlp, WORDS)
    for token, value in zip(doc, [True, False, "True", None, 3], strict=True):
        token._.set(extension, value)
    true, false, text, nothing, number = column(doc, f"_.{extension}")
    assert nothing == 0 and true == text
    assert len({true, false, nothing, number}) == 4
    doc = make_doc(nlp, WORDS[:4])
    for token, value in zip(doc, [True, np.bool_(True), 3, np.int64(3)], strict=True):
        token._.set(extension, value)
    true, also_true, three, also_three = column(doc, f"_.{extension}")
    assert true == also_true != three == also_three


def test_docs_extension_values_of_other_types_are_refused(nlp, extension):
    doc = make_doc(nlp, WORDS)
    others = [(x, f"a {type(x).__name__}") for x in (b"a", {"a": "b"}, [["a"]], 1j)]
    odd = (np.nan, -np.inf, {"a": np.nan}, [1.0, np.inf])
    for value, kind in others + [(x, None) for x in odd]:
        doc[3]._.set(extension, value)
        said = f"LP540.*{extension}' is {kind}" if kind else f"LP750.*{extension}' has"
        with pytest.raises(ValueError, match=f"{said}.* at token 3 of '{WORDS[0]} "):
            column(doc, f"_.{extension}")


def test_docs_extension_lists_are_those_of_their_tokens(nlp, extension):
    reader = DocReader(["ORTH", "SENT_START", f"_.{extension}"])
    docs = [make_doc(nlp, WORDS), make_doc(nlp, []), make_doc(nlp, WORDS)]
    docs[0][1]._.set(extension, ["a", "b"])
    docs[2][0]._.set(extension, 0.5)
    docs[2][3]._.set(extension, "a")
    batch = reader.read(docs)
    assert batch.lists.columns == [2]
    assert np.flatnonzero(batch.lists.list_of[:, 0]).tolist() == [1, 5]
    assert batch.lists.begin.tolist() == [0, 2, 3]
    assert len(set(batch.values[[1, 5, 8], 2].tolist())) == 3
    assert reader.read(docs[:1] + docs[1:2]).lists.values.tolist() == [1.0, 1.0]
    assert reader.read([docs[1], make_doc(nlp, WORDS)]).lists is None


# A tagger that can only know the answer from the attribute that its template names. ---


def tags_from(template: str, prepare, tags: list[str]) -> list[str]:
    """The tags found on a Doc of WORDS after learning them from the attribute."""
    nlp = make_pipeline("latperc_tagger", features=templates(template), order=0)
    gold = make_doc(nlp, WORDS, tags=tags)

    def predicted() -> Doc:
        doc = make_doc(nlp, WORDS)
        prepare(doc)
        return doc

    train(nlp, [Example(predicted(), gold)])
    return [token.tag_ for token in nlp(predicted())]


def set_extension(doc: Doc) -> None:
    for token, value in zip(doc, "xyxyx", strict=True):
        token._.latperc_test = value


def set_numbers(doc: Doc) -> None:
    for token, value in zip(doc, [1.0, -1.0, 1.0, -1.0, 0.0], strict=True):
        token._.latperc_test = value


def set_lists(doc: Doc) -> None:
    given = ["x", ["x", "y"], {"x": -1, "y": 1.0}, {"y", "z"}, []]
    for token, value in zip(doc, given, strict=True):
        token._.latperc_test = value


def set_ents(doc: Doc) -> None:
    doc.ents = [doc.char_span(0, 3, "LOC"), doc.char_span(4, 5, "ORG")]


def set_spans(doc: Doc) -> None:
    for key in ("chunks", "other"):
        doc.spans[key] = [doc.char_span(2, 5, "NP"), doc.char_span(6, 7, "VP")]


@pytest.mark.parametrize(
    "template, prepare, tags",
    [
        ("_.latperc_test[0]", set_extension, ["X", "Y", "X", "Y", "X"]),
        ("_.latperc_test[1]", set_extension, ["Y", "X", "Y", "X", "Z"]),
        ("_.latperc_test[0]", set_numbers, ["X", "Y", "X", "Y", "X"]),
        ("_.latperc_test[0]", set_lists, ["X", "Z", "Y", "Z", "X"]),
        ("_.latperc_test[0]|w[0]", set_lists, ["A", "B", "C", "D", "A"]),
        ("ent[0]", set_ents, ["BL", "IL", "BO", "O", "O"]),
        ("ent[-1]", set_ents, ["S", "BL", "IL", "BO", "O"]),
        ("chunk[0]", set_spans, ["O", "BN", "IN", "BV", "O"]),
        ("chunk[-1]", set_spans, ["S", "O", "BN", "IN", "BV"]),
        ("spans.other[0]", set_spans, ["O", "BN", "IN", "BV", "O"]),
        ("spans.none[0]|w[0]", set_spans, ["A", "B", "C", "D", "E"]),
    ],
)
def test_docs_templates_read_annotation(template, prepare, tags, extension):
    assert tags_from(template, prepare, tags) == tags


FLAGS = {"is_digit": "12", "is_title": "Ab", "is_punct": "!", "is_space": "\n"}
FLAGS |= {"is_upper": "AB", "like_num": "1,000", "like_url": "http://a.org"}
FLAGS |= {"like_email": "a@b.org"}


@pytest.mark.parametrize("flag", FLAGS)
def test_docs_templates_read_lexical_flags(flag):
    nlp = make_pipeline("latperc_tagger", features=templates(f"{flag}[0]"), order=0)
    yes, no = FLAGS[flag], "ab"
    train(nlp, [example_of(nlp, [yes, no, yes], tags=["Y", "N", "Y"])])
    doc = nlp(make_doc(nlp, [no, yes]))
    assert [token.tag_ for token in doc] == ["N", "Y"]


def test_docs_templates_read_norms():
    nlp = make_pipeline("latperc_tagger", features=templates("norm[0]"), order=0)
    nlp.vocab["u"].norm_ = "you"
    train(nlp, [example_of(nlp, ["you", "x"], tags=["PRP", "X"])])
    assert nlp(make_doc(nlp, ["u"]))[0].tag_ == "PRP"


# Gold ---------------------------------------------------------------------------------


def test_docs_entity_spans_are_read_from_columns_and_end_with_docs():
    iob = [3, 1, 3, 2, 0, 3, 1, 1]
    types = [5, 5, 5, 0, 0, 0, 7, 8]
    columns = np.array([iob, types], dtype=np.uint64).T
    spans = [[0, 2, 5], [2, 3, 5], [6, 7, 7], [7, 8, 8]]
    assert entity_spans(columns).tolist() == spans
    largest = 2**64 - 1
    columns = np.array([[3, 1, 1, 1], [largest] * 4], dtype=np.uint64).T
    whole = entity_spans(columns).tolist()
    assert whole == entity_spans(columns, [0, 4]).tolist() == [[0, 4, largest]]
    spans = [[0, 1, largest], [1, 4, largest]]
    assert entity_spans(columns, [0, 1, 1, 4]).tolist() == spans
    assert entity_spans(columns[:0]).shape == (0, 3)


def test_docs_spans_are_read_in_order(nlp):
    doc = make_doc(nlp, WORDS, chunks=[(3, 5, "B"), (0, 1, "A"), (3, 4, "B")])
    rows, _ = read_rows([doc], np.array([0, 5]), "chunks")
    found = [(start, end) for start, end, _ in rows.tolist()]
    assert found == [(0, 1), (3, 4), (3, 5)]
    assert read_spans(doc, "other") is read_spans(doc, None) is None


@pytest.mark.parametrize(
    "predicted, spans, aligned, lost",
    [
        # reference: ab cd ef g
        (["ab", "cd", "ef", "g"], [(1, 3)], [(1, 3)], []),
        (["a", "b", "cd", "ef", "g"], [(0, 1), (2, 4)], [(0, 2), (3, 5)], []),
        (["abcd", "efg"], [(0, 2)], [(0, 1)], []),
        (["abcd", "efg"], [(0, 1)], [], [0]),
        (["abcd", "efg"], [(1, 3)], [], [0, 1]),
        (["abc", "defg"], [(0, 1), (2, 3)], [], [0, 1]),
        (["abcdefg"], [(0, 4)], [(0, 1)], []),
    ],
)
def test_docs_spans_are_aligned_or_lost(nlp, predicted, spans, aligned, lost):
    reference = ["ab", "cd", "ef", "g"]
    example = Example(
        Doc(nlp.vocab, words=predicted, spaces=[False] * len(predicted)),
        Doc(nlp.vocab, words=reference, spaces=[False] * 4),
    )
    rows = np.array([(start, end, 1) for start, end in spans], dtype=np.uint64)
    found, tokens = align_spans(example, rows)
    assert [(start, end) for start, end, _ in found.tolist()] == aligned
    assert tokens == lost
