"""What every command writes: pipelines beside other people's files, and formats."""

import os
import shutil
from pathlib import Path

import pytest
import spacy
from builders.grammaticality import REAL, SHUFFLED
from builders.outputs import OUTPUTS, PIPELINE, commands, unknown_paths
from builders.text import lines
from project_files import ROOT
from spacy.util import load_config
from typer.testing import CliRunner

from spacy_latperc.cli import latperc_cli
from spacy_latperc.io.pipelines import save_pipeline

SAMPLE = ROOT / "assets" / "sample"
WRITERS = [name for name, found in OUTPUTS.items() if PIPELINE in found.values()]

pytestmark = pytest.mark.filterwarnings("ignore:.*LP9")


def invoke(*arguments):
    return CliRunner().invoke(latperc_cli, [str(x) for x in arguments])


def test_outputs_of_all_commands_are_listed():
    assert commands().keys() == OUTPUTS.keys()
    assert not unknown_paths()


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    """Inputs: text, columns, a tagger and a judge of sentences."""
    folder = tmp_path_factory.mktemp("stage")
    for name in ("train", "dev"):
        sentences = (SAMPLE / f"{name}.txt").read_text().split("\n\n")[:40]
        (folder / f"{name}.txt").write_text("\n\n".join(sentences) + "\n")
    for name, text in (("good", REAL), ("bad", SHUFFLED), ("text", lines())):
        (folder / f"{name}.txt").write_text("".join(f"{x}\n" for x in text))
    overrides = {
        "training.max_epochs": 1,
        "paths.train": str(folder / "train.txt"),
        "paths.dev": str(folder / "dev.txt"),
    }
    config = load_config(ROOT / "configs" / "tagger.cfg", overrides=overrides)
    config.to_disk(folder / "config.cfg")
    result = invoke("fit", folder / "config.cfg", "-o", folder / "out")
    assert result.exit_code == 0, result.output
    shutil.move(folder / "out" / "model-last", folder / "tagger")
    result = invoke(*arguments("train-grammaticality", folder, folder / "judge"))
    assert result.exit_code == 0, result.output
    return folder


def arguments(command, stage, target):
    """The command, so that it writes a pipeline to a folder."""
    good, bad, dev = (stage / f"{name}.txt" for name in ("good", "bad", "dev"))
    return {
        "calibrate": ("calibrate", stage / "tagger", dev, "-o", target),
        "compact": ("compact", stage / "tagger", dev, target),
        "fit": ("fit", stage / "config.cfg", "-o", target.parent),
        "judge": (
            *("judge", stage / "text.txt", "-o", target, "--tokenised", "-q"),
            *("--sample", 250, "--classes", 8),
        ),
        "recalibrate": (
            *("recalibrate", stage / "judge", stage / "text.txt", "-o", target),
            *("--tokenised", "-q"),
        ),
        "train-grammaticality": (
            *("train-grammaticality", good, "--negatives", bad, "-o", target, "-q"),
            *("--words-only", "-n", 1),
        ),
    }[command]


FOREIGN = {
    ".git/HEAD": "main",
    ".git/objects/ab/cd": "commit",
    ".gitattributes": "lfs",
    "README.md": "mine",
    "data/train.txt": "data",
}


def add_foreign(folder):
    """A repository, notes and data in the folder of a pipeline."""
    for name, text in FOREIGN.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / ".git" / "objects" / "ab" / "cd").chmod(0o444)
    (folder / "link").symlink_to("README.md")


def foreign_of(folder):
    assert os.readlink(folder / "link") == "README.md"
    return {name: (folder / name).read_text() for name in FOREIGN}


def old_pipeline(folder):
    """The clone of a model repository, with another pipeline."""
    nlp = spacy.blank("xx")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("attribute_ruler", name="rules")
    save_pipeline(nlp, folder)
    add_foreign(folder)


def test_outputs_every_command_that_writes_a_pipeline_is_tested(stage):
    for command in WRITERS:
        assert arguments(command, stage, stage)


@pytest.mark.parametrize("command", WRITERS)
def test_outputs_pipelines_leave_the_files_of_others(command, stage, tmp_path):
    target = tmp_path / "model-last"
    old_pipeline(target)
    result = invoke(*arguments(command, stage, target))
    assert result.exit_code == 0, result.output
    assert foreign_of(target) == FOREIGN
    assert not (target / "rules").exists()
    nlp = spacy.load(target)
    assert "rules" not in nlp.pipe_names
    folders = {path.name for path in target.iterdir() if path.is_dir()}
    # What earlier versions of a component may be called is not removed either.
    assert folders - {*nlp.pipe_names, "vocab"} == {".git", "data"}
    assert not (target / "sentencizer.json").exists()
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize("command", ["calibrate", "recalibrate"])
def test_outputs_pipelines_in_place_leave_the_files_of_others(command, stage, tmp_path):
    source = stage / ("tagger" if command == "calibrate" else "judge")
    shutil.copytree(source, tmp_path / "model")
    add_foreign(tmp_path / "model")
    (name,) = spacy.load(source).pipe_names
    notes = tmp_path / "model" / name / "notes.txt"
    notes.write_text("mine")
    command = [
        tmp_path / "model" if x == source else x
        for x in arguments(command, stage, Path())
    ]
    place = command.index("-o")
    result = invoke(*command[:place], *command[place + 2 :])
    assert result.exit_code == 0, result.output
    assert foreign_of(tmp_path / "model") == FOREIGN
    assert notes.read_text() == "mine"
    spacy.load(tmp_path / "model")
