"""Components that go on learning, rehearse, and serve without end."""

import pytest
import spacy
from builders import pipelines as small
from spacy.training import Example

from spacy_latperc.pipeline import model_pipe

BY_FACTORY = pytest.mark.parametrize("factory", small.FACTORIES)


# keep_state ---------------------------------------------------------------------------


def make_keeping(folder=None):
    if folder:
        return spacy.load(folder)
    config = small.make_config()
    config["model"]["keep_state"] = True
    nlp = spacy.blank("xx")
    nlp.add_pipe("latperc_tagger", config=config)
    nlp.initialize(lambda: small.make_examples(nlp))
    return nlp


def test_online_a_loaded_pipeline_goes_on_from_its_state(tmp_path):
    whole, half = make_keeping(), make_keeping()
    for _ in range(2):
        half.update(small.make_examples(half))
    half.to_disk(tmp_path)
    loaded = make_keeping(tmp_path)
    for nlp, passes in ((whole, 4), (loaded, 2)):
        for _ in range(passes):
            nlp.update(small.make_examples(nlp))
    first, second = (nlp.get_pipe("latperc_tagger").learner for nlp in (whole, loaded))
    assert second.to_bytes() == first.to_bytes()


# Rehearsal ----------------------------------------------------------------------------


WORDS = "ant bee cat dog elk fox gnu hen".split()


def news(nlp):
    """A domain in which words stand alone."""
    return [small.example_of(nlp, [word], tags=["N"]) for word in WORDS]


def bio(nlp):
    """Another, in which they follow a mark and are called otherwise."""
    return [small.example_of(nlp, ["bio", word], tags=["M", "X"]) for word in WORDS]


def known_after(*, rehearse=False):
    """Learn one domain, then the other. RETURNS: how many words of the first, and of
    the second, are still right."""
    learner = {**small.QUICK_LEARNER, "C": 1.0, "average": "none"}
    settings = {"features": small.templates("w[-1]", "w[0]"), "order": 0}
    nlp = small.make_pipeline("latperc_tagger", learner=learner, **settings)
    nlp.initialize(lambda: [*news(nlp), *bio(nlp)])
    for _ in range(10):
        nlp.update(news(nlp))
    other = spacy.blank("xx")
    other.add_pipe("latperc_tagger", source=nlp)
    component = other.get_pipe("latperc_tagger")
    component.from_bytes(component.to_bytes())
    other.resume_training()
    for _ in range(10):
        other.update(bio(other))
        if rehearse:
            docs = [small.make_doc(other, [word]) for word in WORDS]
            other.rehearse([Example(doc, doc.copy()) for doc in docs])
    alone = [other(small.make_doc(other, [word]))[0].tag_ for word in WORDS]
    marked = [other(small.make_doc(other, ["bio", word]))[1].tag_ for word in WORDS]
    return alone.count("N"), marked.count("X")


def test_online_rehearsal_keeps_what_was_known():
    assert known_after()[0] <= 4
    assert known_after(rehearse=True) == (8, 8)


@BY_FACTORY
def test_online_rehearsal_learns_what_the_old_model_says_once_it_is_resumed(factory):
    nlp = small.make_trained(factory)
    component = nlp.get_pipe(factory)
    before = component.learner.to_bytes()
    nlp.rehearse(small.make_examples(nlp))
    assert component.learner.to_bytes() == before
    nlp.resume_training()
    seen = component.learner.examples
    docs = [small.make_doc(nlp, sentence.words) for sentence in small.SENTENCES]
    losses = nlp.rehearse([Example(doc, doc.copy()) for doc in docs])
    assert component.learner.examples == seen + len(small.SENTENCES)
    assert losses[factory] >= 0


# Memory zones -------------------------------------------------------------------------


@BY_FACTORY
def test_online_memory_zones_stay_flat(factory, monkeypatch):
    monkeypatch.setattr(model_pipe, "ZONE_WORDS", 100)
    nlp = small.make_trained(factory)
    component, seen = nlp.get_pipe(factory), []
    for batch in range(8):
        with nlp.memory_zone():
            texts = [" ".join(f"w{batch}x{i}y{j}" for j in range(9)) for i in range(30)]
            for doc in nlp.pipe(texts):
                assert len(doc) == 9
        space = component.learner.space
        sizes = (space.n_lexemes, space.n_features, len(component.feature_cache))
        seen.append((*sizes, len(nlp.vocab.strings)))
    assert seen[-1][0] <= 100
    assert all(size == seen[0] for size in seen)


@BY_FACTORY
def test_online_answers_are_the_same_inside_and_after_a_zone(factory, monkeypatch):
    nlp = small.make_trained(factory)
    expected = small.annotations(nlp.pipe(small.TEXTS))
    with nlp.memory_zone():
        list(nlp.pipe(small.TEXTS))
    # Words outlive a small zone.
    assert nlp.get_pipe(factory).learner.space.n_lexemes > 0
    monkeypatch.setattr(model_pipe, "ZONE_WORDS", 0)
    for _ in range(2):
        with nlp.memory_zone():
            assert small.annotations(nlp.pipe(small.TEXTS)) == expected
    assert small.annotations(nlp.pipe(small.TEXTS)) == expected
