"""Initial weights from a component of another pipeline: where it may be missing."""

import re

import pytest
import spacy
from builders.pipelines import make_trained

from spacy_latperc.grammaticality.sentence_learner import load_component

TAGGER, CHUNKER = "latperc_tagger", "latperc_chunker"


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A trained pipeline of two components."""
    folder = tmp_path_factory.mktemp("saved")
    make_trained(TAGGER, CHUNKER, passes=1).to_disk(folder)
    return folder


def test_component_is_found(saved, tmp_path):
    assert load_component(saved, CHUNKER, "judge").name == CHUNKER
    assert load_component(saved, None, CHUNKER).name == CHUNKER
    assert load_component(saved, TAGGER, CHUNKER).name == TAGGER
    make_trained(CHUNKER, passes=1).to_disk(tmp_path)
    assert load_component(tmp_path, None, "judge").name == CHUNKER


@pytest.mark.parametrize(
    ("kind", "component", "code", "parts"),
    [
        ("nowhere", None, "LP093", ["nowhere", "model-last"]),
        ("foreign", None, "LP093", []),
        ("damaged", None, "LP093", []),
        ("of others", None, "LP094", ["sentencizer"]),
        ("saved", "typo", "LP094", ["typo", CHUNKER]),
        ("saved", None, "LP094", ["judge", CHUNKER]),
    ],
)
def test_component_that_is_not_there(saved, tmp_path, kind, component, code, parts):
    if kind == "foreign":
        (tmp_path / "config.cfg").write_text("[nlp", encoding="utf-8")
    elif kind == "damaged":
        make_trained(TAGGER, passes=1).to_disk(tmp_path)
        file = tmp_path / TAGGER / "model"
        file.write_bytes(file.read_bytes()[:-50])
    elif kind == "of others":
        nlp = spacy.blank("xx")
        nlp.add_pipe("sentencizer")
        nlp.to_disk(tmp_path)
    folder = {"saved": saved, "nowhere": tmp_path / "nowhere"}.get(kind, tmp_path)
    message = ".*".join(re.escape(part) for part in (f"[{code}]", *parts))
    with pytest.raises(ValueError, match=message):
        load_component(folder, component, "judge")
