"""Pipelines are saved whole, and a damaged one is named when it is loaded."""

import pytest
import spacy
from builders.pipelines import TEXTS, annotations, make_trained

from spacy_latperc.io.pipelines import (
    check_room,
    load_pipeline,
    make_save_whole,
    save_pipeline,
)

FACTORY = "latperc_chunker"


@pytest.fixture(scope="module")
def nlp():
    return make_trained(FACTORY)


def test_pipelines_are_saved_and_loaded(nlp, tmp_path):
    save_pipeline(nlp, tmp_path / "new" / "model")
    loaded = load_pipeline(tmp_path / "new" / "model")
    assert annotations(loaded.pipe(TEXTS)) == annotations(nlp.pipe(TEXTS))
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["model"]


def test_pipelines_replace_older_ones_whole(nlp, tmp_path):
    other = spacy.blank("xx")
    other.add_pipe("sentencizer")
    save_pipeline(other, tmp_path / "model")
    save_pipeline(nlp, str(tmp_path / "model"), exclude=["tokenizer"])
    names = {path.name for path in (tmp_path / "model").iterdir()}
    assert names == {"config.cfg", "meta.json", "vocab", FACTORY}


def test_pipelines_that_fail_to_save_leave_the_old_one(nlp, tmp_path, monkeypatch):
    save_pipeline(nlp, tmp_path / "model")
    before = sorted(tmp_path.rglob("*"))

    def fail(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(type(nlp), "to_disk", fail)
    with pytest.raises(OSError, match="LP560.*model: No space left"):
        save_pipeline(nlp, tmp_path / "model")
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("other", ["file", "folder"])
def test_pipelines_do_not_replace_other_things(nlp, tmp_path, other):
    place = tmp_path / "place"
    if other == "file":
        place.touch()
    else:
        place.mkdir()
        (place / "notes").touch()
    with pytest.raises(ValueError, match="LP349" if other == "file" else "LP331"):
        save_pipeline(nlp, place)
    assert place.exists()


def test_pipelines_may_go_into_an_empty_folder(nlp, tmp_path):
    check_room(tmp_path)
    save_pipeline(nlp, tmp_path)
    assert load_pipeline(tmp_path).pipe_names == [FACTORY]


def test_pipelines_below_a_file_are_refused(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match=r"LP349.*file is a file"):
        check_room(tmp_path / "file" / "model")


def test_pipelines_through_the_callback_are_saved_whole(nlp, tmp_path):
    view = make_save_whole()(nlp)
    assert isinstance(view, spacy.language.Language)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes").touch()
    with pytest.raises(ValueError, match="LP331"):
        view.to_disk(tmp_path / "other")
    view.to_disk(tmp_path / "model")
    assert load_pipeline(tmp_path / "model").pipe_names == [FACTORY]
    assert "to_disk" not in vars(nlp)


def test_pipelines_that_are_not_there_are_spacys_business():
    with pytest.raises(OSError, match="E050"):
        load_pipeline("no_such_pipeline")
