"""Our scorers and spaCy's agree on random annotation, on one tokenisation or two."""

from collections.abc import Callable
from typing import Any

import pytest
import spacy
from builders.pipelines import TEXTS, make_doc, make_examples, make_trained
from hypothesis import given
from hypothesis import strategies as st
from spacy.pipeline.spancat import spancat_score
from spacy.pipeline.tagger import tagger_score as spacy_tagger_score
from spacy.scorer import Scorer, get_ner_prf
from spacy.tokens import Doc, Span
from spacy.training import Example

from spacy_latperc.scorers import chunk_score, ner_score, tagger_score

NLP = spacy.blank("xx")
TEXT = "ab cd ef gh"  # the white space may be tokens, too
LABELS = ("A", "B", "PERSON")
TAGS = ("", "X", "Y", "NOUN")


@st.composite
def tokens(draw: st.DrawFn) -> tuple[list[str], list[bool]]:
    """TEXT in tokens: words, followed by white space or not."""
    cuts = draw(st.sets(st.integers(1, len(TEXT) - 1)))
    bounds = [0, *sorted(cuts), len(TEXT)]
    words: list[str] = []
    spaces: list[bool] = []
    for start, end in zip(bounds, bounds[1:], strict=False):
        piece = TEXT[start:end]
        if piece == " " and words and not spaces[-1] and draw(st.booleans()):
            spaces[-1] = True
        elif len(piece) > 1 and piece.endswith(" "):
            words.append(piece[:-1])
            spaces.append(True)
        else:
            words.append(piece)
            spaces.append(False)
    return words, spaces


@st.composite
def spans_of(draw: st.DrawFn, doc: Doc, *, overlap: bool) -> list[Span]:
    spans = []
    start = 0
    while start < len(doc):
        end = draw(st.integers(start + 1, len(doc)))
        label = draw(st.sampled_from((None, *LABELS)))
        if label is not None:
            spans.append(Span(doc, start, end, label=label))
        start = draw(st.integers(start + 1, end)) if overlap else end
    return spans


@st.composite
def docs(draw: st.DrawFn, words: list[str], spaces: list[bool]) -> Doc:
    n = len(words)
    tags = draw(st.lists(st.sampled_from(TAGS), min_size=n, max_size=n))
    doc = Doc(NLP.vocab, words=words, spaces=spaces, tags=tags)
    doc.set_ents(
        draw(spans_of(doc, overlap=False)),
        default=draw(st.sampled_from(("outside", "missing"))),
    )
    if draw(st.booleans()):
        doc.spans["chunks"] = draw(spans_of(doc, overlap=draw(st.booleans())))
    return doc


@st.composite
def examples(draw: st.DrawFn) -> list[Example]:
    found = []
    for same in draw(st.lists(st.booleans(), max_size=4)):
        gold = draw(tokens())
        predicted = gold if same else draw(tokens())
        found.append(Example(draw(docs(*predicted)), draw(docs(*gold))))
    return found


def spacy_chunk_score(examples: list[Example]) -> dict[str, Any]:
    return spancat_score(examples, spans_key="chunks")


def spacy_pos_score(examples: list[Example]) -> dict[str, Any]:
    return Scorer.score_token_attr(examples, "pos")


@pytest.mark.parametrize(
    "ours, theirs",
    [
        (tagger_score, spacy_tagger_score),
        (chunk_score, spacy_chunk_score),
        (ner_score, get_ner_prf),
    ],
    ids=("tagger", "chunks", "ner"),
)
@given(found=examples())
def test_scorers_agree_with_those_of_the_host(
    ours: Callable, theirs: Callable, found: list[Example]
):
    mine = ours(found)
    for key, value in theirs(found).items():
        assert mine[key] == value, key


@given(found=examples())
def test_scorers_report_under_a_key_that_is_always_there(found):
    scores = chunk_score(found, spans_key="chunks")
    for name in ("p", "r", "f", "per_type"):
        assert scores[f"chunks_{name}"] == scores[f"spans_chunks_{name}"]
    scores = tagger_score(found)
    assert scores["tagger_acc"] == scores["tag_acc"]


@pytest.mark.parametrize("score", (tagger_score, chunk_score, ner_score))
def test_scorers_have_no_score_without_annotation(score):
    bare = Example(make_doc(NLP, ["a"]), make_doc(NLP, ["a"]))
    for nothing in ([], [bare]):
        assert set(score(nothing).values()) == {None}


def test_scorers_count_parts_of_speech_and_exact_matches():
    x = make_doc(NLP, ["a", "b", "c"], pos=["NOUN", "VERB", ""])
    y = make_doc(NLP, ["a", "b", "c"], pos=["NOUN", "NOUN", "ADJ"])
    found = [Example(x, y)]
    expected = spacy_pos_score(found)["pos_acc"]
    assert tagger_score(found, attribute="pos") == {
        "tagger_acc": expected,
        "pos_acc": expected,
    }
    assert expected == pytest.approx(1 / 3)
    x = make_doc(NLP, list("abcd"), chunks=[(0, 2, "A"), (2, 3, "B"), (3, 4, "A")])
    y = make_doc(NLP, list("abcd"), chunks=[(0, 2, "A"), (2, 4, "B")])
    scores = chunk_score([Example(x, y)])
    assert scores["chunks_p"] == pytest.approx(1 / 3)
    assert scores["chunks_r"] == pytest.approx(1 / 2)
    assert scores["chunks_f"] == pytest.approx(2 / 5)
    assert scores["chunks_per_type"]["B"] == {"p": 0.0, "r": 0.0, "f": 0.0}


# Through the pipeline -----------------------------------------------------------------


@pytest.mark.parametrize(
    "factory, theirs, keys",
    [
        ("latperc_tagger", spacy_tagger_score, ("tag_acc",)),
        ("latperc_chunker", spacy_chunk_score, ("spans_chunks_f",)),
        ("latperc_ner", get_ner_prf, ("ents_p", "ents_r", "ents_f", "ents_per_type")),
    ],
)
def test_scorers_are_those_of_evaluate(factory, theirs, keys):
    nlp = make_trained(factory, passes=1)
    found = make_examples(nlp)
    # The tokeniser would split here what the reference joins.
    joined = make_doc(nlp, TEXTS[1].split()[:2] + ["Corp hired"] + TEXTS[1].split()[4:])
    joined.set_ents([Span(joined, 1, 2, label="ORG")])
    joined.spans["chunks"] = [Span(joined, 0, 1, label="NP")]
    found.append(Example(nlp.make_doc(joined.text), joined))
    scores = nlp.evaluate(found)  # on copies
    for example in found:
        nlp(example.predicted)
    expected = theirs(found)
    for key in keys:
        assert scores[key] == expected[key]


# Grammaticality -----------------------------------------------------------------------
