"""The tagger: tags or parts of speech, and what is there already."""

import pytest
from builders import pipelines as small
from spacy.tokens import Doc
from spacy.training import Example

TAGGER = "latperc_tagger"


def tags(doc: Doc) -> list[str]:
    return [token.tag_ for token in doc]


def test_tagger_sets_parts_of_speech_or_tags_only():
    for attribute in ("pos", "tag"):
        nlp = small.make_trained(TAGGER, attribute=attribute, passes=20)
        for text, sentence in zip(small.TEXTS, small.SENTENCES, strict=True):
            doc = nlp(text)
            nothing = [""] * len(doc)
            wanted = {"pos": (nothing, sentence.pos), "tag": (sentence.tags, nothing)}
            assert (tags(doc), [t.pos_ for t in doc]) == wanted[attribute]


# attribute ----------------------------------------------------------------------------


def test_tagger_parts_of_speech_are_universal():
    with pytest.raises(ValueError, match="attribute must.*not 'lemma'"):
        small.make_pipeline(TAGGER, attribute="lemma")
    nlp = small.make_pipeline(TAGGER, attribute="pos")
    component = nlp.get_pipe(TAGGER)
    examples = small.make_examples(nlp)
    with pytest.raises(ValueError, match="LP038.*'NN'"):
        component.initialize(lambda: examples, labels=["NOUN", "NN"])
    assert component.labels == ()
    component.add_label("NOUN")
    with pytest.raises(ValueError, match=f"LP038.*'NN'.*'{TAGGER}'"):
        component.add_label("NN")
    assert component.labels == ("NOUN",)


def test_tagger_empty_tags_are_no_annotation_and_labels_have_any_order():
    nlp = with_labels("Z", "A", "M")
    example = small.example_of(nlp, list("abcd"), tags=["A", "", "M", "Z"])
    assert small.gold_labels(nlp, example) == ["A", None, "M", "Z"]
    nlp = small.make_pipeline(TAGGER)
    nlp.initialize(lambda: [example])
    assert nlp.get_pipe(TAGGER).labels == ("A", "M", "Z")


FEATURES = ["Case=Nom|Number=Plur", "Number=Plur", "", "Case=Acc", "Case=Acc"]


def with_features(**settings):
    nlp = small.make_pipeline(TAGGER, attribute="morph", **settings)
    words = small.SENTENCES[2].words
    reference = small.make_doc(nlp, words)
    for token, features in zip(reference, FEATURES, strict=True):
        token.set_morph(features)
    example = Example(small.make_doc(nlp, words), reference)
    return small.train(nlp, [example], 20), reference


def test_tagger_sets_features():
    nlp, reference = with_features(scores="marginal")
    labels = ("Case=Acc", "Case=Nom|Number=Plur", "Number=Plur", "_")
    assert nlp.get_pipe(TAGGER).labels == labels
    # Another vocabulary, where no word has had features.
    fresh = small.make_pipeline(TAGGER, attribute="morph", scores="marginal")
    for other in (nlp, fresh.from_bytes(nlp.to_bytes())):
        doc = other(small.TEXTS[2])
        assert [str(token.morph) for token in doc] == FEATURES
        assert doc[0].morph.get("Case") == ["Nom"]
        assert doc[2].has_morph()
        assert all(0 < token._.morph_score <= 1 for token in doc)
        assert tags(doc) == [""] * len(doc)
        scores = other.get_pipe(TAGGER).score([Example(doc, reference)])
        assert scores == {"tagger_acc": 1.0, "morph_acc": 1.0}
    doc[0].set_morph("Case=Acc")
    assert doc[0]._.morph_score is None


def test_tagger_features_that_are_there_stay_and_missing_ones_are_no_annotation():
    nlp, _ = with_features()
    doc = small.make_doc(nlp, small.SENTENCES[2].words)
    doc[0].set_morph("Person=3")
    doc[1].set_morph("")
    assert [str(t.morph) for t in nlp(doc)] == ["Person=3", "", *FEATURES[2:]]
    nlp = small.make_pipeline(TAGGER, attribute="morph")
    reference = small.make_doc(nlp, ["a", "b"])
    reference[0].set_morph("Case=Nom")
    nlp.initialize(lambda: [Example(small.make_doc(nlp, ["a", "b"]), reference)])
    assert nlp.get_pipe(TAGGER).labels == ("Case=Nom",)


@pytest.mark.parametrize("label", ["Plural", "Number=Sing|Case=Nom", "Case=b,a", ""])
def test_tagger_features_are_features_in_order(label):
    component = small.make_pipeline(TAGGER, attribute="morph").get_pipe(TAGGER)
    with pytest.raises(ValueError, match=f"LP037.*'{TAGGER}'" if label else "LP"):
        component.add_label(label)
    component.add_label("Case=Nom|Number=Sing")
    component.add_label("_")


def test_tagger_one_for_tags_and_one_for_parts_of_speech():
    nlp = small.make_pipeline(TAGGER)
    nlp.add_pipe(TAGGER, name="pos", config=small.make_config(attribute="pos"))
    small.train(nlp, small.make_examples(nlp), 20)
    scores = nlp.evaluate(small.make_examples(nlp))
    assert scores["tag_acc"] == scores["pos_acc"] == scores["tagger_acc"] == 1.0
    for name, attribute in ((TAGGER, "tag"), ("pos", "pos")):
        scores = nlp.get_pipe(name).score(small.make_examples(nlp))
        assert set(scores) == {"tagger_acc", f"{attribute}_acc"}
        assert scores["tagger_acc"] == scores[f"{attribute}_acc"]


# overwrite ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "overwrite, expected", [(False, ["XX", "VBP", "YY"]), (True, ["PRP", "VBP", "RB"])]
)
@pytest.mark.parametrize("attribute", ("tag", "pos"))
def test_tagger_overwrites_when_told_to(attribute, overwrite, expected):
    nlp = small.make_trained(
        TAGGER, attribute=attribute, overwrite=overwrite, passes=20
    )
    given = {"tag": ["XX", "", "YY"], "pos": ["X", "", "INTJ"]}[attribute]
    if attribute == "pos":
        expected = ["PRON", "VERB", "ADV"] if overwrite else ["X", "VERB", "INTJ"]
    name = "tags" if attribute == "tag" else "pos"
    doc = nlp(small.make_doc(nlp, ["They", "walk", "slowly"], **{name: given}))
    found = [token.tag_ if attribute == "tag" else token.pos_ for token in doc]
    assert found == expected


def test_tagger_searches_beside_the_tags_that_are_there():
    """The tagger fills in the best path that agrees with the given tags."""
    nlp = small.make_pipeline(TAGGER)
    examples = [
        small.example_of(nlp, words, tags=values)
        for words, values in ((["x", "y"], ["A", "B"]), (["z", "w"], ["C", "D"]))
    ]
    small.train(nlp, examples, 20)
    for given, expected in (("A ", "AB"), ("C ", "CD"), (" D", "CD"), (" B", "AB")):
        there = [tag.strip() for tag in given]
        doc = nlp(small.make_doc(nlp, ["new", "words"], tags=there))
        assert tags(doc) == [*expected]


# Gold ---------------------------------------------------------------------------------


def with_labels(*labels: str, **settings):
    return small.with_labels(TAGGER, *labels, **settings)


@pytest.mark.parametrize(("attribute", "name"), (("tag", "tags"), ("pos", "pos")))
def test_tagger_other_tokens_take_the_tags_that_fit(attribute, name):
    nlp = with_labels("NOUN", "VERB", "ADJ", attribute=attribute)

    def example(predicted, words, values, spaced=False):
        docs = (
            small.make_doc(nlp, x, spaces=None if spaced else [False] * len(x), **said)
            for x, said in ((predicted, {}), (words, {name: values}))
        )
        return Example(*docs)

    words, values = ["ab", "cd", "ef", "g"], ["NOUN", "NOUN", "VERB", "ADJ"]
    some = example(["a", "b", "cdef", "g"], words, values)
    assert small.gold_labels(nlp, some) == ["NOUN", "NOUN", None, "ADJ"]
    merged = example(["abcd"], ["ab", "cd"], ["NOUN", "NOUN"])
    assert small.gold_labels(nlp, merged) == ["NOUN"]
    space = example(["ab", " ", "cd"], ["ab", "cd"], ["NOUN", "VERB"], spaced=True)
    assert small.gold_labels(nlp, space) == ["NOUN", None, "VERB"]


def test_tagger_tags_spelled_like_symbols():
    """spaCy gives such strings small numbers instead of hashes."""
    nlp = small.make_pipeline(TAGGER)
    labels = ["NOUN", "PERSON", "IS_ALPHA", "nsubj"]
    small.train(nlp, [small.example_of(nlp, list("abcd"), tags=labels)], 20)
    assert tags(nlp("a b c d")) == labels
