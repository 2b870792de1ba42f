"""Inexact search: which updates does a learner learn from?

    python -m experiments.violations --task tagger --data ud_ewt
    python -m experiments.violations --task parser --data ud_trees/en_ewt

The experiment of Huang, Fayong and Guo (2012) and of Huang's lectures: standard, early,
latest and max-violation updates, for beams of several widths; for a tagger of order 2
also exact search (width 0). The epoch is chosen on the development part. With a parser,
the share of the updates of the last epoch that were no violation, so that they fixed
nothing; tags are given, and subtypes of relations count.
"""

import argparse
import statistics
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import spacy
from spacy.training import Example

from spacy_latperc.kernels.chains import PREFIXES
from spacy_latperc.parser.parser_component import LatpercParser
from spacy_latperc.pipeline.chain_pipe import ChainPipe

from .training import Corpora, epochs, mean_and_sd, read_tags, read_trees, show

FEATURES: dict[str, dict[str, Any]] = {
    "lecture": {"@misc": "spacy_latperc.PaperFeatures.v1", "name": "slides_pos"},
    "default": {"@misc": "spacy_latperc.TaggingFeatures.v1"},
    "word": {
        "@misc": "spacy_latperc.Templates.v1",
        "templates": ["w[0]", "suf1[0]", "suf2[0]", "suf3[0]", "shape[0]"],
    },
}
Run = list[dict[str, Any]]  # figures of each epoch


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Learning with inexact search")
    parser.add_argument("--task", choices=("tagger", "parser"), default="tagger")
    parser.add_argument("--data", default="sample", help="ud_ewt, ud_trees/en_ewt")
    parser.add_argument("--features", choices=FEATURES, default="lecture")
    parser.add_argument("--widths", default="1,4", help="0: exact search")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--passes", type=int, default=10)
    parser.add_argument("--limit", type=int, default=0, help="trees to learn from")
    parser.add_argument("--json", type=Path, help="File for the figures")
    options = parser.parse_args(arguments)
    nlp = spacy.blank("xx")
    tags = options.task == "tagger"
    corpora = (
        read_tags(options.data, nlp)
        if tags
        else read_trees(options.data, nlp, options.limit)
    )
    model: dict[str, Any] = {}
    if tags:
        model = {"order": 2, "features": FEATURES[options.features]}
    rows, figures = [], []
    for width in map(int, options.widths.split(",")):
        search = {"@misc": "spacy_latperc.Beam.v1", "width": width}
        if width == 0:
            search = {"@misc": "spacy_latperc.Viterbi.v1"}
        for method in PREFIXES if width else ("standard",):
            learner = {"@misc": "spacy_latperc.ViolationFixing.v1", "method": method}
            block = {**model, "search": search, "learner": learner}
            runs = [
                learn(options.task, block, corpora, options.passes, seed)
                for seed in range(options.seeds)
            ]
            best = [max(run, key=lambda epoch: epoch["dev"]) for run in runs]
            rows.append((str(width or "exact"), method, *_cells(runs, best)))
            means: dict[str, float] = {
                name: statistics.mean(epoch[name] for epoch in best)
                for name in ("dev", "test", "uas")
                if name in best[0]
            }
            figures.append({"width": width, "method": method, **means, "runs": runs})
            print(" ".join(rows[-1]), file=sys.stderr)
    last = "test" if tags else "UAS"
    header = ("beam", "update", "dev" if tags else "LAS", "sd", last, "sd", "pass")
    show((*header, "s/pass", "no violation, %"), rows, figures, options.json)


def learn(
    task: str, model: dict[str, Any], corpora: Corpora, passes: int, seed: int
) -> Run:
    """The figures of each epoch; the clock runs while weights change."""
    train = corpora["train"]
    nlp = spacy.blank("xx", vocab=train[0].reference.vocab)
    if task == "tagger":
        model = {**model, "seed": seed}
    component: Any = nlp.add_pipe(f"latperc_{task}", config={"model": model})
    nlp.initialize(lambda: train)
    evaluate: Callable[..., dict[str, float]] = (
        tag_scores if task == "tagger" else tree_scores
    )
    run: Run = []
    made = fixing = 0
    for seconds in epochs(component, train, passes, seed):
        figures: dict[str, Any] = {"pass": len(run) + 1, "seconds": seconds}
        if task == "parser":
            now, fixed = component.learner.updates
            figures["no_violation"] = 1 - (fixed - fixing) / max(now - made, 1)
            made, fixing = now, fixed
        run.append({**figures, **evaluate(component, corpora)})
    return run


def tag_scores(tagger: ChainPipe, corpora: Corpora) -> dict[str, float]:
    """Accuracy in percent on dev and test."""

    def accuracy(examples: Sequence[Example]) -> float:
        batch = tagger.reader.read([example.predicted for example in examples])
        found = tagger.learner.predict(batch)
        names = np.array([*tagger.learner.labels, ""])  # -2: no path; there is one
        gold = np.array([token.tag_ for x in examples for token in x.reference])
        return 100 * float((names[found] == gold).mean())

    return {part: accuracy(corpora[part]) for part in ("dev", "test")}


def tree_scores(parser: LatpercParser, corpora: Corpora) -> dict[str, float]:
    """LAS and UAS in percent on dev; all tokens count, and subtypes of relations."""
    parser.learner.freeze()
    examples = corpora["dev"]
    found = parser.predict([example.predicted for example in examples])
    gold = [token for example in examples for token in example.reference]
    heads = np.array([token.head.i for token in gold])
    heads += np.repeat(found.docs[:-1], np.diff(found.docs))
    names = np.array([token.dep for token in gold], dtype=np.uint64)
    right = found.heads == heads
    is_root = heads == np.arange(len(heads))
    labelled = right & (is_root | (found.relations == names))
    return {"dev": 100 * float(labelled.mean()), "uas": 100 * float(right.mean())}


def _cells(runs: Sequence[Run], best: Run) -> list[str]:
    other = "test" if "test" in best[0] else "uas"
    cells = [x for name in ("dev", other) for x in mean_and_sd([e[name] for e in best])]
    cells.append(f"{statistics.mean(epoch['pass'] for epoch in best):.1f}")
    seconds = [epoch["seconds"] for run in runs for epoch in run]
    cells.append(f"{statistics.mean(seconds):.2f}")
    last = [100 * run[-1].get("no_violation", float("nan")) for run in runs]
    return [*cells, "" if other == "test" else f"{statistics.mean(last):.1f}"]


if __name__ == "__main__":
    main()
