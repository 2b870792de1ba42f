"""Components that begin from others, rehearse, and serve without end."""

import re

import pytest
import spacy
from builders.pipelines import (
    FACTORIES,
    QUICK_LEARNER,
    SENTENCES,
    TEXTS,
    WORD_FEATURES,
    annotations,
    example_of,
    make_config,
    make_doc,
    make_examples,
    make_pipeline,
    make_trained,
    templates,
)
from spacy.training import Example

from spacy_latperc.pipeline import learner_pipe

TAGGER = FACTORIES[0]
BY_FACTORY = pytest.mark.parametrize("factory", FACTORIES)
MORE_FEATURES = templates(*WORD_FEATURES["templates"], "w[0]|w[1]")


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A trained pipeline of three components."""
    folder = tmp_path_factory.mktemp("saved")
    make_trained(*FACTORIES).to_disk(folder)
    return folder


def begin(factory, saved, *, name=None, component=None, **settings):
    nlp = spacy.blank("xx")
    name = name or factory
    nlp.add_pipe(factory, name=name, config=make_config(**settings))
    block = {"init_from": str(saved)}
    if component:
        block["init_component"] = component
    nlp.config["initialize"]["components"][name] = block
    nlp.initialize(lambda: make_examples(nlp))
    return nlp


def refused(code, *parts):
    message = ".*".join(re.escape(part) for part in (f"[{code}]", *parts))
    return pytest.raises(ValueError, match=message)


# init_from ----------------------------------------------------------------------------


@BY_FACTORY
@pytest.mark.parametrize("latent", [1, 2])
def test_online_begins_from_another_component(factory, saved, latent):
    nlp = begin(factory, saved, latent=latent, features=MORE_FEATURES, order=2)
    only = spacy.load(saved, exclude=[other for other in FACTORIES if other != factory])
    assert annotations(nlp.pipe(TEXTS)) == annotations(only.pipe(TEXTS))
    nlp.update(make_examples(nlp))
    assert nlp.get_pipe(factory).learner.examples == len(SENTENCES)


def test_online_begins_from_a_component_of_another_name(saved):
    nlp = begin("latperc_ner", saved, name="ents", component="latperc_ner")
    before = spacy.load(saved, exclude=["latperc_tagger", "latperc_chunker"])
    assert annotations(nlp.pipe(TEXTS)) == annotations(before.pipe(TEXTS))


def test_online_begins_from_the_only_component(tmp_path):
    other = make_trained("latperc_tagger")
    other.to_disk(tmp_path)
    nlp = begin("latperc_tagger", tmp_path, name="tags")
    assert annotations(nlp.pipe(TEXTS)) == annotations(other.pipe(TEXTS))


def test_online_init_from_works_by_hand(saved):
    nlp = make_pipeline("latperc_tagger")
    component = nlp.get_pipe("latperc_tagger")
    component.initialize(lambda: make_examples(nlp), nlp=nlp, init_from=saved)
    assert [token.tag_ for token in nlp(TEXTS[0])] == SENTENCES[0].tags


NOT_BEGUN = [
    ("LP093", ["latperc_tagger", "nowhere", "model-last"], "nowhere", {}),
    ("LP093", [], "foreign", {}),
    ("LP093", [], "damaged", {}),
    ("LP094", ["sentencizer"], "of others", {}),
    ("LP094", ["typo", "latperc_chunker"], "saved", {"component": "typo"}),
    ("LP094", ["tags", "latperc_chunker"], "saved", {}),
    ("LP096", ["suf2[0]"], "saved", {"features": templates("w[0]")}),
    ("LP097", ["tag there and pos here"], "saved", {"attribute": "pos"}),
]


@pytest.mark.parametrize(("code", "parts", "kind", "settings"), NOT_BEGUN)
def test_online_init_from_refuses(saved, tmp_path, code, parts, kind, settings):
    if kind == "foreign":
        (tmp_path / "config.cfg").write_text("[nlp", encoding="utf-8")
    elif kind == "damaged":
        make_trained(TAGGER).to_disk(tmp_path)
        file = tmp_path / TAGGER / "model"
        file.write_bytes(file.read_bytes()[:-50])
    elif kind == "of others":
        nlp = spacy.blank("xx")
        nlp.add_pipe("sentencizer")
        nlp.to_disk(tmp_path)
    folder = {"saved": saved, "nowhere": tmp_path / "nowhere"}.get(kind, tmp_path)
    name = "tags" if code == "LP094" else TAGGER
    with refused(code, *parts):
        begin(TAGGER, folder, **{"name": name, **settings})


def test_online_init_component_without_init_from(saved):
    nlp = make_pipeline("latperc_tagger")
    component = nlp.get_pipe("latperc_tagger")
    with refused("LP098", "init_from"):
        component.initialize(lambda: make_examples(nlp), init_component="tagger")


def test_online_init_from_other_labels(saved):
    nlp = make_pipeline("latperc_tagger")
    component = nlp.get_pipe("latperc_tagger")
    with refused("LP095", "VBP"):
        component.initialize(
            lambda: make_examples(nlp), labels=["NN", "NNP"], init_from=saved
        )
    assert not component.learner.examples
    assert set(component.learner.labels) == {"NN", "NNP"}


def test_online_init_from_another_scheme(saved):
    with refused("LP097", "scheme is O+C there and BILOU here"):
        begin("latperc_ner", saved, scheme="BILOU")


# keep_state ---------------------------------------------------------------------------


def make_keeping(folder=None):
    if folder:
        return spacy.load(folder)
    config = make_config()
    config["model"]["keep_state"] = True
    nlp = spacy.blank("xx")
    nlp.add_pipe("latperc_tagger", config=config)
    nlp.initialize(lambda: make_examples(nlp))
    return nlp


def test_online_a_loaded_pipeline_goes_on_from_its_state(tmp_path):
    whole, half = make_keeping(), make_keeping()
    for _ in range(2):
        half.update(make_examples(half))
    half.to_disk(tmp_path)
    loaded = make_keeping(tmp_path)
    for nlp, passes in ((whole, 4), (loaded, 2)):
        for _ in range(passes):
            nlp.update(make_examples(nlp))
    first, second = (nlp.get_pipe("latperc_tagger").learner for nlp in (whole, loaded))
    assert second.to_bytes() == first.to_bytes()


# Rehearsal ----------------------------------------------------------------------------


WORDS = "ant bee cat dog elk fox gnu hen".split()


def news(nlp):
    """A domain in which words stand alone."""
    return [example_of(nlp, [word], tags=["N"]) for word in WORDS]


def bio(nlp):
    """Another, in which they follow a mark and are called otherwise."""
    return [example_of(nlp, ["bio", word], tags=["M", "X"]) for word in WORDS]


def known_after(*, rehearse=False):
    """Learn one domain, then the other. RETURNS: how many words of the first, and of
    the second, are still right."""
    learner = {**QUICK_LEARNER, "C": 1.0, "average": "none"}
    nlp = make_pipeline(
        "latperc_tagger", learner=learner, features=templates("w[-1]", "w[0]"), order=0
    )
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
            docs = [make_doc(other, [word]) for word in WORDS]
            other.rehearse([Example(doc, doc.copy()) for doc in docs])
    alone = [other(make_doc(other, [word]))[0].tag_ for word in WORDS]
    marked = [other(make_doc(other, ["bio", word]))[1].tag_ for word in WORDS]
    return alone.count("N"), marked.count("X")


def test_online_rehearsal_keeps_what_was_known():
    assert known_after()[0] <= 4
    assert known_after(rehearse=True) == (8, 8)


@BY_FACTORY
def test_online_rehearsal_needs_resume_training(factory):
    nlp = make_trained(factory)
    before = nlp.get_pipe(factory).learner.to_bytes()
    nlp.rehearse(make_examples(nlp))
    assert nlp.get_pipe(factory).learner.to_bytes() == before


@BY_FACTORY
def test_online_rehearsal_learns_what_the_old_model_says(factory):
    nlp = make_trained(factory)
    nlp.resume_training()
    component = nlp.get_pipe(factory)
    before = component.learner.examples
    docs = [make_doc(nlp, sentence.words) for sentence in SENTENCES]
    losses = nlp.rehearse([Example(doc, doc.copy()) for doc in docs])
    assert component.learner.examples == before + len(SENTENCES)
    assert losses[factory] >= 0


# Memory zones -------------------------------------------------------------------------


def sizes(nlp, factory):
    component = nlp.get_pipe(factory)
    return {
        "words": component.learner.space.n_lexemes,
        "features": component.learner.space.n_features,
        "docs": len(component.feature_cache),
        "strings": len(nlp.vocab.strings),
    }


@BY_FACTORY
def test_online_memory_zones_stay_flat(factory, monkeypatch):
    monkeypatch.setattr(learner_pipe, "ZONE_WORDS", 100)
    nlp = make_trained(factory)
    seen = []
    for batch in range(8):
        with nlp.memory_zone():
            texts = [" ".join(f"w{batch}x{i}y{j}" for j in range(9)) for i in range(30)]
            for doc in nlp.pipe(texts):
                assert len(doc) == 9
        seen.append(sizes(nlp, factory))
    assert seen[-1]["words"] <= 100
    assert all(size == seen[0] for size in seen)


@BY_FACTORY
def test_online_answers_are_the_same_inside_and_after_a_zone(factory, monkeypatch):
    monkeypatch.setattr(learner_pipe, "ZONE_WORDS", 0)
    nlp = make_trained(factory)
    expected = annotations(nlp.pipe(TEXTS))
    for _ in range(2):
        with nlp.memory_zone():
            assert annotations(nlp.pipe(TEXTS)) == expected
    assert annotations(nlp.pipe(TEXTS)) == expected


def test_online_words_outlive_small_zones():
    nlp = make_trained("latperc_tagger")
    with nlp.memory_zone():
        list(nlp.pipe(TEXTS))
    assert nlp.get_pipe("latperc_tagger").learner.space.n_lexemes > 0
