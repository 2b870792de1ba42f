"""Components sourced by other pipelines, in memory zones, beside one of their kind."""

import pytest
import spacy
from builders import pipelines as small

pytestmark = pytest.mark.parametrize("factory", small.FACTORIES)

UNSEEN = [*small.TEXTS, "the king of Rome hired Paris", ""]


def test_sharing_sourced_components_predict_the_same(factory):
    nlp = small.make_trained(factory)
    other = spacy.blank("xx")
    other.add_pipe(factory, name="guest", source=nlp)
    assert other.vocab is not nlp.vocab
    assert small.annotations(other.pipe(UNSEEN)) == small.annotations(nlp.pipe(UNSEEN))


def test_sharing_sourced_components_survive_saving(factory, tmp_path):
    nlp = small.make_trained(factory)
    other = spacy.blank("xx")
    other.add_pipe(factory, name="guest", source=nlp)
    other.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert small.annotations(loaded.pipe(UNSEEN)) == small.annotations(nlp.pipe(UNSEEN))


def test_sharing_sourced_components_learn_new_labels(factory):
    nlp = small.make_trained(factory)
    other = spacy.blank("xx")
    other.add_pipe(factory, source=nlp)
    # "QQ" is known to neither vocabulary before.
    example = small.example_of(
        other,
        ["Zork", "hm"],
        tags=["QQ"] * 2,
        chunks=[(0, 2, "QQ")],
        ents=[(0, 2, "QQ")],
    )
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
    example = small.example_of(
        nlp, ["Zork", "hm"], tags=["QQ"] * 2, chunks=[(0, 2, "QQ")], ents=[(0, 2, "QQ")]
    )
    small.train(nlp, [example])
    assert "QQ" not in other.vocab.strings
    assert "QQ" in str(small.annotations([other("Zork hm")]))


def test_sharing_labels_survive_a_memory_zone(factory):
    nlp = small.make_trained(factory)
    expected = small.annotations(nlp.pipe(UNSEEN))
    for _ in range(2):
        with nlp.memory_zone():
            found = small.annotations(nlp.pipe([*UNSEEN, "Unheard-of words Xyzzy"]))
            assert found[:-1] == expected
    assert small.annotations(nlp.pipe(UNSEEN)) == expected


def test_sharing_zone_words_are_read_again(factory):
    """A word type that a zone forgot comes back with the same features."""
    nlp = small.make_trained(
        factory, features=small.templates(*small.WORD_FEATURES["templates"], "pre1[0]")
    )
    text = "Xyzzy Qwertzing the Plugh"
    fresh = small.annotations([nlp(text)])
    for _ in range(2):
        with nlp.memory_zone():
            assert small.annotations([nlp(text)]) == fresh


def test_sharing_two_components_of_a_kind(factory):
    settings = {"spans_key": "second"} if factory == "latperc_chunker" else {}
    nlp = small.make_trained(factory)
    once = small.annotations(nlp.pipe(UNSEEN))
    other = small.make_pipeline(factory)
    config = {"model": other.get_pipe_config(factory)["model"], **settings}
    if factory == "latperc_tagger":
        config["attribute"] = "pos"
    other.add_pipe(factory, name="second", config=config)
    examples = small.make_examples(other)
    if factory == "latperc_chunker":
        for example in examples:
            group = example.reference.spans["chunks"].copy()
            example.reference.spans["second"] = group
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
