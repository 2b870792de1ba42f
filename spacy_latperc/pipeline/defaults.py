"""The model of a component that is added without a config."""

from typing import Any


def default_model(features: str, **learner: Any) -> dict[str, Any]:
    """The model block over a named set of templates, with settings of the learner."""
    return {
        "@architectures": "spacy_latperc.ChainModel.v1",
        "latent": 1,
        "order": 1,
        "seed": 0,
        "features": {"@misc": f"spacy_latperc.{features}.v1"},
        "search": {"@misc": "spacy_latperc.Viterbi.v1"},
        "learner": {"@misc": "spacy_latperc.PassiveAggressive.v1", **learner},
    }
