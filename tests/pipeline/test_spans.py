"""The gold spans of the chunker and the entity recogniser."""

from typing import Any

import numpy as np
import pytest
from builders import pipelines as small
from builders.pipelines import gold_labels
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

SPAN_FACTORIES = ("latperc_chunker", "latperc_ner")
LAYER = {"latperc_chunker": "chunks", "latperc_ner": "ents"}
REFERENCE = ["ab", "cd", "ef", "g", "h"]

pytestmark = pytest.mark.parametrize("factory", SPAN_FACTORIES)


def joined(nlp: Language, words: list[str], **annotation: Any) -> Doc:
    """Words without white space between them, so that others can say the same text."""
    return small.make_doc(nlp, words, spaces=[False] * len(words), **annotation)


def pipeline(factory: str, **settings: Any) -> Language:
    return small.with_labels(factory, "X", "Y", **settings)


def aligned(
    nlp: Language, factory: str, predicted: list[str], spans: list, **settings: Any
) -> list[str | None]:
    reference = joined(nlp, REFERENCE, **{LAYER[factory]: spans})
    return gold_labels(nlp, Example(joined(nlp, predicted, **settings), reference))


def test_spans_become_labels_of_the_same_and_of_other_tokens(factory):
    nlp = pipeline(factory)
    for words, spans, expected in (
        (REFERENCE, [(0, 1, "X"), (1, 4, "X")], "S-X B-X I-X E-X O"),
        (REFERENCE, [], "O O O O O"),
        (["a", "bcd", "e", "f", "gh"], [(0, 2, "X"), (2, 3, "Y")], "B-X E-X B-Y E-Y O"),
    ):
        assert aligned(nlp, factory, words, spans) == expected.split()
    reference = small.make_doc(nlp, ["ab", "cd"], **{LAYER[factory]: [(0, 2, "X")]})
    predicted = small.make_doc(nlp, ["ab", " ", "cd"])
    assert gold_labels(nlp, Example(predicted, reference)) == [
        "B-X",
        "I-X",
        "E-X",
    ]
    nlp = pipeline(factory, scheme="IOB1")
    starts = [True, False, True, False, False]
    spans = [(0, 2, "X"), (2, 3, "X"), (3, 4, "X")]
    labels = aligned(nlp, factory, REFERENCE, spans, sent_starts=starts)
    assert labels == ["I-X", "I-X", "I-X", "B-X", "O"]


def test_spans_off_token_boundaries_or_across_sentences_are_not_learned(factory):
    two, three = [(0, 1, "X"), (2, 4, "Y")], [(0, 1, "X"), (1, 2, "X"), (2, 3, "Y")]
    starts = {"sent_starts": [True, False, True, False, False]}
    for words, spans, lost, expected, settings in (
        (["abcd", "ef", "g", "h"], two, 1, [None, "B-Y", "E-Y", "O"], {}),
        (["abcd", "ef", "gh"], three, 2, [None, "S-Y", "O"], {}),
        (REFERENCE, [(1, 3, "X")], 1, ["O", None, None, "O", "O"], starts),
    ):
        nlp = pipeline(factory)
        message = f"LP912.*'{factory}': {lost} gold.*'abcdefgh'"
        with pytest.warns(UserWarning, match=message) as found:
            for _ in range(3):
                labels = aligned(nlp, factory, words, spans, **settings)
                assert labels == expected
        assert len(found) == 1  # and not each time


@pytest.mark.parametrize("words", (REFERENCE, ["abcd", " ", "efgh"]))
def test_spans_of_unannotated_docs_say_nothing(factory, words):
    nlp = pipeline(factory)
    example = Example(joined(nlp, words), joined(nlp, REFERENCE))
    assert gold_labels(nlp, example) == [None] * len(words)


def test_spans_unannotated_docs_are_not_learned_as_outside(factory):
    nlp = small.make_trained(factory)
    words = "Ada Lovelace met Alan Turing".split()
    expected = annotated(nlp, factory, words)
    assert expected
    for _ in range(30):
        nlp.update([small.example_of(nlp, words)])
    assert annotated(nlp, factory, words) == expected


def annotated(nlp: Language, factory: str, words: list[str]) -> list:
    doc = nlp(small.make_doc(nlp, words))
    return small.triples(doc.ents if factory == "latperc_ner" else doc.spans["chunks"])


def test_spans_unknown_labels_of_aligned_docs_and_unknown_schemes_are_named(factory):
    nlp = pipeline(factory)
    with pytest.raises(ValueError, match="LP035.*'ZZ' of 'abcdefgh'.*X, Y"):
        aligned(nlp, factory, ["abcd", "efgh"], [(0, 2, "ZZ")])
    with pytest.raises(ValueError, match="LP201.*'IOB9'"):
        small.make_pipeline(factory, scheme="IOB9")


def test_spans_of_weights_in_another_representation(factory):
    """They are refused, and what was there goes on answering."""
    nlp = small.make_trained(factory, scheme="IOB2", passes=20)
    other = small.make_trained(factory, scheme="O+C", passes=20)
    words = "Yesterday Acme Corp hired Alan Turing".split()
    expected = annotated(other, factory, words)
    assert annotated(nlp, factory, words) == expected
    with pytest.raises(ValueError, match=r"LP526.*scheme = IOB2.*O\+C"):
        nlp.get_pipe(factory).from_bytes(other.get_pipe(factory).to_bytes())
    assert annotated(nlp, factory, words) == expected


def test_spans_impossible_gold_is_left_out(factory, monkeypatch):
    nlp = small.make_trained(factory)
    component = nlp.get_pipe(factory)
    before = component.learner.freeze().n_rows
    bad = component.learner.labels.index(f"I-{component.labels[0]}")
    monkeypatch.setattr(
        component, "_gold", lambda examples, same, batch: np.array([bad, 0], np.int32)
    )
    example = small.example_of(nlp, ["never", "seen"], chunks=[], ents=[])
    with pytest.warns(UserWarning, match=f"LP913.*'{factory}': 1 .*'never seen'"):
        nlp.update([example])
    assert component.learner.freeze().n_rows == before
