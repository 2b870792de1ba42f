"""The contract of every component.

Components are found by their entry points: a new one runs through here by itself.
"""

import copy
import inspect
import pickle
import re
from functools import cache
from importlib.metadata import entry_points

import numpy as np
import pytest
import spacy
from builders.pipelines import MEMBERS, SENTENCES, make_doc, make_examples
from spacy.language import Language
from spacy.tokens import Doc, DocBin

CODE = r"^\[(LP\d{3}|E\d{3,4})\]"
FACTORIES = sorted(
    entry.name
    for entry in entry_points(group="spacy_factories")
    if entry.value.startswith("spacy_latperc.")
    and entry.name != "latperc_judge"  # has no model: tests/judge has its contract
)


def with_templates(name, *templates):
    block = {"@misc": f"spacy_latperc.{name}.v1", "templates": [*templates]}
    return {"features": block}


# A parser has templates over states.
PLACES = ("w[s0]", "w[b0]", "w[s0]|w[b0]", "suf2[s1]", "gap[s0,b0]")
STATES = with_templates("ParserFeatures", *PLACES)
MODEL = with_templates("Templates", "w[0]", "suf2[0]", "edge:bias")
# Settings that make another component of one.
VARIANTS = {
    "latperc_tagger:morph": {"attribute": "morph"},
    "latperc_chunker:members": {"members": MEMBERS},
    "latperc_grammaticality:explaining": {"explain": True, "views": ["IOB2", "O+C"]},
}
every_component = pytest.mark.parametrize("factory", [*FACTORIES, *VARIANTS])
every_factory = pytest.mark.parametrize("factory", FACTORIES)


def examples(nlp):
    """Make examples with annotation for every component."""
    made = make_examples(nlp)
    for i, example in enumerate(made):
        for token in example.reference:
            token.set_morph(f"Number=Sing|Tag={token.tag_}" if token.is_alpha else "")
        heads = [max(i - 1, 0) for i in range(len(example.reference))]
        for token, head in zip(example.reference, heads, strict=True):
            token.head = example.reference[head]
            token.dep_ = "ROOT" if token.i == 0 else "dep" if token.i % 2 else "mod"
        example.reference.cats = {"GRAMMATICAL": i % 2, "UNGRAMMATICAL": 1 - i % 2}
        example.reference.spans["errors"] = [example.reference[i : i + 1]]
    return made


def model_of(factory):
    return STATES if factory == "latperc_parser" else MODEL


def blank(factory, **settings):
    nlp = spacy.blank("xx")
    model = dict(model_of(factory))
    own = dict(VARIANTS.get(factory, {}))
    for name in {"views", "members"} & own.keys():
        model[name] = own.pop(name)
    config = {"model": model, **own, **settings}
    nlp.add_pipe(factory.partition(":")[0], name="mine", config=config)
    return nlp


def trained(factory, **settings):
    nlp = blank(factory, **settings)
    made = examples(nlp)
    nlp.initialize(lambda: made)
    for _ in range(3):
        nlp.update(made)
    return nlp


@cache
def shared(factory) -> Language:
    """One that tests read and do not change."""
    return trained(factory)


def dump(nlp):
    return nlp.get_pipe("mine").to_bytes(exclude=["vocab"])


def written(doc):
    """Read the annotation of a Doc."""
    spans = {k: [(s.start, s.end, s.label_) for s in v] for k, v in doc.spans.items()}
    attrs = {
        (key, name): plain(value)
        for key, group in doc.spans.items()
        for name, value in group.attrs.items()
    }
    ents = [(ent.start, ent.end, ent.label_) for ent in doc.ents]
    tokens = [(t.tag_, t.pos_, str(t.morph), t.has_morph()) for t in doc]
    trees = [(t.head.i, t.dep_, t.is_sent_start) for t in doc if t.dep_]
    return tokens, trees, ents, spans, attrs, doc.cats


def plain(value):
    """Arrays and tuples as lists, which can be compared: arrays travel between
    processes as such."""
    if isinstance(value, dict):  # a table for each kind of evidence
        return {name: plain(inner) for name, inner in value.items()}
    return np.asarray(value).tolist()


def test_components_are_found():
    assert len(FACTORIES) >= 4


@every_component
@pytest.mark.parametrize(
    "words",
    [[], [" "], ["\n", "  ", "\t"], ["Ada"], ["never-seen"], ["met"] * 3000],
    ids=["no token", "a space", "spaces", "one token", "unknown", "many tokens"],
)
def test_component_takes_any_doc(factory, words):
    nlp = shared(factory)
    doc = nlp.get_pipe("mine")(Doc(nlp.vocab, words=words))
    assert [token.text for token in doc] == words


@every_component
def test_component_takes_no_docs_and_empty_ones_among_others(factory):
    nlp = shared(factory)
    pipe = nlp.get_pipe("mine")
    assert list(pipe.pipe([])) == []
    texts = ["", SENTENCES[0].words, "", SENTENCES[1].words]
    docs = [Doc(nlp.vocab, words=words or []) for words in texts]
    together = [written(doc) for doc in pipe.pipe(docs)]
    alone = [written(pipe(Doc(nlp.vocab, words=words or []))) for words in texts]
    assert together == alone


@every_component
def test_component_predicts_before_it_writes(factory):
    nlp = shared(factory)
    pipe = nlp.get_pipe("mine")
    docs = [make_doc(nlp, sentence.words) for sentence in SENTENCES]
    before = [written(doc) for doc in docs]
    found = pipe.predict(docs)
    assert [written(doc) for doc in docs] == before
    pipe.set_annotations(docs, found)
    expected = [pipe(make_doc(nlp, sentence.words)) for sentence in SENTENCES]
    assert list(map(written, docs)) == list(map(written, expected))
    assert written(pipe(docs[0])) == written(expected[0])  # twice the same


@every_component
def test_component_does_the_same_in_several_processes(factory):
    nlp = shared(factory)
    texts = [" ".join(sentence.words) for sentence in SENTENCES] * 3
    alone = [written(doc) for doc in nlp.pipe(texts)]
    assert [written(doc) for doc in nlp.pipe(texts, n_process=2)] == alone


@every_component
def test_component_writes_what_travels_with_the_doc(factory):
    nlp = shared(factory)
    docs = [nlp.get_pipe("mine")(doc) for doc in fresh(nlp)]
    attributes = ["TAG", "POS", "MORPH", "HEAD", "DEP", "SENT_START"]
    attributes += ["ENT_IOB", "ENT_TYPE"]
    packed = DocBin(attributes, docs=docs, store_user_data=True).to_bytes()
    ways = {
        "bytes": [Doc(nlp.vocab).from_bytes(doc.to_bytes()) for doc in docs],
        "DocBin": list(DocBin().from_bytes(packed).get_docs(nlp.vocab)),
        "copy": [doc.copy() for doc in docs],
    }
    expected = [written(doc) for doc in docs]
    for way, again in ways.items():
        assert [written(doc) for doc in again] == expected, way


@every_component
def test_component_must_be_trained_before_it_predicts(factory):
    nlp = blank(factory)
    with pytest.raises(ValueError, match=CODE):
        nlp.get_pipe("mine")(make_doc(nlp, ["Ada"]))


@every_component
def test_component_learns_nothing_from_nothing(factory):
    nlp = trained(factory)
    before = dump(nlp)
    assert nlp.get_pipe("mine").update([]) in ({}, {"mine": 0.0})
    nlp.update([])
    assert dump(nlp) == before


@every_component
def test_component_takes_examples_without_its_annotation(factory):
    nlp = trained(factory)
    docs = [make_doc(nlp, sentence.words) for sentence in SENTENCES]
    bare = [spacy.training.Example(doc.copy(), doc) for doc in docs]
    losses = nlp.update([*bare, *examples(nlp)])
    assert losses["mine"] >= 0
    nlp.get_pipe("mine").score(bare)


@every_component
def test_component_takes_other_tokens_than_those_of_the_annotation(factory):
    nlp = trained(factory)
    made = []
    for example in examples(nlp):
        words = [part for word in example.reference for part in halves(word.text)]
        text = "".join(token.text_with_ws for token in example.reference)
        words, spaces = spacy.util.get_words_and_spaces(words, text)
        predicted = Doc(nlp.vocab, words=words, spaces=spaces)
        made.append(spacy.training.Example(predicted, example.reference))
    assert nlp.update(made)["mine"] >= 0


def halves(word):
    return [word[:2], word[2:]] if len(word) > 4 else [word]


@every_component
def test_component_refuses_what_is_no_label(factory):
    nlp = trained(factory)
    before = dump(nlp)
    for label in ("", None, 3, "\ud800"):
        with pytest.raises(ValueError, match=CODE):
            nlp.get_pipe("mine").add_label(label)
        assert dump(nlp) == before, label
    nlp.get_pipe("mine")(make_doc(nlp, ["Ada"]))


@every_component
def test_component_begins_anew_when_it_is_initialized_again(factory):
    nlp = trained(factory)
    before = dump(nlp)
    made = examples(nlp)
    nlp.initialize(lambda: made)
    for _ in range(3):
        nlp.update(made)
    assert dump(nlp) == before


@every_component
def test_component_is_saved_and_loaded(factory, tmp_path):
    nlp = shared(factory)
    docs = [written(doc) for doc in map(nlp.get_pipe("mine"), fresh(nlp))]
    nlp.to_disk(tmp_path / "model")
    by_bytes = blank(factory).from_bytes(nlp.to_bytes())
    for again in (spacy.load(tmp_path / "model"), by_bytes):
        assert dump(again) == dump(nlp)
        assert [written(d) for d in map(again.get_pipe("mine"), fresh(again))] == docs


@every_component
def test_component_is_copied_and_all_copies_learn_the_same(factory):
    nlp = shared(factory)
    before = dump(nlp)
    copies = [
        blank(factory).from_bytes(nlp.to_bytes()),
        pickle.loads(pickle.dumps(nlp)),
        copy.deepcopy(nlp),
    ]
    assert {dump(again) for again in copies} == {before}
    for again in copies:
        again.update(examples(again))
    learned = {dump(again) for again in copies}
    assert len(learned) == 1
    assert learned != {before}
    assert dump(nlp) == before


@every_component
def test_component_refuses_damaged_bytes_and_stays_as_it_was(factory):
    nlp = trained(factory)
    good = dump(nlp)
    middle = len(good) // 2
    flipped = good[:middle] + bytes([good[middle] ^ 255]) + good[middle + 1 :]
    for bad in (good[:middle], flipped, b"", b"\x93\x01\x02\x03"):
        with pytest.raises(ValueError, match=CODE):
            nlp.get_pipe("mine").from_bytes(bad, exclude=["vocab"])
        assert dump(nlp) == good


def fresh(nlp):
    return [make_doc(nlp, sentence.words) for sentence in SENTENCES]


# Something that no setting of the type can be.
BAD = {str: "\x00 no such choice", int: -7, float: -7.5}
# Names: any string is one.
FREE = {"spans_key", "incorrect_spans_key", "errors_key"}


def settings_of(factory):
    (entry,) = entry_points(group="spacy_factories", name=factory)
    names = inspect.signature(entry.load()).parameters
    return [name for name in names if name not in ("nlp", "name", "model")]


@every_factory
def test_component_names_bad_settings(factory):
    defaults = Language.get_factory_meta(factory).default_config
    tried = 0
    for name in settings_of(factory):
        kind = type(defaults[name])
        if kind not in BAD or name in FREE or name == "scorer":
            continue
        with pytest.raises(ValueError) as caught:
            blank(factory, **{name: BAD[kind]})
        message = str(caught.value)
        assert re.match(CODE, message), (name, message)
        assert f"{name} must" in message, (name, message)
        tried += 1
    assert tried >= 1


@every_factory
def test_component_names_bad_settings_of_its_model(factory):
    learner = Language.get_factory_meta(factory).default_config["model"]["learner"]
    if learner["@misc"] == "spacy_latperc.CRF.v1":  # it has other settings
        learner = {"@misc": "spacy_latperc.PassiveAggressive.v1"}
    model = model_of(factory)
    fewest = {"features": {**MODEL["features"], "min_count": 0}}
    own = {"C": -1.0, "variant": "X"} if model is MODEL else {"method": "X"}
    for settings, path in (
        *(({"learner": {**learner, k: v}}, k) for k, v in own.items()),
        ({"seed": -1}, "seed"),
        *([(fewest, "min_count")] if model is MODEL else []),
    ):
        with pytest.raises(ValueError, match=rf"\] {path} must"):
            blank(factory, model={**model, **settings})
