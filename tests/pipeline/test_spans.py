"""How the chunker and the entity recogniser read their gold spans."""

from typing import Any

import numpy as np
import pytest
from builders import pipelines as small
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
    nlp = small.make_pipeline(factory, **settings)
    for label in ("X", "Y"):
        nlp.get_pipe(factory).add_label(label)
    return nlp


def gold(nlp: Language, factory: str, example: Example) -> list[str | None]:
    """The labels that a component learns from, None where it is told nothing."""
    component = nlp.get_pipe(factory)
    ((_, labels),) = component.prepare([example])
    names = component.learner.labels
    return [names[label] if label >= 0 else None for label in labels.tolist()]


def aligned(
    nlp: Language, factory: str, predicted: list[str], spans: list, **settings: Any
) -> list[str | None]:
    reference = joined(nlp, REFERENCE, **{LAYER[factory]: spans})
    return gold(nlp, factory, Example(joined(nlp, predicted, **settings), reference))


def test_spans_become_labels(factory):
    nlp = pipeline(factory)
    spans = [(0, 1, "X"), (1, 4, "X")]
    assert aligned(nlp, factory, REFERENCE, spans) == ["S-X", "B-X", "I-X", "E-X", "O"]


def test_spans_are_aligned_to_other_tokens(factory):
    nlp = pipeline(factory)
    spans = [(0, 2, "X"), (2, 3, "Y")]
    assert aligned(nlp, factory, ["a", "bcd", "e", "f", "gh"], spans) == [
        "B-X", "E-X", "B-Y", "E-Y", "O",
    ]  # fmt: skip


def test_spans_off_token_boundaries_are_not_learned(factory):
    nlp = pipeline(factory)
    spans = [(0, 1, "X"), (2, 4, "Y")]
    with pytest.warns(UserWarning, match=f"LP912.*'{factory}': 1 gold.*'abcdefgh'"):
        labels = aligned(nlp, factory, ["abcd", "ef", "g", "h"], spans)
    assert labels == [None, "B-Y", "E-Y", "O"]


def test_spans_that_are_lost_are_counted(factory):
    nlp = pipeline(factory)
    spans = [(0, 1, "X"), (1, 2, "X"), (2, 3, "Y")]
    with pytest.warns(UserWarning, match="LP912.* 2 gold"):
        labels = aligned(nlp, factory, ["abcd", "ef", "gh"], spans)
    assert labels == [None, "S-Y", "O"]


def test_spans_that_are_lost_warn_once(factory):
    nlp = pipeline(factory)
    with pytest.warns(UserWarning, match="LP912") as found:
        for _ in range(3):
            aligned(nlp, factory, ["abcd", "efgh"], [(0, 1, "X")])
    assert len(found) == 1


def test_spans_across_sentences_are_not_learned(factory):
    nlp = pipeline(factory)
    starts = [True, False, True, False, False]
    with pytest.warns(UserWarning, match=f"LP912.*'{factory}'.*'abcdefgh'"):
        labels = aligned(
            nlp, factory, REFERENCE, [(1, 3, "X"), (4, 5, "Y")], sent_starts=starts
        )
    assert labels == ["O", None, None, "O", "S-Y"]


def test_spans_beside_a_boundary_are_learned(factory):
    nlp = pipeline(factory, scheme="IOB1")
    starts = [True, False, True, False, False]
    spans = [(0, 2, "X"), (2, 3, "X"), (3, 4, "X")]
    labels = aligned(nlp, factory, REFERENCE, spans, sent_starts=starts)
    assert labels == ["I-X", "I-X", "I-X", "B-X", "O"]


def test_spans_over_white_space_keep_it_inside(factory):
    nlp = pipeline(factory)
    reference = small.make_doc(nlp, ["ab", "cd"], **{LAYER[factory]: [(0, 2, "X")]})
    predicted = small.make_doc(nlp, ["ab", " ", "cd"])
    assert gold(nlp, factory, Example(predicted, reference)) == ["B-X", "I-X", "E-X"]


@pytest.mark.parametrize("words", (REFERENCE, ["abcd", " ", "efgh"]))
def test_spans_of_unannotated_docs_say_nothing(factory, words):
    nlp = pipeline(factory)
    example = Example(joined(nlp, words), joined(nlp, REFERENCE))
    assert gold(nlp, factory, example) == [None] * len(words)


def test_spans_empty_annotation_is_outside(factory):
    nlp = pipeline(factory)
    assert aligned(nlp, factory, REFERENCE, []) == ["O"] * 5


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


def test_spans_unknown_labels_of_aligned_docs_are_named(factory):
    nlp = pipeline(factory)
    with pytest.raises(ValueError, match="LP035.*'ZZ' of 'abcdefgh'.*X, Y"):
        aligned(nlp, factory, ["abcd", "efgh"], [(0, 2, "ZZ")])


def test_spans_unknown_schemes_are_refused(factory):
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
