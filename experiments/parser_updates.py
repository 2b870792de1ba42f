"""A parser whose search errs: which updates does it learn from?

    python -m experiments.parser_updates --data ud_trees/en_ewt

The experiment of Huang, Fayong and Guo (2012) and of Huang's lectures, on a treebank
of Universal Dependencies with gold tags: standard, early, latest and max-violation
updates, for beams of several widths. After each pass it tells UAS and LAS on the
development part (subtypes of relations count), and which share of the updates was no
violation, so that it fixed nothing.

With `--runs` each run is kept in a folder when it is done, so that an experiment that
was stopped goes on where it was; other options or corpora need another folder.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import spacy
from spacy.language import Language
from spacy.training import Example
from wasabi import msg

from spacy_latperc.data.corpus import conllu_corpus
from spacy_latperc.io.atomic import write_whole
from spacy_latperc.kernels.parsing import METHODS
from spacy_latperc.parser.component import LatpercParser
from tools.corpora.locate import required_folder
from tools.sample import write_sample

BATCH = 32


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Parsing with searches that err")
    parser.add_argument("--data", default="sample", help="or ud_trees/en_ewt")
    parser.add_argument("--widths", default="1,2,4,8,16")
    parser.add_argument("--passes", type=int, default=12)
    parser.add_argument("--limit", type=int, default=0, help="Sentences to learn from")
    parser.add_argument("--runs", type=Path, help="Folder for runs that are done")
    parser.add_argument("--json", type=Path, help="File for the figures")
    options = parser.parse_args(arguments)
    nlp = spacy.blank("xx")
    train, dev = read_corpora(options.data, nlp, options.limit)
    figures = []
    rows = []
    for width in map(int, options.widths.split(",")):
        for method in METHODS:
            kept = options.runs and options.runs / f"{width}-{method}.json"
            if kept and kept.is_file():
                found = json.loads(kept.read_text(encoding="utf-8"))
            else:
                model = {
                    "search": {"@misc": "spacy_latperc.Beam.v1", "width": width},
                    "learner": {
                        "@misc": "spacy_latperc.ViolationFixing.v1",
                        "method": method,
                    },
                }
                found = learn(model, train, dev, passes=options.passes)
                if kept:
                    options.runs.mkdir(parents=True, exist_ok=True)
                    write_whole(kept, json.dumps(found).encode())
            figures.append({"width": width, "method": method, "passes": found})
            last = found[-1]
            cells = (last["uas"], last["las"], 100 * last["no_violation"])
            best = max(row["las"] for row in found)
            first = 1 + [row["las"] for row in found].index(best)
            rows.append(
                (
                    *(str(width), method, f"{cells[0]:.2f}", f"{cells[1]:.2f}"),
                    *(f"{best:.2f}", str(first), f"{cells[2]:.1f}"),
                    f"{sum(row['seconds'] for row in found) / len(found):.2f}",
                )
            )
            print(" ".join(rows[-1]), file=sys.stderr)
    header = (
        "beam",
        "update",
        "UAS",
        "LAS",
        "best LAS",
        "pass",
        "no viol. %",
        "s/pass",
    )
    msg.table(rows, header=header, divider=True, aligns=("l", "l", *"rrrrrr"))
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


def read_corpora(
    name: str, nlp: Language, limit: int
) -> tuple[list[Example], list[Example]]:
    """The training and the development part, with gold tags given."""

    def read(path: Path, limit: int = 0) -> list[Example]:
        return list(conllu_corpus(path, inputs=["tag"], limit=limit)(nlp))

    if name == "sample":
        with tempfile.TemporaryDirectory() as scratch:
            write_sample(Path(scratch))
            folder = Path(scratch)
            return read(folder / "train.conllu", limit), read(folder / "dev.conllu")
    names = [f"{name}-{part}.conllu.gz" for part in ("train", "dev")]
    files = [required_folder(*names) / file for file in names]
    return read(files[0], limit), read(files[1])


def learn(
    model: dict[str, Any],
    train: Sequence[Example],
    dev: Sequence[Example],
    *,
    passes: int,
) -> list[dict[str, Any]]:
    """What is to be told of each pass; the clock runs while weights change."""
    nlp = spacy.blank("xx", vocab=train[0].reference.vocab)
    parser: LatpercParser = nlp.add_pipe("latperc_parser", config={"model": model})
    nlp.initialize(lambda: train)
    prepared = parser.prepare(train)
    order = np.random.default_rng(0)
    found = []
    updates, violations = 0, 0
    for number in range(1, passes + 1):
        shuffled = [prepared[i] for i in order.permutation(len(prepared))]
        start = process_time()
        for at in range(0, len(shuffled), BATCH):
            batch = shuffled[at : at + BATCH]
            gold = np.concatenate([columns for _, columns in batch])
            parser.learner.update([words for words, _ in batch], gold)
        seconds = process_time() - start
        made, fixing = parser.learner.updates
        share = 1 - (fixing - violations) / max(made - updates, 1)
        updates, violations = made, fixing
        parser.learner.freeze()
        start = process_time()
        uas, las = scores(parser, dev)
        parsing = process_time() - start
        found.append(
            {
                "pass": number,
                "uas": uas,
                "las": las,
                "no_violation": share if made else 0.0,
                "seconds": seconds,
                "parsing": parsing,
            }
        )
    return found


def scores(parser: LatpercParser, examples: Sequence[Example]) -> tuple[float, float]:
    """UAS and LAS in percent; all tokens count, and subtypes of relations."""
    docs = [example.predicted for example in examples]
    found = parser.predict(docs)
    gold = [token for example in examples for token in example.reference]
    first = np.repeat(found.docs[:-1], np.diff(found.docs))
    heads = np.array([token.head.i for token in gold]) + first
    names = np.array([token.dep for token in gold], dtype=np.uint64)
    right = found.heads == heads
    is_root = heads == np.arange(len(heads))
    labelled = right & (is_root | (found.relations == names))
    return 100 * float(right.mean()), 100 * float(labelled.mean())


if __name__ == "__main__":
    main()
