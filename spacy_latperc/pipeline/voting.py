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

from collections.abc import Sequence
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
)
from ..schemes.decode import Chunks
from .component_settings import SpanSettings
from .prediction import Ids, Prediction
from .span_coder import HeldOutLabels, SpanCoder


class EnsembleCoder(SpanCoder):
    """Spans of a layer as labels of several chains that vote."""

    score_kinds: tuple[str, ...] = ("none", "agreement", "marginal")

    def __init__(self, owner: Any, layer: Any, settings: SpanSettings):
        schemes = settings.schemes
        _check(owner.name, settings)
        super().__init__(owner, layer, DEFAULT_SCHEME, settings)
        self.vote = settings.vote
        if self.vote == "pool":
            self.score_kinds = ("none", "marginal")
        self.voters = [
            SpanCoder(owner, layer, scheme, model=model)
            for scheme, model in zip(
                schemes, make_voters(self.model, schemes), strict=True
            )
        ]

    def refuse(self, what: str, error: type[Exception] = ValueError) -> NoReturn:
        raise error(Errors.LP453.format(what=what))

    @property
    def n_chains(self) -> int:
        """The number of chains."""
        return len(self.voters)

    @property
    def pools(self) -> bool:
        """True if probabilities are pooled, so that weights can be fitted."""
        return self.vote == "pool"

    def external_scores(self, docs: Sequence[Doc]) -> None:
        """Return None: outside models are pooled with the chains."""

    # Labels and gold ------------------------------------------------------------------

    def set_labels(self) -> None:
        for voter in self.voters:
            voter.set_labels()

    def check_weights(self, cfg: dict[str, Any], learner: Any, where: str) -> None:
        for voter, chain in zip(self.voters, learner.voters, strict=True):
            voter.check_weights(cfg, chain, where)

    def gold(
        self, examples: Sequence[Example], same: Sequence[bool], batch: Batch
    ) -> Ids:
        """Return a column of label ids for each voter."""
        columns = [voter.gold(examples, same, batch) for voter in self.voters]
        return np.stack(columns, axis=1)

    # Prediction -----------------------------------------------------------------------

    def allowed(self, docs: Sequence[Doc], batch: Batch) -> NDArray[np.uint8] | None:
        """Return the masks of the voters side by side."""
        masks = [voter.allowed(docs, batch) for voter in self.voters]
        known = [mask for mask in masks if mask is not None]
        return np.concatenate(known, axis=1) if known else None

    def max_marginals(self, batch: Prepared) -> NDArray[np.float32]:
        """Return those of the first voter."""
        return self.voters[0].max_marginals(self._parts(batch)[0])

    def decide(self, docs: Sequence[Doc], batch: Prepared) -> Prediction:
        if self.vote == "pool":
            pooled = pool(self._tables(docs, batch), self.pool.weights)
            labels = most_voted(pooled, self.inventory, batch.bounds)
            return Prediction(labels, batch.docs, batch.bounds)
        ballots = []
        for voter, part in zip(self.voters, self._parts(batch), strict=True):
            labels = voter.decide(docs, part).labels
            ballots.append(voter.answers(labels, batch.bounds))
        chunks, shares = vote_on_spans(ballots)
        n = batch.n_tokens
        labels = self.inventory.encode_ids(*chunks, n, offsets=batch.bounds)
        scores = shares.astype(np.float32)
        return Prediction(labels, batch.docs, batch.bounds, scores)

    def _parts(self, batch: Prepared) -> list[Prepared]:
        """Return the batch for each voter."""
        ensemble = self.learner
        assert isinstance(ensemble, ChainEnsemble)
        return ensemble.of_voters(batch)

    # Pooling --------------------------------------------------------------------------

    def _tables(self, docs: Sequence[Doc], batch: Prepared) -> list[Table]:
        """Return the log probabilities of the labels at each token, by each chain and
        then by each outside model."""
        tables = []
        for voter, part, temperature in zip(
            self.voters, self._parts(batch), self.pool.temperatures, strict=False
        ):
            found, _ = voter.learner.marginals(part, temperature)
            if np.isnan(found).any():
                voter.decide(docs, part)  # says where masks leave nothing
            says = shared_meaning(
                voter.inventory.labels, voter.scheme_name, self.inventory
            )
            tables.append(log_table(found, says))
        return tables + self.outside_tables(docs)

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
        self.save_pool(Pool([1.0] * len(temperatures), temperatures))
        parts = [self._tables(docs, batch) for docs, batch, _ in held_out]
        tables = zip(*parts, strict=True)
        joint = [self._joint(batch, labels) for _, batch, labels in held_out]
        weights = fit_weights([*map(np.concatenate, tables)], np.concatenate(joint))
        self.save_pool(Pool(weights, temperatures))
        return self.pool

    def _joint(self, batch: Prepared, gold: Ids) -> Ids:
        """Return gold in the labels of the vote; -1 where a chain's is unknown."""
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
        """Return the weighted mean of the voters' probabilities."""
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
        """Return the log probabilities of gold labels by each voter."""
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
    schemes, outside = settings.schemes, settings.outside
    listed = ", ".join([*schemes, *outside])
    if outside and settings.vote != "pool":
        known = ", ".join(outside)
        raise ValueError(Errors.LP663.format(name=name, outside=known))
    if len(schemes) + len(outside) < 2 or len(set(schemes)) < len(schemes):
        raise ValueError(Errors.LP452.format(name=name, schemes=listed))
