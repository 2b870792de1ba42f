"""What the parts of a chain component share.

A component has a reader (docs.py), a layer, a coder with its constraints, and
confidence:

- the layer is what a component annotates on Docs: tags, chunks, entities. It reads the
  gold there, says what stays, and writes (layers.py says what spans must do);
- the coder (coder.py) translates between a layer and the label ids of a chain;
- constraints (constraints.py) are what is known of single tokens, as masks over these
  labels;
- confidence (confidence.py) answers how sure the chain is.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from spacy.vocab import Vocab
from thinc.api import Model

from ..errors.check import check_number
from ..learners.chain import ChainLearner
from ..model import get_learner
from .extensions import Analysis

Ids = NDArray[np.int32]
Mask = NDArray[np.bool_]
Masks = dict[int, Mask]  # by token


class Prediction(NamedTuple):
    """Label ids of a batch, and where its Docs begin.

    Attributes:
        labels: Label ids of all tokens.
        docs: First tokens of the Docs, and the end.
        sentences: First tokens of the sentences, and the end.
        scores: Of each answer that is left, where they are wanted.
        analyses: The n best of each Doc, where they are wanted.
        beside: What the layer wanted to be read of the tokens.
        all_blank: Whether that was 0 throughout: a layer that read its own annotation
            need not ask each Doc whether it has some. Nothing else comes between
            reading and writing: `pipe` and `__call__` of spaCy call `set_annotations`
            straight after `predict`.
        lengths: Gives the lengths of some tokens; None where the learner does not know
            them.
        evidence: Of the sentences, [sentences, columns], by its kind, where there is
            some (judge/sentence_features.py).
    """

    labels: Ids
    docs: NDArray[np.int64]
    sentences: NDArray[np.int64]
    scores: NDArray[np.float32] | None = None
    analyses: list[list[Analysis]] | None = None
    beside: NDArray[np.uint64] | None = None
    all_blank: bool = False
    lengths: Callable[[Ids], NDArray[np.uint64]] | None = None
    evidence: dict[str, NDArray[np.float32]] | None = None


@dataclass
class Context:
    """What the parts of a component know of it.

    Attributes:
        name: Of the component, for messages.
        vocab: Of the pipeline.
        model: Of the chain; that of a voter is a part of the component's.
        cfg: What was learned; one dict for all parts.
        warn: Warns of a thing (the first argument) once.
    """

    name: str
    vocab: Vocab
    model: Model
    cfg: dict[str, Any]
    warn: Callable[[str, str], None]

    @property
    def labels(self) -> list[str]:
        """The labels, by id."""
        return self.cfg["labels"]

    @property
    def learner(self) -> ChainLearner:
        """The chain that the model holds."""
        return get_learner(self.model)


class forwarded(property):
    """An attribute of a component that is one of its parts'.

    Args:
        part: The name of the part.
        meaning: What it says; its documentation.
        name: What the part calls it; by default the same.
    """

    def __init__(self, part: str, meaning: str, name: str = ""):
        super().__init__(self._get, self._put)
        self.__doc__ = meaning
        self.part = part
        self.name = name

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = self.name or name

    def _get(self, pipe: Any) -> Any:
        return getattr(getattr(pipe, self.part), self.name)

    def _put(self, pipe: Any, value: Any) -> None:
        setattr(getattr(pipe, self.part), self.name, value)


class saved_threshold(forwarded):
    """A threshold that is saved when it is assigned to a component.

    `cfg` has the value of the config and the assigned one, which holds as long as the
    config has the same value.
    """

    def _put(self, pipe: Any, value: Any) -> None:
        value = check_number("threshold", value, high=1.0)
        pipe.cfg["threshold"] = [self._configured(pipe), value]
        super()._put(pipe, value)

    def take_saved(self, pipe: Any) -> None:
        """Apply the threshold of a cfg that was just loaded."""
        configured = self._configured(pipe)
        saved, value = pipe.cfg.get("threshold", (configured, configured))
        if saved != configured:
            pipe.cfg.pop("threshold")
            value = configured
        super()._put(pipe, value)

    def _configured(self, pipe: Any) -> float:
        return vars(pipe).setdefault("_configured_threshold", self._get(pipe))
