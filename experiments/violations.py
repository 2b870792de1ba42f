"""Rows about parsing with inexact search: which updates does a parser learn from?

The experiment of Huang, Fayong and Guo (2012) and of Huang's lectures: standard, early,
latest and max-violation updates, for beams of several widths. Tags are given; LAS on
development data after each pass, and the share of the updates that were no violation,
so that they fixed nothing. Taggers are rows of `sequences.py`.
"""

import statistics
from functools import cache
from time import process_time
from typing import Any

import numpy as np
import spacy
from spacy.tokens import Doc
from spacy.training import Example

from spacy_latperc.data.corpus import conllu_corpus
from spacy_latperc.parser.parser_component import LatpercParser
from tools.corpora.locate import required_folder

from .significance import Row, compare
from .training import epochs


def measure(row: Row, reference: Row | None = None) -> dict[str, Any]:
    """The figures of a row.

    Args:
        row: data, limit (of training sentences), unlabelled (one relation for all
            arcs), method and width of the beam, passes, seeds.
        reference: The row that p compares with: LAS, each at its best pass.
    """
    begin = process_time()
    train, dev = read_trees(row["data"], row["limit"], row.get("unlabelled", False))
    runs = [
        learn(train, dev, row["method"], row["width"], row["passes"], seed)
        for seed in range(row["seeds"])
    ]
    curve = []
    keys = [key for key in runs[0][0] if key != "counts"]
    for points in zip(*runs, strict=True):
        values = [point["las"] for point in points]
        curve.append(
            {
                **{key: statistics.mean(x[key] for x in points) for key in keys},
                "mean": statistics.mean(values),
                "low": min(values),
                "high": max(values),
            }
        )
    best = [max(run, key=lambda point: point["las"]) for run in runs]
    counts = [point.pop("counts") for point in best]
    scores = [point["las"] for point in best]
    figures = {
        "mean": statistics.mean(scores),
        "sd": statistics.stdev(scores) if len(scores) > 1 else 0.0,
        "runs": scores,
        "uas": statistics.mean(point["uas"] for point in best),
        "passes": round(statistics.mean(point["pass"] for point in best)),
        "seconds": statistics.mean(point["seconds"] for point in best),
        "no_violation": curve[-1]["no_violation"],
        "seeds": len(runs),
        "curve": curve,
        "cpu": process_time() - begin,
    }
    return {**figures, **compare(row, counts, reference, measure)}


@cache
def read_trees(
    data: str, limit: int, unlabelled: bool
) -> tuple[list[Example], list[Example]]:
    """Train and dev of a treebank, with gold tags given."""
    nlp = spacy.blank("xx")
    names = [f"{data}-{part}.conllu.gz" for part in ("train", "dev")]
    folder = required_folder(*names)
    train, dev = (
        list(conllu_corpus(folder / name, inputs=["tag"], limit=most)(nlp))
        for name, most in zip(names, (limit, 0), strict=True)
    )
    if unlabelled:
        train, dev = ([_unlabelled(x) for x in part] for part in (train, dev))
    return train, dev


def _unlabelled(example: Example) -> Example:
    gold = example.reference
    reference = Doc(
        gold.vocab,
        words=[token.text for token in gold],
        tags=[token.tag_ for token in gold],
        heads=[token.head.i for token in gold],
        deps=["ROOT" if token.head.i == token.i else "dep" for token in gold],
    )
    return Example(example.predicted, reference)


def learn(
    train: list[Example],
    dev: list[Example],
    method: str,
    width: int,
    passes: int,
    seed: int,
) -> list[Row]:
    """The figures after each pass; the clock runs while weights change."""
    nlp = spacy.blank("xx", vocab=train[0].reference.vocab)
    search = {"@misc": "spacy_latperc.Beam.v1", "width": width}
    learner = {"@misc": "spacy_latperc.ViolationFixing.v1", "method": method}
    model = {"search": search, "learner": learner}
    parser: Any = nlp.add_pipe("latperc_parser", config={"model": model})
    nlp.initialize(lambda: train)
    points: list[Row] = []
    made = fixing = 0
    seconds = 0.0
    for taken in epochs(parser, train, passes, seed):
        seconds += taken
        now, fixed = parser.learner.updates
        share = 100 * (1 - (fixed - fixing) / max(now - made, 1))
        made, fixing = now, fixed
        figures = {"pass": len(points) + 1, "seconds": seconds, "no_violation": share}
        points.append({**figures, **tree_scores(parser, dev)})
    return points


def tree_scores(parser: LatpercParser, examples: list[Example]) -> Row:
    """LAS and UAS in percent; all tokens count, and subtypes of relations.

    counts: Right labelled arcs of each sentence, and twice all of them.
    """
    parser.learner.freeze()
    found = parser.predict([example.predicted for example in examples])
    gold = [token for example in examples for token in example.reference]
    heads = np.array([token.head.i for token in gold])
    heads += np.repeat(found.docs[:-1], np.diff(found.docs))
    names = np.array([token.dep for token in gold], dtype=np.uint64)
    right = found.heads == heads
    is_root = heads == np.arange(len(heads))
    labelled = right & (is_root | (found.relations == names))
    sizes = np.diff(found.docs)
    sums = np.add.reduceat(labelled, found.docs[:-1], dtype=int)
    return {
        "las": 100 * float(labelled.mean()),
        "uas": 100 * float(right.mean()),
        "counts": np.stack([sums, sizes, sizes], 1),
    }
