"""Gazetteers of components: they learn from them, carry them, and let them change."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import spacy
from builders.pipelines import QUICK_LEARNER, make_examples
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import gazetteer as reference
from spacy.tokens import Doc, Span
from spacy.training import Example

from spacy_latperc.features.sources import Tokens
from spacy_latperc.knowledge.gazetteer import gazetteer

PEOPLE = ["Ada Lovelace", "Alan Turing", "Grace Hopper"]
PLACES = ["London", "Paris", "Rome", "Berlin", "U.S."]


def make_pipeline(learner=QUICK_LEARNER, people=PEOPLE, places=PLACES, **cfg):
    """A pipeline that sees nothing but gazetteers."""
    nlp = spacy.blank("en")
    block = {"@misc": "spacy_latperc.Gazetteer.v1"}
    features = {
        "@misc": "spacy_latperc.Templates.v1",
        "templates": ["gaz.people[0]", "gaz.places[0]", "gaz.people[-1]"],
        "sources": {
            "people": {**block, "phrases": people},
            "places": {**block, "phrases": places, "fold_accents": True},
        },
    }
    model = {"features": features, "learner": learner}
    nlp.add_pipe("latperc_ner", name="ner", config={"model": model, **cfg})
    return nlp


def trained(**config):
    nlp = make_pipeline(**config)
    examples = make_examples(nlp)
    nlp.initialize(lambda: examples)
    for _ in range(10):
        nlp.update(examples)
    return nlp


def found(nlp, text):
    return [(ent.text, ent.label_) for ent in nlp(text).ents]


TEXT = "today grace hopper saw berlin and U.S. towns"
KNOWN = [("grace hopper", "PERSON"), ("berlin", "GPE"), ("U.S.", "GPE")]


@pytest.fixture(scope="module")
def pipeline():
    """One that tests read and do not change."""
    return trained()


def loaded(pipeline):
    other = spacy.util.load_model_from_config(pipeline.config, auto_fill=True)
    return other.from_bytes(pipeline.to_bytes())


# Matches ------------------------------------------------------------------------------

WORDS = st.sampled_from(["a", "A", "á", "Á", "b", "a\u0301", "ab"])
SEQUENCES = st.lists(st.lists(WORDS, min_size=1, max_size=4), max_size=8)


@given(SEQUENCES, SEQUENCES, st.booleans(), st.booleans())
@settings(deadline=None)
def test_matches_are_those_of_the_twin(phrases, texts, case, accents):
    nlp = spacy.blank("xx")
    source = gazetteer(fold_case=case, fold_accents=accents)
    source.add(phrases)
    docs = [Doc(nlp.vocab, words=words) for words in texts]
    offsets = [0]
    for doc in docs:
        offsets.append(offsets[-1] + len(doc))
    words = [token.orth for doc in docs for token in doc]
    tokens = Tokens(docs, *arrays(words, offsets), nlp.vocab.strings.__getitem__)

    def fold(words):
        folded = [reference.fold(word, case=case, accents=accents) for word in words]
        return tuple(folded)

    known = [fold(phrase) for phrase in phrases]
    expected = [x for words in texts for x in reference.places(fold(words), known)]
    places = source.attribute("").of_docs(tokens)
    assert ["OBIES"[place] for place in places] == expected
    assert len(source) == len(set(known))


def arrays(words, offsets):
    return np.asarray(words, dtype=np.uint64), np.asarray(offsets, dtype=np.int64)


def test_phrases_generalise_and_travel(pipeline, tmp_path):
    assert found(pipeline, TEXT) == KNOWN
    pipeline.to_disk(tmp_path / "model")
    pipe = pipeline.get_pipe("ner")
    for other in (loaded(pipeline), spacy.load(tmp_path / "model")):
        assert found(other, TEXT) == KNOWN
        twin = other.get_pipe("ner")
        assert twin.to_bytes(exclude=["vocab"]) == pipe.to_bytes(exclude=["vocab"])
        assert len(twin.gazetteers["people"]) == len(PEOPLE)
    twin = pickle.loads(pickle.dumps(pipe))
    assert [(e.text, e.label_) for e in twin(pipeline.make_doc(TEXT)).ents] == KNOWN
    assert twin.gazetteers["people"].add([["Kim", "Ng"]]) == 1
    assert ["Kim", "Ng"] not in pipe.gazetteers["people"]
    sourced = spacy.blank("en")
    sourced.add_pipe("ner", source=loaded(pipeline))
    assert found(sourced, TEXT) == KNOWN
    sourced.get_pipe("ner").gazetteers["places"].add([["Ulm"]])
    assert found(sourced, "they saw Ulm") == [("Ulm", "GPE")]


# Components ---------------------------------------------------------------------------


def test_they_change_without_training(pipeline, tmp_path):
    pipeline = loaded(pipeline)
    people = pipeline.get_pipe("ner").gazetteers["people"]
    text = "Then Katherine Johnson met Grace Hopper"
    assert found(pipeline, text) == [("Grace Hopper", "PERSON")]
    assert people.add([["KATHERINE", "Johnson"], ["Grace", "Hopper"]]) == 1
    assert len(people) == 4
    assert ["katherine", "johnson"] in people
    both = [("Katherine Johnson", "PERSON"), ("Grace Hopper", "PERSON")]
    assert found(pipeline, text) == both
    assert people.remove([["Grace", "Hopper"], ["Nobody"]]) == 1
    assert found(pipeline, text) == both[:1]
    pipeline.to_disk(tmp_path / "model")
    for other in (loaded(pipeline), spacy.load(tmp_path / "model")):
        assert found(other, text) == both[:1]
        other.get_pipe("ner").gazetteers["people"].add([["Grace", "Hopper"]])
        assert found(other, text) == both


def test_a_list_that_is_as_before_gives_the_same_bytes():
    nlp = trained()
    pipe = nlp.get_pipe("ner")
    before = pipe.learner.to_bytes()
    pipe.gazetteers["people"].add([["Kim", "Ng"], ["Kim", "Jones"]])
    assert pipe.learner.to_bytes() != before
    pipe.gazetteers["people"].remove([["Kim", "Jones"], ["Kim", "Ng"]])
    assert pipe.learner.to_bytes() == before
    # Training again reads the list of the config again.
    pipe.gazetteers["places"].add([["Ulm"]])
    nlp.initialize(lambda: make_examples(nlp))
    assert ["Ulm"] not in pipe.gazetteers["places"]


def test_a_list_made_from_the_annotation_is_warned_of():
    names = [f"Name{n}" for n in range(60)]
    nlp = make_pipeline(people=names, places=["London"])

    def get_examples():
        for name in names:
            doc = Doc(nlp.vocab, words=["Then", name, "left", "London"])
            doc.ents = [Span(doc, 1, 2, "PERSON"), Span(doc, 3, 4, "GPE")]
            yield Example(doc.copy(), doc)

    with pytest.warns(UserWarning, match="LP979.*'people' has 100% .* PERSON"):
        nlp.initialize(get_examples)
    # Of a few phrases, all may well be in a good list; and most of many, too.
    nlp = make_pipeline(people=names[:56], places=["London"])
    nlp.initialize(get_examples)


def test_the_mapping_of_a_component():
    nlp = make_pipeline()
    found = nlp.get_pipe("ner").gazetteers
    assert list(found) == ["people", "places"] and len(found) == 2
    assert "people" in found and "products" not in found
    assert nlp.add_pipe("latperc_tagger").gazetteers == {}
    with pytest.raises(ValueError, match="LP709"):
        gazetteer().attribute("4")


def test_threads_predict_while_a_list_changes():
    nlp = trained()
    ner, places = nlp.get_pipe("ner"), nlp.get_pipe("ner").gazetteers["places"]
    expected = [[("Ulm", "GPE")], []]

    def look():
        docs = [nlp.make_doc("they saw Ulm") for _ in range(20)]
        return [[(e.text, e.label_) for e in ner(doc).ents] for doc in docs]

    with ThreadPoolExecutor(3) as pool:
        looks = [pool.submit(look) for _ in range(6)]
        for _ in range(300):
            places.add([["Ulm"]])
            places.remove([["Ulm"]])
        assert all(x in expected for job in looks for x in job.result())


def test_updates_see_a_list_that_has_changed():
    """The cache of a Doc between passes does not hold its old matches."""
    nlp = trained(places=["London"])
    examples = make_examples(nlp)
    nlp.update(examples)
    before = nlp.get_pipe("ner").learner.to_bytes()
    nlp.get_pipe("ner").gazetteers["places"].add([["Paris"], ["Rome"]])
    nlp.update(examples)
    changed = nlp.get_pipe("ner").learner
    assert changed.to_bytes() != before
    assert found(nlp, "Paris and Rome") == [("Paris", "GPE"), ("Rome", "GPE")]


def test_they_travel_to_processes_and_other_folding_is_refused(pipeline):
    config = pipeline.config.copy()
    sources = config["components"]["ner"]["model"]["features"]["sources"]
    sources["people"]["fold_case"] = False
    other = spacy.util.load_model_from_config(config, auto_fill=True)
    with pytest.raises(ValueError, match="LP026"):
        other.from_bytes(pipeline.to_bytes())
    docs = pipeline.pipe([TEXT] * 4, n_process=2, batch_size=2)
    assert [[(e.text, e.label_) for e in doc.ents] for doc in docs] == [KNOWN] * 4


# Damage -------------------------------------------------------------------------------


def test_the_memory_of_words_ends_with_a_zone():
    nlp = trained()
    source = nlp.get_pipe("ner").learner.features.sources["people"]
    assert source._words.size > 0
    source.forget()
    assert source._words.size == 0
    assert found(nlp, TEXT) == KNOWN
