"""Section 4 of the latent perceptron paper: labels behind which a hidden cycle turns.

    python -m experiments.hidden_states
    python -m experiments.hidden_states --figure

3,000 training, 500 development and 3,000 test sequences of `synthetic.py`, a few data
seeds; label accuracy on test at the epoch that is best on development data, and after
the last epoch. The features are the paper's, the observation and the transitions; with
and without start and end weights. `--figure` draws Figure 3: conventional and latent
models, with start and end weights, over the strength of the cycle, and the share of the
training sequences that each model reproduces exactly.
"""

import argparse
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from wasabi import msg

from spacy_latperc.features.sets import custom_templates
from spacy_latperc.learners.base import Batch
from spacy_latperc.learners.chain import ChainLearner
from spacy_latperc.learners.crf import crf
from spacy_latperc.learners.learner_settings import LearnerSettings
from spacy_latperc.learners.perceptron import perceptron
from spacy_latperc.learners.search import viterbi

from .synthetic import cycle_model
from .training import show

SIZES = (3000, 500, 3000)
PASSES = 30
LABELS = ("y1", "y2")
STRENGTHS = (0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
# Latent states of a label, and the learner, by name.
Models = dict[str, tuple[int, LearnerSettings]]
MODELS: Models = {
    "perceptron, average": (1, perceptron()),
    "latent, average": (2, perceptron()),
    "latent, mavg": (2, perceptron("mavg")),
    "latent, mavg, restart_every 2": (2, perceptron("mavg", restart_every=2)),
    "latent, mavg, margin 1": (2, perceptron("mavg", margin=1.0)),
}
FIGURE: Models = {
    "Perc": (1, perceptron()),
    "CRF": (1, crf()),
    "Lat-Perc avg": (2, perceptron()),
    "Lat-Perc": (2, perceptron("mavg", restart_every=2)),
    "Lat-Perc 4 states": (4, perceptron("mavg", restart_every=2)),
    "DPLVM": (2, crf()),
}
_FIRST_WORD = 10  # hashes of the observations; any will do

Part = tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int32]]


class Run(NamedTuple):
    """Percentages of one model and data seed."""

    best: float  # accuracy on test at the epoch that is best on development data
    last: float  # accuracy on test after the last epoch
    exact: float  # training sequences that are reproduced exactly, at the best epoch


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Labels behind a hidden cycle")
    parser.add_argument("--p", type=float, default=0.9, help="strength of the cycle")
    parser.add_argument("--seeds", type=int, default=3, help="data seeds 0, 1, ...")
    parser.add_argument("--figure", action="store_true", help="draw Figure 3")
    parser.add_argument("--json", type=Path, help="file for the figures")
    options = parser.parse_args(arguments)
    if options.figure:
        figure(range(options.seeds), options.json)
        return
    rows = []
    for boundaries in (False, True):
        for name, (latent, learner) in MODELS.items():
            runs = [
                train(options.p, seed, boundaries, latent, learner)
                for seed in range(options.seeds)
            ]
            best, last = (statistics.mean(run[i] for run in runs) for i in (0, 1))
            ends = "with" if boundaries else "without"
            rows.append((name, ends, f"{best:.1f}", f"{last:.1f}"))
    show(("Learner", "Start and end", "Best on dev", "Last pass"), rows)
    msg.text(f"The true model: {bound(options.p):.1f}")


def figure(seeds: Sequence[int], path: Path | None) -> None:
    """Measure the points of Figure 3."""
    rows, figures = [], []
    for name, (latent, learner) in FIGURE.items():
        for p in STRENGTHS:
            runs = [train(p, seed, True, latent, learner) for seed in seeds]
            values = [run.best for run in runs]
            exact = statistics.mean(run.exact for run in runs)
            sd = statistics.stdev(values) if len(values) > 1 else 0.0
            row = {"model": name, "p": p, "mean": statistics.mean(values), "sd": sd}
            figures.append({**row, "exact": exact})
            cells = (f"{row['mean']:.1f}", f"{sd:.1f}", f"{exact:.1f}")
            rows.append((name, f"{p:.2f}", *cells))
    for p in STRENGTHS:
        figures.append({"model": "the true model", "p": p, "mean": bound(p)})
        rows.append(("the true model", f"{p:.2f}", f"{bound(p):.1f}", "", ""))
    show(("Model", "P", "Accuracy", "sd", "Exact, %"), rows, figures, path)


def bound(p: float) -> float:
    """The accuracy of the true model, along its most likely path."""
    return 100 * cycle_model(p).best_accuracies()[1]


def train(
    p: float, seed: int, boundaries: bool, latent: int, settings: LearnerSettings
) -> Run:
    rng = np.random.default_rng(seed)
    known, dev, test = (sample(p, rng, n) for n in SIZES)
    learner = ChainLearner(
        custom_templates(["w[0]"], latent_form="full"),
        settings,
        viterbi(),
        latent=latent,
        seed=seed,
        boundaries=boundaries,
    )
    learner.set_labels(LABELS)
    learner.start(SIZES[0])
    blocks = learner.extract(Batch(known[0], known[1], str))
    history = []
    for _ in range(PASSES):
        learner.update(blocks, known[2])
        on_dev, on_test = (accuracy(learner, part)[0] for part in (dev, test))
        history.append((on_dev, on_test, accuracy(learner, known)[1]))
    _, best, exact = max(history)
    return Run(best, history[-1][1], exact)


def sample(p: float, rng: np.random.Generator, n: int) -> Part:
    """Sequences as columns (word, no sentence starts), Doc offsets and labels."""
    sequences = cycle_model(p).sample(rng, n)
    docs = np.cumsum([0, *(len(x) for x, _ in sequences)], dtype=np.int64)
    x, y = (np.concatenate(side) for side in zip(*sequences, strict=True))
    columns = np.stack([x + _FIRST_WORD, np.zeros_like(x)], axis=1)
    return columns.astype(np.uint64), docs, y.astype(np.int32)


def accuracy(learner: ChainLearner, part: Part) -> tuple[float, float]:
    """The percentages of right labels, and of sequences with right labels only."""
    columns, docs, labels = part
    right = learner.predict(Batch(columns, docs, str)) == labels
    exact = np.minimum.reduceat(right, docs[:-1])
    return 100 * float(right.mean()), 100 * float(exact.mean())


if __name__ == "__main__":
    main()
