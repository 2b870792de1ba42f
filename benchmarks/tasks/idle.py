"""latperc_bench_idle: a component that learns nothing, predicts nothing, costs nothing.

What `spacy train` takes with it is what the host itself takes. It belongs to the bench,
so it is registered when this module is imported and not as an entry point.
"""

from collections.abc import Callable, Iterable
from typing import Any

from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.tokens import Doc
from spacy.training import Example
from thinc.api import Model, Optimizer


class IdlePipe(TrainablePipe):
    """Takes part in everything and does nothing."""

    def __init__(self, nlp: Language, name: str, scorer: Callable | None):
        self.vocab = nlp.vocab
        self.model = Model("latperc_bench_idle", lambda model, docs, is_train: docs)
        self.name = name
        self.scorer = scorer
        self.cfg: dict[str, Any] = {"spans_key": "chunks"}

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
    ) -> None:
        """Nothing to prepare."""

    def predict(self, docs: Iterable[Doc]) -> None:
        """Nothing to predict."""

    def set_annotations(self, docs: Iterable[Doc], scores: None) -> None:
        """Nothing to write."""

    def update(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Optimizer | None = None,
        losses: dict[str, float] | None = None,
    ) -> dict[str, float]:
        """Nothing to learn."""
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        return losses


@Language.factory(
    "latperc_bench_idle",
    default_config={"scorer": {"@scorers": "spacy_latperc.chunk_scorer.v1"}},
    default_score_weights={"chunks_f": 1.0},
)
def make_idle(nlp: Language, name: str, scorer: Callable | None) -> IdlePipe:
    """Build it. scorer: what evaluation calls; null for none."""
    return IdlePipe(nlp, name, scorer)
