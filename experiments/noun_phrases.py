"""The noun-phrase tables of two of the papers, CoNLL-2000.

    python -m experiments.noun_phrases latent     # Table 4 of Sun et al. 2009
    python -m experiments.noun_phrases collins    # the table of Collins 2002 (slides)

The number of epochs is the best on every tenth sentence of the training data, with
seed 0; then each seed trains on all of them. F on the test set, and the p-value of the
difference to the reference row (approximate randomisation over sentences, seed 0).
"""

import argparse
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

import spacy
from spacy.training import Example
from wasabi import msg

from spacy_latperc.data.corpus import column_corpus
from tools.corpora.locate import required_folder

from .significance import Counts, p_value
from .training import epochs, show

TRAIN, TEST = "conll2000/train.txt.gz", "conll2000/test.txt"


@dataclass(frozen=True)
class Row:
    """A row of a table: a learner, and how many epochs are tried."""

    learner: str
    settings: dict[str, Any]
    passes: int
    latent: int = 1
    min_count: int = 1
    order: int = 2


def perceptron(average: str, passes: int, **more: Any) -> Row:
    return Row("Perceptron", {"average": average}, passes, **more)


LATENT = {
    "Perc avg": perceptron("average", 25),
    "Perc mavg": perceptron("mavg", 25),
    "Perc": perceptron("none", 25),
    "Lat-Perc mavg": perceptron("mavg", 20, latent=5),
    "Lat-Perc avg": perceptron("average", 20, latent=5),
    "Lat-Perc": perceptron("none", 20, latent=5),
    "CRF-SGD": Row("CRF", {}, 12),
    "DPLVM-SGD": Row("CRF", {}, 10, latent=5),
}
COLLINS = {
    f"{name} cc={cut}": Row(learner, settings, 40, min_count=max(cut, 1), order=order)
    for name, learner, settings, order in (
        ("Perceptron avg", "Perceptron", {"average": "average"}, 1),
        ("Perceptron noavg", "Perceptron", {"average": "none"}, 1),
        ("Max-ent", "CRF", {}, 0),
    )
    for cut in (0, 5)
}
TABLES: dict[str, tuple[dict[str, Row], dict[str, Any]]] = {
    "latent": (LATENT, {"name": "np_chunking", "edges": True, "tri": True}),
    "collins": (COLLINS, {"name": "slides_chunking"}),
}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Tables of noun-phrase chunking")
    parser.add_argument("table", choices=TABLES)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--rows", default="", help="names by comma; none: all")
    parser.add_argument("--limit", type=int, default=0, help="sentences; 0: all")
    parser.add_argument("--passes", type=int, default=0, help="at most; 0: by row")
    parser.add_argument("--json", type=Path, help="file for the figures")
    options = parser.parse_args(arguments)
    folder = required_folder(TRAIN, TEST)
    nlp = spacy.blank("en")
    train = read(nlp, folder / TRAIN, options.limit)
    test = read(nlp, folder / TEST, options.limit)
    rest = [example for i, example in enumerate(train) if i % 10]
    rows, features = TABLES[options.table]
    table, figures = [], []
    reference: Counts = []
    for name, row in rows.items():
        if options.rows and name not in options.rows.split(","):
            continue
        block = {
            "@misc": "spacy_latperc.PaperFeatures.v1",
            **features,
            "min_count": row.min_count,
            "latent_form": "full",
        }
        most = min(row.passes, options.passes or row.passes)
        start = process_time()
        found = [f_score(x) for x in learn(row, block, rest, train[::10], most, 0)]
        passes = max(range(most), key=lambda i: (found[i], -i)) + 1
        runs, seconds = [], []
        for seed in range(options.seeds):
            begin = process_time()
            *_, counts = learn(row, block, train, test, passes, seed, last=True)
            seconds.append(process_time() - begin)
            runs.append(counts)
        reference = reference or runs[0]
        values = [f_score(counts) for counts in runs]
        sd = statistics.stdev(values) if len(values) > 1 else 0.0
        figure = {
            "name": name,
            "mean": statistics.mean(values),
            "sd": sd,
            "epochs": passes,
            "seconds": statistics.median(seconds),
            "p": p_value(runs[0], reference),
        }
        figures.append(figure)
        cells = (f"{figure[key]:.2f}" for key in ("mean", "sd"))
        cost = (str(passes), f"{figure['seconds']:.1f}", f"{figure['p']:.3f}")
        table.append((name, *cells, *cost))
        msg.text(f"{process_time() - start:.0f} s  {name}: {values}")
    header = ("Model", "F", "sd", "Epochs", "CPU seconds", "p")
    show(header, table, figures, options.json)


def read(nlp: Any, path: Path, limit: int) -> list[Example]:
    reader = column_corpus(
        path,
        ["word", "tag", "chunk"],
        inputs=["tag"],
        repair=True,
        keep_types=["NP"],
        limit=limit,
    )
    return list(reader(nlp))


def learn(
    row: Row,
    features: dict[str, Any],
    train: Sequence[Example],
    test: Sequence[Example],
    passes: int,
    seed: int,
    *,
    last: bool = False,
) -> list[Counts]:
    """The counts of each test sentence after each epoch, or after the last one."""
    nlp = spacy.blank("en", vocab=train[0].reference.vocab)
    model = {
        "features": features,
        "learner": {"@misc": f"spacy_latperc.{row.learner}.v1", **row.settings},
        "order": row.order,
        "latent": row.latent,
        "seed": seed,
    }
    chunker: Any = nlp.add_pipe(
        "latperc_chunker", config={"scheme": "IOB2", "model": model}
    )
    nlp.initialize(lambda: train)
    results = []
    for number, _ in enumerate(epochs(chunker, train, passes, seed), 1):
        if not last or number == passes:
            results.append(count(nlp, test))
    return results


def count(nlp: Any, examples: Sequence[Example]) -> Counts:
    docs = nlp.pipe(example.predicted.copy() for example in examples)
    counts = []
    for example, doc in zip(examples, docs, strict=True):
        found, gold = (
            {(span.start, span.end, span.label) for span in x.spans["chunks"]}
            for x in (doc, example.reference)
        )
        counts.append((len(found & gold), len(found), len(gold)))
    return counts


def f_score(counts: Counts) -> float:
    right, given, gold = map(sum, zip(*counts, strict=True))
    return 200 * right / max(given + gold, 1)


if __name__ == "__main__":
    main()
