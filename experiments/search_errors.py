"""A tagger of order 2 whose search errs: which updates does it learn from?

    python -m experiments.search_errors --data ud_ewt

Huang, Fayong, Guo 2012: standard, early, latest and max-violation updates, for beams of
several widths, and the perceptron with exact search (width 0). The pass is chosen on
the development part; accuracy there and on test, mean and standard deviation over
seeds, and seconds of learning a pass.
"""

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import spacy
from spacy.language import Language
from spacy.training import Example
from wasabi import msg

from spacy_latperc.data.corpus import column_corpus
from spacy_latperc.kernels.chains import PREFIXES
from spacy_latperc.pipeline.chain import ChainPipe
from tools.corpora.locate import required_folder
from tools.sample import write_sample

DATA = ("sample", "ud_ewt")
PARTS = ("train", "dev", "test")
BATCH = 32
FEATURES = {
    "lecture": {"@misc": "spacy_latperc.SlidesPOSFeatures.v1"},
    "default": {"@misc": "spacy_latperc.TaggingFeatures.v1"},
    "word": {
        "@misc": "spacy_latperc.Templates.v1",
        "templates": ["w[0]", "suf1[0]", "suf2[0]", "suf3[0]", "shape[0]"],
    },
}
Corpora = dict[str, list[Example]]


@dataclass(frozen=True)
class Trained:
    """Accuracies in percent, after the pass that was best on the development part."""

    dev: float
    test: float
    best_pass: int
    seconds: float


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Learning with searches that err")
    parser.add_argument("--data", choices=DATA, default="sample")
    parser.add_argument("--features", choices=tuple(FEATURES), default="lecture")
    parser.add_argument("--widths", default="1,4", help="0: exact search")
    parser.add_argument("--average", default="average", help="or none")
    parser.add_argument("--order", type=int, default=2)
    parser.add_argument("--seeds", type=int, default=3, help="seeds 0, 1, ...")
    parser.add_argument("--passes", type=int, default=10)
    parser.add_argument("--json", type=Path, help="File for the figures")
    options = parser.parse_args(arguments)
    corpora = read_corpora(options.data, spacy.blank("xx"))
    rows = []
    figures = []
    for width in map(int, options.widths.split(",")):
        for method in PREFIXES if width else ("standard",):
            model = {
                "order": options.order,
                "features": FEATURES[options.features],
                "search": search_block(width),
                "learner": {
                    "@misc": "spacy_latperc.ViolationFixing.v1",
                    "method": method,
                    "average": options.average,
                },
            }
            runs = [
                train({**model, "seed": seed}, corpora, passes=options.passes)
                for seed in range(options.seeds)
            ]
            rows.append((str(width or "exact"), method, *_cells(runs)))
            figures.append(
                {
                    "width": width,
                    "method": method,
                    "dev": statistics.mean(run.dev for run in runs),
                    "test": statistics.mean(run.test for run in runs),
                }
            )
            print(" ".join(rows[-1]), file=sys.stderr)
    header = ("beam", "update", "dev", "sd", "test", "sd", "pass", "s/pass")
    msg.table(rows, header=header, divider=True, aligns=("l", "l", *"rrrrrr"))
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


def search_block(width: int) -> dict[str, Any]:
    if width == 0:
        return {"@misc": "spacy_latperc.Viterbi.v1"}
    return {"@misc": "spacy_latperc.Beam.v1", "width": width}


def read_corpora(name: str, nlp: Language) -> Corpora:
    """The training, development and test part."""
    if name == "sample":
        with tempfile.TemporaryDirectory() as scratch:
            write_sample(Path(scratch))
            return {
                part: list(
                    column_corpus(Path(scratch, f"{part}.txt"), ["word", "tag"])(nlp)
                )
                for part in PARTS
            }
    columns = ["id", "word", "-", "tag", "space"]
    names = {part: f"{name}/{part}.tsv" for part in PARTS}
    names["train"] += ".gz"
    folder = required_folder(*names.values())
    files = {part: folder / file for part, file in names.items()}
    return {
        part: list(column_corpus(path, columns, comment="#")(nlp))
        for part, path in files.items()
    }


def train(model: dict[str, Any], corpora: Corpora, *, passes: int) -> Trained:
    """Learn from arrays; the clock runs while weights change."""
    nlp = spacy.blank("xx", vocab=corpora["train"][0].reference.vocab)
    tagger: ChainPipe = nlp.add_pipe("latperc_tagger", config={"model": model})
    examples = corpora["train"]
    nlp.initialize(lambda: examples)
    prepared = tagger.prepare(examples)
    order = np.random.default_rng(model["seed"])
    best = Trained(-1.0, 0.0, 0, 0.0)
    seconds = 0.0
    for number in range(1, passes + 1):
        shuffled = [prepared[i] for i in order.permutation(len(prepared))]
        start = process_time()
        for at in range(0, len(shuffled), BATCH):
            batch = shuffled[at : at + BATCH]
            gold = np.concatenate([labels for _, labels in batch])
            tagger.learner.update([block for block, _ in batch], gold)
        seconds += process_time() - start
        dev = accuracy(tagger, corpora["dev"])
        if dev > best.dev:
            best = Trained(dev, accuracy(tagger, corpora["test"]), number, 0.0)
    return Trained(best.dev, best.test, best.best_pass, seconds / passes)


def accuracy(tagger: ChainPipe, examples: Sequence[Example]) -> float:
    batch = tagger.reader.read([example.predicted for example in examples])
    found = tagger.learner.predict(batch)
    names = np.array([*tagger.learner.labels, ""])  # -2: no path; there is always one
    gold = np.array([token.tag_ for x in examples for token in x.reference])
    return 100 * float((names[found] == gold).mean())


def _cells(runs: Sequence[Trained]) -> list[str]:
    cells = []
    for values in ([run.dev for run in runs], [run.test for run in runs]):
        deviation = statistics.stdev(values) if len(values) > 1 else 0.0
        cells += [f"{statistics.mean(values):.2f}", f"{deviation:.2f}"]
    cells.append(f"{statistics.mean(run.best_pass for run in runs):.1f}")
    cells.append(f"{statistics.mean(run.seconds for run in runs):.2f}")
    return cells


if __name__ == "__main__":
    main()
