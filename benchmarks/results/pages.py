"""The pages of results, their pictures and the README's table, from results/*.json."""

import json
import re
from itertools import compress
from pathlib import Path
from typing import Any

from .cost import cost_section
from .entry import Entry
from .front import FRONT, our_figures, peer_figures
from .grid import GRID
from .pictures import make_pictures, picture_title
from .run import RESULTS, ROOT, Results

PAGES = ROOT / "docs" / "results"
BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"
THROUGH = "nlp.pipe: "
IDLE = "a component that does nothing"
FRESH = "fresh text, "
NOTHING = "No results have been measured yet."
TITLES = {
    "accuracy": "Accuracy",
    "knowledge": "Knowledge",
    "speed": "Speed and memory",
    "learners": "Learners",
    "confidence": "Confidence",
    "grammaticality": "Grammaticality",
    "machines": "Many machines",
}

# What a page answers, in the words of a reader who comes to it.
QUESTIONS = {
    "accuracy": (
        "How good are the models beside those of other packages? The "
        "[table](index.md) has the short answer; here is the command behind each of "
        "its figures. F is that of the CoNLL scoring script: a chunk or an entity "
        "counts when its bounds and its type are right."
    ),
    "knowledge": (
        "What do clusters, vectors, lists and a second pass add to a model? [What "
        "knowledge is worth](../guides/knowledge.md) has the short answer; here is "
        "the command behind each row of its table."
    ),
    "speed": (
        "How long do training and tagging take, and how much memory? All of it was "
        "measured on one core of a machine that others used at the same time: "
        "compare rows of one table with each other, not with figures from "
        "elsewhere."
    ),
    "learners": (
        "Which learner is best for what? The default, `PassiveAggressive.v1`, is a "
        "good choice; [Accuracy](accuracy.md) shows what it comes to. The others "
        "have their uses: exact probabilities (CRF), searches that err (violation "
        "fixing), labels with hidden parts (latent states). "
        "[Learners](../reference/learners/index.md) explains each, and `python -m "
        "benchmarks --only learners` compares all of them on your machine."
    ),
    "confidence": (
        "Can the probabilities be trusted? After calibration on held-out data they "
        "can: of the answers that a model gives with 0.8, about 80 in 100 are "
        "right. [Confidence](../guides/confidence.md) says how to calibrate your "
        "own model."
    ),
    "grammaticality": (
        "How well are good sentences told from bad ones, and right words from wrong "
        "ones? It depends on what is bad about them: samples of an n-gram model are "
        "found, and so are many errors that are put into real sentences; sentences "
        "that a linguist would reject are hardly found. "
        "[Grammaticality](../guides/grammaticality.md) and [Errors in "
        "text](../guides/errors.md) say what to expect."
    ),
    "machines": (
        "What are many machines worth? They have been simulated on one: two nodes of "
        "Ray with two cores between them, and shards that learn one after the other. "
        "[Many machines](../guides/distributed.md) says how to use them."
    ),
}


def load_results() -> Results:
    """All results that are there, by name."""
    return {
        path.stem: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(RESULTS.glob("*.json"))
    }


def write_pages() -> list[Path]:
    """Write the pages, the pictures and the table of the README; return their paths."""
    written = []
    for path, text in all_pages(load_results()).items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        written.append(path)
    return written


def all_pages(results: Results) -> dict[Path, str]:
    """Every generated file with its text."""
    pictures = make_pictures(results)
    pages = {PAGES / name: text for name, text in pictures.items()}
    front = front_table(results)
    pages[PAGES / "index.md"] = _index(front)
    for page, title in TITLES.items():
        pages[PAGES / f"{page}.md"] = _page(page, title, results, pictures)
    readme, guide = ROOT / "README.md", ROOT / "docs" / "guides" / "knowledge.md"
    for path, table in ((readme, front), (guide, knowledge_table(results))):
        pages[path] = _between(path.read_text(encoding="utf-8"), table)
    return pages


def _index(front: str) -> str:
    links = "\n".join(f"- [{title}]({page}.md)" for page, title in TITLES.items())
    return (
        "# Results\n\n"
        "Every figure comes from a command of this repository, which stands beside it "
        "with the machine, the revision and the date. `make results` runs the quick "
        "ones again, `python -m benchmarks.results --slow` all of them. Peers run on "
        "the same machine and the same files.\n\n"
        f"{front}\n\n{links}\n"
    )


def _page(page: str, title: str, results: Results, pictures: dict[str, str]) -> str:
    parts = [f"# {title}", QUESTIONS[page]]
    parts += [
        f"![{picture_title(svg)}]({name})"
        for name, svg in pictures.items()
        if name.startswith(f"{page}-")
    ]
    sections = [
        part
        for entry in GRID
        if entry.page == page and entry.name in results
        for part in _section(entry, results[entry.name])
    ]
    if page == "machines" and sections:
        parts.append(cost_section(results))
    return "\n\n".join([*parts, *(sections or [NOTHING])]) + "\n"


def _section(entry: Entry, result: dict[str, Any]) -> list[str]:
    commands = "\n".join(map(_wrapped, result["commands"]))
    return [
        f"## {entry.title}",
        *([entry.note] if entry.note else []),
        f"```text\n{commands}\n```",
        f"```text\n{result['output'].rstrip()}\n```",
        f"{_machine(result['machine'])}; revision {result['revision']}; "
        f"{result['date']}.",
    ]


def _wrapped(command: str) -> str:
    """A command as a shell takes it, in lines that fit a page."""
    lines = [""]
    for part in re.split(r" (?=--)", command):
        if lines[-1] and len(lines[-1]) + len(part) > 84:
            lines[-1] += " \\"
            lines.append("   ")
        lines[-1] += f" {part}" if lines[-1] else part
    return "\n".join(lines)


def _machine(machine: dict[str, Any]) -> str:
    return (
        f"{machine['processor']}, {machine['cores']} shared cores, Python "
        f"{machine['python']}, spaCy {machine['spacy']}, numpy {machine['numpy']}"
    )


# The front table ----------------------------------------------------------------------


def front_table(results: Results) -> str:
    """Accuracy beside that of peers, and speed."""
    rows = [row for row in FRONT if row.ours in results]
    if not rows:
        return NOTHING
    table = [
        ["test set, score", "spacy_latperc", "trained in", "with knowledge", "others"]
    ]
    for row in rows:
        mean, sd, seconds = our_figures(results[row.ours])
        richer = ""
        if row.richer in results:
            richer = f"{our_figures(results[row.richer])[0]:.2f} ({row.known})"
        others = [
            f"{name} {_peer(results[key])}"
            for name, key in row.peers.items()
            if key in results
        ]
        ours = f"**{mean:.2f}** (sd {sd:.2f})"
        cells = [row.title, ours, f"{seconds:.0f} s", richer, ", ".join(others)]
        table.append(cells)
    table.insert(1, ["---"] * len(table[0]))
    # A column with nothing in it is left out.
    shown = [any(column[2:]) for column in zip(*table, strict=True)]
    lines = [f"| {' | '.join(compress(cells, shown))} |" for cells in table]
    lines += [
        "",
        "Test sets; ours the mean of three seeds, the others one run. Settings chosen "
        "on development data. Knowledge: clusters of words from raw text, or a second "
        "pass over the model's own answers. Training time is CPU time of a shared "
        "machine, ours from file to model. CRFsuite: averaged perceptron (ap) and "
        "L-BFGS (lbfgs) over words and given tags in a window of two, affixes, shapes; "
        "spaCy: its own component, ten epochs, CPU.",
    ]
    if "bench" in results:
        lines += ["", _speed(results)]
    return "\n".join(lines)


def knowledge_table(results: Results) -> str:
    """What each source of knowledge adds, with the row without it beside it."""
    lines = [
        "| test set, score | without | with | gain | what |",
        "| --- | --- | --- | --- | --- |",
    ]
    for entry in GRID:
        if entry.beside in results and entry.name in results:
            before, before_sd, _ = our_figures(results[entry.beside])
            after, after_sd, _ = our_figures(results[entry.name])
            test, _, what = entry.title.partition(": ")
            lines.append(
                f"| {test} | {before:.2f} (sd {before_sd:.2f}) | "
                f"{after:.2f} (sd {after_sd:.2f}) | {after - before:+.2f} | {what} |"
            )
    if len(lines) == 2:
        return NOTHING
    return "\n".join(
        [
            *lines,
            "",
            "Means of three seeds on test sets, everything chosen on development data. "
            "[Knowledge](../results/knowledge.md) has the command behind each row.",
        ]
    )


def _peer(result: dict[str, Any]) -> str:
    score, seconds = peer_figures(result)
    return f"{score:.2f} in {seconds:.0f} s"


def _speed(results: Results) -> str:
    """How fast texts are annotated, and how fast others do it."""
    ours = _rates(results["bench"], THROUGH)
    parts = [f"Tokens a second through `nlp.pipe`, one core: {ours}."] if ours else []
    if "peers" in results:
        beside = (
            f"{what}: {_rates(results['peers'], f'{what}: {FRESH}')}"
            for what in ("tags", "entities")
        )
        parts.append(f"Beside others, in one run: {'; '.join(beside)}.")
    return " ".join(parts)


def _rates(result: dict[str, Any], start: str) -> str:
    """The speeds among the rows of a bench that start so; not the ratios."""
    return ", ".join(
        f"{row['what'].removeprefix(start).replace(', ', ' with ')} "
        f"{row['median']:.{2 if row['median'] < 1 else 3}g} M"
        for row in result["figures"]["figures"]
        if row["what"].startswith(start)
        and row["unit"] == "M tokens/s"
        and not row["what"].endswith(IDLE)
    )


def _between(text: str, table: str) -> str:
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table}\n{END}{after}"
