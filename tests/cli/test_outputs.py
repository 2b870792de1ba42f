"""The output of every command: pipelines beside other files, and formats."""

import bz2
import gzip
import itertools
import json
import lzma
import os
import re
import shutil
import sys
from pathlib import Path

import pytest
import spacy
import zstandard
from builders.grammaticality import REAL, SHUFFLED, make_trained
from builders.outputs import OUTPUTS, PIPELINE, commands, unknown_paths
from builders.text import lines
from project_files import ROOT
from spacy.language import Language
from spacy.util import load_config
from typer.testing import CliRunner

from spacy_latperc.cli import latperc_cli
from spacy_latperc.io.pipelines import save_pipeline

SAMPLE = ROOT / "assets" / "sample"
pyarrow = pytest.importorskip("pyarrow")
pytest.importorskip("pyarrow.parquet")
WRITERS = [name for name, found in OUTPUTS.items() if PIPELINE in found.values()]

pytestmark = pytest.mark.filterwarnings("ignore:.*LP9")


TREE = "".join(
    f"{i}\t{word}\t_\tNOUN\tNN\t_\t{i - 1}\t{'dep' if i > 1 else 'root'}\t_\t_\n"
    for i, word in enumerate("She likes Rome".split(), 1)
)


@Language.component("arcs_to_the_right")
def arcs_to_the_right(doc):
    for token in doc:
        token.head = doc[max(0, token.i - 1)]
        token.dep_ = "next" if token.i else "ROOT"
    return doc


def invoke(*arguments):
    return CliRunner().invoke(latperc_cli, [str(x) for x in arguments])


def test_outputs_of_all_commands_are_listed():
    assert commands().keys() == OUTPUTS.keys()
    assert not unknown_paths()


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    """Inputs: text, columns, a tagger, a judge and a classifier of sentences."""
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
    make_trained(1).to_disk(folder / "classifier")
    command = ("judge", "train", folder / "text.txt", "-o", folder / "judge")
    result = invoke(*command, "--tokenised", "-q", "--sample", 250)
    assert result.exit_code == 0, result.output
    (folder / "trees.conllu").write_text(TREE)
    (folder / "vectors.txt").write_text("2 3\nRome 1 0 0\nshe 0 0 1\n")
    found = [{"text": x} for x in REAL]
    (folder / "lines.jsonl").write_text("".join(f"{json.dumps(x)}\n" for x in found))
    pyarrow.parquet.write_table(
        pyarrow.Table.from_pylist(found), folder / "lines.parquet"
    )
    nlp = spacy.blank("en")
    nlp.add_pipe("arcs_to_the_right")
    nlp.to_disk(folder / "trees")
    return folder


def arguments(command, stage, target):
    """The command, so that it writes a pipeline to a folder."""
    path = target.parent if command == "fit" else target
    more = ("--sample", 250) if command == "judge train" else ()
    return (*command_for(command, "output", stage, path), *more)


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


OTHERS = {"output": "-o", "json_path": "--json"}
OTHERS |= {"log": "--log", "save_model": "--save-model", "target": "-o"}
OTHERS |= {"picture": "--svg"}


def command_for(command, name, stage, path, source=""):
    """The command, so that it writes one of its outputs to a path."""
    dev, text = stage / "dev.txt", stage / "text.txt"
    found = {"filter": "classifier", "judge recalibrate": "judge"}
    model = stage / found.get(command, "tagger")
    first = {
        "annotate": (stage / "trees", "She likes Rome"),
        "calibrate": (model, dev),
        "knowledge clusters": (text, "-o", path, "-k", 4, "-q"),
        "compact": (model, dev, path),
        "knowledge contexts": (text, "-o", path, "-q"),
        "knowledge encoder": ("a_package", "-o", path),
        "knowledge vectors": (stage / "vectors.txt", "-o", path),
        "convert": (stage / "trees.conllu", path),
        "judge corrupt": (text, "-o", path, "-q"),
        "evaluate": (model, dev),
        "explain": (model, "She likes Rome"),
        "inspect": (model, dev),
        "filter": (model, text, path, "--tokenised", "-q"),
        "fit": (stage / "config.cfg", "-o", path),
        "judge train": (text, "-o", path, "--tokenised", "-q"),
        "judge evaluate": (
            *(stage / "judge", "--wrong", stage / "bad.txt", "--tokenised"),
        ),
        "judge negatives": (text, path if name == "output" else stage / "n.spacy"),
        "knowledge ngrams": (text, "-o", path, "-q"),
        "judge recalibrate": (model, text, "--tokenised", "-q"),
        "compare": (
            *(stage / "config.cfg", "--seeds", 1),
            *(("--json", path) if name == "output" else ()),
        ),
        "suggest": (model, text),
    }[command]
    if command == "annotate" and path.suffixes[0] in (".jsonl", ".parquet"):
        first = (stage / "trees", "-f", stage / "good.txt")
    if command == "filter" and path.suffixes[0] in (".jsonl", ".parquet"):
        first = (model, stage / f"lines{path.suffixes[0]}", path, "--tokenised", "-q")
    given = path in first
    return (*command.split(), *first, *(() if given else (OTHERS[name], path)))


EVERY = [(command, name) for command, found in OUTPUTS.items() for name in found]


def endings(command, name):
    """The suffixes of an output that may be packed."""
    found = OUTPUTS[command][name]
    if isinstance(found, str):
        return []
    return [x for x in found if x not in (".spacy", ".parquet")]


@pytest.mark.parametrize(("command", "name"), EVERY)
def test_outputs_with_another_suffix_are_refused_before_work(
    command, name, stage, tmp_path, monkeypatch
):
    """Nothing is read for it: there is not even a pipeline to load."""

    def fail(*_, **__):
        raise AssertionError("work began")

    modules = [
        "cli.fit_command",
        "cli.calibrate",
        "cli.compact_command",
        "cli.evaluate",
        "cli.inspect_command",
    ]
    modules += [f"judge.commands.{name}" for name in ("filter_text", "judge_evaluate")]
    for module in modules:
        for work in ("load_pipeline", "configured_examples", "init_nlp"):
            place = f"spacy_latperc.{module}.{work}"
            monkeypatch.setattr(place, fail, raising=False)
    refused = [".zip", ".jsonl.lz4", ".png", ".spacy.gz", ".parquet.xz"]
    if not endings(command, name):
        refused += [".gz", ".xz", ".bz2", ".zst", ".json.gz"]
    for suffix in refused:
        path = tmp_path / f"out{suffix}"
        result = invoke(*command_for(command, name, stage, path))
        assert result.exit_code == 1, (suffix, result.output)
        assert re.search("LP(587|327|351)", result.output), (suffix, result)
    assert not list(tmp_path.iterdir())


PACKED = {".gz": gzip.decompress, ".xz": lzma.decompress, ".bz2": bz2.decompress}
PACKED[".zst"] = lambda content: zstandard.ZstdDecompressor().decompress(
    content, max_output_size=1 << 24
)
LOOKS = {".json": (b"{", b"["), ".jsonl": b"{"}


PACKABLE = [(*one, end) for one in EVERY for end in endings(*one)]
# Each output packed in one way, and in turn in all of them.
PAIRS = [(*one, x) for one, x in zip(PACKABLE, itertools.cycle(PACKED), strict=False)]


@pytest.mark.parametrize(("command", "name", "end", "packing"), PAIRS)
def test_outputs_have_the_format_of_their_name(
    command, name, end, packing, stage, tmp_path, monkeypatch
):
    monkeypatch.setenv("LATPERC_DATA", str(tmp_path))  # no public corpora for a judge
    path = tmp_path / f"out{end}{packing}"
    arguments = command_for(command, name, stage, path)
    if "calibrate" in arguments:
        arguments = (*arguments, "-o", tmp_path / "model")
    result = invoke(*arguments)
    assert result.exit_code == 0, result.output
    content = PACKED[packing](path.read_bytes())
    assert content.startswith(LOOKS.get(end, b""))
    assert content.isascii()
    assert content


@pytest.mark.parametrize(("command", "name"), [x for x in EVERY if endings(*x)])
def test_outputs_that_need_a_package_say_so_before_work(
    command, name, stage, tmp_path, monkeypatch
):
    monkeypatch.setitem(sys.modules, "zstandard", None)
    path = tmp_path / f"out{endings(command, name)[0]}.zst"
    result = invoke(*command_for(command, name, stage, path))
    assert result.exit_code == 1
    assert "LP571" in result.output and "zstandard" in result.output.lower()
    assert not list(tmp_path.iterdir())


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


@pytest.mark.parametrize("command", ["calibrate", "judge recalibrate"])
def test_outputs_pipelines_in_place_leave_the_files_of_others(command, stage, tmp_path):
    source = stage / ("tagger" if command == "calibrate" else "judge")
    target = shutil.copytree(source, tmp_path / "model")
    add_foreign(target)
    *_, name = spacy.load(source).pipe_names
    (target / name / "notes.txt").write_text("mine")
    *words, _, _ = arguments(command, stage, Path())  # without -o
    result = invoke(*(target if x == source else x for x in words))
    assert result.exit_code == 0, result.output
    assert foreign_of(target) == FOREIGN
    assert (target / name / "notes.txt").read_text() == "mine"
    spacy.load(target)
