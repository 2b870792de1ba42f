"""Pipelines are saved whole, and a damaged one is named when it is loaded."""

import os

import pytest
import spacy
from builders.pipelines import TEXTS, annotations, make_trained

from spacy_latperc.io.pipelines import (
    check_room,
    load_pipeline,
    make_save_whole,
    save_pipeline,
    whole_pipelines,
)

FACTORY = "latperc_chunker"


@pytest.fixture(scope="module")
def nlp():
    return make_trained(FACTORY)


def test_pipelines_are_saved_and_replace_older_ones_whole(nlp, tmp_path):
    """Into new folders, an empty one, or one with another pipeline."""
    for name in ("new/model", "empty", "other"):
        folder = tmp_path / name
        if name == "empty":
            folder.mkdir()
        elif name == "other":
            other = spacy.blank("xx")
            other.add_pipe("sentencizer")
            save_pipeline(other, folder)
        check_room(folder)
        save_pipeline(nlp, str(folder), exclude=["tokenizer"])
        names = {path.name for path in folder.iterdir()}
        assert names == {"config.cfg", "meta.json", "vocab", FACTORY}
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["model"]
    save_pipeline(nlp, tmp_path / "empty")
    loaded = load_pipeline(tmp_path / "empty")
    assert annotations(loaded.pipe(TEXTS)) == annotations(nlp.pipe(TEXTS))
    with pytest.raises(OSError, match="E050"):
        load_pipeline("no_such_pipeline")


def test_pipelines_that_fail_to_save_leave_the_old_one(nlp, tmp_path, monkeypatch):
    save_pipeline(nlp, tmp_path / "model")
    before = sorted(tmp_path.rglob("*"))

    def fail(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(type(nlp), "to_disk", fail)
    with pytest.raises(OSError, match="LP560.*model: No space left"):
        save_pipeline(nlp, tmp_path / "model")
    assert sorted(tmp_path.rglob("*")) == before


def test_pipelines_do_not_replace_other_things(nlp, tmp_path):
    file, folder = tmp_path / "file", tmp_path / "folder"
    file.touch()
    folder.mkdir()
    for name in "abcdefg":
        (folder / name).touch()
    for place, message in (
        (file, r"LP349.*file is a file"),
        (file / "model", r"LP349.*file is a file"),
        (folder, "LP331.*holds a, b, c, d, e, 2 more"),
    ):
        with pytest.raises(ValueError, match=message):
            check_room(place)
        with pytest.raises(ValueError, match=message):
            save_pipeline(nlp, place)
    assert file.is_file() and len(list(folder.iterdir())) == 7


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


def test_pipelines_beside_other_files_leave_them(nlp, tmp_path):
    save_pipeline(nlp, tmp_path / "model")
    (tmp_path / "model" / ".git").mkdir()
    (tmp_path / "model" / ".git" / "HEAD").write_text("main")
    (tmp_path / "model" / f".{FACTORY}.{2**22 + 1}-ab.new").mkdir()  # of the dead
    with pytest.raises(KeyboardInterrupt), whole_pipelines([tmp_path / "model"]):
        raise KeyboardInterrupt
    save_pipeline(nlp, tmp_path / "model", exclude=[FACTORY])
    names = {path.name for path in (tmp_path / "model").iterdir()}
    assert names == {"config.cfg", "meta.json", "vocab", "tokenizer", ".git"}
    assert (tmp_path / "model" / ".git" / "HEAD").read_text() == "main"


@pytest.mark.parametrize("by_spacy", [False, True])
def test_pipelines_keep_files_that_others_put_into_them(nlp, tmp_path, by_spacy):
    """Components write into their folder, and spaCy removes nothing."""
    save = spacy.Language.to_disk if by_spacy else save_pipeline
    notes = [tmp_path / "model" / name for name in ("notes", f"{FACTORY}/notes")]
    save(nlp, tmp_path / "model")
    for path in notes:
        path.write_text("mine")
    save(nlp, tmp_path / "model")
    assert [path.read_text() for path in notes] == ["mine"] * 2
    assert load_pipeline(tmp_path / "model").pipe_names == [FACTORY]
    if not by_spacy:
        save(nlp, tmp_path / "model", exclude=[FACTORY])
        assert [path.name for path in notes[1].parent.iterdir()] == ["notes"]


def test_pipelines_do_not_replace_a_file_of_the_name_of_a_part(nlp, tmp_path):
    spacy.blank("xx").to_disk(tmp_path / "model")
    (tmp_path / "model" / FACTORY).mkdir()
    (tmp_path / "model" / FACTORY / "notes").write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(ValueError, match=f"LP578.*{FACTORY}"):
        save_pipeline(nlp, tmp_path / "model")
    assert sorted(tmp_path.rglob("*")) == before


def test_pipelines_at_mount_points_are_refused_at_once(nlp, tmp_path, monkeypatch):
    save_pipeline(nlp, tmp_path / "model")
    (tmp_path / "model" / "data" / "disk").mkdir(parents=True)
    mounted = str(tmp_path / "model")
    monkeypatch.setattr(os.path, "ismount", lambda path: str(path) == mounted)
    with pytest.raises(ValueError, match="LP586"):
        check_room(tmp_path / "model")
    mounted = str(tmp_path / "model" / "data" / "disk")
    with pytest.raises(ValueError, match="LP578.*disk.*mount point"):
        check_room(tmp_path / "model")


def test_pipelines_of_components_that_write_beside_their_folder(tmp_path):
    """spaCy's sentencizer does so, and a custom component may."""

    class Beside:
        def __call__(self, doc):
            return doc

        def to_disk(self, path, exclude=()):
            path.with_suffix(".bin").write_bytes(b"x")

    spacy.language.Language.factory("beside", func=lambda nlp, name: Beside())
    nlp = spacy.blank("xx")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("beside")
    for _ in range(2):
        save_pipeline(nlp, tmp_path / "model")
    names = {path.name for path in (tmp_path / "model").iterdir()}
    assert {"sentencizer.json", "beside.bin"} <= names
