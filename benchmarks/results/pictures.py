"""The pictures of the results."""

import re
from collections.abc import Sequence
from html import unescape
from typing import Any

from .chart import Axis, Series, draw
from .front import FRONT, Row, our_figures, peer_figures
from .run import Results


def make_pictures(results: Results) -> dict[str, str]:
    """The pictures that the results at hand can give, by file name."""
    pictures = {}
    for row in FRONT:
        if sum(name in results for name in row.peers.values()) > 1:
            if row.ours in results:
                pictures[f"accuracy-{row.ours}.svg"] = _beside_peers(row, results)
    if "learners" in results:
        pictures["learners-time.svg"] = _learners(results["learners"])
    if "calibration" in results:
        pictures["confidence-reliability.svg"] = _reliability(results["calibration"])
        pictures["confidence-thresholds.svg"] = _thresholds(results["calibration"])
    if "search_errors" in results:
        pictures["learners-beams.svg"] = _beams(results["search_errors"])
    if "parser_updates" in results:
        runs = results["parser_updates"]["figures"]
        pictures["learners-parser-passes.svg"] = _passes(runs)
        pictures["learners-parser-beams.svg"] = _parser_beams(runs)
        pictures["learners-parser-wasted.svg"] = _wasted(runs)
    if "latent_views" in results:
        runs = results["latent_views"]["figures"]["runs"]
        pictures["grammaticality-passes.svg"] = _latent_passes(runs)
        pictures["grammaticality-votes.svg"] = _own_votes(runs)
    if "bench" in results:
        pictures["speed-growth.svg"] = _growth(results["bench"])
        pictures["speed-labels.svg"] = _labels(results["bench"])
    return pictures


def picture_title(svg: str) -> str:
    """What a picture is called where it cannot be seen: its title."""
    found = re.search(r'aria-label="([^"]*)"', svg)
    return unescape(found[1]) if found else ""


def _beside_peers(row: Row, results: Results) -> str:
    """Ours, with and without knowledge, and others, by seconds of training."""
    points: dict[str, list[tuple[float, float]]] = {}
    labels: dict[str, list[str]] = {}
    for name, what in ((row.ours, ""), (row.richer, f"with {row.known}")):
        if name in results:
            score, _, seconds = our_figures(results[name])
            points.setdefault("spacy_latperc", []).append((seconds, score))
            labels.setdefault("spacy_latperc", []).append(what)
    for called, name in row.peers.items():
        if name in results:
            score, seconds = peer_figures(results[name])
            who, _, what = called.partition(" ")
            points.setdefault(who, []).append((seconds, score))
            labels.setdefault(who, []).append(what)
    all_points = [point for found in points.values() for point in found]
    what, _, score_name = row.title.rpartition(", ")
    return draw(
        f"{what}: {score_name} by seconds of training",
        Axis.over("seconds (CPU)", (seconds for seconds, _ in all_points), log=True),
        Axis.over(score_name, (score for _, score in all_points)),
        [Series(who, found, labels[who], line=False) for who, found in points.items()],
    )


def _learners(result: dict[str, Any]) -> str:
    found: dict[str, dict[str, float]] = {}
    for row in result["figures"]["figures"]:
        if row["section"] == "learners":
            name, _, what = row["what"].rpartition(": ")
            found.setdefault(name, {})[what] = row["median"]
    best = max(row.get("F1", 0) for row in found.values())
    # Baselines far below would leave no room for the differences between the others.
    shown = {
        name: (row["learning"], row["F1"])
        for name, row in found.items()
        if row.get("F1", 0) > best - 1
    }
    ours = {k: v for k, v in shown.items() if not k.startswith("CRFsuite")}
    peers = {k: v for k, v in shown.items() if k.startswith("CRFsuite")}
    short = [name.removeprefix("CRFsuite ") for name in peers]
    return draw(
        "CoNLL-2000: F against seconds of learning",
        Axis.over(
            "seconds (CPU)", (seconds for seconds, _ in shown.values()), log=True
        ),
        Axis.over("F", (f for _, f in shown.values())),
        [
            Series("spacy_latperc", list(ours.values()), list(ours), line=False),
            Series("CRFsuite", list(peers.values()), short, line=False),
        ],
    )


_SHARE = tuple(i / 5 for i in range(6))
FEWEST = 20  # answers of a bin, below which its share says nothing


def _reliability(result: dict[str, Any]) -> str:
    figures = result["figures"]

    def points(side: str) -> list[tuple[float, float]]:
        bins = figures[side]["reliability"]
        return [
            (b["confidence"], b["accuracy"]) for b in bins if b["answers"] >= FEWEST
        ]

    return draw(
        "How often answers are right at each confidence",
        Axis("confidence", _SHARE),
        Axis("share right", _SHARE),
        [
            Series("calibrated", points("after")),
            Series("before", points("before")),
            Series("perfect", [(0.0, 0.0), (1.0, 1.0)], guide=True),
        ],
    )


def _thresholds(result: dict[str, Any]) -> str:
    rows = result["figures"]["thresholds"]

    def curve(key: str) -> list[tuple[float, float]]:
        return [(row["threshold"], row[key]) for row in rows]

    return draw(
        "Precision and recall by threshold",
        Axis("threshold", _SHARE),
        Axis("share", _SHARE),
        [Series("precision", curve("precision")), Series("recall", curve("recall"))],
    )


def _beams(result: dict[str, Any]) -> str:
    rows: Sequence[dict[str, Any]] = result["figures"]
    beams = [row for row in rows if row["width"]]
    methods = dict.fromkeys(row["method"] for row in beams)
    return draw(
        "UD English EWT, order 2: accuracy by beam",
        Axis("width of the beam", (1, 2, 4), log=True),
        Axis.over("accuracy on test", (row["test"] for row in rows)),
        [
            Series(
                method,
                [(r["width"], r["test"]) for r in beams if r["method"] == method],
            )
            for method in methods
        ]
        + [
            Series("exact search", [(1, row["test"]), (4, row["test"])], guide=True)
            for row in rows
            if not row["width"]
        ],
    )


Runs = Sequence[dict[str, Any]]


def _passes(all_runs: Runs) -> str:
    width = min(8, max(run["width"] for run in all_runs))
    runs = [run for run in all_runs if run["width"] == width]
    lines = {
        run["method"]: [(row["pass"], row["las"]) for row in run["passes"]]
        for run in runs
    }
    # Whoever learns nothing would leave no room for the others.
    best = max(las for points in lines.values() for _, las in points)
    shown = {k: [p for p in points if p[1] > best - 15] for k, points in lines.items()}
    points = [point for series in shown.values() for point in series]
    return draw(
        f"UD English EWT, a beam of {width}: LAS by pass",
        Axis.over("pass", (number for number, _ in points)),
        Axis.over("LAS on dev", (las for _, las in points)),
        [Series(name, series) for name, series in shown.items() if series],
    )


def _parser_beams(runs: Runs) -> str:
    def best(run: dict[str, Any]) -> float:
        return max(row["las"] for row in run["passes"])

    highest = max(map(best, runs))
    return draw(
        "UD English EWT: best LAS by beam",
        _widths(runs),
        Axis.over("LAS on dev", (x for x in map(best, runs) if x > highest - 15)),
        [
            Series(name, [(run["width"], best(run)) for run in few])
            for name, few in _by_method(runs).items()
            if max(map(best, few)) > highest - 15
        ],
    )


def _wasted(runs: Runs) -> str:
    return draw(
        "UD English EWT: updates that are no violation, last pass",
        _widths(runs),
        Axis("percent of the updates", (0, 20, 40, 60, 80, 100)),
        [
            Series(
                name,
                [
                    (run["width"], 100 * run["passes"][-1]["no_violation"])
                    for run in few
                ],
            )
            for name, few in _by_method(runs).items()
        ],
    )


def _widths(runs: Runs) -> Axis:
    widths = tuple(sorted({run["width"] for run in runs}))
    return Axis("width of the beam", widths, log=True)


def _by_method(runs: Runs) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for run in runs:
        found.setdefault(run["method"], []).append(run)
    return found


_WARM = ", warm"
_ADD, _SHARE_VIEWS = "5 views, add", "5 views, share"
_COTRAIN, _VOTE = "5 views, co-train", "5 views, vote"


def _latent_passes(runs: dict[str, list[dict[str, float]]]) -> str:
    lines = {
        name.removesuffix(_WARM): [(row["pass"], row["A accuracy"]) for row in rows]
        for name, rows in runs.items()
        if name.endswith(_WARM) and not name.startswith(_SHARE_VIEWS)  # not the paper's
    }
    points = [point for line in lines.values() for point in line]
    return draw(
        "Real sentences and n-gram samples: accuracy by pass, warm start",
        Axis.over("pass", (number for number, _ in points)),
        Axis.over("accuracy on A, %", (share for _, share in points)),
        [Series(name, line) for name, line in lines.items()],
    )


def _own_votes(runs: dict[str, list[dict[str, float]]]) -> str:
    def last(name: str) -> float:
        return runs[name][-1]["dev accuracy"]

    curve = [(0.0, last(_COTRAIN)), (1.0, last(_VOTE))]
    for name in runs:
        if name.startswith(f"{_COTRAIN}, own "):
            curve.append((float(name.rpartition(" ")[2]), last(name)))
    curve.sort()
    most = curve[-1][0]
    others = {name: last(name) for name in (_ADD, _SHARE_VIEWS, "1 view")}
    heights = [*others.values(), *(share for _, share in curve)]
    return draw(
        "Co-training: accuracy by what a view's own vote counts",
        Axis("own vote", tuple(float(n) for n in range(int(most) + 1))),
        Axis.over("accuracy on dev, %", heights),
        [Series("co-train", curve)]
        + [
            Series(name, [(0.0, share), (most, share)])
            for name, share in others.items()
        ],
    )


def _growth(result: dict[str, Any]) -> str:
    series: dict[str, list[tuple[float, float]]] = {}
    for row in result["figures"]["figures"]:
        who, _, rest = row["what"].partition(", ")
        tokens = rest.partition("(")[2].partition(" tokens")[0].replace(",", "")
        if row["section"] == "growth" and tokens.isdecimal():
            n = int(tokens)
            name = "spacy_latperc" if who == "ours" else who
            series.setdefault(name, []).append((n, row["median"] * n / 1e6))
    points = [point for points in series.values() for point in points]
    return draw(
        "An epoch grows with the data",
        Axis.over("tokens", (tokens for tokens, _ in points), log=True),
        Axis.over("seconds", (seconds for _, seconds in points), log=True),
        [Series(who, points) for who, points in series.items()],
    )


def _labels(result: dict[str, Any]) -> str:
    points = [
        (float(found[1]), row["median"])
        for row in result["figures"]["figures"]
        if row["section"] == "growth"
        and (found := re.search(r": (\d+) labels$", row["what"]))
    ]
    return draw(
        "An epoch grows with the labels",
        Axis.over("labels", [0, *(labels for labels, _ in points)]),
        Axis.over("microseconds a token", [0, *(time for _, time in points)]),
        [Series("spacy_latperc", points)],
    )
