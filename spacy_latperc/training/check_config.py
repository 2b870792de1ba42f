"""Checks of configs for errors that spaCy does not report, or only by a traceback."""

import warnings
from collections.abc import Mapping
from types import NoneType
from typing import Any

from spacy.language import DEFAULT_CONFIG, Language
from thinc.api import Config

from ..errors import Warnings
from ..errors.check import check_count, check_kind, did_you_mean

_ALIKE = 0.8  # spaCy lets configs have settings and sections of their own


def check_config(config: Config) -> None:
    """Refuse settings that would fail later, and warn of settings that nothing reads.

    Args:
        config: The config of the file, before defaults are filled in.
    """
    sections = {*DEFAULT_CONFIG, "pretraining"}
    for section in config.keys() - sections:
        if hint := did_you_mean(section, sections, _ALIKE):
            warnings.warn(Warnings.LP932.format(name=section) + hint, stacklevel=2)
    known = DEFAULT_CONFIG["training"]
    for name in config.get("training", {}).keys() - known.keys():
        if hint := did_you_mean(name, known, _ALIKE):
            warnings.warn(Warnings.LP931.format(name=name) + hint, stacklevel=2)
    whole = DEFAULT_CONFIG.merge(config).interpolate()
    training, pipeline = whole["training"], whole["nlp"]["pipeline"]
    check_count("training.eval_frequency", training["eval_frequency"])
    check_kind("training.seed", training["seed"], (int, NoneType), "an integer or null")
    for name in whole["components"].keys() - set(pipeline):
        warnings.warn(
            Warnings.LP933.format(name=name, pipeline=list(pipeline)), stacklevel=2
        )


def check_score_weights(
    nlp: Language, weights: dict[str, Any], scores: dict[str, Any]
) -> None:
    """Warn of weights of missing scores, which count nothing, and of a development
    corpus without scores."""
    weighted = [name for name, weight in weights.items() if weight]
    if weighted and not any(name in scores for name in weighted):
        names = ", ".join(nlp.pipe_names)
        warnings.warn(Warnings.LP937.format(names=names), stacklevel=2)
    known = set(scores)
    for name in nlp.pipe_names:
        known.update(nlp.get_pipe_meta(name).default_score_weights)
    for name in [x for x in weighted if x not in known]:
        hint = did_you_mean(name, known)
        warnings.warn(Warnings.LP934.format(name=name) + hint, stacklevel=2)


def check_given(nlp: Language, block: Mapping[str, Any]) -> None:
    """Warn of components that find the gold on the Docs that they are scored on."""
    for name in nlp.pipe_names:
        kept = _kept(nlp.config["components"].get(name, {}))
        if kept in (block.get("inputs") or ()):
            message = Warnings.LP936.format(name=name, given=kept)
            warnings.warn(message, stacklevel=2)


def _kept(settings: Mapping[str, Any]) -> str | None:
    """Return the column that a component does not overwrite."""
    factory = settings.get("factory")
    if factory == "latperc_tagger" and not settings.get("overwrite"):
        return settings.get("attribute", "tag")
    if factory == "latperc_ner" and settings.get("keep_ents", True):
        return "ent"
    return None
