"""What the options of the parser are worth.

    python -m experiments.parser_options --data ud_trees/en_ewt

Merged states, the dynamic oracle, the other system, clusters and tags: each against the
parser without it, on the development part of a treebank with gold tags (subtypes of
relations count). With `--runs` each run is kept in a folder when it is done; other
options or corpora need another folder.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import spacy
from wasabi import msg

from spacy_latperc.io.atomic import write_whole
from tools.corpora.locate import required_folder

from .parser_updates import learn, read_corpora

CLUSTERS = "clusters/ark_tweets_6mpaths.txt.gz"


def beam(width: int, **more: Any) -> dict[str, Any]:
    return {"search": {"@misc": "spacy_latperc.Beam.v1", "width": width}, **more}


def oracle(**settings: Any) -> dict[str, Any]:
    return beam(1, learner={"@misc": "spacy_latperc.DynamicOracle.v1", **settings})


RUNS: dict[str, dict[str, Any]] = {
    "greedy": beam(1),
    "greedy, oracle": oracle(follow=0.0),
    "greedy, oracle, exploring": oracle(),
    "beam 4": beam(4),
    "beam 4, merging": beam(4, merge=True),
    "beam 8": beam(8),
    "beam 8, merging": beam(8, merge=True),
    "beam 8, arc-standard": beam(8, system="arc_standard"),
}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Options of the parser")
    parser.add_argument("--data", default="sample", help="or ud_trees/en_ewt")
    parser.add_argument("--only", default="", help="Names of runs, separated by ;")
    parser.add_argument("--clusters", action="store_true", help="Also with clusters")
    parser.add_argument("--passes", type=int, default=10)
    parser.add_argument("--limit", type=int, default=0, help="Sentences to learn from")
    parser.add_argument("--runs", type=Path, help="Folder for runs that are done")
    parser.add_argument("--json", type=Path, help="File for the figures")
    options = parser.parse_args(arguments)
    runs = dict(RUNS)
    if options.clusters:
        runs["beam 8, clusters"] = beam(8, features=with_clusters())
    wanted = [name.strip() for name in options.only.split(";") if name.strip()]
    train, dev = read_corpora(options.data, spacy.blank("xx"), options.limit)
    tokens = sum(len(example.predicted) for example in dev)
    figures, rows = [], []
    for name in wanted or runs:
        short = name.replace(", ", "-").replace(" ", "_")
        kept = options.runs and options.runs / f"{short}.json"
        if kept and kept.is_file():
            found = json.loads(kept.read_text(encoding="utf-8"))
        else:
            found = learn(runs[name], train, dev, passes=options.passes)
            if kept:
                options.runs.mkdir(parents=True, exist_ok=True)
                write_whole(kept, json.dumps(found).encode())
        figures.append({"name": name, "passes": found})
        last = found[-1]
        best = max(found, key=lambda row: row["las"])
        rate = tokens / min(row["parsing"] for row in found)
        rows.append(
            (
                *(name, f"{last['uas']:.2f}", f"{last['las']:.2f}"),
                *(f"{best['las']:.2f}", str(best["pass"])),
                f"{sum(row['seconds'] for row in found) / len(found):.2f}",
                f"{rate / 1000:.0f}",
            )
        )
        print(" ".join(rows[-1]), file=sys.stderr)
    header = ("parser", "UAS", "LAS", "best LAS", "pass", "s/pass", "k tokens/s")
    msg.table(rows, header=header, divider=True, aligns=("l", *"rrrrrr"))
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


def with_clusters() -> dict[str, Any]:
    """Templates that look at clusters of words too."""
    file = required_folder(CLUSTERS) / CLUSTERS
    source = {"@misc": "spacy_latperc.ClusterFile.v1", "path": str(file)}
    return {
        "@misc": "spacy_latperc.ParserFeatures.v1",
        "sources": {"clusters": source},
    }


if __name__ == "__main__":
    main()
