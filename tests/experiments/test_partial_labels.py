"""The experiment with few labels: how gaps are made and filled."""

import pytest
import spacy
from builders.pipelines import make_examples

from experiments.partial_labels import filled, keep_some, train_tagger
from spacy_latperc.label_sets import ALLOWED

KEPT = [
    [("dog", "N"), ("runs", "V"), ("fast", "")],
    [("runs", "N"), ("runs", "N")],
    [("runs", ""), ("dog", "N"), ("new", "")],
]


@pytest.fixture(scope="module")
def nlp():
    return spacy.blank("xx")


@pytest.mark.parametrize(
    "how, tags, sets",
    [
        ("left open", ["", "N", ""], {}),
        ("any tag of the word", ["", "N", ""], {0: ["V", "N"]}),
        ("majority tag", ["N", "N", "N"], {}),
        ("majority tag of the word", ["N", "N", "N"], {}),
    ],
)
def test_partial_labels_gaps_are_filled(nlp, how, tags, sets):
    reference = filled(nlp, KEPT, how)[-1].reference
    assert [token.tag_ for token in reference] == tags
    assert reference.user_data[ALLOWED, "tag"] == sets


def test_partial_labels_keep_a_share(nlp):
    examples = make_examples(nlp) * 50
    tags = [tag for sentence in keep_some(examples, 0.2, 0) for _, tag in sentence]
    assert 0.15 < sum(map(bool, tags)) / len(tags) < 0.25
    assert keep_some(examples, 0.2, 0) == keep_some(examples, 0.2, 0)


def test_partial_labels_open_tokens_beat_guesses(nlp):
    kept = keep_some(make_examples(nlp) * 10, 0.4, 0)
    scores = []
    for how in ("left open", "majority tag"):
        tagger = train_tagger(filled(nlp, kept, how), 5, 0)
        scores.append(tagger.evaluate(make_examples(tagger))["tagger_acc"])
    assert scores[0] > scores[1] + 0.2
