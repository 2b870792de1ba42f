"""The folder of a component: of one save, or refused by name."""

import json
import shutil
from functools import cache

import pytest
import spacy
from builders.pipelines import FACTORIES, TEXTS, annotations, make_trained

pytestmark = pytest.mark.parametrize("factory", FACTORIES)


@cache
def trained(factory, passes):
    return make_trained(factory, passes=passes)


@pytest.fixture
def saved(factory, tmp_path):
    """The folders of two pipelines, of other passes, and that of a component."""
    for passes, name in ((1, "old"), (3, "new")):
        trained(factory, passes).to_disk(tmp_path / name)
    return tmp_path / "old", tmp_path / "new" / factory


def refusal(folder):
    with pytest.raises(ValueError) as error:
        spacy.load(folder)
    return str(error.value)


@pytest.mark.parametrize("file", ["cfg", "model"])
def test_folder_without_a_file_or_a_part_of_it_is_refused(factory, saved, file):
    path = saved[0] / factory / file
    content = path.read_bytes()
    path.unlink()
    message = refusal(saved[0])
    assert f"LP563] Component '{factory}'" in message and str(path) in message
    problem = "cannot be read" if file == "cfg" else "does not match"
    for left in (0, 1, 30, -1):
        path.write_bytes(content[:left])
        message = refusal(saved[0])
        assert "LP563" in message and problem in message
        assert str(path) in message


def test_folder_with_a_broken_model_of_before_checksums_is_refused(factory, saved):
    folder = saved[0] / factory
    cfg = json.loads((folder / "cfg").read_text())
    del cfg["model_crc32"]
    (folder / "cfg").write_text(json.dumps(cfg))
    spacy.load(saved[0])
    (folder / "model").write_bytes((folder / "model").read_bytes()[:-1])
    message = refusal(saved[0])
    assert "LP563" in message and "cannot be read" in message
    assert str(folder / "model") in message


def test_folder_of_a_component_of_another_save_is_whole(factory, saved):
    """An interrupted save of a pipeline leaves such a folder."""
    pipeline, other = saved
    shutil.copytree(other, pipeline / factory, dirs_exist_ok=True)
    nlp, whole = spacy.load(pipeline), spacy.load(other.parent)
    assert annotations(nlp.pipe(TEXTS)) == annotations(whole.pipe(TEXTS))


def test_folder_keeps_what_is_not_written(factory, saved):
    pipeline, _ = saved
    nlp = spacy.load(pipeline)
    assert "model_crc32" not in nlp.get_pipe(factory).cfg
    folder = pipeline / factory
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    (folder / "notes").write_text("ours")
    nlp.get_pipe(factory).to_disk(folder, exclude=["vocab", "model"])
    assert (folder / "notes").read_text() == "ours"
    assert {name: (folder / name).read_bytes() for name in before} == before
