"""Settings that components share: each is named, explained and given a default once."""

import inspect
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields
from inspect import Parameter
from typing import Any, TypeVar

Factory = TypeVar("Factory", bound=Callable)


# Templates over clusters are used where the vocabulary has a table of these.
CLUSTERS_IF_THERE = {"@misc": "spacy_latperc.Lookups.v1", "optional": True}


@dataclass(frozen=True, kw_only=True)
class ThreadSettings:
    """The threads of a component.

    Attributes:
        n_threads: The most threads that share a batch. The annotation is the same. It
            pays if batches have some thousand tokens.
    """

    n_threads: int = 1


@dataclass(frozen=True, kw_only=True)
class ConfidenceSettings(ThreadSettings):
    """The scores and n best analyses of a component.

    Attributes:
        n_best: The number of analyses in doc._.latperc_n_best, if more than one.
        scores: The kind of scores: "none", "marginal" (the calibrated probability of an
            answer).
        threshold: Answers with a lower score are left out.
    """

    n_best: int = 1
    scores: str = "none"
    threshold: float = 0.0


@dataclass(frozen=True, kw_only=True)
class SpanSettings(ConfidenceSettings):
    """The representation of spans as labels, and scores of other models.

    Attributes:
        scheme: Chunk representation inside the model: IOB1, IOB2, IOE1, IOE2, O+C (also
            called IOBES, the default) or BILOU.
        outside: Blocks `spacy_latperc.OutsideScores.v1`, each under a name: other
            models, whose log probabilities a chain starts from when it predicts.
    """

    scheme: str | None = None
    outside: dict[str, Any] = field(default_factory=dict)


def defaults(shared: type) -> dict[str, Any]:
    """Return the defaults of shared settings, as in a config."""
    return asdict(shared())


def span_weights(name: str) -> dict[str, float | None]:
    """Return the weights of the scores of spans in `spacy train`."""
    return {
        f"{name}_f": 1.0,
        f"{name}_p": 0.0,
        f"{name}_r": 0.0,
        f"{name}_per_type": None,
    }


def with_settings(shared: type) -> Callable[[Factory], Factory]:
    """Decorate a factory that takes **settings with the names of shared settings.

    To spaCy and to readers they are arguments like all others: they are in its
    signature, and in its docstring in the place of `settings`.
    """

    def decorate(make: Factory) -> Factory:
        signature = inspect.signature(make)
        own = [x for x in signature.parameters.values() if x.kind != x.VAR_KEYWORD]
        more = [
            Parameter(x.name, Parameter.POSITIONAL_OR_KEYWORD, annotation=x.type)
            for x in fields(shared)
        ]
        make.__signature__ = signature.replace(parameters=own + more)  # type: ignore
        text = inspect.getdoc(make) or ""
        entries = "\n".join(_entries(shared))
        make.__doc__ = re.sub(r"(?m)^    settings: .*$", lambda _: entries, text)
        return make

    return decorate


def _entries(shared: type) -> list[str]:
    """Return the lines on fields in the docstrings of a class and its bases."""
    found: list[str] = []
    for cls in reversed(shared.__mro__):
        if cls is not object:
            _, _, listed = (inspect.getdoc(cls) or "").partition("Attributes:\n")
            found += listed.splitlines()
    return found


def default_model(
    features: str, *, clusters: bool = False, **learner: Any
) -> dict[str, Any]:
    """Return the model block of a component that is added without a config.

    Args:
        features: The named set of templates, with its version.
        clusters: Whether it uses clusters of words that the vocabulary has.
        learner: Settings of the learner.
    """
    sources = {"sources": {"lexemes": CLUSTERS_IF_THERE}} if clusters else {}
    return {
        "@architectures": "spacy_latperc.ChainModel.v1",
        "latent": 1,
        "order": 1,
        "seed": 0,
        "features": {"@misc": f"spacy_latperc.{features}", **sources},
        "search": {"@misc": "spacy_latperc.Viterbi.v1"},
        "learner": {"@misc": "spacy_latperc.PassiveAggressive.v1", **learner},
    }
