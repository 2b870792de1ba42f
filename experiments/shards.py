"""Iterative parameter mixing: F by the number of shards and of passes.

    python -m experiments.shards

CoNLL-2000, base templates, averaged perceptron. Every tenth sentence of the training
data is held out and scored. All shards are simulated here; what comes out does not
depend on how many of them learn at the same time. Mean and standard deviation are over
seeds.
"""

import argparse
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import spacy
from spacy.language import Language
from spacy.training import Example
from wasabi import msg

from spacy_latperc.data.corpus import column_corpus
from spacy_latperc.learners.chain import ChainLearner
from spacy_latperc.training.repeat import Run, mean_and_sd
from tools.corpora.locate import data_folder

SHARDS = (1, 2, 4, 8, 16, 32, 64)
PASSES = (2, 5, 10, 20, 40)
HELD_OUT = 10  # one sentence of so many
COMPONENT: dict[str, Any] = {
    "scheme": "IOB2",
    "model": {
        "features": {"@misc": "spacy_latperc.BaseChunkingFeatures.v1"},
        "learner": {"@misc": "spacy_latperc.Perceptron.v1"},
    },
}


def main() -> None:
    parser = argparse.ArgumentParser(description="F by shards and passes")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--shards", type=int, nargs="*", default=SHARDS)
    arguments = parser.parse_args()
    folder = data_folder()
    if folder is None:
        raise SystemExit("Set LATPERC_DATA to the folder that holds conll2000.")
    nlp = spacy.blank("en")
    read = column_corpus(
        folder / "conll2000" / "train.txt.gz",
        columns=["word", "tag", "chunk"],
        inputs=["tag"],
    )
    examples = list(read(nlp))
    table = []
    for n in arguments.shards:
        seeds = range(arguments.seeds)
        curves = [curve(nlp, examples, n, PASSES, seed) for seed in seeds]
        row = [str(n)]
        for p in PASSES:
            runs = [Run(seed, 0.0, {"f": curves[seed][p]}) for seed in seeds]
            mean, sd = mean_and_sd(runs, "f")
            row.append(f"{mean:.2f} ({sd:.2f})")
        table.append(tuple(row))
        msg.text(" | ".join(row))
    header = ("shards", *(f"{p} passes" for p in PASSES))
    msg.table(table, header=header, divider=True)


def curve(
    nlp: Language,
    examples: Sequence[Example],
    shards: int,
    passes: Sequence[int],
    seed: int,
) -> dict[int, float]:
    """F of held-out sentences after so many passes over the others."""
    train = [x for i, x in enumerate(examples) if i % HELD_OUT]
    held_out = examples[::HELD_OUT]
    if "latperc_chunker" in nlp.pipe_names:
        nlp.remove_pipe("latperc_chunker")
    component: Any = nlp.add_pipe("latperc_chunker", config=COMPONENT)
    component.initialize(lambda: train, nlp=nlp)
    learner: ChainLearner = component.learner
    learner.settings = replace(learner.settings, shards=shards)
    prepared = component.prepare(train)
    shuffler = random.Random(seed)
    found = {}
    for done in range(1, max(passes) + 1):
        shuffler.shuffle(prepared)
        features, gold = zip(*prepared, strict=True)
        learner.update(list(features), np.concatenate(gold))
        if done in passes:
            found[done] = nlp.evaluate(held_out)["chunks_f"]
    return found


if __name__ == "__main__":
    main()
