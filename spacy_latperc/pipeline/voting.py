"""Several chunk representations in one component: a chain for each, and a vote."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Model

from ..errors import Errors
from ..learners.chain import NO_PATH
from ..learners.settings import check_choice
from ..learners.voting import VotingLearner
from ..model import Batch, make_voters
from ..schemes import DEFAULT_SCHEME, get_scheme, vote_on_spans, vote_on_tokens
from ..schemes.decode import Chunks
from .base import ChainPipe, Prediction
from .confidence import Judged
from .extensions import Analysis
from .saved import Check, check_schemes
from .spans import SpanPipe

VOTES = ("span", "token")
_NOT_OF_VOTERS = ("n_best", "scores", "threshold", "scorer")


class Voting(SpanPipe):
    """Goes before a component of one chain among the bases of a class.

    Each voter is such a component with a representation of its own: it reads the gold
    and what is known of the tokens in its own labels. To the outside, the labels are
    those of O+C, which can say everything that the voters agree on.

    A vote heeds what each voter does, not what it was told: a token that a label set
    wants in some chunk is in none when no chunk has enough votes.
    """

    single: Callable[..., SpanPipe]
    score_kinds = ("none", "agreement", "marginal")

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str,
        *,
        schemes: Sequence[str],
        vote: str = "span",
        weights: Sequence[float] | None = None,
        **settings: Any,
    ):
        names = [get_scheme(scheme).name for scheme in schemes]
        _check(name, names, weights, settings)
        models = make_voters(model, names)
        super().__init__(
            vocab, model, name, scheme=DEFAULT_SCHEME, schemes=names, **settings
        )
        self.vote = check_choice("vote", vote, VOTES)
        self.weights = list(weights or [1.0] * len(names))
        own = {k: v for k, v in settings.items() if k not in _NOT_OF_VOTERS}
        self._voters = [
            type(self).single(vocab, voter, name, scheme=scheme, **own)
            for scheme, voter in zip(names, models, strict=True)
        ]
        for voter in self._voters:
            voter._warned = self._warned

    @property
    def voters(self) -> list[SpanPipe]:
        """A component for each representation, with the labels of now."""
        for voter in self._voters:
            voter.cfg["labels"] = self.cfg["labels"]
        return self._voters

    def _set_learner_labels(self) -> None:
        for voter in self.voters:
            voter._set_learner_labels()

    def _gold(
        self, examples: Sequence[Example], same: Sequence[bool], batch: Batch
    ) -> NDArray[np.int32]:
        columns = [voter._gold(examples, same, batch) for voter in self.voters]
        return np.stack(columns, axis=1)

    def _cfg_checks(self) -> dict[str, Check]:
        return {**super()._cfg_checks(), "schemes": check_schemes}

    def _fit_of_weights(self, cfg: dict[str, Any], learner: Any, where: str) -> None:
        for voter, chain in zip(self._voters, learner.voters, strict=True):
            voter._fit_of_weights(cfg, chain, where)

    def _check_source(self, source: ChainPipe, where: str) -> None:
        raise ValueError(Errors.LP453.format(what="init_from"))

    # Predicting -----------------------------------------------------------------------

    def _allowed(self, docs: Sequence[Doc], batch: Batch) -> NDArray[np.uint8] | None:
        """The masks of the voters side by side."""
        masks = [voter._allowed(docs, batch) for voter in self.voters]
        known = [mask for mask in masks if mask is not None]
        return np.concatenate(known, axis=1) if known else None

    def _decide(self, docs: Sequence[Doc], batch: Batch) -> Prediction:
        columns = self.model.predict(batch)
        bounds, _ = self.learner.bounds(batch.values, batch.docs)
        ballots = []
        parts = self._batches(batch)
        for voter, part, labels in zip(self.voters, parts, columns.T, strict=True):
            labels = np.ascontiguousarray(labels)
            if part.allowed is not None and (labels == NO_PATH).any():
                voter._raise_contradiction(docs, part, labels)
            ballots.append(voter._answers(labels, bounds))
        if self.vote == "span":
            chunks, shares = vote_on_spans(ballots, self.weights)
        else:
            chunks, shares = vote_on_tokens(
                ballots, self.weights, self.inventory, bounds
            )
        n = len(batch.values)
        return Prediction(
            self.inventory.encode_ids(*chunks, n, offsets=bounds),
            batch.docs,
            bounds,
            shares.astype(np.float32) if self.scores == "agreement" else None,
        )

    def _batches(self, batch: Batch) -> list[Batch]:
        """The batch as each voter has it."""
        ensemble = self.learner
        assert isinstance(ensemble, VotingLearner)
        masks = ensemble.masks_of_voters(batch.allowed)
        return [batch._replace(allowed=mask) for mask in masks]

    # Confidence -----------------------------------------------------------------------

    def _answer_scores(
        self, batch: Batch, prediction: Prediction, answers: Chunks
    ) -> NDArray[np.float32]:
        if prediction.scores is not None:
            return prediction.scores
        return super()._answer_scores(batch, prediction, answers)

    def _answer_probabilities(
        self, batch: Batch, answers: Chunks, temperature: float
    ) -> NDArray[np.float64]:
        """The mean of the voters' probabilities, by their weights."""
        found = [
            voter._answer_probabilities(part, answers, temperature)
            for voter, part in zip(self.voters, self._batches(batch), strict=True)
        ]
        return np.average(found, axis=0, weights=self.weights)

    def gold_scores(self, judged: Judged, temperature: float) -> NDArray[np.float64]:
        """Log probabilities of the annotation of sentences, by each voter."""
        batch, gold = judged.gold
        if not len(gold):
            return np.zeros(0)
        columns = np.ascontiguousarray(gold.T)
        return np.concatenate(
            [
                voter.gold_scores(judged._replace(gold=(batch, column)), temperature)
                for voter, column in zip(self.voters, columns, strict=True)
            ]
        )

    def n_best(self, doc: Doc, k: int = 10, *, share: str = "list") -> list[Analysis]:
        self._refuse("n_best")

    def log_probability(self, doc: Doc) -> float:
        self._refuse("log_probability")

    def _refuse(self, what: str) -> NoReturn:
        raise NotImplementedError(Errors.LP453.format(what=what))


def _check(
    name: str,
    schemes: Sequence[str],
    weights: Sequence[float] | None,
    settings: dict[str, Any],
) -> None:
    listed = ", ".join(schemes)
    if len(set(schemes)) < max(2, len(schemes)):
        raise ValueError(Errors.LP452.format(name=name, schemes=listed or "none"))
    if weights:
        positive = all(math.isfinite(w) and w > 0 for w in weights)
        if len(weights) != len(schemes) or not positive:
            raise ValueError(
                Errors.LP451.format(name=name, weights=weights, schemes=listed)
            )
    if settings.get("n_best", 1) > 1:
        raise ValueError(Errors.LP453.format(what="n_best"))
    if settings.get("scores") == "margin":
        raise ValueError(Errors.LP453.format(what="scores = margin"))


def one_or_several(
    name: str,
    single: Callable[..., SpanPipe],
    voting: Callable[..., SpanPipe],
    *,
    scheme: str | None,
    schemes: Sequence[str],
    vote: str,
    weights: Sequence[float] | None,
) -> Callable[..., SpanPipe]:
    """What builds the component that these settings ask for, out of all others."""
    if not schemes:
        return partial(single, scheme=scheme or DEFAULT_SCHEME)
    if scheme is not None:
        listed = ", ".join(schemes)
        raise ValueError(Errors.LP450.format(name=name, scheme=scheme, schemes=listed))
    return partial(voting, schemes=schemes, vote=vote, weights=weights)
