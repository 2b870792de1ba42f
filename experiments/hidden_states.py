"""Rows of Figure 3 of the latent perceptron paper: labels behind a hidden cycle.

3,000 training, 500 development and 3,000 test sequences of `synthetic.py`; label
accuracy on test at the pass that is best on development data, for several strengths of
the cycle, and the share of the training sequences that are then reproduced exactly. The
features are the paper's, the observation and the transitions, with start and end
weights. The seed is that of the data and of the learner.
"""

import statistics
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spacy_latperc.features.sets import custom_templates
from spacy_latperc.learners.base import Batch
from spacy_latperc.learners.chain import ChainLearner
from spacy_latperc.learners.crf import crf
from spacy_latperc.learners.learner_settings import LearnerSettings, viterbi
from spacy_latperc.learners.perceptron import perceptron

from .significance import Row, compare
from .synthetic import cycle_model

SIZES = (3000, 500, 3000)
LABELS = ("y1", "y2")
LEARNERS: dict[str, Any] = {"Perceptron": perceptron, "CRF": crf}
SHOWN = 0.9  # the strength of the paper's figures in the text
_FIRST_WORD = 10  # hashes of the observations; any will do

Part = tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int32]]


class Run(NamedTuple):
    """Percentages of one model and data seed."""

    right: NDArray[np.int64]  # of each sequence of test, at the best epoch
    best: float  # accuracy on test at the epoch that is best on development data
    last: float  # accuracy on test after the last epoch
    exact: float  # training sequences that are reproduced exactly, at the best epoch


def measure(row: Row, reference: Row | None = None) -> dict[str, Any]:
    """The figures of a model at each strength P.

    Args:
        row: strengths, seeds, passes; latent and learner, or none for the bound that
            the true model has along its most likely path.
        reference: The row that p compares with, at each strength.
    """
    begin = process_time()
    curve: list[dict[str, Any]] = []
    for p in row["strengths"]:
        if "learner" not in row:
            bound = 100 * cycle_model(p).best_accuracies()[1]
            curve.append({"P": p, "mean": bound})
            continue
        settings = dict(row["learner"])
        learner = LEARNERS[settings.pop("name")](**settings)
        runs = [
            train(
                p,
                seed,
                row.get("boundaries", True),
                row["latent"],
                learner,
                row["passes"],
            )
            for seed in range(row["seeds"])
        ]
        best = [run.best for run in runs]
        point: dict[str, Any] = {
            "P": p,
            "mean": statistics.mean(best),
            "sd": statistics.stdev(best),
        }
        point |= {"low": min(best), "high": max(best)}
        for name in ("last", "exact"):
            point[name] = statistics.mean(getattr(run, name) for run in runs)
        counts, other = [run.right for run in runs], reference and {**reference, "P": p}
        curve.append({**point, **compare({**row, "P": p}, counts, other, measure)})
    shown = next(point for point in curve if point["P"] == SHOWN)
    figures: dict[str, Any] = {
        key: shown[key] for key in ("mean", "sd", "last", "exact", "p") if key in shown
    }
    return {**figures, "curve": curve, "cpu": process_time() - begin}


def train(
    p: float,
    seed: int,
    boundaries: bool,
    latent: int,
    settings: LearnerSettings,
    passes: int,
) -> Run:
    """Train on sequences of one seed."""
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
    for _ in range(passes):
        learner.update(blocks, known[2])
        counts = [count(learner, part) for part in (dev, test, known)]
        on_dev, on_test, on_train = (percentages(x) for x in counts)
        history.append((on_dev[0], on_test[0], on_train[1], counts[1]))
    _, best, exact, right = max(history, key=lambda x: x[:3])
    return Run(right, best, history[-1][1], exact)


def sample(p: float, rng: np.random.Generator, n: int) -> Part:
    """Sequences as columns (word, no sentence starts), Doc offsets and labels."""
    sequences = cycle_model(p).sample(rng, n)
    docs = np.cumsum([0, *(len(x) for x, _ in sequences)], dtype=np.int64)
    x, y = (np.concatenate(side) for side in zip(*sequences, strict=True))
    columns = np.stack([x + _FIRST_WORD, np.zeros_like(x)], axis=1)
    return columns.astype(np.uint64), docs, y.astype(np.int32)


def count(learner: ChainLearner, part: Part) -> NDArray[np.int64]:
    """Of each sequence: right labels, and twice all of them, as `Counts` have it."""
    columns, docs, labels = part
    right = learner.predict(Batch(columns, docs, str)) == labels
    sizes = np.diff(docs)
    return np.stack([np.add.reduceat(right, docs[:-1], dtype=int), sizes, sizes], 1)


def percentages(counts: NDArray[np.int64]) -> tuple[float, float]:
    """Those of right labels, and of sequences with right labels only."""
    right, sizes = counts[:, 0], counts[:, 1]
    return 100 * float(right.sum() / sizes.sum()), 100 * float((right == sizes).mean())
