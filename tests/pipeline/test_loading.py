"""Loading: the config rules settings, files must belong together, and a load that is
refused changes nothing."""

import json
import re
import shutil
import warnings
from functools import cache
from pathlib import Path

import pytest
import spacy
from builders import pipelines as small
from builders.grammaticality import make_trained as make_judge
from spacy.language import Language

from spacy_latperc.compact import compact

TAGGER, CHUNKER, NER = small.FACTORIES
JUDGE = "latperc_grammaticality"
KINDS = {
    TAGGER: (TAGGER, {}),
    CHUNKER: (CHUNKER, {}),
    NER: (NER, {}),
}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """The folder of a trained pipeline of each kind, made when it is asked for."""
    folders: dict[str, Path] = {}

    def get(kind: str) -> Path:
        if kind not in folders:
            folders[kind] = tmp_path_factory.mktemp("saved") / "model"
            if kind == JUDGE:
                nlp = make_judge()
            else:
                factory, settings = KINDS[kind]
                nlp = small.make_trained(factory, **settings)
            nlp.to_disk(folders[kind])
        return folders[kind]

    return get


def component_of(nlp: Language):
    return nlp.get_pipe(nlp.pipe_names[-1])


def load_with(folder: Path, **settings) -> Language:
    config = spacy.util.load_config(folder / "config.cfg")
    name = config["nlp"]["pipeline"][-1]
    overrides = {f"components.{name}.{key}": value for key, value in settings.items()}
    return spacy.load(folder, config=overrides)


# Settings -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "setting", "value", "attribute"),
    [
        (TAGGER, "overwrite", True, "overwrite"),
        (TAGGER, "scores", "marginal", "scores"),
        (CHUNKER, "spans_key", "other", "key"),
        (CHUNKER, "n_best", 3, "n_best_size"),
        (NER, "keep_ents", False, "keep_ents"),
        (NER, "incorrect_spans_key", "wrong", "incorrect_spans_key"),
        (JUDGE, "threshold", 0.25, "threshold"),
    ],
)
def test_loading_with_another_setting(saved, kind, setting, value, attribute):
    component = component_of(load_with(saved(kind), **{setting: value}))
    assert getattr(component, attribute) == value


def test_loading_a_setting_is_heeded(saved):
    """The setting decides whether earlier entities are replaced or stay."""
    words = small.SENTENCES[1].words
    for keep, expected in ((True, [(0, 2, "MISC")]), (False, [])):
        nlp = load_with(saved(NER), keep_ents=keep)
        doc = nlp(small.make_doc(nlp, words, ents=[(0, 2, "MISC")]))
        found = [(x.start, x.end, x.label_) for x in doc.ents if x.label_ == "MISC"]
        assert found == expected


@pytest.mark.parametrize(
    ("kind", "setting", "value", "other"),
    [
        (TAGGER, "attribute", "pos", "tag"),
        (CHUNKER, "scheme", "IOB2", r"O\+C"),
        (NER, "scheme", "IOE1", r"O\+C"),
    ],
)
def test_loading_what_weights_are_tied_to(saved, kind, setting, value, other):
    """Both values are named."""
    named = re.escape(str(value))
    with pytest.raises(ValueError, match=rf"LP526.*{setting} = {named}.*{other}"):
        load_with(saved(kind), **{setting: value})


def test_loading_a_scheme_by_another_name(saved):
    assert load_with(saved(NER), scheme="IOBES").pipe_names == [NER]


# Files that do not belong together ----------------------------------------------------


@cache
def reversed_labels(kind: str) -> Language:
    """One that tests read and do not change."""
    factory, settings = KINDS[kind]
    nlp = small.make_pipeline(factory, **settings)
    examples = small.make_examples(nlp)
    found = small.train(nlp, examples, 1).get_pipe(factory).labels
    other = small.make_pipeline(factory, **settings)
    component = other.get_pipe(factory)
    component.initialize(lambda: examples, labels=list(reversed(found)))
    for _ in range(3):
        other.update(examples)
    return other


@pytest.mark.parametrize("part", ["cfg", "model"])
@pytest.mark.parametrize("kind", KINDS)
def test_loading_mixed_files_is_refused(saved, kind, part, tmp_path):
    """One file is of a model with the labels in another order. Older models have no
    checksum that would tell so."""
    folder, factory = tmp_path / "mixed", KINDS[kind][0]
    shutil.copytree(saved(kind), folder)
    reversed_labels(kind).to_disk(tmp_path / "other")
    shutil.copy(tmp_path / "other" / factory / part, folder / factory / part)
    with pytest.raises(ValueError, match="LP563.*does not match"):
        spacy.load(folder)
    path = folder / factory / "cfg"
    cfg = json.loads(path.read_text())
    del cfg["model_crc32"]
    path.write_text(json.dumps(cfg))
    with pytest.raises(ValueError, match="LP525"):
        spacy.load(folder)


@pytest.mark.parametrize("kind", KINDS)
def test_loading_that_is_refused_changes_nothing(saved, kind):
    """The labels are read before the weights, and are those of before again."""
    nlp = spacy.load(saved(kind))
    component = component_of(nlp)
    before = component.to_bytes(exclude=["vocab"])
    answers = small.annotations(nlp.pipe(small.TEXTS))
    other = reversed_labels(kind)
    good = component_of(other).to_bytes(exclude=["vocab"])
    parts = spacy.util.srsly.msgpack_loads(good)
    for bad in (
        {**parts, "model": parts["model"][:-9]},
        {**parts, "cfg": parts["cfg"][:-2]},
        {"cfg": parts["cfg"]},
        {"model": parts["model"]},
    ):
        with pytest.raises(ValueError, match=r"LP52\d|LP563"):
            component.from_bytes(spacy.util.srsly.msgpack_dumps(bad))
        assert component.to_bytes(exclude=["vocab"]) == before
        assert small.annotations(nlp.pipe(small.TEXTS)) == answers


# Odd values ---------------------------------------------------------------------------


@pytest.mark.parametrize("text", [b"", b"\xff\xfe", b"null", b"[]", b"3", b'"x"'])
def test_loading_odd_cfg_files(saved, text, tmp_path):
    folder = tmp_path / "odd"
    shutil.copytree(saved(TAGGER), folder)
    (folder / TAGGER / "cfg").write_bytes(text)
    with pytest.raises(ValueError, match=f"LP(521|563).*{folder}.*cfg"):
        spacy.load(folder)


# Labels, updates, tools ---------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_loading_compact_weights_and_learning_on(kind):
    """Features that were read before belong to the weights of before."""
    factory, settings = KINDS[kind]
    nlp = small.make_pipeline(factory, **settings)
    examples = small.make_examples(nlp)
    small.train(nlp, examples, 3)
    compact(nlp, examples)
    data = component_of(nlp).to_bytes(exclude=["vocab"])
    fresh = small.make_pipeline(factory, **settings)
    component_of(fresh).from_bytes(data)
    nlp.update(examples)
    fresh.update(small.make_examples(fresh))
    ours, theirs = component_of(nlp).model, component_of(fresh).model
    assert ours.to_bytes() == theirs.to_bytes()


SECOND_PASS = {"@misc": "spacy_latperc.RichChunkingFeatures.v1", "second_pass": True}


def two_chunkers(**settings):
    nlp = spacy.blank("xx")
    nlp.add_pipe(CHUNKER, name="first")
    nlp.add_pipe(CHUNKER, name="second", config=settings)


def test_loading_two_components_with_one_key_warns_unless_they_get_along():
    with pytest.warns(UserWarning, match="LP923.*'first' and 'second'.*chunks"):
        two_chunkers()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        two_chunkers(spans_key="more")
        two_chunkers(model={"features": SECOND_PASS})
