"""project.yml: what it declares, the demo as a stranger runs it, the real corpora."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
import srsly
from builders.web import local_server, originals, publish
from project_files import ROOT

from tools.corpora.datasets import DATASETS

PROJECT = srsly.read_yaml(ROOT / "project.yml")
COMMANDS = {command["name"]: command for command in PROJECT["commands"]}
WORKFLOWS = PROJECT["workflows"]
DEMO_WHEEL = f"en_latperc_demo-{PROJECT['vars']['version']}-py3-none-any.whl"
# F1 or accuracy on the test part, with room for another seed.
EXPECTED = {
    "conll2000": {"conll2000_chunker": ("chunks_f", 0.935)},
    "ud_ewt": {"ud_ewt": ("tag_acc", 0.942)},
    "ud_trees": {"ud_trees_en_ewt": ("dep_las", 0.78)},
    "wnut17": {"wnut17": ("ents_f", 0.16)},
    "conll2002": {"conll2002_esp": ("ents_f", 0.78), "conll2002_ned": ("ents_f", 0.78)},
    "jnlpba": {"jnlpba": ("ents_f", 0.7)},
    "grammaticality": {
        "grammaticality_add_a": ("grammaticality_acc", 0.78),
        "grammaticality_add_b": ("grammaticality_acc", 0.69),
    },
}


# What is declared --------------------------------------------------------------------


def test_project_has_a_workflow_for_each_real_corpus():
    parts = {"lm_text", "raw_text"}
    others = {"demo", "judge", "papers", "build-models"}
    assert set(WORKFLOWS) == {"grammaticality", *others, *DATASETS} - parts
    assert set(EXPECTED) == set(WORKFLOWS) - others
    for name in EXPECTED:
        wanted = [name] if name in DATASETS else ["lm_text", "conll2000"]
        line = COMMANDS[WORKFLOWS[name][0]]["script"][0]
        assert line == f"python -m tools.corpora {' '.join(wanted)}"
    # `spacy project assets` would need checksums here, beside those of tools/corpora.
    assert "assets" not in PROJECT


def test_project_commands_say_what_they_do_and_need_no_shell():
    assert {name for steps in WORKFLOWS.values() for name in steps} == set(COMMANDS)
    for name, command in COMMANDS.items():
        assert command["help"]
        shows_only = name in ("demo-show", "demo-filter")
        assert shows_only or command.get("outputs") or command.get("outputs_no_cache")
        made = "tools.corpora", "benchmarks.results"  # of what they find
        assert command.get("deps") or any(x in command["script"][0] for x in made)
        # They are split without a shell, and on Windows quotes are left in.
        for line in command["script"]:
            assert re.match("(python -m|pip) ", line)
            assert not re.search(r"""["'|<>*&;`]|\$\((?!vars)""", line)


# In a copy of the project ------------------------------------------------------------


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = tmp_path_factory.mktemp("project")
    shutil.copy(ROOT / "project.yml", folder)
    built = shutil.ignore_patterns("__pycache__")
    for part in ("configs", "experiments", "tools"):
        shutil.copytree(ROOT / part, folder / part, ignore=built)
    ignored = shutil.ignore_patterns("real")
    shutil.copytree(ROOT / "assets", folder / "assets", ignore=ignored)
    return folder


def run(*arguments, cwd, **variables):
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )


def run_workflow(name, project, *overrides, **variables):
    return run(
        *("-m", "spacy", "project", "run", name, project, *overrides),
        cwd=project.parent,
        **variables,
    )


@pytest.fixture(scope="module")
def demo(project):
    """The output of the demo, which is run in the copy."""
    pytest.importorskip("setuptools", reason="the demo builds a wheel with setuptools")
    pytest.importorskip("pip", reason="the demo builds a wheel with pip")
    result = run_workflow("demo", project, PIP_NO_INDEX="1")
    assert result.returncode == 0, result.stdout
    return result.stdout


def test_project_demo_prints_results_and_reaches_its_scores(demo, project):
    rows = [line.split() for line in demo.splitlines()]
    assert any(row[:1] == ["tag_acc"] for row in rows)
    assert any(row[:1] == ["chunks"] and len(row) == 4 for row in rows)
    assert ["Quarville", "NNP", "B-NP", "B-LOC"] in rows
    for name, least in (
        ("demo", {"tag_acc": 0.97, "chunks_f": 0.95, "ents_f": 0.92}),
        ("demo_parser", {"dep_las": 0.9}),
        ("demo_grammaticality", {"grammaticality_acc": 0.72}),
    ):
        scores = json.loads((project / "metrics" / f"{name}.json").read_text())
        assert all(scores[score] > value for score, value in least.items()), scores
    trees = (project / "build" / "demo-trees.conllu").read_text(encoding="utf-8")
    assert trees.count("# text = ") == 2
    assert "Quarville" in trees and "nsubj" in trees
    rated = dict(
        reversed(line.split("\t"))
        for line in demo.splitlines()
        if re.match(r"0\.\d{4}\t", line)
    )
    real = "Mr. Halson bought a new boat in Quarville last week ."
    false = "Last in boat bought a the Quarville new ."
    assert float(rated[real]) > 0.9 > 0.1 > float(rated[false])


def test_project_demo_again_does_only_what_prints(demo, project):
    again = run_workflow("demo", project, "--dry")
    assert again.returncode == 0
    skipped = re.findall("Skipping '(.*?)': nothing changed", again.stdout)
    assert skipped == [
        *("demo-convert", "demo-train", "demo-package"),
        *("demo-train-parser", "demo-judge", "demo-grammaticality"),
    ]
    left = re.findall(r"^=+ (demo-\S+) =+", again.stdout, re.M)
    assert {"demo-show", "demo-filter"} <= {*left} - {*skipped}
    meta = project / "packages" / f"en_latperc_demo-{PROJECT['vars']['version']}"
    requirements = srsly.read_json(meta / "meta.json")["requirements"]
    assert any(re.match(r"spacy[-_]latperc>=", line) for line in requirements)


def test_project_demo_wheel_works_in_a_clean_environment(demo, project, tmp_path):
    venv = tmp_path / "venv"
    run("-m", "venv", "--without-pip", venv, cwd=tmp_path)
    scripts = venv / ("Scripts" if os.name == "nt" else "bin")
    python = shutil.which("python", path=scripts)
    install = run(
        *("-m", "pip", "--python", python, "install", "--quiet"),
        *("--no-deps", "--no-index", project / "packages" / DEMO_WHEEL),
        cwd=tmp_path,
    )
    assert install.returncode == 0, install.stdout
    # What the wheel requires is taken from the environment of the tests.
    (site,) = venv.rglob("site-packages")
    parents = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (site / "parent.pth").write_text(
        "".join(f"import site; site.addsitedir({x!r})\n" for x in parents)
    )
    script = (
        "import json, spacy\n"
        "nlp = spacy.load('en_latperc_demo')\n"
        "doc = nlp('Mr. Halson bought a new boat in Quarville last week.')\n"
        "print(json.dumps([nlp.pipe_names, [t.tag_ for t in doc][:2],"
        " [s.text for s in doc.spans['chunks']], [e.text for e in doc.ents]]))\n"
    )
    used = subprocess.run(
        [python, "-I", "-c", script],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
    )
    assert used.returncode == 0, used.stderr
    pipes, tags, chunks, ents = json.loads(used.stdout)
    assert pipes == ["tagger", "chunker", "ner"]
    assert tags == ["NNP", "NNP"]
    assert {"Mr. Halson", "a new boat", "Quarville"} <= set(chunks)
    assert "Quarville" in ents


def test_project_documents_itself(project):
    result = run("-m", "spacy", "project", "document", project, cwd=project)
    assert result.returncode == 0
    assert [name for name in COMMANDS if f"`{name}`" not in result.stdout] == []


# Real corpora ------------------------------------------------------------------------


def test_project_wrong_file_stops_a_workflow_before_it_trains(project, tmp_path):
    (tmp_path / "wnut17").mkdir()
    (tmp_path / "wnut17" / "train.conll").write_text("other\tO\n")
    result = run_workflow("wnut17", project, LATPERC_DATA=str(tmp_path))
    printed = " ".join(result.stdout.split())
    assert result.returncode == 1
    assert "is not the file that the results were measured on" in printed
    assert "is missing" in printed
    assert not (project / "training" / "wnut17").exists()


def test_project_real_workflow_runs_without_a_data_folder(project, data, tmp_path):
    with local_server(tmp_path / "server") as (address, root, _):
        for url, content in originals("wnut17", data).items():
            publish(root, url, content)
        variables = {"LATPERC_DATA": str(tmp_path / "no"), "LATPERC_MIRROR": address}
        result = run_workflow("wnut17", project, **variables)
    assert result.returncode == 0, result.stdout
    scores = json.loads((project / "metrics" / "wnut17.json").read_text())
    assert scores["ents_f"] > EXPECTED["wnut17"]["wnut17"][1]


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPECTED)
def test_project_real_workflow_reaches_its_scores(name, project, data):
    result = run_workflow(name, project, LATPERC_DATA=str(data.resolve()))
    assert result.returncode == 0, result.stdout
    for metrics, (score, least) in EXPECTED[name].items():
        path: Path = project / "metrics" / f"{metrics}.json"
        assert json.loads(path.read_text())[score] > least
