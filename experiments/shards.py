"""Iterative parameter mixing: F, time and bytes by the number of shards and of passes.

    python -m experiments.shards

CoNLL-2000. Every tenth sentence of the training data is held out and scored. One shard
is plain training; with more, examples stay in theirs, as `fit --workers` deals them
out, and are mixed as it does by default, or as McDonald, Hall and Mann (2010) have it:
each weight among all shards, once a pass. All shards are simulated here: what comes out
does not depend on where they are. Mean and standard deviation are over seeds. Time is
processor time: of learning from the examples, which the shards share, and of comparing
and mixing their weights, of which the part of a worker is shown. What is moved are the
changes that a shard sends, and the weights that it gets. Times and bytes are means over
the passes.
"""

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import spacy
from spacy.language import Language
from spacy.training import Example
from wasabi import msg

from spacy_latperc.data.corpus import column_corpus
from spacy_latperc.kernels.chains import (
    Deltas,
    MixingInPlace,
    deltas_of,
    meet_shard,
    mixed,
)
from spacy_latperc.learners import mixing
from spacy_latperc.learners.chain import ChainLearner
from spacy_latperc.learners.mixing import Mixing, Shard
from spacy_latperc.training.reading import read_stubs
from spacy_latperc.training.repeat import Run, mean_and_sd
from spacy_latperc.training.shards import deal, gather, learn_parts
from tools.corpora.locate import required_file

SHARDS = (1, 2, 4, 8, 16, 32, 64)
PASSES = (5, 10, 20)
HELD_OUT = 10  # one sentence of so many
PERCEPTRON = {"@misc": "spacy_latperc.Perceptron.v1"}
PASSIVE_AGGRESSIVE = {"@misc": "spacy_latperc.PassiveAggressive.v1"}
OURS, OF_2010 = Mixing(), Mixing("examples", 1)
# How they learn, how many latent states a label has, and how shards are mixed.
LEARNERS: dict[str, tuple[dict[str, Any], int, Mixing]] = {
    "perceptron": (PERCEPTRON, 1, OURS),
    "passive-aggressive": (PASSIVE_AGGRESSIVE, 1, OURS),
    "latent perceptron, modified averaging": (
        {**PERCEPTRON, "average": "mavg"},
        2,
        OURS,
    ),
    "perceptron, mixed as in 2010": (PERCEPTRON, 1, OF_2010),
    "passive-aggressive, mixed as in 2010": (PASSIVE_AGGRESSIVE, 1, OF_2010),
}


@dataclass
class Found:
    """Of a number of shards.

    Attributes:
        f: By passes.
        learning: Seconds of learning in a pass, of all shards together.
        mixing: Seconds of comparing and mixing in a pass, for each worker.
        sent: Bytes that a shard sends in a pass.
        got: Bytes that it gets.
    """

    f: dict[int, float] = field(default_factory=dict)
    learning: float = 0.0
    mixing: float = 0.0
    sent: float = 0.0
    got: float = 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description="F by shards and passes")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--shards", type=int, nargs="*", default=SHARDS)
    parser.add_argument("--learners", nargs="*", default=list(LEARNERS))
    parser.add_argument("--json", type=Path, help="File for the figures")
    options = parser.parse_args()
    nlp = spacy.blank("en")
    read = column_corpus(
        required_file("conll2000/train.txt.gz"),
        columns=["word", "tag", "chunk"],
        inputs=["tag"],
    )
    examples = list(read(nlp))
    tokens = sum(len(x.reference) for i, x in enumerate(examples) if i % HELD_OUT)
    figures: dict[str, Any] = {"tokens": tokens, "learners": {}}
    for name in options.learners:
        msg.divider(name)
        rows = []
        for n in options.shards:
            seeds = range(options.seeds)
            found = [curve(nlp, examples, LEARNERS[name], n, seed) for seed in seeds]
            row, figure = summary(found)
            rows.append((str(n), *row))
            figures["learners"].setdefault(name, {})[str(n)] = figure
        header = (
            "shards",
            *(f"{p} passes" for p in PASSES),
            "s learning",
            "s mixing",
            "MB sent",
            "MB got",
        )
        msg.table(rows, header=header, divider=True)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


def summary(found: Sequence[Found]) -> tuple[list[str], dict[str, Any]]:
    """A row of the table, and the same as figures."""
    row, figure = [], {}
    for p in PASSES:
        runs = [Run(seed, 0.0, {"f": x.f[p]}) for seed, x in enumerate(found)]
        mean, sd = mean_and_sd(runs, "f")
        row.append(f"{mean:.2f} ({sd:.2f})")
        figure[f"f after {p}"] = mean
    for name, scale, digits in (
        ("learning", 1.0, 3),
        ("mixing", 1.0, 3),
        ("sent", 1e6, 2),
        ("got", 1e6, 2),
    ):
        mean = float(np.mean([getattr(x, name) for x in found])) / scale
        row.append(f"{mean:.{digits}f}")
        figure[name] = mean
    return row, figure


def curve(
    nlp: Language,
    examples: Sequence[Example],
    settings: tuple[dict[str, Any], int, Mixing],
    shards: int,
    seed: int,
) -> Found:
    """F of held-out sentences after so many passes over the others, and the costs."""
    learner, latent, how = settings
    train = [x for i, x in enumerate(examples) if i % HELD_OUT]
    held_out = examples[::HELD_OUT]
    if "latperc_chunker" in nlp.pipe_names:
        nlp.remove_pipe("latperc_chunker")
    features = {"@misc": "spacy_latperc.BaseChunkingFeatures.v1"}
    model = {"features": features, "learner": learner, "latent": latent, "seed": seed}
    component: Any = nlp.add_pipe(
        "latperc_chunker", config={"scheme": "IOB2", "model": model}
    )
    component.initialize(lambda: train, nlp=nlp)
    chain: ChainLearner = component.learner
    stubs = list(read_stubs(nlp, train, [("chunker", component)]))
    shuffler = random.Random(seed)
    parts = [gather(mine, 0, 0, 1) for mine in deal(stubs, shards)]
    found = Found()
    with measured(found):
        for done in range(1, max(PASSES) + 1):
            if shards > 1:
                learn_parts(chain, parts, how)
            else:
                shuffler.shuffle(stubs)
                whole = gather(stubs, 0, 0, 1)
                start = process_time()
                chain.update(whole.blocks, whole.codes)
                found.learning += process_time() - start
            if done in PASSES:
                found.f[done] = nlp.evaluate(held_out)["chunks_f"]
    for name in ("learning", "mixing", "sent", "got"):
        setattr(found, name, getattr(found, name) / max(PASSES))
    return found


@contextmanager
def measured(found: Found) -> Iterator[None]:
    """Note what the steps of a pass take, one after the other."""
    before = mixing.together, mixing.mix, Shard.learn
    learn, mix = Shard.learn, mixing.mix

    def timed_learn(shard: Shard, *given: Any) -> Any:
        start = process_time()
        result = learn(shard, *given)
        found.learning += process_time() - start
        return result

    def timed_mix(shards: MixingInPlace, kind: str, *given: int) -> None:
        # As workers do it: each compares, cuts its changes, and mixes one range of all.
        weights, n = shards.weights, len(shards.shards)
        start = process_time()
        for shard in shards.shards:
            meet_shard(weights, shard)
        deltas = [deltas_of(weights, shard) for shard in shards.shards]
        sent = [x.arrays(weights) for x in deltas]
        one = [Deltas.from_arrays(weights, x.arrays(weights, parts=n)) for x in deltas]
        values = mixed(weights, one, by_changes=kind == "changes").arrays(weights)
        found.mixing += (process_time() - start) / n
        found.sent += sum(x.nbytes for part in sent for x in part.values()) / n
        found.got += n * sum(x.nbytes for x in values.values())
        mix(shards, kind, *given)

    def one_by_one(jobs: Sequence[Any], _: int = 1) -> list[Any]:
        return [job() for job in jobs]

    mixing.together, mixing.mix = one_by_one, timed_mix  # type: ignore[assignment]
    Shard.learn = timed_learn  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        mixing.together, mixing.mix, Shard.learn = before  # type: ignore[method-assign]


if __name__ == "__main__":
    main()
