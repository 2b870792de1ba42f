"""Components sourced by other pipelines, in memory zones, beside one of their kind."""

import pytest
import spacy
from builders.pipelines import (
    FACTORIES,
    TEXTS,
    WORD_FEATURES,
    annotations,
    example_of,
    make_examples,
    make_pipeline,
    make_trained,
    templates,
    train,
)

pytestmark = pytest.mark.parametrize("factory", FACTORIES)

UNSEEN = [*TEXTS, "the king of Rome hired Paris", ""]


def test_sharing_sourced_components_predict_the_same(factory):
    nlp = make_trained(factory)
    other = spacy.blank("xx")
    other.add_pipe(factory, name="guest", source=nlp)
    assert other.vocab is not nlp.vocab
    assert annotations(other.pipe(UNSEEN)) == annotations(nlp.pipe(UNSEEN))


def test_sharing_sourced_components_survive_saving(factory, tmp_path):
    nlp = make_trained(factory)
    other = spacy.blank("xx")
    other.add_pipe(factory, name="guest", source=nlp)
    other.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert annotations(loaded.pipe(UNSEEN)) == annotations(nlp.pipe(UNSEEN))


def test_sharing_sourced_components_learn_new_labels(factory):
    nlp = make_trained(factory)
    other = spacy.blank("xx")
    other.add_pipe(factory, source=nlp)
    # "QQ" is known to neither vocabulary before.
    example = example_of(
        other,
        ["Zork", "hm"],
        tags=["QQ"] * 2,
        chunks=[(0, 2, "QQ")],
        ents=[(0, 2, "QQ")],
    )
    other.initialize(lambda: [*make_examples(other), example])
    for _ in range(20):
        other.update([example])
    assert "QQ" in str(annotations([other("Zork hm")]))


def test_sharing_labels_learned_elsewhere_have_names(factory):
    """A sourced component is shared: its own pipeline may teach it a label later."""
    nlp = make_pipeline(factory)
    other = spacy.blank("xx")
    nlp.get_pipe(factory).add_label("NN")
    other.add_pipe(factory, source=nlp)
    example = example_of(
        nlp, ["Zork", "hm"], tags=["QQ"] * 2, chunks=[(0, 2, "QQ")], ents=[(0, 2, "QQ")]
    )
    train(nlp, [example])
    assert "QQ" not in other.vocab.strings
    assert "QQ" in str(annotations([other("Zork hm")]))


def test_sharing_labels_survive_a_memory_zone(factory):
    nlp = make_trained(factory)
    expected = annotations(nlp.pipe(UNSEEN))
    for _ in range(2):
        with nlp.memory_zone():
            found = annotations(nlp.pipe([*UNSEEN, "Unheard-of words Xyzzy"]))
            assert found[:-1] == expected
    assert annotations(nlp.pipe(UNSEEN)) == expected


def test_sharing_zone_words_are_read_again(factory):
    """A word type that a zone forgot comes back with the same features."""
    nlp = make_trained(
        factory, features=templates(*WORD_FEATURES["templates"], "pre1[0]")
    )
    text = "Xyzzy Qwertzing the Plugh"
    fresh = annotations([nlp(text)])
    for _ in range(2):
        with nlp.memory_zone():
            assert annotations([nlp(text)]) == fresh


def test_sharing_two_components_of_a_kind(factory):
    settings = {"spans_key": "second"} if factory == "latperc_chunker" else {}
    nlp = make_trained(factory)
    once = annotations(nlp.pipe(UNSEEN))
    other = make_pipeline(factory)
    config = {"model": other.get_pipe_config(factory)["model"], **settings}
    if factory == "latperc_tagger":
        config["attribute"] = "pos"
    other.add_pipe(factory, name="second", config=config)
    examples = make_examples(other)
    if factory == "latperc_chunker":
        for example in examples:
            group = example.reference.spans["chunks"].copy()
            example.reference.spans["second"] = group
    losses = train(other, examples).update(examples)
    assert set(losses) == {factory, "second"}
    for found, expected in zip(annotations(other.pipe(UNSEEN)), once, strict=True):
        if factory == "latperc_tagger":
            assert found["tags"] == expected["tags"]
        elif factory == "latperc_chunker":
            assert found["spans"]["chunks"] == expected["spans"]["chunks"]
            assert found["spans"]["second"] == expected["spans"]["chunks"]
        else:
            assert found["ents"] == expected["ents"]
