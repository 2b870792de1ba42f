"""The component `latperc_judge`: scores sentences by what latperc_errors wrote."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import srsly
from numpy.typing import NDArray
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import SimpleFrozenList, minibatch

from ..calibration import Calibration, log_odds, sigmoid
from ..errors import Errors
from ..errors.check import (
    check_choice,
    check_count,
    check_flag,
    check_kind,
    check_number,
    check_strings,
)
from ..grammaticality.annotations import EXTENSIONS, SentencePredictions
from ..grammaticality.classifier import SentenceScores
from ..grammaticality.scorer import NEGATIVE, POSITIVE, grammaticality_score
from ..grammaticality.sentence_pipe import OF_SENTENCES, SentencePipe
from ..io.component_folder import CFG, MODEL, parse_cfg, read_component, whole_component
from ..pipeline.component_settings import defaults, with_settings
from ..pipeline.extensions import register_extensions
from ..pipeline.saved import (
    check_calibration,
    check_string_list,
    check_threshold,
    read_cfg,
    unpack_parts,
)
from .collect_features import SURE, FeatureCollector, costs_of_errors
from .floor import Spelling, check_floor, check_spelling, choose_floor, highest_cost
from .held_out_features import held_out_features
from .sentence_features import ERRORS, KINDS, LENGTH, MEAN, NGRAM, WORDS, names_of
from .sentence_scorer import Joined

_RARE = 1e-4  # the lowest share of bad sentences, and of good ones
BELOW = -30.0  # the highest score below the floor
_FLOOR_WORDS = 8  # shorter sentences say too little about their language


@dataclass(kw_only=True)
class JudgeSettings:
    """Settings of `latperc_judge`.

    Attributes:
        positive_label: The category of good sentences in doc.cats.
        negative_label: The category of bad sentences.
        evidence: The kinds of features that are joined: "ngram", "contexts", "errors"
            (the probabilities of wrong tokens) and "length". latperc_errors computes
            them. Their weights are fitted to held-out data (`spacy latperc calibrate`).
        errors_key: The key of doc.spans that latperc_errors writes to.
        doc: The score of a Doc with several sentences: their "min" or their "mean".
        threshold: Sentences with a lower probability count as bad.
        bad_share: The share of bad sentences in the text that is judged, which the
            probabilities assume. It does not change their order.
        explain: Also write token._.grammaticality, the log probability that a token is
            right, and doc.spans["ungrammatical"], the worst spans of each bad
            sentence.
        span_length: The largest number of tokens in such a span.
        span_count: The largest number of such spans in a sentence.
    """

    positive_label: str = POSITIVE
    negative_label: str = NEGATIVE
    evidence: list[str] = field(default_factory=lambda: list(KINDS))
    errors_key: str = "errors"
    doc: str = "min"
    threshold: float = 0.5
    bad_share: float = 0.5
    explain: bool = False
    span_length: int = 2
    span_count: int = 2

    def __post_init__(self) -> None:
        check_strings("evidence", self.evidence)
        for kind in self.evidence:
            check_choice("evidence", kind, KINDS)
        if not self.evidence or len(set(self.evidence)) < len(self.evidence):
            raise ValueError(Errors.LP780.format(evidence=self.evidence))
        check_kind("errors_key", self.errors_key, str, "a key of doc.spans")
        check_choice(
            "doc", self.doc, OF_SENTENCES, hint="for Docs of several sentences"
        )
        check_number("threshold", self.threshold, high=1.0, hint="a probability")
        check_number("bad_share", self.bad_share, low=_RARE, high=1 - _RARE)
        check_flag("explain", self.explain)
        for name in ("span_length", "span_count"):
            no_spans = "explain = false for no spans"
            check_count(name, getattr(self, name), hint=no_spans)


@Language.factory(
    "latperc_judge",
    assigns=["doc.cats", "doc.spans"],
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
        labels = [self.settings.positive_label, self.settings.negative_label]
        if not all(labels) or labels[0] == labels[1]:
            raise ValueError(Errors.LP421.format(labels=labels))
        self.name = name
        self.scorer = scorer
        self._configured_share = self.settings.bad_share
        self.cfg: dict[str, Any] = {"labels": labels}
        self._spelling: tuple[Any, Spelling | None] | None = None  # cached by cfg
        self._joined: tuple[dict[str, Any], Joined] | None = None  # cached by cfg
        register_extensions(EXTENSIONS)

    @property
    def labels(self) -> tuple[str, ...]:
        """The categories of good and of bad sentences."""
        return tuple(self.cfg["labels"])

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

    def probabilities(self, margins: NDArray[np.float64]) -> NDArray[np.float64]:
        """Convert the raw scores of sentences to probabilities of being good."""
        line = self.calibration
        share = float(log_odds(self.bad_share))
        return sigmoid(margins / line.temperature + line.bias - share)

    @property
    def spelling(self) -> Spelling | None:
        """The model of spelling; None if none was learned."""
        saved = self.cfg.get("spelling")
        if self._spelling is None or self._spelling[0] is not saved:
            self._spelling = saved, Spelling(**saved) if saved else None
        return self._spelling[1]

    def scores(
        self, table: NDArray[np.float64], costs: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        """Return the raw scores of sentences; below the floor they are very low.

        Args:
            table: The features of the sentences, [sentences, columns].
            costs: The highest cost of spelling of each sentence.
        """
        below = self._below(table)
        if self.spelling is not None and costs is not None and LENGTH in self._kinds:
            words = table[:, names_of(self._kinds).index(WORDS)]
            below |= (costs > self.spelling.highest) & (words >= _FLOOR_WORDS)
        return np.where(below, BELOW, self.joined(table))

    @property
    def _kinds(self) -> list[str]:
        return self.settings.evidence

    def _below(self, table: NDArray[np.float64]) -> NDArray[np.bool_]:
        floor, kinds = self.cfg.get("floor"), self.settings.evidence
        if floor is None or NGRAM not in kinds or LENGTH not in kinds:
            return np.zeros(len(table), dtype=bool)
        mean, words = (table[:, names_of(kinds).index(x)] for x in (MEAN, WORDS))
        return np.asarray((mean < floor) & (words >= _FLOOR_WORDS))

    def fit_floor(
        self,
        known: Sequence[NDArray[np.float64]],
        strange: Sequence[NDArray[np.float64]],
    ) -> None:
        """Fit the floor: a lower mean log probability of a sentence means that the
        n-grams do not explain it, as of another language.

        Args:
            known: The features of held-out good sentences of each text.
            strange: The same, of n-grams that were counted in other texts alone.
        """
        names = names_of(self.settings.evidence)
        columns = names.index(MEAN), names.index(WORDS)
        self.cfg["floor"] = choose_floor(
            *(
                [x[x[:, columns[1]] >= _FLOOR_WORDS, columns[0]] for x in tables]
                for tables in (known, strange)
            )
        )

    def fit_spelling(
        self, words: Mapping[str, int], good: Sequence[Iterable[Sequence[str]]]
    ) -> None:
        """Fit the model of spelling, and the highest cost above the floor.

        Args:
            words: The count of each word of the training text.
            good: Held-out good sentences of each text.
        """
        spelling = Spelling.learn(words)
        costs = [
            [max(map(spelling.cost, x)) for x in text if len(x) >= _FLOOR_WORDS]
            for text in good
        ]
        highest = highest_cost(costs)
        if highest is not None:
            spelling.highest = highest
            self.cfg["spelling"] = spelling.to_dict()

    @property
    def joined(self) -> Joined:
        """The weights of the features."""
        saved, kinds = self.cfg.get("joined"), self.settings.evidence
        if saved is None:
            return Joined.first(kinds)
        if self._joined is None or self._joined[0] is not saved:
            self._joined = saved, Joined.from_dict(saved)
        return self._joined[1]

    @property
    def _collector(self) -> FeatureCollector:
        own = self.settings
        return FeatureCollector(self.name, own.evidence, own.errors_key)

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
        collector, joined = self._collector, self.joined
        starts, per_doc = collector.sentences(docs)
        table = collector.table(docs, per_doc)
        whole = np.cumsum([0, *map(len, docs)], dtype=np.int64)
        bounds = np.append(starts + np.repeat(whole[:-1], per_doc), whole[-1])
        costs = self.spelling.worst(docs, bounds) if self.spelling else None
        scores = self.scores(table, costs)
        found = SentenceScores(
            scores,
            np.zeros((0, len(scores))),
            np.zeros((0, int(whole[-1])), dtype=np.int32),
            bounds,
            per_doc,
        )
        versions = joined.compare(table) if joined.versions else None
        predicted = SentencePredictions(whole, found, versions=versions)
        if not self.settings.explain:
            return predicted
        if ERRORS not in self.settings.evidence:
            return predicted._replace(costs={})
        wrong = collector.wrong(docs)
        bad = np.flatnonzero(~self.accepted(scores))
        return predicted._replace(
            contributions=np.log1p(-np.minimum(wrong, SURE)).astype(np.float32),
            costs=costs_of_errors(wrong, bounds, bad, self.settings.span_length),
        )

    def features(self, docs: Sequence[Doc]) -> NDArray[np.float64]:
        """Return the features of the first sentence of each Doc, [Docs, columns].

        Args:
            docs: Docs with at least one word each, annotated by latperc_errors.
        """
        collector = self._collector
        _, per_doc = collector.sentences(docs)
        return collector.table(docs, per_doc)[np.cumsum(per_doc) - per_doc]

    def fit_evidence(self, batches: Iterable[Sequence[Example]]) -> None:
        """Fit the weights of the features.

        Args:
            batches: Examples whose predicted Docs are annotated by the components
                before this one. Each Doc counts as one sentence. Where bad Docs name
                the sentence that they were made from, as those of `spacy latperc judge
                corrupt` do, they are also compared with it.
        """
        found = held_out_features(self, batches)
        self.cfg["joined"] = Joined.fit(self.settings.evidence, *found).to_dict()

    # Saving ---------------------------------------------------------------------------

    def to_disk(
        self, path: str | Path, *, exclude: Iterable[str] = SimpleFrozenList()
    ) -> None:
        """Save to a folder, which changes in one step.

        Args:
            path: The folder.
            exclude: "cfg" to write nothing; spaCy passes other names.
        """
        with whole_component(Path(path)) as fresh:
            if CFG not in exclude:
                text = json.dumps(self.cfg, indent=2)
                (fresh / CFG).write_text(text, encoding="utf-8")

    def to_bytes(self, *, exclude: Iterable[str] = SimpleFrozenList()) -> bytes:
        """Serialize the component.

        Args:
            exclude: "cfg" to leave out everything; spaCy passes other names.
        """
        parts = {} if CFG in exclude else {CFG: json.dumps(self.cfg)}
        return srsly.msgpack_dumps(parts)

    def from_disk(
        self, path: str | Path, *, exclude: Iterable[str] = SimpleFrozenList()
    ) -> "LatpercJudge":
        """Load from a folder. A load that is refused changes nothing.

        Args:
            path: The folder.
            exclude: "cfg" to read nothing; spaCy passes other names.

        Raises:
            ValueError: The file is missing or damaged, or does not go with the
                settings.
        """
        folder = Path(path)
        saved, _ = read_component(self.name, folder, exclude=[*exclude, MODEL])
        if saved is not None:
            self._take(self._read_cfg(saved, str(folder / CFG)))
        return self

    def from_bytes(
        self, bytes_data: bytes, *, exclude: Iterable[str] = SimpleFrozenList()
    ) -> "LatpercJudge":
        """Load what `to_bytes` returned. A load that is refused changes nothing.

        Args:
            bytes_data: The bytes.
            exclude: "cfg" to read nothing; spaCy passes other names.

        Raises:
            ValueError: The bytes are damaged or do not go with the settings.
        """
        parts = unpack_parts(bytes_data, name=self.name)
        if CFG in parts and CFG not in exclude:
            where = "The part 'cfg' of the bytes"
            saved = parse_cfg(self.name, where, parts[CFG])
            self._take(self._read_cfg(saved, where))
        return self

    def _take(self, cfg: dict[str, Any]) -> None:
        self.cfg = cfg
        type(self).threshold.take_saved(self)
        configured, value = cfg.get("bad_share", (self._configured_share,) * 2)
        self.settings.bad_share = value
        if configured != self._configured_share:
            # The config says another share than it did when the judge was saved.
            self.bad_share = self._configured_share

    def _read_cfg(self, saved: dict[str, Any], where: str) -> dict[str, Any]:
        checks = {
            "labels": check_string_list,
            "calibration": check_calibration,
            "joined": Joined.from_dict,
            "threshold": check_threshold,
            "floor": check_floor,
            "spelling": check_spelling,
            "bad_share": _check_shares,
        }
        found = read_cfg(saved, checks, {}, name=self.name, where=where)
        kinds = self.settings.evidence
        columns = found.get("joined", {"columns": names_of(kinds)})["columns"]
        if list(columns) != names_of(kinds):
            message = Errors.LP783.format(
                name=self.name, where=where, saved=columns, mine=names_of(kinds)
            )
            raise ValueError(message)
        return self.with_own_labels(found, where)


def _check_shares(saved: Any) -> None:
    """Raise an error unless `saved` is the configured and the assigned bad share."""
    if not isinstance(saved, list) or len(saved) != 2:
        raise ValueError("bad_share must be two numbers")
    for share in saved:
        check_number("bad_share", share, low=_RARE, high=1 - _RARE)
