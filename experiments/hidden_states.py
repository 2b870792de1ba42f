"""Section 4 of the latent perceptron paper: labels behind which a hidden cycle turns.

    python -m experiments.hidden_states

3,000 training, 500 development and 3,000 test sequences of `data/synthetic.py`, a few
data seeds; label accuracy on test at the pass that is best on development data, and
after the last pass. The features are the paper's, the observation and the transitions;
with and without start and end weights.
"""

import argparse
import statistics
from typing import Any

import numpy as np
from numpy.typing import NDArray
from wasabi import msg

from spacy_latperc.features.sets import custom_templates
from spacy_latperc.learners.base import Batch
from spacy_latperc.learners.chain import ChainLearner
from spacy_latperc.learners.perceptron import perceptron
from spacy_latperc.learners.search import viterbi

from .synthetic import cycle_model

SIZES = (3000, 500, 3000)
PASSES = 30
LABELS = ("y1", "y2")
# Latent states of a label, and settings of the learner, by name.
MODELS: dict[str, tuple[int, dict[str, Any]]] = {
    "perceptron, average": (1, {}),
    "latent, average": (2, {}),
    "latent, mavg": (2, {"average": "mavg"}),
    "latent, mavg, restart_every 2": (2, {"average": "mavg", "restart_every": 2}),
    "latent, mavg, margin 1": (2, {"average": "mavg", "margin": 1.0}),
}
_FIRST_WORD = 10  # hashes of the observations; any will do

Part = tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int32]]


def main() -> None:
    parser = argparse.ArgumentParser(description="Labels behind a hidden cycle")
    parser.add_argument("--p", type=float, default=0.9, help="strength of the cycle")
    parser.add_argument("--seeds", type=int, default=3, help="data seeds 0, 1, ...")
    arguments = parser.parse_args()
    bound = 100 * cycle_model(arguments.p).best_accuracies()[1]
    rows = []
    for boundaries in (False, True):
        for name, (latent, settings) in MODELS.items():
            runs = [
                accuracies(arguments.p, seed, boundaries, latent, settings)
                for seed in range(arguments.seeds)
            ]
            best, last = (statistics.mean(values) for values in zip(*runs, strict=True))
            ends = "with" if boundaries else "without"
            rows.append((name, ends, f"{best:.1f}", f"{last:.1f}"))
    header = ("Learner", "Start and end", "Best on dev", "Last pass")
    msg.table(rows, header=header, divider=True, aligns=("l", "l", "r", "r"))
    msg.text(f"The true model: {bound:.1f}")


def accuracies(
    p: float, seed: int, boundaries: bool, latent: int, settings: dict[str, Any]
) -> tuple[float, float]:
    """On test: at the pass that is best on development data, and at the last."""
    rng = np.random.default_rng(seed)
    train, dev, test = (sample(p, rng, n) for n in SIZES)
    learner = ChainLearner(
        custom_templates(["w[0]"], latent_form="full"),
        perceptron(**settings),
        viterbi(),
        latent=latent,
        seed=seed,
        boundaries=boundaries,
    )
    learner.set_labels(LABELS)
    learner.start(SIZES[0])
    blocks = learner.extract(Batch(train[0], train[1], str))
    history = []
    for _ in range(PASSES):
        learner.update(blocks, train[2])
        history.append((accuracy(learner, dev), accuracy(learner, test)))
    return max(history)[1], history[-1][1]


def sample(p: float, rng: np.random.Generator, n: int) -> Part:
    """Sequences as columns (word, no sentence starts), Doc offsets and labels."""
    sequences = cycle_model(p).sample(rng, n)
    docs = np.cumsum([0, *(len(x) for x, _ in sequences)], dtype=np.int64)
    x, y = (np.concatenate(side) for side in zip(*sequences, strict=True))
    columns = np.stack([x + _FIRST_WORD, np.zeros_like(x)], axis=1)
    return columns.astype(np.uint64), docs, y.astype(np.int32)


def accuracy(learner: ChainLearner, part: Part) -> float:
    columns, docs, labels = part
    return 100 * float((learner.predict(Batch(columns, docs, str)) == labels).mean())


if __name__ == "__main__":
    main()
