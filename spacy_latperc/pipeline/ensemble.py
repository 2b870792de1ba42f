"""Several chunk representations in one component: a chain for each, and a vote.

Each voter is a coder with a representation and a chain of its own: it reads the gold
and what is known of the tokens in its own labels. To the outside, the labels are those
of O+C, which can say everything that the voters agree on.

A vote heeds what each voter does, not what it was told: a token that a label set wants
in some chunk is in none when no chunk has enough votes.

The views of a classifier of sentences vote in kernels/classifier/views.hh, since their
vote is a step of learning: it takes about a microsecond there for a short sentence and
five views, and 33 here, where spans are voted on once for each batch of texts.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from spacy.tokens import Doc
from spacy.training import Example

from ..errors import Errors
from ..learners.base import Batch, Prepared
from ..learners.ensemble import ChainEnsemble
from ..model import make_voters
from ..schemes import DEFAULT_SCHEME, vote_on_spans, vote_on_tokens
from ..schemes.decode import Chunks
from .layers import SpanLayer
from .parts import Context, Ids, Prediction
from .saved import Check, check_schemes
from .settings import SpanSettings
from .spans import SpanCoder

VOTES = ("span", "token")


class EnsembleCoder(SpanCoder):
    """Spans of a layer as labels of several chains that vote.

    Args:
        context: Of the component.
        layer: Where the spans are.
        settings: With several representations.
    """

    score_kinds: tuple[str, ...] = ("none", "agreement", "marginal")

    def __init__(self, context: Context, layer: SpanLayer, settings: SpanSettings):
        super().__init__(context, layer, DEFAULT_SCHEME)
        schemes = settings.schemes
        _check(context.name, schemes, settings.weights)
        self.vote = settings.vote
        self.weights = list(settings.weights or [1.0] * len(schemes))
        self.voters = [
            SpanCoder(replace(context, model=model), layer, scheme)
            for scheme, model in zip(
                schemes, make_voters(context.model, schemes), strict=True
            )
        ]

    def refuse(self, what: str, error: type[Exception] = ValueError) -> NoReturn:
        raise error(Errors.LP453.format(what=what))

    # Labels and gold ------------------------------------------------------------------

    def cfg_checks(self) -> dict[str, Check]:
        return {**super().cfg_checks(), "schemes": check_schemes}

    def set_labels(self) -> None:
        for voter in self.voters:
            voter.set_labels()

    def check_weights(self, cfg: dict[str, Any], learner: Any, where: str) -> None:
        for voter, chain in zip(self.voters, learner.voters, strict=True):
            voter.check_weights(cfg, chain, where)

    def gold(
        self, examples: Sequence[Example], same: Sequence[bool], batch: Batch
    ) -> Ids:
        """A column for each voter."""
        columns = [voter.gold(examples, same, batch) for voter in self.voters]
        return np.stack(columns, axis=1)

    # Prediction -----------------------------------------------------------------------

    def allowed(self, docs: Sequence[Doc], batch: Prepared) -> NDArray[np.uint8] | None:
        """The masks of the voters side by side."""
        masks = [voter.allowed(docs, batch) for voter in self.voters]
        known = [mask for mask in masks if mask is not None]
        return np.concatenate(known, axis=1) if known else None

    def decide(self, docs: Sequence[Doc], batch: Prepared) -> Prediction:
        ballots = []
        for voter, part in zip(self.voters, self._parts(batch), strict=True):
            labels = voter.decide(docs, part).labels
            ballots.append(voter.answers(labels, batch.bounds))
        if self.vote == "span":
            chunks, shares = vote_on_spans(ballots, self.weights)
        else:
            chunks, shares = vote_on_tokens(
                ballots, self.weights, self.inventory, batch.bounds
            )
        n = len(batch.attrs)
        labels = self.inventory.encode_ids(*chunks, n, offsets=batch.bounds)
        scores = shares.astype(np.float32)
        return Prediction(labels, batch.docs, batch.bounds, scores)

    def _parts(self, batch: Prepared) -> list[Prepared]:
        """The batch as each voter has it."""
        ensemble = self.context.learner
        assert isinstance(ensemble, ChainEnsemble)
        masks = ensemble.masks_of_voters(batch.allowed)
        return [batch.within(mask) for mask in masks]

    # Confidence -----------------------------------------------------------------------

    def probabilities(
        self, batch: Prepared, answers: Chunks, temperature: float
    ) -> NDArray[np.float64]:
        """The mean of the voters' probabilities, by their weights."""
        found = [
            voter.probabilities(part, answers, temperature)
            for voter, part in zip(self.voters, self._parts(batch), strict=True)
        ]
        return np.average(found, axis=0, weights=self.weights)

    def log_scores(
        self, batch: Prepared, gold: Ids, temperature: float
    ) -> NDArray[np.float64]:
        """By each voter."""
        columns = np.ascontiguousarray(gold.T)
        return np.concatenate(
            [
                voter.log_scores(batch, column, temperature)
                for voter, column in zip(self.voters, columns, strict=True)
            ]
        )


def _check(name: str, schemes: Sequence[str], weights: Sequence[float] | None) -> None:
    listed = ", ".join(schemes)
    if len(set(schemes)) < max(2, len(schemes)):
        raise ValueError(Errors.LP452.format(name=name, schemes=listed or "none"))
    if weights:
        positive = all(math.isfinite(w) and w > 0 for w in weights)
        if len(weights) != len(schemes) or not positive:
            raise ValueError(
                Errors.LP451.format(name=name, weights=weights, schemes=listed)
            )
