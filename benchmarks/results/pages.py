"""The pages of results, their pictures and the README's table, from results/*.json."""

import json
import re
from itertools import compress
from pathlib import Path
from typing import Any

from .entry import GRID, Entry, read_file
from .front import FRONT, our_figures, peer_rows
from .papers import load_rows, paper_page, papers, quick_minutes
from .pictures import make_pictures, picture_title
from .run import RESULTS, ROOT, Results
from .tables import result_tables, table

PAGES = ROOT / "docs" / "results"
BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"
THROUGH = "nlp.pipe: "
FRESH = "fresh text, "
NOTHING = "No results have been measured yet."
PAGE_FIELDS = read_file()["pages"]
TITLES = {page: fields["title"] for page, fields in PAGE_FIELDS.items()}


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
    for page in papers():
        text, shown = paper_page(page, load_rows())
        pages[PAGES / f"{page}.md"] = text
        pages |= {PAGES / name: svg for name, svg in shown.items()}
    readme, guide = ROOT / "README.md", ROOT / "docs" / "guides" / "knowledge.md"
    for path, text in ((readme, front), (guide, knowledge_table(results))):
        pages[path] = _between(path.read_text(encoding="utf-8"), text)
    return pages


def _index(front: str) -> str:
    links = "\n".join(f"- [{title}]({page}.md)" for page, title in TITLES.items())
    tables = "\n".join(
        f"- [{fields['title']}]({page}.md)" for page, fields in papers().items()
    )
    return (
        "# Results\n\n"
        "Every figure comes from a command of this repository, which stands below it "
        "with the machine, the revision that ran it and the date. `make results` runs "
        "the quick ones again, `python -m benchmarks.results --slow` all. Peers run on "
        "the same machine and the same files.\n\n"
        f"{front}\n\n{links}\n- [Many machines](machines.md)\n\n"
        f"The papers' tables and figures beside ours:\n\n{tables}\n\n"
        "`python -m benchmarks.results --only papers --again` measures them anew, in "
        f"{quick_minutes(load_rows()):.0f} CPU minutes; with `--slow`, also the rows "
        "that take many.\n"
    )


def _page(page: str, title: str, results: Results, pictures: dict[str, str]) -> str:
    parts = [f"# {title}", PAGE_FIELDS[page]["question"].strip()]
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
    return "\n\n".join([*parts, *(sections or [NOTHING])]) + "\n"


def _section(entry: Entry, result: dict[str, Any]) -> list[str]:
    commands = "\n".join(map(_wrapped, result["commands"]))
    return [
        f"## {entry.title}",
        *([entry.note] if entry.note else []),
        result_tables(result),
        f"```text\n{commands}\n```",
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
    """Accuracy compared with that of peers, and speed."""
    shown = [row for row in FRONT if row.ours in results]
    if not shown:
        return NOTHING
    rows = []
    for row in shown:
        mean, sd, seconds = our_figures(results[row.ours])
        accurate = richer = encoded = ""
        if row.accurate in results:
            best, _, its_seconds = our_figures(results[row.accurate])
            accurate = f"{best:.2f} in {its_seconds:.0f} s"
        if row.richer in results:
            richer = f"{our_figures(results[row.richer])[0]:.2f} ({row.known})"
        if row.encoder in results:
            best = our_figures(results[row.encoder])[0]
            runs = results[row.encoder]["figures"]["runs"]
            # The first seed encodes the text, and the others may share that.
            encoded = f"{best:.2f} in {max(run['seconds'] for run in runs):.0f} s"
        others = ", ".join(
            f"{name} {score:.2f} in {peer_seconds:.0f} s"
            + (" (**ahead** of the default)" if score > mean else "")
            for name, score, peer_seconds in peer_rows(results[row.ours])
        )
        ours = f"**{mean:.2f}** (sd {sd:.2f})"
        cells = [row.title, ours, f"{seconds:.0f} s", accurate, richer, encoded, others]
        rows.append(cells)
    header = [
        "test set, score",
        "spacy_latperc",
        "trained in",
        "accuracy setting",
        "with knowledge",
        "with an encoder",
        "others, as many passes",
    ]
    # A column with nothing in it is left out.
    kept = [any(column) for column in zip(*rows, strict=True)]
    cut = [list(compress(cells, kept)) for cells in (header, *rows)]
    lines = [
        table(cut[0], cut[1:]),
        "",
        "Test sets; ours the mean of three seeds, with default settings unless the row "
        "says otherwise; the others one run over the same sentences with as many "
        "passes as ours, but for L-BFGS, which runs until it converges. Recognisers of "
        "ours fit one number, the recall constant, to the development part, but for "
        "JNLPBA, which has none. The accuracy setting is `configs/ner_accuracy.cfg`. "
        "Knowledge: clusters of words from raw text, or a second pass over the model's "
        "own answers. Training time is CPU time of one run on a shared machine. "
        "CRFsuite: averaged perceptron (ap) and L-BFGS (lbfgs) over words and given "
        "tags in a window of two, affixes, shapes; sklearn-crfsuite calls it too; "
        "spaCy: its own component on the CPU, the parser together with a tagger and a "
        "morphologizer.",
    ]
    if "encoder_speed" in results:
        lines += ["", _encoder_speed(results)]
    if "bench" in results:
        lines += ["", _speed(results)]
    return "\n".join(lines)


def knowledge_table(results: Results) -> str:
    """The gain of each source of knowledge, next to the row without it."""
    rows = []
    for entry in GRID:
        if entry.beside in results and entry.name in results:
            before, before_sd, _ = our_figures(results[entry.beside])
            after, after_sd, _ = our_figures(results[entry.name])
            test, _, what = entry.title.partition(": ")
            without, with_it = (
                f"{mean:.2f} (sd {sd:.2f})"
                for mean, sd in ((before, before_sd), (after, after_sd))
            )
            rows.append([test, without, with_it, f"{after - before:+.2f}", what])
    if not rows:
        return NOTHING
    return "\n".join(
        [
            table(["test set, score", "without", "with", "gain", "what"], rows),
            "",
            "Means of three seeds on test sets, everything chosen on development data. "
            "[Knowledge](../results/knowledge.md) has the command behind each row.",
        ]
    )


def _speed(results: Results) -> str:
    """The speed of annotation, by ours and by others."""
    ours = _rates(results["bench"], THROUGH)
    parts = [f"Tokens a second through `nlp.pipe`, one core: {ours}."] if ours else []
    if "peers" in results:
        beside = (
            f"{what}: {_rates(results['peers'], f'{what}: {FRESH}')}"
            for what in ("tags", "entities")
        )
        parts.append(f"Compared with others, in one run: {'; '.join(beside)}.")
    return " ".join(parts)


def _encoder_speed(results: Results) -> str:
    """How much slower a tagger is with an encoder."""
    found = results["encoder_speed"]["figures"]
    speeds = list(found.values())[:5]
    fast, alone, _, network, transformer = (f"{round(x, -2):,.0f}" for x in speeds)
    return (
        f"The encoder is MiniLM, whose weights stay as they are: a tagger reads {fast} "
        f"words a second in batches and {alone} one sentence at a time, where spaCy's "
        f"`tok2vec` alone reads {network}, and the same transformer in PyTorch "
        f"{transformer}."
    )


def _rates(result: dict[str, Any], start: str) -> str:
    """The speeds among the rows of a bench that start so; not the ratios."""
    return ", ".join(
        f"{row['what'].removeprefix(start).replace(', ', ' with ')} "
        f"{row['median']:.{2 if row['median'] < 1 else 3}g} M"
        for row in result["figures"]["figures"]
        if row["what"].startswith(start) and row["unit"] == "M tokens/s"
    )


def _between(text: str, table: str) -> str:
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table}\n{END}{after}"
