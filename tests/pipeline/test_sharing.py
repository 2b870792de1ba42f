"""Components sourced by other pipelines, in memory zones, beside one of their kind."""

import pytest
import spacy
from builders import pipelines as small

pytestmark = pytest.mark.parametrize("factory", small.FACTORIES)

UNSEEN = [*small.TEXTS, "the king of Rome hired Paris", ""]


# "QQ" is known to no vocabulary before.
NEW = {"tags": ["QQ"] * 2, "chunks": [(0, 2, "QQ")], "ents": [(0, 2, "QQ")]}


def test_sharing_sourced_components_predict_the_same_survive_saving_and_learn(
    factory, tmp_path
):
    nlp = small.make_trained(factory)
    expected = small.annotations(nlp.pipe(UNSEEN))
    other = spacy.blank("xx")
    other.add_pipe(factory, name="guest", source=nlp)
    assert other.vocab is not nlp.vocab
    other.to_disk(tmp_path)
    for each in (other, spacy.load(tmp_path)):
        assert small.annotations(each.pipe(UNSEEN)) == expected
    example = small.example_of(other, ["Zork", "hm"], **NEW)
    other.initialize(lambda: [*small.make_examples(other), example])
    for _ in range(20):
        other.update([example])
    assert "QQ" in str(small.annotations([other("Zork hm")]))


def test_sharing_labels_learned_elsewhere_have_names(factory):
    """A sourced component is shared: its own pipeline may teach it a label later."""
    nlp = small.make_pipeline(factory)
    other = spacy.blank("xx")
    nlp.get_pipe(factory).add_label("NN")
    other.add_pipe(factory, source=nlp)
    small.train(nlp, [small.example_of(nlp, ["Zork", "hm"], **NEW)])
    assert "QQ" not in other.vocab.strings
    assert "QQ" in str(small.annotations([other("Zork hm")]))


def test_sharing_labels_and_features_of_words_survive_a_memory_zone(factory):
    """A word type that a zone forgot comes back with the same features."""
    words = small.templates(*small.WORD_FEATURES["templates"], "pre1[0]")
    nlp = small.make_trained(factory, features=words)
    texts = [*UNSEEN, "Xyzzy Qwertzing the Plugh"]
    expected = small.annotations(nlp.pipe(texts))
    for _ in range(2):
        with nlp.memory_zone():
            assert small.annotations(nlp.pipe(texts)) == expected
    assert small.annotations(nlp.pipe(texts)) == expected


def test_sharing_two_components_of_a_kind(factory):
    own = {"latperc_chunker": {"spans_key": "second"}}
    own["latperc_tagger"] = {"attribute": "pos"}
    nlp = small.make_trained(factory)
    once = small.annotations(nlp.pipe(UNSEEN))
    other = small.make_pipeline(factory)
    config = {"model": other.get_pipe_config(factory)["model"], **own.get(factory, {})}
    other.add_pipe(factory, name="second", config=config)
    examples = small.make_examples(other)
    for example in examples:
        spans = example.reference.spans
        spans["second"] = spans["chunks"].copy()
    losses = small.train(other, examples).update(examples)
    assert set(losses) == {factory, "second"}
    for found, expected in zip(
        small.annotations(other.pipe(UNSEEN)), once, strict=True
    ):
        if factory == "latperc_tagger":
            assert found["tags"] == expected["tags"]
        elif factory == "latperc_chunker":
            assert found["spans"]["chunks"] == expected["spans"]["chunks"]
            assert found["spans"]["second"] == expected["spans"]["chunks"]
        else:
            assert found["ents"] == expected["ents"]
