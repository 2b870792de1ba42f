"""The papers' tables beside ours: the rows of papers.yml, measured one by one.

    python -m benchmarks.results --only papers              # what is not measured yet
    python -m benchmarks.results --only np-latent --again   # a table, anew

A row is kept in results/papers/rows.json as soon as it is measured, so that a run may
be broken off. One whose settings have changed since, or those of the row that its
p-value is about, counts as not measured.
"""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, partial
from importlib import import_module
from os import environ
from pathlib import Path
from typing import Any

import srsly
import typer

from spacy_latperc.io.atomic import write_whole

from ..machine import ONE_THREAD, describe_machine
from .chart import Axis, Series, draw
from .run import RESULTS, ROOT, revision
from .tables import table

ROWS = RESULTS / "papers" / "rows.json"
KINDS = ("sequences", "hidden_states", "grammaticality", "violations")
HOW_TO_READ = """\
The table above counts rows. Below, *paper* is its figure; the score beside it is
ours, the mean over seeds. *Verdict*: "in order" where less data or another corpus lets
only the order of the rows agree; empty for a row that the paper does not have. *p*: how
likely two rows would differ as much by chance (approximate randomisation over test
sentences, with the counts of all seeds that both rows have); it knows nothing of other
seeds, so that a difference below the sd means little whatever its p. *CPU s*: seconds
of learning with one seed (median)."""
VERDICTS = (
    "reproduced",
    "contradicted",
    "reproduced in order",
    "contradicted in order",
    "cannot be had",
    "",  # the paper has no such row
)
UNKNOWN = 60.0  # seconds of a row that was never measured, for the time that is left
Fields = dict[str, Any]


@dataclass(frozen=True)
class PaperRow:
    """A row of a table.

    Attributes:
        key: The name of its table and its own.
        kind: The module of experiments/ that measures it.
        settings: What that module is told; empty if nothing is measured.
        paper: The paper's figure.
        verdict: One of VERDICTS.
        reason: Why there is no figure of ours.
        proof: The test that repeats the paper's figure exactly.
        slow: True for a row that is only measured with --slow or by its name.
        reference: The settings of the row that its p-value is about.
    """

    key: str
    kind: str
    settings: Fields
    paper: str = ""
    verdict: str = ""
    reason: str = ""
    proof: str = ""
    slow: bool = False
    reference: Fields | None = None

    @property
    def name(self) -> str:
        """Its name in the table."""
        return self.key.partition("/")[2]

    @property
    def command(self) -> str:
        """The command that measures it."""
        return f"python -m benchmarks.results --only '{self.key}' --again"


@cache
def papers() -> dict[str, Fields]:
    """The pages, by name."""
    found: dict[str, Fields] = srsly.read_yaml(Path(__file__).with_name("papers.yml"))
    return found


def rows_of(name: str, fields: Fields) -> list[PaperRow]:
    """The rows of a table of papers.yml."""
    about = ("paper", "verdict", "reason", "proof", "slow")
    settings = {row: _settings(fields, own) for row, own in fields["rows"].items()}
    versus = {row: own.pop("versus", "") for row, own in settings.items()}
    return [
        PaperRow(
            f"{name}/{row}",
            fields.get("kind", ""),
            settings[row],
            reference=settings[versus[row]] if versus[row] not in ("", row) else None,
            **{key: own[key] for key in about if key in own},
        )
        for row, own in fields["rows"].items()
    ]


def _settings(fields: Fields, own: Fields) -> Fields:
    if "reason" in own or "proof" in own:
        return {}
    result = {"versus": fields.get("versus", ""), **fields.get("common", {})}
    for key, value in own.items():
        if key in ("model", "features"):
            value = {**result.get(key, {}), **value}
        if key not in ("paper", "verdict", "slow"):
            result[key] = value
    return result


def all_rows() -> Iterator[tuple[str, PaperRow]]:
    """Every row, with the name of its page."""
    for page, fields in papers().items():
        for name, one in fields["tables"].items():
            for row in rows_of(name, one):
                yield page, row


def chosen_rows(names: Sequence[str], *, slow: bool = False) -> list[PaperRow]:
    """The rows of "papers", of pages, of tables, and single ones."""
    return [
        row
        for page, row in all_rows()
        if row.settings
        and (row.key in names or not row.slow or slow)
        and {"papers", page, row.key, row.key.partition("/")[0]} & set(names)
    ]


def load_rows() -> dict[str, Fields]:
    """What was measured, by the key of its row; rows of other settings are left out."""
    rows = {row.key: row for _, row in all_rows()}
    return {
        key: found
        for key, found in _kept().items()
        if key in rows
        and (found["settings"], found["reference"])
        == (rows[key].settings, rows[key].reference)
    }


def _kept() -> dict[str, Fields]:
    found: dict[str, Fields] = {}
    if ROWS.is_file():
        found = json.loads(ROWS.read_text(encoding="utf-8"))
    return found


def run_rows(
    names: Sequence[str], *, slow: bool, again: bool, progress: Callable[[str], None]
) -> None:
    """Measure rows in a process of its own, with one thread."""
    words = [*names, *(["--slow"] if slow else []), *(["--again"] if again else [])]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.results.papers", *words],
        cwd=ROOT,
        env={**environ, **ONE_THREAD},
    )
    if done.returncode:
        raise RuntimeError("Not all rows were measured; the others are kept.")
    progress(f"{len(load_rows())} rows are measured")


def measure_rows(
    names: list[str],
    slow: bool = typer.Option(False, "--slow"),
    again: bool = typer.Option(False, "--again"),
) -> None:
    """Measure the rows of these names that are not measured yet."""
    known, costs = load_rows(), {key: x["cpu"] for key, x in _kept().items()}
    rows = [x for x in chosen_rows(names, slow=slow) if again or x.key not in known]
    for number, row in enumerate(rows, 1):
        if not again and row.key in load_rows():  # by another run meanwhile
            continue
        print(f"{number}/{len(rows)} {row.key}", end=" ", flush=True)
        measure = import_module(f"experiments.{row.kind}").measure
        figures = measure(row.settings, row.reference)
        found = {
            "command": row.command,
            "settings": row.settings,
            "reference": row.reference,
            "revision": revision(),
            "date": date.today().isoformat(),
            "machine": describe_machine(),
            "seeds": row.settings.get("seeds", 3),
            **_rounded(figures),
        }
        kept = {**_kept(), row.key: found}  # others may have been measured meanwhile
        ROWS.parent.mkdir(exist_ok=True, parents=True)
        lines = [f"{json.dumps(key)}: {json.dumps(kept[key])}" for key in sorted(kept)]
        write_whole(ROWS, ("{\n" + ",\n".join(lines) + "\n}\n").encode())
        left = sum(costs.get(x.key, UNKNOWN) for x in rows[number:]) / 60
        taken = f"{figures['cpu']:.0f} s; about {left:.0f} minutes left"
        print(f"{figures['mean']:.2f} ({taken})", flush=True)


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.5g}")
    if isinstance(value, dict):
        return {key: _rounded(x) for key, x in value.items()}
    return [_rounded(x) for x in value] if isinstance(value, list) else value


# Pages --------------------------------------------------------------------------------


def quick_minutes(found: dict[str, Fields]) -> float:
    """The CPU minutes of the rows that are not slow."""
    rows = (row for _, row in all_rows() if row.key in found and not row.slow)
    return sum(found[row.key]["cpu"] for row in rows) / 60


def paper_page(page: str, found: dict[str, Fields]) -> tuple[str, dict[str, str]]:
    """The text of a page, and its pictures by name."""
    fields, pictures = papers()[page], {}
    parts = [f"# {fields['title']}", fields["question"].strip()]
    parts += [_contents(fields["tables"], found), HOW_TO_READ]
    if "together" in fields:
        parts.append(_together(fields["together"], fields["tables"], found))
    for name, one in fields["tables"].items():
        rows = rows_of(name, one)
        parts += [f"## {one['title']}", f"**{one['holds'].strip()}**"]
        parts += [_table(one, rows, found), one.get("note", "").strip()]
        for points in one.get("across", ()):
            if shown := _across(points, rows, found):
                parts += [f"**{points['title']}**", shown]
        every = {row.name: found.get(row.key, {}).get("phrases") for row in rows}
        phrases = {name: shown for name, shown in every.items() if shown}
        if phrases:  # side by side
            parts.append(table(list(phrases), zip(*phrases.values(), strict=True)))
        for number, picture in enumerate(one.get("pictures", ())):
            svg = _picture(picture, rows, found)
            if svg:
                file = f"{page}-{name}{f'-{number}' if number else ''}.svg"
                pictures[file] = svg
                parts.append(f"![{picture['title']}]({file})")
        parts += _made_by(name, rows, found)
    return "\n\n".join(filter(None, parts)) + "\n", pictures


def _contents(tables: dict[str, Fields], found: dict[str, Fields]) -> str:
    """A line for each table, with the number of rows of each verdict."""
    header = [*VERDICTS[:2], "cannot be had", "not in the paper"]
    lines = []
    for name, one in tables.items():
        slug = re.sub(r"[^\w\s-]", "", one["title"]).strip().lower()
        slug = re.sub(r"[-\s]+", "-", slug)
        rows = [x for x in rows_of(name, one) if not x.settings or x.key in found]
        verdicts = [x.verdict.removesuffix(" in order") for x in rows]
        counts = [verdicts.count(verdict) for verdict in (*header[:3], "")]
        lines.append([f"[{one['title']}](#{slug})", *(str(x or "") for x in counts)])
    return table(["table or figure", *header], lines)


def _together(
    chosen: dict[str, str], tables: dict[str, Fields], found: dict[str, Fields]
) -> str:
    """The rows that tables share: each table's score, and the seconds."""
    header, lines = [""], [[row] for row in tables[next(iter(chosen))]["rows"]]
    for name, title in chosen.items():
        header += [title, "CPU s"]
        for line in lines:
            x = found.get(f"{name}/{line[0]}", {})
            line += [_number(x.get("mean"), 2), _number(x.get("seconds"), 1)]
    return table(header, lines)


def _made_by(name: str, rows: list[PaperRow], found: dict[str, Fields]) -> list[str]:
    """The command of a table, and what it took."""
    if not any(row.settings for row in rows):
        return []
    slow = " --slow" if any(row.slow for row in rows) else ""
    parts = [f"```text\npython -m benchmarks.results --only {name}{slow} --again\n```"]
    known = [found[row.key] for row in rows if row.key in found]
    if known:
        revisions = ", ".join(sorted({x["revision"] for x in known}))
        machine = known[0]["machine"]
        parts.append(
            f"{sum(x['cpu'] for x in known):.0f} CPU seconds in all, "
            f"{machine['processor']}, {machine['cores']} shared cores; "
            f"revision {revisions}; {max(x['date'] for x in known)}."
        )
    return parts


def _table(fields: Fields, rows: list[PaperRow], found: dict[str, Fields]) -> str:
    more = fields.get("columns", {})
    header = ["", "paper", fields.get("score", "ours"), "sd", "verdict", "p"]
    header += ["McNemar p", *more.values(), "passes", "seeds", "CPU s"]
    lines = []
    for row in rows:
        x = found.get(row.key, {})
        lines.append(
            [
                row.name,
                row.paper,
                _number(x.get("mean"), 2) or ("exact" if row.proof else ""),
                _number(x.get("sd"), 2) if x.get("seeds", 1) > 1 else "",
                _verdict(row, x),
                _p(x.get("p")),
                _p(x.get("mcnemar")),
                *(_number(x.get(key), 1) for key in more),
                str(x.get("passes", "")),
                str(x["seeds"]) if "sd" in x else "",
                _number(x.get("seconds"), 1),
            ]
        )
    kept = [any(column) for column in zip(*lines, strict=True)]
    cut = [
        [cell for cell, keep in zip(line, kept, strict=True) if keep or not line[0]]
        for line in lines
    ]
    titles = [x for x, keep in zip(header, kept, strict=True) if keep]
    return table(titles, cut)


def _verdict(row: PaperRow, figures: Fields) -> str:
    if row.reason:
        return f"{row.verdict}: {row.reason}"
    if row.proof:
        return f"{row.verdict} (`{row.proof}`)"
    if not figures:
        return "not run yet: slow" if row.slow else "not run yet"
    return row.verdict


def _number(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def _p(value: float | None) -> str:
    return "<0.001" if value is not None and value < 0.001 else _number(value, 3)


def _across(points: Fields, rows: list[PaperRow], found: dict[str, Fields]) -> str:
    """A line for each row that has all points, a column for each; "" without rows."""
    at, key = points["at"], points["show"]
    curves = {row.name: found.get(row.key, {}).get("curve", []) for row in rows}
    longest = max(curves.values(), key=len)
    show = _p if key == "p" else partial(_number, digits=1)
    lines = [
        [name, *(show(point[key]) for point in curve)]
        for name, curve in curves.items()
        if len(curve) == len(longest) and all(key in point for point in curve)
    ]
    header = [at, *(f"{point[at]:g}" for point in longest)]
    return table(header, lines) if lines else ""


def _picture(fields: Fields, rows: list[PaperRow], found: dict[str, Fields]) -> str:
    """Curves of rows, or points of rows joined by a setting; "" if there are none."""
    x, by = fields["x"], fields.get("by")
    groups: dict[str, list[Fields]] = {}
    for row in rows:
        if row.key not in found or row.name in fields.get("without", ()):
            continue
        known = {**row.settings, **found[row.key]}
        points = known.get("curve", [])
        if by:
            ends = {"low": min(known["runs"]), "high": max(known["runs"])}
            parts = (known.get("learner", {}), known.get("model", {}).get("search", {}))
            points = [{**known, **parts[0], **parts[1], **ends}]
        for point in points:
            if point.get(x) and point["mean"] >= fields.get("from", 0):
                name = point[by] if by else row.name
                ends = {"low": point["mean"], "high": point["mean"]}
                groups.setdefault(name, []).append({**ends, **point})
    every = [point for points in groups.values() for point in points]
    if not every:
        return ""
    series = [
        Series(
            name,
            [(point[x], point["mean"]) for point in points],
            guide=name == fields.get("guide"),
            spread=[(point["low"], point["high"]) for point in points],
        )
        for name, points in groups.items()
    ]
    log = fields.get("log", False)
    across = Axis.over(fields["across"], [float(point[x]) for point in every], log=log)
    up = [float(point[end]) for point in every for end in ("low", "high")]
    return draw(fields["title"], across, Axis.over(fields["up"], up), series)


if __name__ == "__main__":
    typer.run(measure_rows)
