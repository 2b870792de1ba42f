"""The published results are what the committed figures give."""

import json
import re

import pytest

from benchmarks.results import pages, run
from benchmarks.results.chart import Axis, Series, draw
from benchmarks.results.entry import GRID, Entry
from benchmarks.results.front import FRONT
from benchmarks.results.papers import (
    ROWS,
    VERDICTS,
    all_rows,
    chosen_rows,
    load_rows,
    paper_page,
    papers,
)
from benchmarks.results.pictures import make_pictures
from benchmarks.results.run import RESULTS, _placed, _plain
from benchmarks.results.tables import printed_tables, result_tables


def test_pages_are_those_of_the_committed_figures() -> None:
    for path, text in pages.all_pages(pages.load_results()).items():
        told = f"{path.name} is not what results/*.json give: "
        told += "python -m benchmarks.results --pages"
        assert path.read_text(encoding="utf-8") == text, told
    for path in (RESULTS.parent / "docs" / "results").glob("*.md"):
        assert not re.search("-----|MISSED|target", path.read_text(encoding="utf-8"))


def test_every_result_has_its_command_in_the_grid() -> None:
    names = {entry.name: entry for entry in GRID}
    assert len(names) == len(GRID)
    for path in RESULTS.glob("*.json"):
        result = json.loads(path.read_text(encoding="utf-8"))
        assert path.stem in names
        assert result["commands"] and result["date"] and result["revision"]
    assert {entry.beside for entry in GRID} - names.keys() == {""}
    assert all(": " in entry.title for entry in GRID if entry.beside)
    for row in FRONT:
        assert row.ours in names
        assert not row.richer or names[row.richer].title.split(":")[0][:5] in row.title


def test_every_row_of_the_papers_has_a_figure_or_a_reason() -> None:
    found = load_rows()
    for _, row in all_rows():
        assert row.verdict in VERDICTS and "," not in row.key
        assert bool(row.reason) == (row.verdict == "cannot be had")
        if row.reason or row.proof:
            assert not row.proof or (ROWS.parents[2] / row.proof).is_file(), row.key
        else:
            assert row.key in found, f"{row.key} has no figure: {row.command}"
            about = found[row.key]
            assert about["command"] and about["revision"] and about["cpu"] > 0
            assert about["seeds"] >= 1 and "mean" in about


def test_no_figure_of_the_papers_is_left_without_its_row() -> None:
    assert set(json.loads(ROWS.read_text())) == set(load_rows())


def test_rows_of_the_papers_are_chosen_by_page_table_and_name() -> None:
    every = [row for _, row in all_rows() if row.settings]
    assert chosen_rows(["papers"], slow=True) == every
    assert 0 < len(chosen_rows(["papers"])) < len(every)
    assert {x.key.split("/")[0] for x in chosen_rows(["np-latent"])} == {"np-latent"}
    slow = next(row for row in every if row.slow)
    assert chosen_rows([slow.key]) == [slow]
    assert chosen_rows(["wnut17"]) == []


def test_a_page_shows_figures_reasons_and_what_was_not_run() -> None:
    key = "np-latent/Perc avg"
    machine = {"processor": "x", "cores": 2}
    found = {"mean": 94.081, "sd": 0.03, "passes": 10, "seeds": 3, "cpu": 12.0}
    found |= {"revision": "abc", "date": "2026-01-01", "machine": machine, "p": 2e-4}
    text, pictures = paper_page("papers-000", {key: found})
    assert "| Perc avg | 94.27 | 94.08 | 0.03 | reproduced | <0.001 | 10 | 3 |" in text
    assert "cannot be had: the paper has no figure either" in text
    assert "| CRF-BFGS | 94.25 |  |  | not run yet: slow |" in text
    assert "python -m benchmarks.results --only np-latent --slow --again" in text
    assert "12 CPU seconds in all" in text and not pictures
    assert list(papers()) == [f"papers-00{number}" for number in range(5)]


def test_places_in_commands_leave_other_braces_alone_and_outputs_have_no_colours():
    places = {"data": "D", "json": "J", "work": "W"}
    placed = _placed('{"own": {"path": "{work}/x"}}', places)
    assert placed == '{"own": {"path": "W/x"}}'
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


def test_what_a_command_prints_becomes_tables() -> None:
    printed = """
3 answers

Kind                             right   share
------------------------------   -----   -----
short                                1     0.5
a name of more than thirty letters       2   0.333

====================== Others ======================
       n
----   -
x|y    1
"""
    assert (
        printed_tables(printed)
        == """3 answers

| Kind | right | share |
| --- | ---: | ---: |
| short | 1 | 0.5 |
| a name of more than thirty letters | 2 | 0.333 |

### Others

|  | n |
| --- | ---: |
| x\\|y | 1 |"""
    )


def test_figures_of_one_kind_share_a_line() -> None:
    rows = [
        {
            "section": "learners",
            "what": f"{x}: {y}",
            "unit": u,
            "median": 1.5,
            "runs": [],
        }
        for x in ("CRF", "MIRA")
        for y, u in (("F1", "%"), ("epoch", "s"))
    ]
    table = result_tables({"figures": {"figures": rows, "notes": ["Note."]}})
    assert "|  | F1, % | epoch, s |" in table and "| CRF | 1.5 | 1.5 |" in table
    assert table.endswith("Note.")


def scored(mean: float, *rows: dict) -> dict:
    scores = {"ents_f": {"mean": mean, "sd": 0.5}}
    figures = {"scores": scores, "seconds": 1.2}
    if rows:
        ours = {"name": "spacy_latperc", "passes": 10, "score": mean, "seconds": 1.2}
        figures["rows"] = [ours, *rows]
    return {"figures": figures}


PEERS = (
    {"name": "CRFsuite ap", "passes": 10, "score": 15.13, "seconds": 3.4},
    {"name": "CRFsuite ap, its default", "passes": 100, "score": 16, "seconds": 30},
    {"name": "CRFsuite lbfgs", "passes": 10, "score": 9, "seconds": 2},
    {"name": "CRFsuite lbfgs, its default", "passes": None, "score": 12, "seconds": 20},
)


def test_the_table_of_knowledge_has_what_is_measured() -> None:
    results = {
        name: {"name": name, **scored(f)}
        for name, f in [("wnut17", 18.0), ("wnut17_tweets", 30)]
    }
    table = pages.knowledge_table(results)
    assert "| W-NUT 2017 | 18.00 (sd 0.50) | 30.00 (sd 0.50) | +12.00 |" in table
    assert "No results" in pages.knowledge_table({})


def test_the_front_table_shows_equal_passes_alone() -> None:
    assert "No results" in pages.front_table({})
    table = pages.front_table({"wnut17": {"name": "wnut17", **scored(17.6, *PEERS)}})
    others = "CRFsuite ap 15.13 in 3 s, CRFsuite lbfgs 12.00 in 20 s"
    assert f"**17.60** (sd 0.50) | 1 s | {others} |" in table
    richer = "wnut17_lookups_tweets_own"
    with_knowledge = pages.front_table(
        {name: {"name": name, **scored(17.6)} for name in ("wnut17", richer)}
    )
    assert "| 1 s | 17.60 (clusters) |\n" in with_knowledge
    esp = "conll2002_esp"
    names = (esp, f"{esp}_accuracy")
    table = pages.front_table({name: {"name": name, **scored(17.6)} for name in names})
    assert "| 1 s | 17.60 in 1 s |\n" in table


def test_an_axis_has_round_ticks_around_its_values() -> None:
    for values, ticks in (
        ([93.26, 93.9], [93.2, 93.4, 93.6, 93.8, 94.0]),
        ([5.0], [5.0, 6.0]),
        ([], [1.0, 1.2]),
        ([-1, 12], [-5, 0, 5, 10, 15]),
    ):
        axis = Axis.over("x", values)
        assert axis.ticks[0] <= min(values, default=1) <= axis.ticks[-1]
        assert len(axis.ticks) <= 8
        assert axis.ticks == ticks or len(values) < 2
    assert Axis.over("x", [0.3, 7], log=True).ticks == [0.2, 0.5, 1, 2, 5, 10]
    assert Axis.over("x", [5], log=True).ticks == [5, 10]


def test_a_picture_shows_ours_and_peers() -> None:
    wnut = {"name": "wnut17", **scored(17.6, *PEERS[:2])}
    assert not make_pictures({"wnut17": wnut})  # one peer is not enough
    wnut = {"name": "wnut17", **scored(17.6, *PEERS)}
    svg = make_pictures({"wnut17": wnut})["accuracy-wnut17.svg"]
    assert ">CRFsuite ap<" in svg and ">CRFsuite lbfgs<" in svg
    assert "entities: F by seconds of training" in svg


def test_bins_of_few_answers_are_not_drawn() -> None:
    def bins(*answers: int) -> dict:
        confidence = [(i + 0.5) / len(answers) for i in range(len(answers))]
        return {
            "reliability": [
                {"confidence": c, "accuracy": c, "answers": n}
                for c, n in zip(confidence, answers, strict=True)
            ]
        }

    result = {"figures": {"before": bins(50, 50, 50), "after": bins(19, 20, 900)}}
    svg = make_pictures({"calibration": result})["confidence-reliability.svg"]
    assert svg.count("<circle") == 2 + 1  # of the calibrated, and its sign
    assert 'class="guide"' in svg and ">perfect<" in svg


def test_a_chart_places_points_and_escapes_text_and_long_legends_have_two_lines():
    axes = Axis("x", (1, 10, 100), log=True), Axis("y", (0, 1))
    svg = draw("a < b", *axes, [Series("one", [(1, 0), (10, 1), (100, 0)])])
    assert "a &lt; b" in svg and svg.count("<circle") == 4
    points = svg.partition('points="')[2].partition('"')[0].split()
    left, middle, right = (float(pair.split(",")[0]) for pair in points)
    assert middle - left == right - middle
    names = ["one", "two", "a name that is long", "another name of that kind"]
    series = [Series(name, [(0, 0)]) for name in names]
    svg = draw("x", Axis("x", (0, 1)), Axis("y", (0, 1)), series)
    found = (re.search(rf'y="([\d.]+)"[^>]*>{name}<', svg) for name in names)
    assert len({place[1] for place in found}) == 2  # type: ignore[index]
