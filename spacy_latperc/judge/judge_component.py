"""The component `latperc_judge`: scores sentences by what latperc_errors wrote."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import srsly
from numpy.typing import NDArray
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import SimpleFrozenList, minibatch

from ..calibration import Calibration, log_odds, sigmoid
from ..errors import Errors
from ..errors.check import (
    check_choice,
    check_kind,
    check_number,
)
from ..grammaticality.annotations import EXTENSIONS, SentencePredictions
from ..grammaticality.classifier import SentenceScores
from ..grammaticality.scorer import NEGATIVE, POSITIVE, grammaticality_score
from ..grammaticality.sentence_pipe import OF_SENTENCES, SentencePipe
from ..io.component_folder import CFG, MODEL, parse_cfg, read_component, whole_component
from ..pipeline.component_settings import defaults, with_settings
from ..pipeline.extensions import register_extensions
from ..pipeline.saved import check_calibration, check_threshold, read_cfg, unpack_parts
from .collect_features import collect
from .floor import Floor
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


class LatpercJudge(SentencePipe):
    """Scores sentences. It has weights of features, which are fitted to held-out data,
    and nothing that `nlp.update` could train."""

    def __init__(
        self,
        name: str = "latperc_judge",
        *,
        scorer: Callable | None = None,
        **settings: Any,
    ):
        self.settings = JudgeSettings(**settings)
        self.name = name
        self.scorer = scorer
        self._configured_share = self.settings.bad_share
        self.cfg: dict[str, Any] = {}
        self.joined: Joined | None = None
        self.floor: Floor | None = None
        register_extensions(EXTENSIONS)

    @property
    def labels(self) -> tuple[str, str]:
        """The categories of good and of bad sentences."""
        return POSITIVE, NEGATIVE

    def fit(self, joined: Joined, floor: Floor) -> None:
        """Take the weights of the features, and the floor."""
        self.joined, self.floor = joined, floor
        self.cfg |= {"joined": joined.to_dict(), "floor": floor.to_dict()}

    @property
    def calibration(self) -> Calibration:
        """The calibration of the probabilities."""
        return Calibration(**self.cfg.get("calibration", {}))

    @calibration.setter
    def calibration(self, value: Calibration) -> None:
        self.cfg["calibration"] = asdict(value)

    @property
    def bad_share(self) -> float:
        """The share of bad sentences that probabilities assume. Assigning another one
        moves the threshold with the probabilities, so that the same sentences pass."""
        return self.settings.bad_share

    @bad_share.setter
    def bad_share(self, value: float) -> None:
        check_number("bad_share", value, low=_RARE, high=1 - _RARE)
        moved = log_odds(self.threshold) + log_odds(self.bad_share) - log_odds(value)
        self.settings.bad_share = value
        self.threshold = float(sigmoid(moved))
        self.cfg["bad_share"] = [self._configured_share, value]

    def log_odds(self, margins: NDArray[np.float64]) -> NDArray[np.float64]:
        """Convert the raw scores of sentences to log odds of being good."""
        line = self.calibration
        share = float(log_odds(self.bad_share))
        return margins / line.temperature + line.bias - share

    def probabilities(self, margins: NDArray[np.float64]) -> NDArray[np.float64]:
        """Convert the raw scores of sentences to probabilities of being good."""
        return sigmoid(self.log_odds(margins))

    def scores(
        self, table: NDArray[np.float64], costs: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        """Return the raw scores of sentences; below the floor they are very low.

        Args:
            table: The features of the sentences, [sentences, COLUMNS].
            costs: The highest cost of the spelling of a word in each sentence.
        """
        if self.joined is None or self.floor is None:
            raise ValueError(Errors.LP780.format(name=self.name))
        above = self.floor.above(table, costs)
        return np.where(above, self.joined(table), BELOW)

    # Prediction -----------------------------------------------------------------------

    def __call__(self, doc: Doc) -> Doc:
        """Annotate one Doc."""
        return next(iter(self.pipe([doc])))

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Annotate a stream of Docs in batches.

        Args:
            stream: The Docs.
            batch_size: The number of Docs in a batch.
        """
        handle_error = self.get_error_handler()
        for docs in minibatch(stream, size=batch_size):
            try:
                self.set_annotations(docs, self.predict(docs))
                yield from docs
            except Exception as error:
                handle_error(self.name, self, docs, error)

    def predict(self, docs: Iterable[Doc]) -> SentencePredictions:
        """Score the sentences of Docs, which are not changed."""
        docs = list(docs)
        seen = collect(docs, self.settings.errors_key, self.name)
        if self.joined is None or self.floor is None:
            raise ValueError(Errors.LP780.format(name=self.name))
        costs = self.floor.spelling.worst(docs, seen.bounds)
        scores = self.scores(seen.table, costs)
        found = SentenceScores(
            scores,
            np.zeros((0, len(scores))),
            np.zeros((0, int(seen.docs[-1])), dtype=np.int32),
            seen.bounds,
            seen.per_doc,
        )
        versions = self.joined.compare(seen.table)
        return SentencePredictions(seen.docs, found, versions=versions)

    # Saving ---------------------------------------------------------------------------

    def to_disk(
        self, path: str | Path, *, exclude: Iterable[str] = SimpleFrozenList()
    ) -> None:
        """Save to a folder, which changes in one step.

        Args:
            path: The folder.
            exclude: Not used; spaCy passes names.
        """
        with whole_component(Path(path)) as fresh:
            text = json.dumps(self.cfg, indent=2)
            (fresh / CFG).write_text(text, encoding="utf-8")

    def to_bytes(self, *, exclude: Iterable[str] = SimpleFrozenList()) -> bytes:
        """Serialize the component.

        Args:
            exclude: Not used; spaCy passes names.
        """
        return srsly.msgpack_dumps({CFG: json.dumps(self.cfg)})

    def from_disk(
        self, path: str | Path, *, exclude: Iterable[str] = SimpleFrozenList()
    ) -> "LatpercJudge":
        """Load from a folder. A load that is refused changes nothing.

        Args:
            path: The folder.
            exclude: Not used; spaCy passes names.

        Raises:
            ValueError: The file is missing or damaged.
        """
        saved, _ = read_component(self.name, Path(path), exclude=[MODEL])
        self._take(saved or {}, str(Path(path) / CFG))
        return self

    def from_bytes(
        self, bytes_data: bytes, *, exclude: Iterable[str] = SimpleFrozenList()
    ) -> "LatpercJudge":
        """Load what `to_bytes` returned. A load that is refused changes nothing.

        Args:
            bytes_data: The bytes.
            exclude: Not used; spaCy passes names.

        Raises:
            ValueError: The bytes are damaged.
        """
        where = "The part 'cfg' of the bytes"
        parts = unpack_parts(bytes_data, name=self.name)
        self._take(parse_cfg(self.name, where, parts[CFG]), where)
        return self

    def _take(self, saved: dict[str, Any], where: str) -> None:
        checks = {
            "calibration": check_calibration,
            "joined": Joined.from_dict,
            "threshold": check_threshold,
            "floor": Floor.from_dict,
            "bad_share": _check_shares,
        }
        self.cfg = read_cfg(saved, checks, {}, name=self.name, where=where)
        self.joined = self.floor = None
        if "joined" in self.cfg and "floor" in self.cfg:
            self.joined = Joined.from_dict(self.cfg["joined"])
            self.floor = Floor.from_dict(self.cfg["floor"])
        type(self).threshold.take_saved(self)
        configured, value = self.cfg.get("bad_share", (self._configured_share,) * 2)
        self.settings.bad_share = value
        if configured != self._configured_share:
            # The config says another share than it did when the judge was saved.
            self.bad_share = self._configured_share


def _check_shares(saved: Any) -> None:
    """Raise an error unless `saved` is the configured and the assigned bad share."""
    if not isinstance(saved, list) or len(saved) != 2:
        raise ValueError("bad_share must be two numbers")
    for share in saved:
        check_number("bad_share", share, low=_RARE, high=1 - _RARE)
