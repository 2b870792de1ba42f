"""Gold and predicted annotation side by side."""

from collections import Counter

import pytest
import spacy
from spacy.tokens import Doc, Span

from spacy_latperc.report.comparison import Comparison, reader_of

VOCAB = spacy.blank("en").vocab
WORDS = "Ada Lovelace met Alan in London today".split()


def doc(*ents):
    made = Doc(VOCAB, words=WORDS)
    made.ents = [Span(made, *ent) for ent in ents]
    return made


GOLD = doc((0, 2, "PER"), (3, 4, "PER"), (5, 6, "LOC"))
FOUND = doc((0, 1, "PER"), (3, 4, "LOC"), (6, 7, "LOC"))


@pytest.fixture
def compared():
    return Comparison([GOLD, GOLD], [FOUND, GOLD], reader_of("entities"))


def test_kinds_of_mistakes(compared):
    kinds = dict(compared.kinds())
    assert kinds == {"boundary": 1, "type": 1, "spurious": 1, "missed": 1}
    mixed = Comparison(
        [doc((0, 2, "PER"))], [doc((1, 3, "LOC"))], reader_of("entities")
    )
    assert mixed.kinds() == [("type and boundary", 1)]


def test_confusions_are_those_of_labels(compared):
    assert set(compared.confusions()) == {
        ("PER", "LOC", 1),
        ("LOC", "", 1),
        ("", "LOC", 1),
    }


def test_scores_have_intervals_around_them(compared):
    scores = {x.label: x for x in compared.scores()}
    assert (scores["all"].gold, scores["all"].correct) == (6, 3)
    assert scores["PER"].recall == 0.5
    assert scores["PER"].precision == pytest.approx(2 / 3)
    for score in scores.values():
        assert 0 <= score.low <= score.f <= score.high <= 1


def test_recall_is_grouped_by_the_rarest_word(compared):
    words = Counter({"Ada": 9, "Lovelace": 1, "London": 7})
    found = {name: (n, right) for name, n, right in compared.by_frequency(words) if n}
    assert found == {"unseen": (2, 1), "1": (2, 1), "5 and more": (2, 1)}


def test_trees_compare_heads_and_relations():
    def tree(heads, deps):
        return Doc(VOCAB, words=["a", "b", "c"], heads=heads, deps=deps)

    gold = tree([1, 1, 1], ["nsubj", "ROOT", "obj"])
    found = tree([1, 1, 0], ["obj", "ROOT", "obj:x"])
    compared = Comparison([gold], [found], reader_of("trees"))
    assert set(compared.kinds()) == {("type", 1), ("head", 1)}
    assert compared.scores()[0].correct == 1
