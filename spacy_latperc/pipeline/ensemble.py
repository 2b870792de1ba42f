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
from dataclasses import asdict, replace
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from spacy.tokens import Doc
from spacy.training import Example

from ..calibration import fit_temperature
from ..errors import Errors
from ..learners.base import Batch, Prepared
from ..learners.chain import UNKNOWN
from ..learners.ensemble import ChainEnsemble
from ..model import make_voters
from ..pooling import Pool, Table, fit_weights, log_table, pool
from ..schemes import (
    DEFAULT_SCHEME,
    most_voted,
    shared_meaning,
    vote_on_spans,
    vote_on_tokens,
)
from ..schemes.decode import Chunks
from .layers import SpanLayer
from .parts import Context, Ids, Prediction
from .saved import Check, check_pool, check_schemes
from .settings import SpanSettings
from .spans import SpanCoder

VOTES = ("span", "token", "pool")
# Docs, the same Docs as read, and the gold of all chains.
HeldOutLabels = tuple[Sequence[Doc], Prepared, Ids]


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
        _check(context.name, settings)
        self.vote = settings.vote
        self.outside = dict(settings.outside)
        self.given_weights = settings.weights
        if self.vote == "pool":
            self.score_kinds = ("none", "marginal")
        self.voters = [
            SpanCoder(replace(context, model=model), layer, scheme)
            for scheme, model in zip(
                schemes, make_voters(context.model, schemes), strict=True
            )
        ]

    def refuse(self, what: str, error: type[Exception] = ValueError) -> NoReturn:
        raise error(Errors.LP453.format(what=what))

    @property
    def pool(self) -> Pool:
        """What each chain and then each outside model is worth, and its temperature.
        Weights are those of the settings; for pooling they can be fitted."""
        ones = [1.0] * (len(self.voters) + len(self.outside))
        found = {"weights": ones, "temperatures": ones}
        found |= self.context.cfg.get("pool", {}) if self.vote == "pool" else {}
        if self.given_weights:
            found["weights"] = list(self.given_weights)
        return Pool(**found)

    # Labels and gold ------------------------------------------------------------------

    def cfg_checks(self) -> dict[str, Check]:
        pool = check_pool(len(self.voters) + len(self.outside))
        return {**super().cfg_checks(), "schemes": check_schemes, "pool": pool}

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
        if self.vote == "pool":
            pooled = pool(self._tables(docs, batch), self.pool.weights)
            labels = most_voted(pooled, self.inventory, batch.bounds)
            return Prediction(labels, batch.docs, batch.bounds)
        weights = self.pool.weights
        ballots = []
        for voter, part in zip(self.voters, self._parts(batch), strict=True):
            labels = voter.decide(docs, part).labels
            ballots.append(voter.answers(labels, batch.bounds))
        if self.vote == "span":
            chunks, shares = vote_on_spans(ballots, weights)
        else:
            chunks, shares = vote_on_tokens(
                ballots, weights, self.inventory, batch.bounds
            )
        n = len(batch.attrs)
        labels = self.inventory.encode_ids(*chunks, n, offsets=batch.bounds)
        scores = shares.astype(np.float32)
        return Prediction(labels, batch.docs, batch.bounds, scores)

    def _parts(self, batch: Prepared) -> list[Prepared]:
        """The batch as each voter has it."""
        ensemble = self.context.learner
        assert isinstance(ensemble, ChainEnsemble)
        return ensemble.of_voters(batch)

    # Pooling --------------------------------------------------------------------------

    def _tables(self, docs: Sequence[Doc], batch: Prepared) -> list[Table]:
        """The log probabilities of the labels at each token, by each chain and then by
        each outside model."""
        tables = []
        for voter, part, temperature in zip(
            self.voters, self._parts(batch), self.pool.temperatures, strict=False
        ):
            found, _ = voter.context.learner.marginals(part, temperature)
            if np.isnan(found).any():
                voter.decide(docs, part)  # says where masks leave nothing
            says = shared_meaning(
                voter.inventory.labels, voter.scheme_name, self.inventory
            )
            tables.append(log_table(found, says))
        for key, model in self.outside.items():
            place = {"name": self.context.name, "key": key}
            tables.append(model.table(docs, self.inventory, place=place))
        return tables

    def fit_pool(self, held_out: Sequence[HeldOutLabels]) -> Pool:
        """Fit temperatures and weights to held-out data: the temperature of each chain
        to whole sentences, then the weights of all to the labels of tokens. The
        temperature of an outside model is in its weight."""
        temperatures = []
        for v, voter in enumerate(self.voters):

            def loss(temperature: float, v: int = v, voter: SpanCoder = voter) -> float:
                scores = [
                    voter.log_scores(
                        batch, np.ascontiguousarray(labels[:, v]), temperature
                    )
                    for _, batch, labels in held_out
                ]
                found = np.concatenate(scores)
                return -float(found[np.isfinite(found)].sum())

            temperatures.append(fit_temperature(loss))
        temperatures += [1.0] * len(self.outside)
        self._keep(Pool([1.0] * len(temperatures), temperatures))
        parts = [self._tables(docs, batch) for docs, batch, _ in held_out]
        tables = zip(*parts, strict=True)
        joint = [self._joint(batch, labels) for _, batch, labels in held_out]
        weights = fit_weights([*map(np.concatenate, tables)], np.concatenate(joint))
        self._keep(Pool(weights, temperatures))
        return self.pool

    def _keep(self, found: Pool) -> None:
        self.context.cfg["pool"] = asdict(found)

    def _joint(self, batch: Prepared, gold: Ids) -> Ids:
        """Gold in the labels of all; -1 where some chain's is not known."""
        first = self.voters[0]
        known = np.asarray((gold >= 0).all(axis=1))
        chunks = first.answers(np.where(known, gold[:, 0], 0), batch.bounds)
        n = len(gold)
        labels = self.inventory.encode_ids(*chunks, n, offsets=batch.bounds)
        # What a token beside an open one is, depends on that one.
        sure = known.copy()
        sure[1:] &= known[:-1]
        sure[:-1] &= known[1:]
        return np.where(sure, labels, UNKNOWN).astype(np.int32)

    # Confidence -----------------------------------------------------------------------

    def probabilities(
        self, batch: Prepared, answers: Chunks, temperature: float
    ) -> NDArray[np.float64]:
        """The mean of the voters' probabilities, by their weights."""
        found = [
            voter.probabilities(part, answers, temperature * own)
            for voter, part, own in zip(
                self.voters, self._parts(batch), self.pool.temperatures, strict=False
            )
        ]
        weights = self.pool.weights[: len(self.voters)]
        return np.average(found, axis=0, weights=weights if any(weights) else None)

    def log_scores(
        self, batch: Prepared, gold: Ids, temperature: float
    ) -> NDArray[np.float64]:
        """By each voter."""
        columns = np.ascontiguousarray(gold.T)
        return np.concatenate(
            [
                voter.log_scores(batch, column, temperature * own)
                for voter, column, own in zip(
                    self.voters, columns, self.pool.temperatures, strict=False
                )
            ]
        )


def _check(name: str, settings: SpanSettings) -> None:
    schemes, weights, outside = settings.schemes, settings.weights, settings.outside
    listed = ", ".join([*schemes, *outside])
    if outside and settings.vote != "pool":
        known = ", ".join(outside)
        raise ValueError(Errors.LP663.format(name=name, outside=known))
    few = len(schemes) + len(outside) < 2
    if few or len(set(schemes)) < max(1, len(schemes)):
        raise ValueError(Errors.LP452.format(name=name, schemes=listed or "none"))
    if weights:
        positive = all(math.isfinite(w) and w > 0 for w in weights)
        if len(weights) != len(schemes) + len(outside) or not positive:
            raise ValueError(
                Errors.LP451.format(name=name, weights=weights, schemes=listed)
            )
