"""The entity recogniser: representations, and entities that are there before it."""

import numpy as np
import pytest
from builders import pipelines as small
from builders.chunkings import sentences
from hypothesis import given
from hypothesis import strategies as st
from spacy.language import Language
from spacy.tokens import Doc, Span

from spacy_latperc.schemes import SCHEMES

NER = "latperc_ner"
Ent = tuple[int, int, str]


@pytest.fixture(scope="module", params=SCHEMES)
def keeping(request) -> Language:
    """A trained pipeline that keeps entities, in each representation."""
    return small.make_trained(NER, scheme=request.param, keep_ents=True, passes=30)


@pytest.mark.parametrize(
    "default, where, expected",
    [
        ("missing", {"outside": 0}, ["O", "B-X", "E-X", None, None]),
        ("outside", {"blocked": 0}, ["O", "B-X", "E-X", "O", "O"]),
        ("missing", {"blocked": 3}, [None, "B-X", "E-X", "O", None]),
    ],
)
def test_ner_gold_of_missing_and_blocked_tokens(default, where, expected):
    """Missing ones are not learned as outside, and blocked ones are."""
    nlp = small.with_labels(NER, "X")
    example = small.example_of(nlp, list("abcde"))
    gold = example.reference
    tokens = {name: [gold[i : i + 1]] for name, i in where.items()}
    gold.set_ents([Span(gold, 1, 3, label="X")], default=default, **tokens)
    assert small.gold_labels(nlp, example) == expected


@pytest.mark.parametrize("ents", [[(0, 2, "MISC")], small.SENTENCES[1].ents])
def test_ner_replaces_entities_and_their_ids_if_wanted(ents):
    nlp = small.make_trained(NER, passes=30, keep_ents=False)
    doc = nlp(with_ents(nlp, small.SENTENCES[1].words, ents))
    assert doc.has_annotation("ENT_IOB", require_complete=True)
    assert details(doc) == dict.fromkeys(small.SENTENCES[1].ents, ("", ""))


def test_ner_partly_annotated_docs_teach_what_they_say():
    nlp = small.make_pipeline(NER)
    text = "Ada met Alan and Acme"
    example = small.example_of(nlp, text.split())
    gold = example.reference
    person = Span(gold, 0, 1, label="PERSON")
    gold.set_ents([person], outside=[gold[1:2]], default="missing")
    small.train(nlp, [*small.make_examples(nlp), example], 30)
    assert nlp(text).ents[0].text == "Ada"
    assert nlp("Yesterday Acme Corp hired Alan Turing").ents[1].label_ == "PERSON"


# Incorrect spans ----------------------------------------------------------------------


def incorrect_gold(spans, *, missing=(0, 1, 2, 3), ents=(), **settings):
    """The labels that each token may have; spans are known not to be entities."""
    nlp = small.with_labels(NER, "X", "Y", incorrect_spans_key="wrong", **settings)
    example = small.example_of(nlp, list("abcd"))
    doc = example.reference
    doc.set_ents(
        [Span(doc, *ent) for ent in ents],
        missing=[doc[token : token + 1] for token in missing],
        default="outside",
    )
    doc.spans["wrong"] = [Span(doc, *span) for span in spans]
    return small.gold_sets(nlp, example)


ALL = {"O", *(f"{letter}-{type_}" for letter in "BIES" for type_ in "XY")}


@pytest.mark.parametrize(
    "spans, token, ruled_out",
    [
        ([(1, 2, "X")], 1, {"S-X"}),
        ([(1, 2, "")], 1, {"S-X", "S-Y"}),
        ([(1, 3, "X")], 2, {"E-X"}),
        ([(1, 3, "")], 2, {"E-X", "E-Y"}),
        ([(1, 2, "UNHEARD")], 1, set()),
        ([(1, 2, "X"), (0, 2, "Y"), (1, 2, "Y")], 1, {"S-X", "E-Y", "S-Y"}),
    ],
)
def test_ner_incorrect_spans_are_excluded(spans, token, ruled_out):
    expected = [ALL] * 4
    expected[token] = ALL - ruled_out
    assert incorrect_gold(spans) == expected


@pytest.mark.parametrize(
    "span, missing, ents",
    [
        ((0, 2, "X"), (0, 1), []),
        ((0, 2, "X"), (1,), []),
        ((1, 3, "X"), (0, 3), [(1, 3, "Y")]),
        ((1, 2, "X"), (0, 3), [(1, 3, "X")]),
    ],
)
def test_ner_incorrect_spans_beside_annotation_agree_with_it(span, missing, ents):
    known = incorrect_gold([], missing=missing, ents=ents)
    found = incorrect_gold([span], missing=missing, ents=ents)
    if set(range(*span[:2])) <= set(missing):
        assert found[1] == known[1] - {"E-X"}
    else:
        assert found == known


def test_ner_incorrect_spans_that_cannot_be_excluded_are_refused():
    """They are gold, they leave nothing, or the scheme has no borders."""
    with pytest.raises(ValueError, match="LP071.*token 1 of 'a b c d'.*X.*2 token"):
        incorrect_gold([(1, 3, "X")], missing=(), ents=[(1, 3, "X")])
    nlp = small.make_pipeline(NER, incorrect_spans_key="wrong")
    nlp.get_pipe(NER).add_label("X")
    example = small.example_of(nlp, ["a", "b"])
    example.y.spans["wrong"] = [Span(example.y, 1, 2, label="X")]
    sets = {"scheme": "O+C", 1: ["S-X"]}
    example.y.user_data["latperc_allowed", "ents"] = sets
    message = "LP071.*token 1 of.*allows O, B-X, I-X, E-X, but its label set allows S-X"
    with pytest.raises(ValueError, match=message):
        nlp.get_pipe(NER).prepare([example])
    for scheme in ("IOB1", "IOE1"):
        with pytest.raises(ValueError, match=f"LP074.*{scheme}"):
            small.make_pipeline(NER, incorrect_spans_key="wrong", scheme=scheme)


def test_ner_incorrect_spans_are_unlearned():
    learner = {"@misc": "spacy_latperc.Perceptron.v1", "average": "none"}
    nlp = small.make_trained(
        NER, incorrect_spans_key="wrong", learner=learner, passes=30
    )
    text = "They met London"
    assert small.triples(nlp(text).ents) == [(2, 3, "GPE")]
    example = small.example_of(nlp, text.split())
    example.y.spans["wrong"] = [Span(example.y, 2, 3, label="GPE")]
    nlp.update([example])
    assert (2, 3, "GPE") not in small.triples(nlp(text).ents)


def test_ner_known_entities_end_beside_missing_tokens():
    assert incorrect_gold([], missing=(0, 3), ents=[(1, 3, "X")], scheme="IOB2") == [
        {"O", "B-X", "B-Y"},
        {"B-X"},
        {"I-X"},
        {"O", "B-X", "B-Y"},
    ]


# Entities that are there before it ----------------------------------------------------


def with_ents(nlp: Language, words: list[str], ents: list[Ent], **settings) -> Doc:
    doc = small.make_doc(nlp, words, **settings)
    doc.ents = [
        Span(doc, start, end, label=label, kb_id=f"Q{start}", span_id=f"id{start}")
        for start, end, label in ents
    ]
    return doc


def details(doc: Doc) -> dict[Ent, tuple[str, str]]:
    return {
        (ent.start, ent.end, ent.label_): (ent.kb_id_, ent.ent_id_) for ent in doc.ents
    }


@pytest.mark.parametrize(
    "kept",
    [
        [(1, 3, "GPE")],  # another type than the model's own
        [(1, 3, "UNHEARD")],  # a type that the model does not have
        [(2, 4, "PERSON")],  # other borders
        [(1, 2, "ORG"), (2, 3, "ORG")],  # neighbours of one type
        [(4, 5, "PERSON"), (5, 6, "PERSON")],
        [(0, 6, "PERSON")],
        [(0, 1, "ORG"), (1, 2, "UNHEARD"), (2, 4, "ORG"), (4, 5, "GPE")],
    ],
    ids=str,
)
def test_ner_kept_entities_stay_as_they_are(keeping, kept):
    doc = keeping(with_ents(keeping, small.SENTENCES[1].words, kept))
    found = details(doc)
    for start, end, label in kept:
        assert found[start, end, label] == (f"Q{start}", f"id{start}")


def test_ner_keeps_entities_across_sentences_and_finds_others(keeping):
    words = small.SENTENCES[1].words
    starts = [i in (0, 2) for i in range(len(words))]
    for label in ("PERSON", "UNHEARD"):
        doc = keeping(with_ents(keeping, words, [(1, 3, label)], sent_starts=starts))
        assert details(doc)[1, 3, label] == ("Q1", "id1")
    found = details(keeping(with_ents(keeping, words, [(0, 1, "GPE")])))
    plain = dict.fromkeys([(1, 3, "ORG"), (4, 6, "PERSON")], ("", ""))
    assert found == {(0, 1, "GPE"): ("Q0", "id0"), **plain}


def test_ner_keeps_blocked_tokens(keeping):
    doc = small.make_doc(keeping, small.SENTENCES[1].words)
    doc.set_ents([], blocked=[doc[1:3]])
    doc = keeping(doc)
    assert small.triples(doc.ents) == [(4, 6, "PERSON")]
    assert [(t.ent_iob_, t.ent_type_) for t in doc[1:3]] == [("B", "")] * 2


def test_ner_keeps_entities_of_an_entity_ruler(keeping):
    nlp = small.make_pipeline()
    nlp.add_pipe(NER, source=keeping)
    ruler = nlp.add_pipe("entity_ruler", before=NER)
    ruler.add_patterns([{"label": "COMPANY", "pattern": "Corp hired", "id": "corp"}])
    doc = nlp(small.TEXTS[1])
    assert (2, 4, "COMPANY") in small.triples(doc.ents)
    assert doc.ents[[e.label_ for e in doc.ents].index("COMPANY")].ent_id_ == "corp"
    assert small.triples(doc.ents)[-1] == (4, 6, "PERSON")


def test_ner_docs_in_a_batch_keep_their_own(keeping):
    kept = [[(0, 1, "ORG")], [], [(1, 3, "UNHEARD")], []]

    def docs():
        return [
            with_ents(keeping, sentence.words, ents)
            for sentence, ents in zip(small.SENTENCES, kept, strict=True)
        ]

    one_by_one = [details(keeping(doc)) for doc in docs()]
    assert [details(doc) for doc in keeping.pipe(docs())] == one_by_one


def test_ner_keeps_entities_whatever_came_before():
    """Types are read of Docs only once there were entities on some. By default they
    are kept, as by spaCy's own recogniser."""
    nlp = small.make_trained(NER, passes=30)
    words = small.SENTENCES[1].words
    plain, kept = [(1, 3, "ORG"), (4, 6, "PERSON")], [(1, 3, "UNHEARD")]
    for ents in ([], kept, kept, []):
        doc = with_ents(nlp, words, ents) if ents else small.make_doc(nlp, words)
        docs = [doc.copy() for _ in range(2)]
        expected = [*kept, plain[1]] if ents else plain
        found = [small.triples(doc.ents) for doc in [nlp(doc), *nlp.pipe(docs)]]
        assert found == [expected] * 3


def test_ner_keeping_changes_nothing_without_entities(keeping):
    nlp = small.make_trained(NER, scheme=keeping.get_pipe(NER).cfg["scheme"], passes=30)
    for text in [*small.TEXTS, "Rome and Corp of Paris"]:
        assert small.triples(keeping(text).ents) == small.triples(nlp(text).ents)


def test_ner_keeps_many_entities_of_a_long_doc(keeping):
    words = ["Acme", "Corp", "London", "and"] * 5000
    kept = [(i, i + 1, "ORG") for i in range(0, len(words), 4)]
    doc = with_ents(keeping, words, kept)
    found = keeping(doc)
    assert {ent for ent in small.triples(found.ents) if ent[0] % 4 == 0} == set(kept)


WORDS = sorted({word for sentence in small.SENTENCES for word in sentence.words})
LABELS = ("PERSON", "ORG", "GPE", "UNHEARD")


@st.composite
def annotated_docs(draw) -> tuple[list[str], list[Ent], list[bool]]:
    ents, n = draw(sentences(LABELS, longest=3, most=6))
    words = draw(st.lists(st.sampled_from(WORDS), min_size=n, max_size=n))
    starts = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    return words, ents, [i == 0 or start for i, start in enumerate(starts)]


@given(annotated_docs())
def test_ner_kept_entities_never_merge(keeping, annotated):
    words, ents, starts = annotated
    doc = keeping(with_ents(keeping, words, ents, sent_starts=starts))
    found = details(doc)
    for start, end, label in ents:
        assert found[start, end, label] == (f"Q{start}", f"id{start}")
    sentence = np.cumsum(starts)
    for start, end, label in set(found) - set(ents):
        assert label != "UNHEARD"
        assert sentence[start] == sentence[end - 1]


def test_ner_contradictions_name_document_and_token(monkeypatch):
    nlp = small.make_trained(NER)
    component = nlp.get_pipe(NER)

    def nothing_at_the_third_token(docs, batch):
        allowed = np.ones((len(batch.values), len(component.inventory)), dtype=np.uint8)
        allowed[len(docs[0]) + 2] = 0
        return allowed

    monkeypatch.setattr(component.coder, "allowed", nothing_at_the_third_token)
    docs = [nlp.make_doc(text) for text in ("one two", "three four five")]
    with pytest.raises(ValueError, match=f"LP033.*'{NER}'.*token 2 of 'three four"):
        component.predict(docs)
