"""The published results are what the committed figures give."""

import json
import re

import pytest

from benchmarks.results import run
from benchmarks.results.chart import Axis, Series, draw
from benchmarks.results.cost import cost_section
from benchmarks.results.entry import Entry
from benchmarks.results.front import FRONT
from benchmarks.results.grid import GRID
from benchmarks.results.pages import (
    IDLE,
    all_pages,
    front_table,
    knowledge_table,
    load_results,
)
from benchmarks.results.pictures import make_pictures
from benchmarks.results.run import RESULTS, _placed, _plain


def test_pages_are_those_of_the_committed_figures() -> None:
    for path, text in all_pages(load_results()).items():
        assert path.read_text(encoding="utf-8") == text, (
            f"{path.name} is not what results/*.json give: "
            "python -m benchmarks.results --pages"
        )


def test_every_result_has_its_command_in_the_grid() -> None:
    names = {entry.name for entry in GRID}
    assert len(names) == len(GRID)
    for path in RESULTS.glob("*.json"):
        result = json.loads(path.read_text(encoding="utf-8"))
        assert path.stem in names
        assert result["commands"] and result["date"] and result["revision"]


def test_what_is_compared_is_in_the_grid() -> None:
    names = {entry.name for entry in GRID}
    assert {entry.beside for entry in GRID} - names == {""}
    assert all(": " in entry.title for entry in GRID if entry.beside)


def test_places_in_commands_leave_other_braces_alone() -> None:
    places = {"data": "D", "json": "J", "work": "W"}
    assert (
        _placed('{"own": {"path": "{work}/x"}}', places) == '{"own": {"path": "W/x"}}'
    )


def test_what_is_kept_of_an_output_has_no_colours() -> None:
    printed = "ECE 0.02  \n\n\n\n\x1b[38;5;2m✔ Saved all\x1b[0m\n\x1b[1mF\x1b[0m 90\n"
    assert _plain(printed) == "ECE 0.02\n\nF 90\n"


def test_what_fails_does_not_stop_what_comes_after(monkeypatch, tmp_path) -> None:
    names = ["wnut17", "jnlpba"]
    done, said = [], []

    def run_entry(entry, *places):
        done.append(entry.name)
        if entry.name == "wnut17":
            raise RuntimeError("no memory")
        return {"name": entry.name}

    monkeypatch.setattr(run, "run_entry", run_entry)
    monkeypatch.setattr(run, "RESULTS", tmp_path / "results")
    monkeypatch.setenv("LATPERC_DATA", str(tmp_path))
    with pytest.raises(RuntimeError, match="Not measured: wnut17"):
        run.run_grid(names, slow=False, progress=said.append)
    assert done == names
    assert [path.stem for path in run.RESULTS.iterdir()] == ["jnlpba"]
    assert any("no memory" in line for line in said)


def test_entries_share_what_they_prepare(monkeypatch, tmp_path) -> None:
    ran = []
    monkeypatch.setattr(run, "_run", lambda command, places: ran.append(command) or "")
    prepared: set[str] = set()
    for name in ("a", "b"):
        entry = Entry(name, "knowledge", "T: x", ("python make", "python use"))
        result = run.run_entry(entry, tmp_path, tmp_path, prepared)
        assert result["commands"] == ["python make", "python use"]
    assert ran == ["python make", "python use", "python use"]


def test_the_table_of_knowledge_has_what_is_measured() -> None:
    def result(name: str, mean: float) -> dict:
        scores = {"ents_f": {"mean": mean, "sd": 0.5}}
        return {"name": name, "figures": {"scores": scores, "seconds": 1.0}}

    table = knowledge_table(
        {name: result(name, f) for name, f in [("wnut17", 18.0), ("wnut17_tweets", 30)]}
    )
    assert "| W-NUT 2017 | 18.00 (sd 0.50) | 30.00 (sd 0.50) | +12.00 |" in table
    assert "No results" in knowledge_table({})


def test_the_front_table_takes_what_is_there() -> None:
    assert "No results" in front_table({})
    figures = {"scores": {"ents_f": {"mean": 17.6, "sd": 0.6}}, "seconds": 1.2}
    peer = {"scores": {"f": 15.13}, "train_seconds": 3.4}
    table = front_table(
        {
            "wnut17": {"name": "wnut17", "figures": figures},
            "wnut17_crfsuite_ap": {"figures": peer},
        }
    )
    assert "**17.60** (sd 0.60) | 1 s | CRFsuite ap 15.13 in 3 s" in table
    richer = "wnut17_lookups_tweets_own"
    with_knowledge = front_table(
        {
            "wnut17": {"name": "wnut17", "figures": figures},
            richer: {"name": richer, "figures": figures},
        }
    )
    assert "| 1 s | 17.60 (clusters) |\n" in with_knowledge


def test_the_front_table_has_rates_of_pipelines_and_no_ratios() -> None:
    rows = [
        {"what": "nlp.pipe / CRFsuite, from strings", "median": 8.2, "unit": "x"},
        {"what": "nlp.pipe: chunker", "median": 1.25, "unit": "M tokens/s"},
        {"what": "nlp.pipe: tagger, default", "median": 2.5, "unit": "M tokens/s"},
        {"what": "nlp.pipe: " + IDLE, "median": 200.0, "unit": "M tokens/s"},
    ]
    figures = {"scores": {"ents_f": {"mean": 17.6, "sd": 0.6}}, "seconds": 1.2}
    wnut = {"name": "wnut17", "figures": figures}
    table = front_table({"wnut17": wnut, "bench": {"figures": {"figures": rows}}})
    assert "one core: chunker 1.25 M, tagger with default 2.5 M." in table
    assert "Beside others" not in table
    beside = [
        {"what": f"{what}: fresh text, {x}", "median": rate, "unit": unit}
        for what in ("tags", "entities")
        for x, rate, unit in (
            ("spacy_latperc", 2.25, "M tokens/s"),
            ("spaCy", 0.0295, "M tokens/s"),
            ("spacy_latperc / spaCy", 76.3, "x"),
        )
    ]
    results = {
        "wnut17": wnut,
        "bench": {"figures": {"figures": rows}},
        "peers": {"figures": {"figures": beside}},
    }
    rates = "spacy_latperc 2.25 M, spaCy 0.029 M"
    assert f"one run: tags: {rates}; entities: {rates}." in front_table(results)


def test_what_the_front_table_shows_is_in_the_grid() -> None:
    names = {entry.name: entry for entry in GRID}
    for row in FRONT:
        assert {row.ours, *row.peers.values()} <= set(names), row
        assert not row.richer or names[row.richer].beside == row.ours


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([93.26, 93.9], [93.2, 93.4, 93.6, 93.8, 94.0]),
        ([5.0], [5.0, 6.0]),
        ([], [1.0, 1.2]),
        ([-1, 12], [-5, 0, 5, 10, 15]),
    ],
)
def test_an_axis_has_round_ticks_around_its_values(values, ticks) -> None:
    axis = Axis.over("x", values)
    assert axis.ticks[0] <= min(values, default=1) <= axis.ticks[-1]
    assert len(axis.ticks) <= 8
    assert axis.ticks == ticks or len(values) < 2


def test_a_log_axis_has_round_ticks_around_its_values() -> None:
    assert Axis.over("x", [0.3, 7], log=True).ticks == [0.2, 0.5, 1, 2, 5, 10]
    assert Axis.over("x", [5], log=True).ticks == [5, 10]


def test_labels_of_near_points_do_not_cover_each_other() -> None:
    points = [(0.5, 0.5)] * 4
    svg = draw("x", Axis("x", (0, 1)), Axis("y", (0, 1)), [Series("", points, "abcd")])
    spots = re.findall(r'<text x="([\d.]+)" y="([\d.]+)"[^>]*>[abcd]<', svg)
    assert len(set(spots)) == 4


def test_pictures_are_made_of_what_the_benchmarks_write() -> None:
    rows = [
        {"section": "growth", "what": "ours, all (900 tokens)", "median": 0.5},
        {"section": "growth", "what": "all types, IOB2: 15 labels", "median": 0.4},
        {"section": "learners", "what": "AROW: F1", "median": 93.5},
        {"section": "learners", "what": "AROW: learning", "median": 2.0},
        {"section": "learners", "what": "CRFsuite ap: F1", "median": 93.2},
        {"section": "learners", "what": "CRFsuite ap: learning", "median": 9.0},
    ]
    result = {"figures": {"figures": rows}}
    pictures = make_pictures({"bench": result, "learners": result})
    assert set(pictures) == {
        "learners-time.svg",
        "speed-growth.svg",
        "speed-labels.svg",
    }
    assert ">AROW<" in pictures["learners-time.svg"]
    assert ">ap<" in pictures["learners-time.svg"]
    assert pictures["speed-labels.svg"].count("<circle") == 2  # one is of the legend


def test_a_picture_shows_ours_beside_peers() -> None:
    def peer(score: float, seconds: float) -> dict:
        return {"figures": {"scores": {"acc": score}, "train_seconds": seconds}}

    scores = {"tag_acc": {"mean": 94.5, "sd": 0.1}}
    results = {
        "ud_ewt": {"name": "ud_ewt", "figures": {"scores": scores, "seconds": 5.0}},
        "ud_ewt_nltk": peer(93.3, 30.0),
    }
    assert "accuracy-ud_ewt.svg" not in make_pictures(results)  # one peer is not enough
    results["ud_ewt_crfsuite_ap"] = peer(94.1, 100.0)
    svg = make_pictures(results)["accuracy-ud_ewt.svg"]
    assert ">NLTK<" in svg and ">CRFsuite<" in svg and ">ap<" in svg
    assert "49 tags: accuracy by seconds of training" in svg


def test_bins_of_few_answers_are_not_drawn() -> None:
    def bins(*answers: int) -> dict:
        confidence = [(i + 0.5) / len(answers) for i in range(len(answers))]
        return {
            "reliability": [
                {"confidence": c, "accuracy": c, "answers": n}
                for c, n in zip(confidence, answers, strict=True)
            ]
        }

    sides = {"before": bins(50, 50, 50), "after": bins(19, 20, 900)}
    result = {"figures": {**sides, "thresholds": []}}
    svg = make_pictures({"calibration": result})["confidence-reliability.svg"]
    assert svg.count("<circle") == 2 + 1  # of the calibrated, and its sign
    assert 'class="guide"' in svg and ">perfect<" in svg


def test_a_long_legend_has_two_lines() -> None:
    names = ["one", "two", "a name that is long", "another name of that kind"]
    series = [Series(name, [(0, 0)]) for name in names]
    svg = draw("x", Axis("x", (0, 1)), Axis("y", (0, 1)), series)
    lines = {
        re.search(rf'y="([\d.]+)"[^>]*>{name}<', svg)[1]  # type: ignore[index]
        for name in names
    }
    assert len(lines) == 2


def test_a_chart_places_points_and_escapes_text() -> None:
    svg = draw(
        "a < b",
        Axis("x", (1, 10, 100), log=True),
        Axis("y", (0, 1)),
        [Series("one", [(1, 0), (10, 1), (100, 0)])],
    )
    assert "a &lt; b" in svg and svg.count("<circle") == 4
    left, middle, right = (
        float(pair.split(",")[0])
        for pair in svg.partition('points="')[2].partition('"')[0].split()
    )
    assert middle - left == right - middle


def test_cost_of_many_machines_is_computed_from_figures():
    x = {"f after 10": 93.0, "f after 20": 93.5, "learning": 0.1, "mixing": 0.02}
    x |= {"sent": 1.0, "got": 2.0}
    figures = {
        "tokens": 200_000,
        "learners": {"passive-aggressive": {"1": x, "2": x, "64": x}},
    }
    bench = [{"what": "nlp.pipe: chunker, default settings", "median": 1.0}]
    results = {
        "shards": {"figures": figures},
        "bench": {"figures": {"figures": bench}},
        "counting_on_ray": {"figures": {"words a second": 2e6, "workers": 2}},
    }
    text = cost_section(results)
    assert "learns 2.0 million tokens" in text
    assert "| 64 | 93.00 | 93.50 | 3.0 | 0.023 | 46,000 |" in text
    assert "| annotate (default chunker) | 100 s |" in text
    assert "| count n-grams of up to five words | 100 s |" in text
    assert cost_section({}).startswith("## What it costs")
