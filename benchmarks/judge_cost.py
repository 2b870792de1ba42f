"""The time and memory of a judge and of n-gram models:
`python -m benchmarks.judge_cost FOLDER --data DATA`.

The folder has what `benchmarks.timed` wrote: made_judge and text.arpa with their .json.
"""

import argparse
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

from wasabi import msg

from experiments.judge import kenlm_scorer
from spacy_latperc.io.jsonl import write_json
from spacy_latperc.judge.training.evaluation_files import rows_of

from .timed import run_timed

FEW = 10  # lines, whose filter takes what the start takes
HEADER = ["", "training, CPU s", "peak, MB", "model, MB", "sentences a CPU s"]


def size_of(path: Path) -> float:
    """Return the size of a file or of all files of a folder, in MB."""
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file()) / 1e6


def filter_speed(model: Path, lines: list[str]) -> float:
    """Return how many lines `filter` scores in a CPU second, without its start."""
    with TemporaryDirectory() as folder:
        seconds = []
        for number, some in enumerate((lines[:FEW], lines)):
            text, kept = (Path(folder) / f"{x}{number}.txt" for x in ("text", "kept"))
            text.write_text("\n".join(some) + "\n", encoding="utf8")
            command = ["filter", str(model), str(text), str(kept), "-q", "-t", "1e-9"]
            seconds.append(run_timed(command)[0])
    return (len(lines) - FEW) / (seconds[1] - seconds[0])


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--json", type=Path, help="file for all figures")
    given = parser.parse_args()
    news = rows_of(given.data / "lm_text/domain_b.txt.gz")
    lines = [" ".join(words) for words in news]
    figures = {}
    for name, file in (("judge", "made_judge"), ("n-grams", "text.arpa")):
        made = given.folder / file
        cost = json.loads((given.folder / f"{file}.json").read_text(encoding="utf8"))
        cost |= {"size": size_of(made), "speed": filter_speed(made, lines)}
        figures[name] = cost
    for name, score in kenlm_scorer(str(made)).items():
        start = process_time()
        for words in news:
            score(words)
        figures[name] = {"speed": len(news) / (process_time() - start)}
    if given.json:
        write_json(given.json, figures)
    keys = "seconds", "megabytes", "size", "speed"
    rows = [
        [name, *(f"{cost[key]:,.0f}" if key in cost else "-" for key in keys)]
        for name, cost in figures.items()
    ]
    aligns = ["l", "r", "r", "r", "r"]
    msg.table(rows, header=HEADER, divider=True, aligns=aligns)


if __name__ == "__main__":
    main()
