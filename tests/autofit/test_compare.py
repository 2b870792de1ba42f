"""Models, configs and grids on the same data."""

import json
import re
from xml.etree import ElementTree

import pytest
import spacy
from builders.sample import SAMPLE
from spacy.util import load_config
from typer.testing import CliRunner

from spacy_latperc.autofit import systems
from spacy_latperc.autofit.scatter import Point, draw
from spacy_latperc.autofit.summary import Result, summarise
from spacy_latperc.cli import latperc_cli
from spacy_latperc.data.configured import block_examples

DEV, TEST = SAMPLE / "dev.txt", SAMPLE / "test.txt"
C = "components.ner.model.learner.C"


def run(*arguments, code=0):
    result = CliRunner().invoke(latperc_cli, [*map(str, arguments)])
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("compare")
    run("fit", TEST, "--dev", DEV, "-o", folder, "-q", "--lang", "en", "--for", "speed")
    return folder


def result(name, scores, counts, **more):
    return [
        Result(name, seed, 1.0, 1.0, 1.0, 1.0, "ents_f", {"ents_f": x}, counts, **more)
        for seed, x in enumerate(scores)
    ]


def test_summary_has_means_and_tests_against_the_first():
    same, worse = [(1, 1, 1)] * 20, [(0, 1, 1)] * 20
    rows = summarise(
        result("a", [0.8, 0.9], same)
        + result("b", [0.8], same)
        + result("c", [0.1], worse)
    )
    assert [(x.name, round(x.mean, 6)) for x in rows] == [
        ("a", 85),
        ("b", 80),
        ("c", 10),
    ]
    assert rows[0].sd == pytest.approx(7.0711, abs=1e-3)
    assert [x.p for x in rows[:2]] == [None, 1.0] and rows[2].p < 0.001


def test_counts_are_those_of_the_score(model):
    found = systems.run(systems.Task(systems.System("a", model=model / "model-best")))
    right, predicted, gold = map(sum, zip(*found.counts, strict=True))
    assert right > 0
    assert 2 * right / (predicted + gold) == pytest.approx(found.scores["ents_f"])


def test_a_model_a_config_and_a_grid(model, tmp_path):
    grid = tmp_path / "grid.yml"
    config = model / "config.cfg"
    grid.write_text(f"config: {config}\ngrid:\n  {C}: [0.001, 0.01]\n")
    figures, picture = tmp_path / "out.json", tmp_path / "out.svg"
    shown = run(
        *("compare", model / "model-best", grid, TEST, "--seeds", 2, "-p", 2),
        *("--json", figures, "--svg", picture, "--training.max_epochs", 3),
    )
    found = json.loads(figures.read_text())
    names = [x["name"] for x in found["systems"]]
    assert names == [str(model / "model-best"), "C 0.001", "C 0.01"]
    assert len(found["runs"]) == 5
    assert found["systems"][0]["p"] is None and found["systems"][0]["mean"] > 95
    assert "tokens/s" in shown
    ElementTree.parse(picture)


def test_learning_curve(model, tmp_path):
    picture = tmp_path / "out.svg"
    shown = run(
        *("compare", model / "config.cfg", "--curve", "--seeds", 1, "--svg", picture),
        *("--training.max_epochs", 2),
    )
    f = [float(x) for x in re.findall(r"ents_f (\S+)", shown)]
    assert len(f) == 4 and f[0] < f[-1]
    assert "12.5%" in shown and "Training data" in picture.read_text()


def test_a_share_is_one_of_every_corpus_that_is_joined(model):
    config = load_config(model / "config.cfg").interpolate()
    reader = config["corpora"]["train"]
    total = len(list(block_examples(spacy.blank("en"), reader)))
    config["corpora"]["train"] = {
        "@readers": "spacy_latperc.Joined.v1",
        "corpora": {"gold": reader, "silver": {**reader, "limit": 8}},
    }
    shared = systems.System("a", config.to_str()).trained_config(0, 0.5)
    inner = shared["corpora"]["train"]["corpora"]
    assert [inner[x]["limit"] for x in inner] == [round(total / 2), 4]
    read = block_examples(spacy.blank("en"), shared["corpora"]["train"])
    assert len(list(read)) == round(total / 2) + 4


def test_picture_is_well_formed_and_escaped():
    points = [Point("a<b", 1, 50, 0), Point("a<b", 2, 60, 1), Point("c", 8, 40, 0)]
    root = ElementTree.fromstring(draw(points, "x & y", "F"))
    texts = [x.text for x in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"a<b", "c", "x & y", "F"} <= set(texts)
    assert len(list(root.iter("{http://www.w3.org/2000/svg}circle"))) == 3


@pytest.mark.parametrize(
    "code, systems",
    [("LP869", ["DATA"]), ("LP330", ["EMPTY", "CONFIG"]), ("LP867", ["GRID"])],
)
def test_what_cannot_be_compared_is_named(model, tmp_path, code, systems):
    (tmp_path / "empty").mkdir()
    (tmp_path / "grid.yml").write_text("config: x.cfg\n")
    places = {
        "DATA": DEV,
        "EMPTY": tmp_path / "empty",
        "CONFIG": model / "config.cfg",
        "GRID": tmp_path / "grid.yml",
    }
    assert code in run("compare", *(places[x] for x in systems), code=1)
