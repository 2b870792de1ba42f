"""Label sets on Docs, in training and in prediction."""

import numpy as np
import pytest
from builders import pipelines as small
from builders.pipelines import gold_sets, with_labels
from spacy.tokens import Doc, DocBin
from spacy.training import Example

from spacy_latperc.label_sets import ALLOWED

TAGGER, CHUNKER, NER = small.FACTORIES
LAYERS = {TAGGER: "tag", CHUNKER: "chunks", NER: "ents"}


def allow(doc: Doc, factory: str, sets: dict) -> Doc:
    doc.user_data[ALLOWED, LAYERS[factory]] = sets
    return doc


# Gold ---------------------------------------------------------------------------------


def test_constraints_sets_are_gold_of_untagged_tokens():
    for tags, sets, expected in (
        (["A", "", ""], {1: ["A", "B"]}, ["A", "AB", "ABC"]),
        (["A", "B", ""], {0: ["A", "B"], 2: ["C"]}, ["A", "B", "C"]),
    ):
        nlp = with_labels(TAGGER, *"ABC")
        example = small.example_of(nlp, list("abc"), tags=tags)
        allow(example.y, TAGGER, sets)
        assert gold_sets(nlp, example) == list(map(set, expected))


@pytest.mark.parametrize(
    ("factory", "sets", "first", "last"),
    [
        (CHUNKER, {0: ["B-X", "O"], 2: ["I-Y"]}, "B-X S-X O", "I-Y E-Y"),
        (NER, {"scheme": "BILOU", 0: ["U-X", "O"], 2: ["L-Y"]}, "S-X O", "E-Y"),
    ],
)
def test_constraints_sets_of_spans_are_said_in_a_scheme(factory, sets, first, last):
    nlp = with_labels(factory, "X", "Y")
    example = small.example_of(nlp, list("abc"))
    allow(example.y, factory, sets)
    found = gold_sets(nlp, example)
    assert (found[0], found[2]) == (set(first.split()), set(last.split()))


SPANS_OF_X = {"chunks": [(0, 2, "X")], "ents": [(0, 2, "X")]}


@pytest.mark.parametrize(
    ("factory", "annotation", "sets", "named"),
    [
        (TAGGER, {"tags": ["", "Y"]}, {1: ["X"]}, "allows Y, but its.*allows X\\."),
        (CHUNKER, SPANS_OF_X, {1: ["O", "I-Y"]}, "E-X, but.*O, I-Y, E-Y"),
        (NER, SPANS_OF_X, {1: ["O", "I-Y"]}, "E-X, but.*O, I-Y, E-Y"),
    ],
)
def test_constraints_sets_that_exclude_the_annotation_name_both(
    factory, annotation, sets, named
):
    nlp = with_labels(factory, "X", "Y")
    example = small.example_of(nlp, ["a", "b"], **annotation)
    allow(example.y, factory, sets)
    with pytest.raises(ValueError, match=f"LP071.*token 1 of 'a b'.*{named}"):
        nlp.get_pipe(factory).prepare([example])


def test_constraints_a_crf_sums_over_what_is_missing_and_over_label_sets():
    sets = {0: ["A", "B"], 1: ["A", "B", "C"]}
    for tags, sets_of_tokens, expected in (
        (["A", "B"], None, 2 * np.log(4)),
        (["A", ""], None, np.log(4)),
        (["", ""], None, 0),
        (["", ""], sets, np.log(4 / 2) + np.log(4 / 3)),
    ):
        found = crf_losses(["x", "y"], tags, sets_of_tokens)
        assert found == pytest.approx(expected, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("factory", small.FACTORIES)
def test_constraints_labels_in_sets_are_collected(factory):
    nlp = small.make_pipeline(factory)
    example = small.example_of(nlp, ["a"])
    sets = ["X", "Y"] if factory == TAGGER else ["B-X", "O", "I-Y"]
    allow(example.y, factory, {0: sets})
    nlp.initialize(lambda: [example])
    assert nlp.get_pipe(factory).labels == ("X", "Y")


def test_constraints_sets_follow_tokens_that_both_sides_have_and_survive_docbin():
    nlp = with_labels(TAGGER, "A", "B", "C")
    reference = small.make_doc(nlp, ["ab", "cd", "e"], spaces=[False] * 3)
    allow(reference, TAGGER, {0: ["A", "B"], 1: ["A", "B"], 2: ["B", "C"]})
    predicted = small.make_doc(nlp, ["abc", "d", "e"], spaces=[False] * 3)
    free = {"A", "B", "C"}
    data = DocBin(store_user_data=True, docs=[reference]).to_bytes()
    (loaded,) = DocBin().from_bytes(data).get_docs(nlp.vocab)
    for gold in (reference, loaded):
        assert gold_sets(nlp, Example(predicted, gold)) == [free, free, {"B", "C"}]


@pytest.mark.parametrize("factory", small.FACTORIES)
def test_constraints_changed_sets_are_read_again(factory):
    nlp = small.make_pipeline(factory)
    names = ["A", "B", "C"] if factory == TAGGER else ["B-A", "I-B", "O"]
    example = small.example_of(nlp, ["a", "b"], tags=["", ""], chunks=[])
    example.y.set_ents([], default="missing")
    example.y.spans["missing_chunks"] = [example.y[0:2]]
    allow(example.y, factory, {0: names})
    nlp.initialize(lambda: [example])
    component = nlp.get_pipe(factory)

    def gold():
        ((_, codes),) = component.prepare([example], remember=True)
        return codes

    before = gold()
    assert (gold() == before).all()
    example.y.user_data[ALLOWED, LAYERS[factory]][0] = names[:1]
    assert gold()[0] != before[0]


# Learning -----------------------------------------------------------------------------


def trained_bytes(factory: str, examples_of, passes: int = 5) -> bytes:
    nlp = small.make_pipeline(factory)
    return small.train(nlp, examples_of(nlp), passes).get_pipe(factory).model.to_bytes()


@pytest.mark.parametrize("factory", small.FACTORIES)
def test_constraints_supersets_of_the_gold_change_nothing(factory):
    def with_supersets(nlp):
        examples = small.make_examples(nlp)
        for example, sentence in zip(examples, small.SENTENCES, strict=True):
            labels = ["B-PERSON", "B-ORG", "B-GPE", "B-NP", "B-VP", "B-PP"]
            labels += ["I" + label[1:] for label in labels]
            kinds = {"chunks": {"NP", "VP", "PP"}, "ents": {"PERSON", "ORG", "GPE"}}
            known = kinds.get(LAYERS[factory], ())
            spans = ["O", *(label for label in labels if label[2:] in known)]
            sets = {
                token: [tag, "NNP", "VBD"] if factory == TAGGER else spans
                for token, tag in enumerate(sentence.tags)
            }
            allow(example.y, factory, sets)
        return examples

    assert trained_bytes(factory, with_supersets) == trained_bytes(
        factory, small.make_examples
    )


@pytest.mark.parametrize("learner", ("Perceptron", "PassiveAggressive"))
@pytest.mark.parametrize("latent", (1, 2))
@pytest.mark.parametrize("factory", small.FACTORIES)
def test_constraints_nothing_is_learned_where_all_is_missing(factory, learner, latent):
    # An average moves with the number of examples, whatever they say.
    block = {"@misc": f"spacy_latperc.{learner}.v1", "average": "none"}
    nlp = small.make_trained(factory, learner=block, latent=latent, passes=2)
    component = nlp.get_pipe(factory)
    before = component.learner.freeze()
    rows = [before.export(b) for b in range(len(before.n_rows))]
    labels = component.learner.labels
    for sentence in small.SENTENCES:
        example = small.example_of(nlp, sentence.words)
        everywhere = range(len(sentence.words))
        if factory == TAGGER:
            allow(example.y, factory, dict.fromkeys(everywhere, labels))
        losses = nlp.update([example])
        assert losses[factory] == 0.0
    after = component.learner.freeze()
    assert after.n_rows == before.n_rows
    for b, arrays in enumerate(rows):
        for old, new in zip(arrays, after.export(b), strict=True):
            assert np.array_equal(old, new)


def test_constraints_sets_alone_teach():
    """Each word is never tagged, but what it may be overlaps in one tag."""
    nlp = small.make_pipeline(TAGGER)
    words = ["dog", "runs"]
    sets = [{0: ["N", "V"], 1: ["V", "A"]}, {0: ["N", "A"], 1: ["V", "N"]}]
    examples = [small.example_of(nlp, words) for _ in sets]
    examples.append(small.example_of(nlp, ["the", "old", "x"], tags=["D", "A", "N"]))
    for example, allowed in zip(examples, sets, strict=False):
        allow(example.y, TAGGER, allowed)
    small.train(nlp, examples, 20)
    assert [token.tag_ for token in nlp("dog runs")] == ["N", "V"]


# Prediction ---------------------------------------------------------------------------


def test_constraints_predictions_stay_within_sets():
    nlp = small.make_trained(TAGGER, passes=20)
    free = [token.tag_ for token in nlp(small.TEXTS[0])]
    doc = nlp(allow(nlp.make_doc(small.TEXTS[0]), TAGGER, {2: ["NN", "IN"]}))
    assert doc[2].tag_ in ("NN", "IN") and free[2] not in ("NN", "IN")
    nlp = small.make_trained(NER, passes=30)
    assert small.triples(nlp(small.TEXTS[1]).ents) == small.SENTENCES[1].ents
    doc = nlp(allow(nlp.make_doc(small.TEXTS[1]), NER, {1: ["O", "B-GPE"]}))
    assert all(not (e.start <= 1 < e.end) or e.label_ == "GPE" for e in doc.ents)
    assert (4, 6, "PERSON") in small.triples(doc.ents)


@pytest.mark.parametrize("factory", small.FACTORIES)
def test_constraints_docs_of_a_batch_have_their_own(factory):
    nlp = small.make_trained(factory, passes=20)
    labels = ["IN"] if factory == TAGGER else ["O"]

    def docs():
        doc = allow(nlp.make_doc(small.TEXTS[1]), factory, {2: labels, 5: labels})
        return [nlp.make_doc(small.TEXTS[0]), doc, nlp.make_doc(small.TEXTS[2])]

    alone = [small.annotation(nlp(doc)) for doc in docs()]
    assert [small.annotation(doc) for doc in nlp.pipe(docs())] == alone


# Bad input ----------------------------------------------------------------------------


@pytest.mark.parametrize("factory", small.FACTORIES)
def test_constraints_unknown_labels_and_what_is_no_set_are_named(factory):
    nlp = with_labels(factory, "X", "Y")
    example = small.example_of(nlp, ["a", "b"])
    wrong = "Z" if factory == TAGGER else "B-Z"
    allow(example.y, factory, {1: [wrong]})
    with pytest.raises(ValueError, match=f"LP070.*token 1 of 'a b'.*'{wrong}'.*X, Y"):
        nlp.get_pipe(factory).prepare([example])
    for sets in (["X"], {0: "X"}, {0: []}, {5: ["X"]}, {"0": ["X"]}):
        allow(example.y, factory, sets)
        message = rf"LP072.*'{LAYERS[factory]}'\] of 'a b'.*0 to 1"
        with pytest.raises(ValueError, match=message):
            nlp.get_pipe(factory).prepare([example])


def test_constraints_sets_that_cannot_be_name_the_token():
    """Label sets may be of another scheme, or contradict kept tags or each other."""
    nlp = with_labels(NER, "X", scheme="IOE2")
    example = small.example_of(nlp, ["a", "b"])
    allow(example.y, NER, {0: ["B-X", "O"]})
    with pytest.raises(ValueError, match=r"LP073.*B-X, O \(IOB2\) at token 0.*IOE2"):
        nlp.get_pipe(NER).prepare([example])
    nlp = small.make_trained(TAGGER)
    doc = small.make_doc(nlp, ["They", "walk"], tags=["", "VBP"])
    with pytest.raises(ValueError, match=r"LP071.*token 1 .*allows VBP, but .*NN"):
        nlp(allow(doc, TAGGER, {1: ["NN"]}))
    nlp = small.make_trained(NER)
    docs = [nlp.make_doc("one two"), nlp.make_doc("three four five")]
    allow(docs[1], NER, {1: ["O"], 2: ["I-ORG"]})
    message = r"LP033.*token 2 of 'three.*allows I-ORG, E-ORG.*allow O, B-"
    with pytest.raises(ValueError, match=message):
        nlp.get_pipe(NER).predict(docs)


# Probabilities (Tsuboi et al. 2008) ---------------------------------------------------


def crf_losses(words, tags, sets=None):
    """The loss of a sentence under a CRF over four tags whose weights are all zero."""
    nlp = with_labels(TAGGER, *"ABCD", learner={"@misc": "spacy_latperc.CRF.v1"})
    component = nlp.get_pipe(TAGGER)
    component.learner.start(1)
    example = small.example_of(nlp, words, tags=tags)
    allow(example.y, TAGGER, sets or {})
    return nlp.update([example])[TAGGER]
