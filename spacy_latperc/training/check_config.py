"""What a config gets wrong without spaCy saying so, or with a traceback."""

import warnings
from types import NoneType
from typing import Any

from spacy.language import DEFAULT_CONFIG, Language
from thinc.api import Config

from ..errors import Warnings
from ..errors.check import check_count, check_kind, did_you_mean

_ALIKE = 0.8  # spaCy lets configs have settings and sections of their own


def check_config(config: Config) -> None:
    """Refuse what training would stumble over later, and warn of what nothing reads.

    Args:
        config: As it is in the file, before defaults are filled in.
    """
    for section in config.keys() - DEFAULT_CONFIG.keys():
        if hint := did_you_mean(section, DEFAULT_CONFIG, _ALIKE):
            warnings.warn(Warnings.LP932.format(name=section) + hint, stacklevel=2)
    known = DEFAULT_CONFIG["training"]
    for name in config.get("training", {}).keys() - known.keys():
        if hint := did_you_mean(name, known, _ALIKE):
            warnings.warn(Warnings.LP931.format(name=name) + hint, stacklevel=2)
    whole = DEFAULT_CONFIG.merge(config).interpolate()
    training, pipeline = whole["training"], whole["nlp"]["pipeline"]
    check_count("training.eval_frequency", training["eval_frequency"])
    check_kind("training.seed", training["seed"], (int, NoneType), "a whole number")
    for name in whole["components"].keys() - set(pipeline):
        warnings.warn(
            Warnings.LP933.format(name=name, pipeline=list(pipeline)), stacklevel=2
        )


def check_score_weights(
    nlp: Language, weights: dict[str, Any], scores: dict[str, Any]
) -> None:
    """Warn of weights of scores that there are not: they count nothing."""
    known = set(scores)
    for name in nlp.pipe_names:
        known.update(nlp.get_pipe_meta(name).default_score_weights)
    for name in [x for x, weight in weights.items() if weight and x not in known]:
        hint = did_you_mean(name, known)
        warnings.warn(Warnings.LP934.format(name=name) + hint, stacklevel=2)
