"""The component `latperc_judge`: scores sentences by what latperc_errors wrote."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.language import Language
from spacy.tokens import Doc

from ..calibration import log_odds, sigmoid
from ..errors import Errors
from ..errors.check import check_choice, check_kind, check_number
from ..grammaticality.annotations import SentencePredictions
from ..grammaticality.scorer import NEGATIVE, POSITIVE, grammaticality_score
from ..grammaticality.sentence_pipe import OF_SENTENCES
from ..pipeline.component_settings import defaults, with_settings
from ..pipeline.forwarded import saved_number
from .cfg_pipe import CfgPipe, predictions
from .collect_features import collect
from .floor import Floor
from .sentence_explanation import SentenceExplanation, explain_sentences
from .sentence_scorer import Joined

_RARE = 1e-4  # the lowest share of bad sentences, and of good ones
BELOW = -30.0  # the score below the floor


@dataclass(kw_only=True)
class JudgeSettings:
    """Settings of `latperc_judge`.

    Attributes:
        errors_key: The key of doc.spans that latperc_errors writes to.
        doc: The score of a Doc with several sentences: their "min" or their "mean".
        threshold: Sentences with a lower probability count as bad.
        bad_share: The share of bad sentences in the text that is judged, which the
            probabilities assume. It does not change their order.
    """

    errors_key: str = "errors"
    doc: str = "min"
    threshold: float = 0.5
    bad_share: float = 0.5

    def __post_init__(self) -> None:
        check_kind("errors_key", self.errors_key, str, "a key of doc.spans")
        check_choice("doc", self.doc, OF_SENTENCES)
        check_number("threshold", self.threshold, high=1.0, hint="a probability")
        check_number("bad_share", self.bad_share, low=_RARE, high=1 - _RARE)


@Language.factory(
    "latperc_judge",
    assigns=["doc.cats"],
    default_config={
        **defaults(JudgeSettings),
        "scorer": None,
    },
    default_score_weights={
        "grammaticality_acc": 0.5,
        "grammaticality_auc": 0.5,
        "grammaticality_f": None,
    },
)
@with_settings(JudgeSettings)
def make_judge_component(
    nlp: Language, name: str, scorer: Callable | None, **settings: Any
) -> "LatpercJudge":
    """Build a component that scores sentences by the output of latperc_errors.

    Args:
        nlp: The pipeline.
        name: The name of the component.
        scorer: Scores the categories, in place of `grammaticality_score`.
        settings: See JudgeSettings.
    """
    return LatpercJudge(name, scorer=scorer or grammaticality_score, **settings)


class assumed_share(saved_number):
    """The share of bad sentences that probabilities assume. Assigning another one moves
    the threshold with the probabilities, so that the same sentences pass."""

    def _put(self, pipe: "LatpercJudge", value: float) -> None:
        before = log_odds(self._get(pipe))
        super()._put(pipe, value)
        moved = log_odds(pipe.threshold) + before - log_odds(pipe.bad_share)
        pipe.threshold = float(sigmoid(moved))


class LatpercJudge(CfgPipe):
    """Scores sentences. It has weights of features, which are fitted to held-out data,
    and nothing that `nlp.update` could train."""

    bad_share = assumed_share(
        "settings", "The assumed share of bad sentences.", _RARE, 1 - _RARE
    )

    def __init__(
        self,
        name: str = "latperc_judge",
        *,
        scorer: Callable | None = None,
        **settings: Any,
    ):
        super().__init__(name, scorer)
        self.settings = JudgeSettings(**settings)
        self.joined: Joined | None = None
        self.floor: Floor | None = None

    @property
    def labels(self) -> tuple[str, str]:
        """The categories of good and of bad sentences."""
        return POSITIVE, NEGATIVE

    def fit(self, joined: Joined, floor: Floor) -> None:
        """Take the weights of the features, and the floor."""
        self.joined, self.floor = joined, floor
        self.cfg |= {"joined": joined.to_dict(), "floor": floor.to_dict()}

    def log_odds(self, margins: NDArray[np.float64]) -> NDArray[np.float64]:
        """Convert the raw scores of sentences to log odds of being good."""
        line = self.calibration
        share = float(log_odds(self.bad_share))
        return margins / line.temperature + line.bias - share

    def probabilities(self, margins: NDArray[np.float64]) -> NDArray[np.float64]:
        """Convert the raw scores of sentences to probabilities of being good."""
        return sigmoid(self.log_odds(margins))

    def scores(
        self, table: NDArray[np.float64], costs: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the raw scores of sentences; below the floor they are very low.

        Args:
            table: The features of the sentences, [sentences, COLUMNS].
            costs: The mean costs of the words and letters of each sentence.
        """
        joined, floor = self._fitted()
        return np.where(floor.above(table, costs), joined(table), BELOW)

    def _fitted(self) -> tuple[Joined, Floor]:
        if self.joined is None or self.floor is None:
            raise ValueError(Errors.LP780.format(name=self.name))
        return self.joined, self.floor

    # Prediction -----------------------------------------------------------------------

    def predict(self, docs: Iterable[Doc]) -> SentencePredictions:
        """Score the sentences of Docs, which are not changed."""
        docs = list(docs)
        seen = collect(docs, self.settings.errors_key, self.name)
        joined, floor = self._fitted()
        costs = floor.words.costs_in(docs, seen.bounds)
        scores = self.scores(seen.table, costs)
        versions = joined.compare(seen.table)
        return predictions(scores, seen.docs, seen.bounds, seen.per_doc, versions)

    def explain(self, doc: Doc) -> list[SentenceExplanation]:
        """Explain the score of each sentence of a Doc, which latperc_errors annotated:
        the values of the evidence, times their weights.
        """
        seen = collect([doc], self.settings.errors_key, self.name)
        joined, _ = self._fitted()
        scores = self.predict([doc]).found.scores
        return explain_sentences(doc, seen, joined, scores, self.probabilities(scores))

    # Saving ---------------------------------------------------------------------------

    def _cfg_checks(self) -> dict[str, Callable[[Any], object]]:
        return {
            **super()._cfg_checks(),
            "joined": Joined.from_dict,
            "threshold": type(self).threshold.check,
            "floor": Floor.from_dict,
            "bad_share": type(self).bad_share.check,
        }

    def _loaded(self) -> None:
        self.joined = self.floor = None
        if "joined" in self.cfg and "floor" in self.cfg:
            self.joined = Joined.from_dict(self.cfg["joined"])
            self.floor = Floor.from_dict(self.cfg["floor"])
        type(self).threshold.take_saved(self)
        type(self).bad_share.take_saved(self)
