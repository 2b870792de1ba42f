"""`--code`: readers, functions and factories of a user, in every command."""

import inspect
import multiprocessing
import re
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import pytest
from builders.grammaticality import REAL, SHUFFLED, make_trained
from builders.outputs import commands
from builders.ray_clusters import alone
from catalogue import REGISTRY
from project_files import ROOT
from thinc.api import Config
from typer.testing import CliRunner

from spacy_latperc.cli import latperc_cli
from spacy_latperc.io import user_code
from spacy_latperc.judge.filter import processes

COMMANDS = commands()
SAMPLE = ROOT / "assets" / "sample"
CODE = """
from pathlib import Path
from spacy.language import Language
from spacy.util import registry
from spacy_latperc.api import column_corpus

@registry.misc("user_code.Lengths.v1")
def lengths():
    return lambda doc: [str(len(token)) for token in doc]

@registry.readers("user_code.Some.v1")
def some(path: Path, limit: int = 40):
    return column_corpus(path, "word,-,-,ent", limit=limit)

@Language.factory("user_code_nothing")
def nothing(nlp, name):
    return lambda doc: doc
"""


@pytest.fixture
def files(tmp_path):
    """The code and a config that needs it, in a process that has not imported it."""
    code, config = tmp_path / "code.py", tmp_path / "config.cfg"
    code.write_text(CODE)
    features = {"@misc": "spacy_latperc.NERFeatures.v1"}
    lengths = {"@misc": "user_code.Lengths.v1"}
    function = {"@misc": "spacy_latperc.Function.v1", "function": lengths}
    model = {"@architectures": "spacy_latperc.ChainModel.v1", "features": features}
    features["sources"] = {"lengths": function}
    ner = {"factory": "latperc_ner", "model": model}
    corpora = {
        name: {"@readers": "user_code.Some.v1", "path": str(SAMPLE / f"{name}.txt")}
        for name in ("train", "dev")
    }
    sections = {
        "nlp": {"lang": "en", "pipeline": ["nothing", "ner"]},
        "components": {"nothing": {"factory": "user_code_nothing"}, "ner": ner},
        "corpora": corpora,
        "training": {"max_epochs": 2, "eval_frequency": 1},
    }
    Config(sections).to_disk(config)
    yield code, config
    forget()


def forget():
    user_code._imported.clear()
    for place in [x for x in REGISTRY if x[-1].startswith("user_code")]:
        del REGISTRY[place]


def run(*arguments, expect=0):
    result = CliRunner().invoke(latperc_cli, [str(x) for x in arguments])
    assert result.exit_code == expect, result.output
    return result.output


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_that_load_a_config_or_a_pipeline_import_code(name):
    command = COMMANDS[name]
    source = inspect.getsource(inspect.getmodule(command.callback))
    loads = bool(
        re.search(
            r"\b(load_(pipeline|config|model)|filter_files|read_systems)\(", source
        )
    )
    assert loads == any("--code" in parameter.opts for parameter in command.params)


def test_code_is_imported_before_anything_is_loaded(files, tmp_path):
    code, config = files
    assert "user_code" in run("fit", config, "-o", tmp_path / "out", expect=1)
    run("fit", config, "-o", tmp_path / "out", "-q", "--code", code)
    model = tmp_path / "out" / "model-best"
    forget()
    assert "user_code" in run("evaluate", model, expect=1)
    assert "ents" in run("evaluate", model, "--code", code)


def test_code_that_cannot_be_imported_is_named(files, tmp_path):
    _, config = files
    code = tmp_path / "broken.py"
    for content, problem in (("1 / 0", "ZeroDivisionError"), (None, "FileNotFound")):
        if content is None:
            code.unlink()
        else:
            code.write_text(content)
        said = run("fit", config, "-o", tmp_path / "out", "--code", code, expect=1)
        assert re.search(f"LP352.*broken.py.*{problem}", said), said


@pytest.fixture
def judged(files, tmp_path):
    """The model of a judge that needs the code, and a text."""
    code, _ = files
    user_code.import_code(code)
    nlp = make_trained()
    nlp.add_pipe("user_code_nothing", first=True)
    nlp.to_disk(tmp_path / "judge")
    text = tmp_path / "in.txt"
    text.write_text(
        "".join(f"{x}\n" for pair in zip(REAL, SHUFFLED, strict=True) for x in pair)
    )
    forget()
    return tmp_path / "judge", text


def test_code_is_imported_by_processes(files, judged, tmp_path, monkeypatch):
    code, _ = files
    context = multiprocessing.get_context("spawn")  # a fork would have it already
    pool = partial(ProcessPoolExecutor, mp_context=context)
    monkeypatch.setattr(processes, "ProcessPoolExecutor", pool)
    run("filter", *judged, tmp_path / "out.txt", "-p", 2, "--code", code)
    assert (tmp_path / "out.txt").read_text().splitlines() == REAL


@pytest.mark.ray
def test_code_is_imported_on_a_cluster(files, judged, tmp_path, tmp_path_factory):
    pytest.importorskip("ray")
    from builders.ray_nodes import local_nodes

    code, config = files
    with alone(tmp_path_factory), local_nodes(1, connect=False) as cluster:
        options = ["--ray", cluster.address, "--code", code]
        run("filter", *judged, tmp_path / "out.txt", *options)
        assert (tmp_path / "out.txt").read_text().splitlines() == REAL
        run("fit", config, "-o", tmp_path / "out", "-q", "--workers", 2, *options)
    assert (tmp_path / "out" / "model-last").is_dir()
