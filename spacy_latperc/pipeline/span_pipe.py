"""Components whose answers are spans (SpanPipe), and several chunk representations in
one of them: a chain for each, and a vote.

Each voter is a coder with a representation and a chain of its own: it reads the gold
and what is known of the tokens in its own labels. To the outside, the labels are those
of O+C, which can say everything that the voters agree on.

A vote heeds what each voter does, not what it was told: a token that a label set wants
in some chunk is in none when no chunk has enough votes.

The views of a classifier of sentences vote in kernels/classifier/views.hh, since their
vote is a step of learning; here spans are voted on, once for each text.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Model

from ..errors import Errors
from ..errors.check import check_choice, check_strings
from ..learners.base import Batch, Prepared
from ..learners.ensemble import ChainEnsemble
from ..model import make_voters
from ..schemes import DEFAULT_SCHEME, get_scheme, vote_on_spans, vote_on_tokens
from ..schemes.decode import Chunks
from .chain import ChainPipe
from .parts import Context, Ids, Prediction, forwarded
from .saved import Check, check_schemes
from .spans import SpanCoder, SpanLayer

VOTES = ("span", "token")
# Settings of components whose answers are spans, and their defaults.
REPRESENTATION: dict[str, Any] = {
    "scheme": None,
    "schemes": [],
    "vote": "span",
    "weights": None,
}


class VotingCoder(SpanCoder):
    """Spans of a layer as labels of several chains that vote.

    Args:
        context: Of the component.
        layer: Where the spans are.
        schemes: The representations.
        vote: Over whole spans ("span") or "token" by token.
        weights: Of the votes of each scheme; none for equal ones.
    """

    score_kinds: tuple[str, ...] = ("none", "agreement", "marginal")

    def __init__(
        self,
        context: Context,
        layer: SpanLayer,
        schemes: Sequence[str],
        vote: str,
        weights: Sequence[float] | None,
    ):
        super().__init__(context, layer, DEFAULT_SCHEME)
        _check(context.name, schemes, weights)
        self.vote = vote
        self.weights = list(weights or [1.0] * len(schemes))
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


class SpanPipe(ChainPipe):
    """A component whose answers are spans: of one chain, or of several that vote.

    Args:
        vocab: Of the pipeline.
        model: A chain.
        name: Of the component.
        layer: Where the spans are.
        scheme: The representation of one chain; None: the default.
        schemes: Those of several chains that vote, instead.
        vote: How they vote.
        weights: Of the votes.
        settings: See ChainPipe.
    """

    coder: SpanCoder
    vote = forwarded("coder", "How several chains vote.")
    weights = forwarded("coder", "Of the votes of each chain.")
    inventory = forwarded("coder", "The labels, in the scheme.")

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str,
        layer: SpanLayer,
        *,
        scheme: str | None = None,
        schemes: Sequence[str] = (),
        vote: str = "span",
        weights: Sequence[float] | None = None,
        **settings: Any,
    ):
        self.layer = layer
        check_strings("schemes", schemes)
        if schemes and scheme is not None:
            message = Errors.LP450.format(
                name=name, scheme=scheme, schemes=", ".join(schemes)
            )
            raise ValueError(message)
        check_choice("vote", vote, VOTES)
        scheme = scheme or DEFAULT_SCHEME
        get_scheme(scheme)
        tied: dict[str, Any] = {"scheme": scheme}
        if schemes:
            tied["schemes"] = [get_scheme(x).name for x in schemes]

        def make_coder(context: Context) -> SpanCoder:
            if not schemes:
                return SpanCoder(context, layer, scheme)
            return VotingCoder(context, layer, tied["schemes"], vote, weights)

        super().__init__(vocab, model, name, make_coder, tied=tied, **settings)

    @property
    def voters(self) -> list["SpanPipe"]:
        """Each chain of a vote as a component of its own, to be looked at."""
        if not isinstance(self.coder, VotingCoder):
            return []
        given = vars(self.layer).items()
        settings = {key: value for key, value in given if key[0] != "_"}
        found = []
        for coder in self.coder.voters:
            voter = type(self)(
                self.vocab,
                coder.context.model,
                self.name,
                scheme=coder.scheme_name,
                scorer=self.scorer,
                **settings,
            )
            voter.cfg["labels"] = self.cfg["labels"]
            found.append(voter)
        return found


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
