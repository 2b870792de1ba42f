"""The learners that are compared, each with the settings that were chosen on dev."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Entry:
    """One of our learners.

    learner: its block in a config; model: other settings of the model.
    epochs: passes over the training data; a learner of whole passes needs one.
    """

    name: str
    learner: dict[str, Any]
    epochs: int
    model: dict[str, Any] = field(default_factory=dict)


def _block(name: str, **settings: Any) -> dict[str, Any]:
    return {"@misc": f"spacy_latperc.{name}.v1", **settings}


_LATENT = {"latent": 2}
_GREEDY = {"search": _block("Beam", width=1)}
_HMM = {"features": {**_block("PaperFeatures"), "name": "hmm"}}
_ADAGRAD = {"margin": 1.0, "step": "adagrad", "learn_rate": 0.1}

OURS = [
    Entry("perceptron", _block("Perceptron"), 10),
    Entry("perceptron, margin 4", _block("Perceptron", margin=4.0), 10),
    Entry("perceptron, AdaGrad", _block("Perceptron", **_ADAGRAD), 10),
    Entry("latent perceptron", _block("Perceptron", average="mavg"), 20, _LATENT),
    Entry("passive-aggressive", _block("PassiveAggressive", C=0.1), 20),
    Entry("MIRA, 5 best", _block("MIRA", n=5), 20),
    Entry("AROW", _block("AROW"), 20),
    Entry("probabilistic, 5 best", _block("ProbabilisticPerceptron", n=5), 20),
    Entry("max-violation, greedy", _block("ViolationFixing"), 10, _GREEDY),
    Entry("CRF, SGD", _block("CRF"), 12),
    Entry("CRF, AdaGrad", _block("CRF", optimizer="adagrad"), 10),
    Entry("CRF, L-BFGS", _block("CRFBatch"), 1),
    Entry("DPLVM, SGD", _block("CRF"), 15, _LATENT),
    Entry("DPLVM, L-BFGS", _block("CRFBatch"), 1, _LATENT),
    Entry(
        "HMM",
        _block("HMM"),
        1,
        _HMM,
    ),
]

# Algorithm and settings of CRFsuite; what is not said is its default.
CRFSUITE: dict[str, dict[str, Any]] = {
    "lbfgs": {},
    "l2sgd": {"max_iterations": 50},
    "ap": {"max_iterations": 10},
    "pa": {"max_iterations": 12},
    "arow": {"max_iterations": 12},
}
