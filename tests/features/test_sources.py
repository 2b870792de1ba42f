"""Sources of attributes: templates name them, models carry them."""

import copy
import logging
import pickle

import pytest
import spacy
from builders.pipelines import QUICK_LEARNER, annotation, make_examples, train
from builders.sources import DocList, WordList
from spacy.tokens import Doc

from spacy_latperc.features.sets import custom_templates, ner, rich_chunking
from spacy_latperc.features.templates import parse_template

KINDS = {"cl": "test.WordList.v1", "gaz": "test.DocList.v1"}


def make_pipeline(path, kind="cl", factory="latperc_ner", learner=QUICK_LEARNER, **cfg):
    """A pipeline that sees nothing but a source."""
    nlp = spacy.blank("en")
    features = {
        "@misc": "spacy_latperc.Templates.v1",
        "templates": [f"{kind}.list[0]", f"{kind}.list:1[-1]|{kind}.list:1[0]"],
        "sources": {"list": {"@misc": KINDS[kind], "path": str(path)}},
    }
    model = {"features": features, "learner": learner}
    nlp.add_pipe(factory, name="pipe", config={"model": model, **cfg})
    return nlp


def write_list(path):
    """Persons and places by their name."""
    words = dict.fromkeys("Ada Lovelace Alan Turing Grace Hopper".split(), "P")
    words |= dict.fromkeys("London Paris Rome Berlin".split(), "G")
    words |= {"Acme": "O", "Corp": "O"}
    path.write_text("".join(f"{w}\t{v}\n" for w, v in words.items()), encoding="utf8")


def trained(path, **settings):
    """A pipeline that has learned the sentences, with what it finds in others."""
    write_list(path)
    nlp = make_pipeline(path, **settings)
    examples = make_examples(nlp)
    nlp.initialize(lambda: examples)
    for _ in range(10):
        nlp.update(examples)
    path.unlink()  # a trained pipeline needs it no more
    return nlp


def answers(nlp):
    doc = nlp(Doc(nlp.vocab, words="Today Grace Hopper saw Berlin and London".split()))
    return [(ent.text, ent.label_) for ent in doc.ents]


NEW_WORDS = [("Grace Hopper", "PERSON"), ("Berlin", "GPE"), ("London", "GPE")]
MODELS = [
    {"kind": "cl"},
    {"kind": "gaz"},
]


@pytest.fixture(scope="module", params=MODELS, ids=str)
def pipeline(request, tmp_path_factory):
    """One that tests read and do not change."""
    return trained(tmp_path_factory.mktemp("list") / "list.tsv", **request.param)


def test_sources_travel(pipeline, tmp_path):
    """Sources travel with bytes (twice into one pipeline), folders and components."""
    by_bytes = spacy.util.load_model_from_config(pipeline.config, auto_fill=True)
    for _ in range(2):
        by_bytes.from_bytes(pipeline.to_bytes())
        assert answers(by_bytes) == NEW_WORDS
    saved = by_bytes.get_pipe("pipe").to_bytes(exclude=["vocab"])
    assert saved == pipeline.get_pipe("pipe").to_bytes(exclude=["vocab"])
    pipeline.to_disk(tmp_path / "model")
    assert answers(spacy.load(tmp_path / "model")) == NEW_WORDS
    sourced = spacy.blank("en")
    sourced.add_pipe("pipe", source=pipeline)
    assert answers(sourced) == NEW_WORDS
    by_bytes.resume_training()
    by_bytes.update(make_examples(by_bytes))
    assert answers(by_bytes) == NEW_WORDS


def test_sources_travel_with_copies_and_pickles(pipeline):
    pipe = pipeline.get_pipe("pipe")
    for twin in (
        pickle.loads(pickle.dumps(pipe.learner)),
        copy.deepcopy(pipe.learner),
        pickle.loads(pickle.dumps(pipe.model)).shims[0].learner,
    ):
        assert twin.to_bytes() == pipe.learner.to_bytes()
        assert (
            twin.features.sources["list"] is not pipe.learner.features.sources["list"]
        )
        assert twin.features.sources["list"].values


@pytest.mark.parametrize("kind", KINDS)
def test_sources_that_change_are_seen_and_saved_anew(kind, tmp_path):
    nlp = trained(tmp_path / "list.tsv", kind=kind)
    learner = nlp.get_pipe("pipe").learner
    before = learner.to_bytes()
    doc = Doc(nlp.vocab, words="They saw Kiel".split())
    if kind == "gaz":  # words are read once, Docs each time
        assert not nlp(doc.copy()).ents
    learner.features.sources["list"].add("Kiel", "G")
    if kind == "gaz":
        assert [ent.text for ent in nlp(doc.copy()).ents] == ["Kiel"]
    after = learner.to_bytes()
    assert before != after
    assert learner.blank().from_bytes(after).to_bytes() == after


def test_sources_are_learned_once_and_anew(tmp_path):
    nlp = trained(tmp_path / "list.tsv")
    source = nlp.get_pipe("pipe").learner.features.sources["list"]
    assert source.fitted == 1
    (tmp_path / "list.tsv").write_text("Grace\tG\n", encoding="utf8")
    nlp.initialize(lambda: make_examples(nlp))
    assert source.values == {"Grace": "G"}
    assert nlp.get_pipe("pipe").learner.space.n_lexemes < 30


def test_sources_with_other_settings_or_damage_are_refused_and_nothing_changes(
    tmp_path,
):
    nlp = trained(tmp_path / "list.tsv")
    config = nlp.config.copy()
    sources = config["components"]["pipe"]["model"]["features"]["sources"]
    sources["list"]["lower"] = True
    other = spacy.util.load_model_from_config(config, auto_fill=True)
    with pytest.raises(ValueError, match="LP026"):
        other.from_bytes(nlp.to_bytes())
    learner = nlp.get_pipe("pipe").learner
    good = learner.to_bytes()
    bad = learner.blank()
    bad.features.sources["list"].to_bytes = lambda: b"[1, 2"
    bad.start(1)
    with pytest.raises(ValueError, match="LP023"):
        learner.from_bytes(bad.to_bytes())
    assert learner.to_bytes() == good
    assert learner.features.sources["list"].values["Grace"] == "P"


# Sources with nothing to learn from ---------------------------------------------------


def default_pipeline(factory, clusters, **config):
    """A component added without a config, or with that of its model left as it is."""
    nlp = spacy.blank("en")
    nlp.add_pipe(factory, name="pipe", config=config)
    if clusters:
        nlp.vocab.lookups.add_table("lexeme_cluster", clusters)
    return train(nlp, make_examples(nlp), passes=3)


CLUSTERS = {"London": 6, "Paris": 6, "Ada": 3}
LEXEMES = {"@misc": "spacy_latperc.Lookups.v1", "optional": True}
OTHER = {
    "@misc": "spacy_latperc.Member.v1",
    "features": {
        "@misc": "spacy_latperc.NERFeatures.v1",
        "sources": {"lexemes": LEXEMES},
    },
    "learner": {"@misc": "spacy_latperc.Perceptron.v1"},
}
MEMBERS = {"model": {"members": {"other": OTHER}}}
DEFAULTS = [("latperc_ner", {}), ("latperc_ner", MEMBERS)]


@pytest.mark.parametrize(("factory", "config"), DEFAULTS, ids=str)
@pytest.mark.parametrize("clusters", [{}, CLUSTERS], ids=["none", "some"])
def test_defaults_use_clusters_that_the_vocabulary_has(
    factory, config, clusters, caplog
):
    with caplog.at_level(logging.INFO, logger="spacy.latperc"):
        nlp = default_pipeline(factory, clusters, **config)
    said = [text for text in caplog.messages if "lexemes" in text]
    assert len(said) == (1 if clusters else 0)
    learner = nlp.get_pipe("pipe").learner
    reading = [t for t in learner.features.templates if "cl.lexemes" in str(t)]
    assert bool(reading) == bool(clusters)
    ngrams = [t for t in learner.features.templates if "ng3" in str(t)]
    assert bool(ngrams) != bool(clusters)  # beside clusters they add nothing
    assert (b'"sources"' in learner.to_bytes()) == bool(clusters)
    # A component of the same config has the templates of the file that it loads,
    # whatever it had before.
    for before in ({}, CLUSTERS):
        other = default_pipeline(factory, before, **config)
        other.get_pipe("pipe").from_bytes(nlp.get_pipe("pipe").to_bytes())
        again = other.get_pipe("pipe").learner
        assert again.features.templates == learner.features.templates
        assert again.to_bytes() == learner.to_bytes()
        doc = other(Doc(other.vocab, words=["Ada", "saw", "Paris"]))
        twin = nlp(Doc(nlp.vocab, words=["Ada", "saw", "Paris"]))
        assert annotation(doc) == annotation(twin)


def test_clusters_come_and_go_and_a_refused_file_changes_nothing():
    nlp = default_pipeline("latperc_ner", CLUSTERS)
    learner = nlp.get_pipe("pipe").learner
    many = len(learner.features.templates)
    nlp.vocab.lookups.remove_table("lexeme_cluster")
    train(nlp, make_examples(nlp), passes=2)
    few = len(learner.features.templates)
    nlp.vocab.lookups.add_table("lexeme_cluster", CLUSTERS)
    train(nlp, make_examples(nlp), passes=2)
    assert few < many == len(learner.features.templates)
    learner = default_pipeline("latperc_ner", CLUSTERS).get_pipe("pipe").learner
    good = learner.to_bytes()
    other = default_pipeline("latperc_ner", {}).get_pipe("pipe").learner.to_bytes()
    with pytest.raises(ValueError, match="LP021"):
        learner.from_bytes(other[:-1] + b"x")
    assert learner.to_bytes() == good
    learner.from_bytes(other)
    assert learner.to_bytes() == other


def test_templates_that_need_an_absent_source_all_of_them():
    nlp = spacy.blank("en")
    source = {"@misc": "spacy_latperc.Lookups.v1", "optional": True}
    features = {
        "@misc": "spacy_latperc.Templates.v1",
        "templates": ["cl.x[0]"],
        "sources": {"x": source},
    }
    nlp.add_pipe("latperc_ner", config={"model": {"features": features}})
    with pytest.raises(ValueError, match="LP715"):
        nlp.initialize(lambda: make_examples(nlp))


# Templates ----------------------------------------------------------------------------


def test_template_names_kind_source_and_argument():
    sources = {"list": WordList(), "docs": DocList()}
    for text in ("cl.list[0]", "cl.list:4[-1]|word[0]", "edge:gaz.docs:2[1]"):
        assert str(parse_template(text, sources)) == text
    assert parse_template("cl.list:4[0]", sources).parts[0].attribute.of_form
    column = parse_template("gaz.docs[0]", sources).parts[0].attribute.column
    assert column == "gaz.docs"
    # The name of the only source of a kind may be left out.
    assert str(parse_template("cl.4[0]", {"list": WordList()})) == "cl.list:4[0]"


@pytest.mark.parametrize(
    ("text", "sources", "code"),
    [
        ("cl.other:2[0]", {"list": WordList()}, "LP700"),
        ("gaz.list[0]", {"list": WordList()}, "LP700"),
        ("cl.list:x[0]", {"list": WordList()}, "LP702"),
        ("cluster.list[0]", {"list": WordList()}, "LP001"),
        ("w[0]", {"list": WordList()}, "LP703"),
        ("w[0]", {"a.b": WordList()}, "LP701"),
        ("w[0]", {"list": "clusters.tsv"}, "LP590"),
        ("w[0]", ["clusters.tsv"], "LP590"),
    ],
)
def test_templates_and_sources_that_cannot_be_are_refused(text, sources, code):
    used = [] if text == "w[0]" else ["cl.list[0]"]
    with pytest.raises(ValueError, match=code):
        custom_templates([text, *used], sources=sources)


def test_standard_templates_are_added_once_and_chunkers_join_clusters():
    sources = {"a": WordList(), "b": WordList()}
    texts = [str(t) for t in rich_chunking(sources=sources).templates]
    for name in sources:
        assert f"cl.{name}[-1]|cl.{name}[0]" in texts
        assert f"cl.{name}[0]|tag[0]" in texts
    assert not [t for t in rich_chunking().templates if "cl." in str(t)]
    source = {"list": WordList()}
    features = ner(sources=source)
    added = [str(t) for t in features.templates if "cl." in str(t)]
    assert added == source["list"].templates("list")
    mine = custom_templates(["cl.list[0]"], sources=source, source_templates=True)
    assert [str(t) for t in mine.templates].count("cl.list[0]") == 1
    assert not [t for t in ner().templates if "cl." in str(t)]
