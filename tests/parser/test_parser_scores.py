"""Scores of trees against a slow twin that follows the definitions word by word."""

import pytest
import spacy
from builders.trees import trees
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.training import Example

from spacy_latperc.parser.parser_scores import parser_score

VOCAB = spacy.blank("xx").vocab
TEXT = "abcdefgh"
RELATIONS = ("nsubj", "nmod:poss", "nmod", "case", "det", "punct")


@st.composite
def docs(draw, cuts=None):
    """TEXT as one to three sentences with trees."""
    if cuts is None:
        cuts = draw(st.sets(st.integers(1, len(TEXT) - 1)))
    bounds = [0, *sorted(cuts), len(TEXT)]
    words = [TEXT[a:b] for a, b in zip(bounds, bounds[1:], strict=False)]
    n = len(words)
    breaks = [0, *sorted(draw(st.sets(st.integers(1, n), max_size=2))), n]
    heads: list[int] = []
    for start, end in zip(breaks, breaks[1:], strict=False):
        if start < end:
            heads += [start + x for x in draw(trees(size=end - start))]
    deps = draw(st.lists(st.sampled_from(RELATIONS), min_size=n, max_size=n))
    pairs = enumerate(zip(heads, deps, strict=True))
    deps = ["ROOT" if h == i else d for i, (h, d) in pairs]
    return Doc(VOCAB, words=words, spaces=[False] * n, heads=heads, deps=deps)


@st.composite
def examples(draw):
    found = []
    for _ in range(draw(st.integers(1, 3))):
        gold = draw(docs())
        cuts = {token.idx for token in gold if token.i}
        found.append(Example(draw(docs(cuts=cuts)), gold))
    return found


class Word:
    """A word by its place in the text, so that those of two Docs can be compared."""

    def __init__(self, token):
        def place(token):
            return token.idx, token.idx + len(token)

        self.place = place(token)
        self.relation = token.dep_.lower().split(":")[0]
        self.head = None if token.head == token else place(token.head)


def f_score(right, found, gold):
    return 2 * right / (found + gold) if found + gold else None


def slow_scores(examples):
    totals = {name: [0, 0, 0] for name in ("uas", "las", "sents")}
    for example in examples:
        gold = {w.place: w for w in map(Word, example.reference) if w.relation}
        found = [w for w in map(Word, example.predicted) if w.place in gold]
        pairs = [(w, gold[w.place]) for w in found]
        arcs = [(w, g) for w, g in pairs if w.relation and w.head == g.head]
        labelled = [(w, g) for w, g in arcs if w.relation == g.relation]
        sizes = len(found), len(gold)
        docs = (example.predicted, example.reference)
        sides = [{(s.start_char, s.end_char) for s in doc.sents} for doc in docs]
        for name, counts in {
            "uas": (len(arcs), *sizes),
            "las": (len(labelled), *sizes),
            "sents": (len(sides[0] & sides[1]), *map(len, sides)),
        }.items():
            totals[name] = [a + b for a, b in zip(totals[name], counts, strict=True)]
    return {name: f_score(*counts) for name, counts in totals.items()}


@given(examples())
def test_parser_scores_are_those_of_the_definitions(examples):
    found = parser_score(examples)
    expected = slow_scores(examples)
    for name in ("uas", "las"):
        assert found[f"dep_{name}"] == pytest.approx(expected[name]), name
    assert found["sents_f"] == pytest.approx(expected["sents"])


def deps(heads, relations, **settings):
    words = [f"w{i}" for i in range(len(heads))]
    return Doc(VOCAB, words=words, heads=heads, deps=relations, **settings)


def test_parser_scores_leave_out_what_nobody_annotated():
    gold = deps([1, 1, 1], ["nsubj", "ROOT", ""])
    found = deps([1, 1, 0], ["nsubj", "ROOT", "obj"])
    assert parser_score([Example(found, gold)])["dep_las"] == 1.0
    plain = Doc(VOCAB, words=["a", "b"])
    scores = parser_score([Example(plain.copy(), plain)])
    assert set(scores.values()) == {None}
    words = ["a", "\n", "b"]  # white space does not count
    gold = Doc(VOCAB, words=words, heads=[0, 0, 0], deps=["ROOT", "dep", "obj"])
    found = Doc(VOCAB, words=words, heads=[0, 2, 0], deps=["ROOT", "x", "obj"])
    assert parser_score([Example(found, gold)])["dep_las"] == 1.0
