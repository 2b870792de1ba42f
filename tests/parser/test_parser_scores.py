"""Scores of trees against a slow twin that follows the definitions word by word."""

import pytest
import spacy
from builders.trees import trees
from hypothesis import given
from hypothesis import strategies as st
from spacy.scorer import Scorer
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import registry

from spacy_latperc.parser.scores import FUNCTIONAL, UNIVERSAL_FEATURES, parser_score

VOCAB = spacy.blank("xx").vocab
TEXT = "abcdefgh"
RELATIONS = ("nsubj", "nmod:poss", "nmod", "case", "det", "punct", "")
FORMS = (("NOUN", "Case=Nom|Strength=Weak"), ("NOUN", "Case=Nom"), ("VERB", ""))


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
    deps = [
        "ROOT" if h == i else d
        for i, (h, d) in enumerate(zip(heads, deps, strict=True))
    ]
    forms = draw(st.lists(st.sampled_from(FORMS), min_size=n, max_size=n))
    doc = Doc(
        VOCAB,
        words=words,
        spaces=[False] * n,
        heads=heads,
        deps=deps,
        pos=[pos for pos, _ in forms],
        morphs=[morph for _, morph in forms],
    )
    return doc


@st.composite
def examples(draw):
    found = []
    for _ in range(draw(st.integers(1, 3))):
        gold = draw(docs())
        cuts = None
        if draw(st.booleans()):
            cuts = {token.idx for token in gold if token.i}
        found.append(Example(draw(docs(cuts=cuts)), gold))
    return found


class Word:
    """A word by its place in the text, so that those of two Docs can be compared."""

    def __init__(self, token):
        self.place = (token.idx, token.idx + len(token))
        self.relation = token.dep_.lower().split(":")[0]
        self.head = (
            None
            if token.head == token
            else (token.head.idx, token.head.idx + len(token.head))
        )
        features = {
            x
            for x in str(token.morph).split("|")
            if x.split("=")[0] in UNIVERSAL_FEATURES
        }
        self.form = (token.pos_, frozenset(features))
        self.is_content = self.relation not in {"", "punct", *FUNCTIONAL}
        self.helpers = {
            ((t.idx, t.idx + len(t)), t.dep_.lower(), Word(t).form)
            for t in token.children
            if t.dep_ in FUNCTIONAL
        }


def f_score(right, found, gold):
    return 2 * right / (found + gold) if found + gold else None


def slow_scores(examples):
    totals = {name: [0, 0, 0] for name in ("uas", "las", "clas", "mlas", "sents")}
    for example in examples:
        gold = {w.place: w for w in map(Word, example.reference)}
        found = [Word(token) for token in example.predicted]
        known = {place for place, w in gold.items() if w.relation}
        found = [w for w in found if w.place in known or w.place not in gold]
        pairs = [(w, gold[w.place]) for w in found if w.place in gold]
        arcs = [
            (w, g)
            for w, g in pairs
            if w.relation
            and w.head == g.head
            # A head that is no token on both sides is not the same.
            and (w.head is None or w.head in gold)
        ]
        labelled = [(w, g) for w, g in arcs if w.relation == g.relation]
        content = [(w, g) for w, g in labelled if w.is_content]
        whole = [
            (w, g) for w, g in content if w.form == g.form and w.helpers == g.helpers
        ]
        n_content = (
            sum(w.is_content for w in found),
            sum(gold[p].is_content for p in known),
        )
        for name, right, sizes in (
            ("uas", arcs, (len(found), len(known))),
            ("las", labelled, (len(found), len(known))),
            ("clas", content, n_content),
            ("mlas", whole, n_content),
        ):
            for i, count in enumerate((len(right), *sizes)):
                totals[name][i] += count
        sides = [
            {(s.start_char, s.end_char) for s in doc.sents}
            for doc in (example.predicted, example.reference)
        ]
        for i, count in enumerate((len(sides[0] & sides[1]), *map(len, sides))):
            totals["sents"][i] += count
    return {name: f_score(*counts) for name, counts in totals.items()}


@given(examples())
def test_parser_scores_are_those_of_the_definitions(examples):
    found = parser_score(examples)
    expected = slow_scores(examples)
    for name in ("uas", "las", "clas", "mlas"):
        assert found[f"dep_{name}"] == pytest.approx(expected[name]), name
    assert found["sents_f"] == pytest.approx(expected["sents"])


def deps(heads, relations, **settings):
    words = [f"w{i}" for i in range(len(heads))]
    return Doc(VOCAB, words=words, heads=heads, deps=relations, **settings)


def test_parser_scores_where_spacys_are_the_same():
    gold = deps([1, 1, 1, 2], ["nsubj", "ROOT", "obj", "det"])
    found = deps([1, 1, 1, 1], ["obj", "ROOT", "obj", "det"])
    examples = [Example(found, gold)]
    ours = parser_score(examples)
    theirs = Scorer.score_deps(
        examples,
        "dep",
        getter=lambda token, _: token.dep_.lower(),
        head_attr="head",
        labels=[],
    )
    for name in ("dep_uas", "dep_las"):
        assert ours[name] == pytest.approx(theirs[name])
    assert ours["dep_las_per_type"] == theirs["dep_las_per_type"]
    assert (ours["dep_uas"], ours["dep_las"]) == (0.75, 0.5)
    assert ours["dep_mlas"] is None


def test_parser_scores_leave_out_what_nobody_annotated():
    gold = deps([1, 1, 1], ["nsubj", "ROOT", ""])
    found = deps([1, 1, 0], ["nsubj", "ROOT", "obj"])
    assert parser_score([Example(found, gold)])["dep_las"] == 1.0
    plain = Doc(VOCAB, words=["a", "b"])
    scores = parser_score([Example(plain.copy(), plain)])
    assert set(scores.values()) == {None}


def test_parser_scores_do_not_count_white_space():
    words = ["a", "\n", "b"]
    gold = Doc(VOCAB, words=words, heads=[0, 0, 0], deps=["ROOT", "dep", "obj"])
    found = Doc(VOCAB, words=words, heads=[0, 2, 0], deps=["ROOT", "x", "obj"])
    assert parser_score([Example(found, gold)])["dep_las"] == 1.0


def test_parser_scorer_is_registered():
    scorer = registry.resolve(
        {"scorer": {"@scorers": "spacy_latperc.parser_scorer.v1"}}
    )["scorer"]
    gold = deps([1, 1], ["nsubj", "ROOT"])
    assert scorer([Example(gold.copy(), gold)], name="x")["sents_f"] == 1.0
