"""The component `latperc_errors`: finds wrong tokens and computes sentence features.

It is a chain over labels of tokens: right, wrong, missing before it. It learns from
injected errors (`judge corrupt`) or from real ones.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.language import Language
from spacy.tokens import Doc, Span, SpanGroup
from spacy.training import Example
from thinc.api import Model

from ..calibration import Calibration
from ..errors import Errors
from ..errors.check import check_kind, check_number
from ..grammaticality.annotations import SCORES
from ..kernels.chains import FeatureBlock
from ..learners.base import Batch, Prepared
from ..learners.chain import UNKNOWN
from ..pipeline.chain_pipe import ChainPipe, Compared
from ..pipeline.coder import Coder
from ..pipeline.component_settings import default_model
from ..pipeline.doc_reader import describe
from ..pipeline.forwarded import saved_threshold
from ..pipeline.prediction import Ids, Mask, Prediction
from ..pipeline.saved import Check, check_threshold
from ..schemes.decode import Chunks
from .error_scorer import error_score
from .sentence_features import sentence_features
from .spaces import Words, without_spaces_in

KEY = "errors"
RIGHT, WRONG, MISSING = "ok", "wrong", "missing"
# Attributes of the span group.
TOKENS, STARTS = "tokens", "starts"
FEATURES = "features"

Values = NDArray[np.uint64]
Floats = NDArray[np.float64]


def _default_model() -> dict[str, Any]:
    model = default_model("ErrorFeatures.v1")
    learner = {"@misc": "spacy_latperc.CRF.v1", "optimizer": "adagrad"}
    return {**model, "learner": learner}


@Language.factory(
    "latperc_errors",
    assigns=["doc.spans"],
    default_config={
        "model": _default_model(),
        "spans_key": KEY,
        "threshold": 0.5,
        "scorer": None,
    },
    default_score_weights={"errors_f05": 1.0, "errors_auc": None},
)
def make_errors(
    nlp: Language,
    name: str,
    model: Model,
    spans_key: str,
    threshold: float,
    scorer: Callable | None,
) -> "LatpercErrors":
    """Build a component that finds wrong tokens.

    It writes a span for each such token to doc.spans, with the calibrated probabilities
    in the attributes of the group: `scores` of the spans, `tokens` of every token to be
    wrong, and the `starts` and the `features` of sentences for latperc_judge.

    Args:
        nlp: The pipeline.
        name: Of the component.
        model: A chain (spacy_latperc.ChainModel.v1) whose learner has probabilities.
        spans_key: Where in doc.spans it reads errors, to learn, and writes them.
        threshold: Tokens that are wrong with this probability or more are written.
        scorer: Scores the errors in evaluation, in place of `error_score`.
    """
    layer = ErrorLayer(spans_key, threshold)
    scorer = scorer or error_score
    component = LatpercErrors(nlp.vocab, model, name, layer, ErrorCoder, scorer=scorer)
    return component


class ErrorLayer:
    """Spans of doc.spans as labels of tokens.

    Args:
        spans_key: Of doc.spans.
        threshold: Of what is written.
    """

    def __init__(self, spans_key: str, threshold: float):
        self.name = check_kind("spans_key", spans_key, str, "a key of doc.spans")
        self.written = f"spans:{spans_key}"
        self.threshold = check_number("threshold", threshold, high=1.0)

    def labels(self, doc: Doc) -> list[str] | None:
        """The label of each token; None if the Doc says nothing of errors."""
        if self.name not in doc.spans:
            return None
        found = [RIGHT] * len(doc)
        for span in doc.spans[self.name]:
            label = MISSING if span.label_ == MISSING else WRONG
            found[span.start : span.end] = [label] * len(span)
        return found

    def aligned(
        self, examples: Sequence[Example], same: Sequence[bool]
    ) -> list[list[str | None]]:
        """The label of each predicted token; None where nothing is known."""
        rows: list[list[str | None]] = []
        for example, equal in zip(examples, same, strict=True):
            labels = self.labels(example.reference)
            if labels is None:
                rows.append([None] * len(example.predicted))
            elif equal:
                rows.append(list(labels))
            else:
                parts = example.alignment.x2y
                rows.append(
                    [
                        _worst([labels[at] for at in parts[token].ravel().tolist()])
                        for token in range(len(example.predicted))
                    ]
                )
        return rows

    def write(
        self,
        docs: Sequence[Doc],
        prediction: Prediction,
        names: Sequence[str],
    ) -> None:
        """Write spans and scores."""
        assert prediction.scores is not None
        edges = prediction.docs
        firsts = prediction.sentences.searchsorted(edges)
        found = np.flatnonzero(prediction.labels != names.index(RIGHT))
        within = found.searchsorted(edges)
        for doc, (start, end), (i, j), (first, last) in zip(
            docs,
            pairwise(edges.tolist()),
            pairwise(firsts.tolist()),
            pairwise(within.tolist()),
            strict=True,
        ):
            scores = prediction.scores[start:end].copy()
            at = found[first:last] - start
            kinds = prediction.labels[found[first:last]]
            spans = [
                Span(doc, token, token + 1, label=names[kind])
                for token, kind in zip(at.tolist(), kinds.tolist(), strict=True)
            ]
            attrs = {
                SCORES: scores[at],
                TOKENS: scores,
                STARTS: prediction.sentences[i:j] - start,
            }
            if prediction.features is not None:
                attrs[FEATURES] = prediction.features[i:j].copy()
            doc.spans[self.name] = SpanGroup(
                doc, name=self.name, attrs=attrs, spans=spans
            )


def _worst(labels: Sequence[str]) -> str | None:
    """One label for several tokens: an error if there is one."""
    return next((x for x in labels if x != RIGHT), RIGHT) if labels else None


class ErrorCoder(Coder):
    """Errors as labels of a chain."""

    score_kinds = ("none",)

    layer: ErrorLayer

    # Labels and gold ------------------------------------------------------------------

    def set_labels(self) -> None:
        labels = self.labels
        if labels and RIGHT not in labels:
            message = Errors.LP497.format(name=self.name, right=RIGHT)
            raise ValueError(message)
        self.learner.set_labels(labels)

    def collect_labels(self, doc: Doc) -> Iterable[str]:
        """Return the labels of a reference Doc."""
        labels = self.layer.labels(doc)
        return [] if labels is None else [RIGHT, *labels]

    def gold(
        self, examples: Sequence[Example], same: Sequence[bool], batch: Batch
    ) -> Ids:
        """Return gold label ids on the predicted tokens."""
        number: dict[str | None, int] = {None: UNKNOWN}
        number.update({label: n for n, label in enumerate(self.labels)})
        found = []
        for row, example in zip(
            self.layer.aligned(examples, same), examples, strict=True
        ):
            for label in row:
                if label not in number:
                    message = Errors.LP035.format(
                        name=self.name,
                        label=label,
                        doc=describe(example.reference),
                        known=", ".join(self.labels),
                    )
                    raise ValueError(message)
                found.append(number[label])
        return np.asarray(found, dtype=np.int32)

    # Errors that are on a Doc never stay: there is nothing to be kept.

    def allowed(self, docs: Sequence[Doc], batch: Batch) -> NDArray[np.uint8] | None:
        return None

    # Prediction -----------------------------------------------------------------------

    @property
    def right(self) -> int:
        """The label of tokens that are right."""
        return self.labels.index(RIGHT)

    def wrong(self, batch: Prepared, temperature: float) -> tuple[Floats, Ids]:
        """The probability of each token to be wrong, not calibrated, and the most
        probable error."""
        if not len(batch.attrs):
            return np.zeros(0), np.zeros(0, dtype=np.int32)
        table, _ = self.learner.marginals(batch, temperature)
        shares = table.astype(np.float64)
        wrong = np.clip(1 - shares[:, self.right], 0, 1)
        shares[:, self.right] = -1
        return wrong, shares.argmax(axis=1).astype(np.int32)

    def decide(self, docs: Sequence[Doc], batch: Prepared) -> Prediction:
        return self.flag(batch, *self.wrong(batch, self.calibration.temperature))

    @property
    def calibration(self) -> Calibration:
        """The calibration of the probabilities."""
        return Calibration(**self.cfg.get("calibration", {}))

    def flag(self, batch: Prepared, wrong: Floats, kinds: Ids) -> Prediction:
        """Choose the tokens that are wrong.

        Args:
            batch: The tokens.
            wrong: The probability of each to be wrong, not calibrated.
            kinds: The most probable error of each.
        """
        scores = self.calibration(wrong)
        flagged = (scores >= self.layer.threshold) & (kinds != self.right)
        labels = np.where(flagged, kinds, self.right).astype(np.int32)
        return Prediction(labels, batch.docs, batch.bounds, scores.astype(np.float32))

    def write(self, docs: Sequence[Doc], prediction: Prediction) -> None:
        """Write what was predicted."""
        self.layer.write(docs, prediction, self.labels)

    # Calibration: each token says how probable it is that it is wrong ----------------

    def probabilities(
        self, batch: Prepared, answers: Chunks, temperature: float
    ) -> Floats:
        """Return the model's probability of each answer."""
        return self.wrong(batch, temperature)[0]

    def compare(
        self, examples: Sequence[Example], same: Sequence[bool], answers: Chunks
    ) -> tuple[Mask, Mask, int]:
        """Return which answers are correct or on annotated tokens; count gold ones."""
        rows = [label for row in self.layer.aligned(examples, same) for label in row]
        known = np.asarray([label is not None for label in rows], dtype=bool)
        wrong = np.asarray([label not in (None, RIGHT) for label in rows], dtype=bool)
        return wrong, known, int(wrong.sum())


class LatpercErrors(ChainPipe):
    """Finds wrong tokens."""

    layer: ErrorLayer
    threshold = saved_threshold("layer", "The lowest probability of an error.")

    def _cfg_checks(self) -> dict[str, Check]:
        return {**super()._cfg_checks(), "threshold": check_threshold}

    def _loaded(self) -> None:
        super()._loaded()
        type(self).threshold.take_saved(self)

    # White space is neither right nor wrong -------------------------------------------

    def _examples(
        self, given: Callable[[], Iterable[Example]]
    ) -> Callable[[], Iterable[Example]]:
        return lambda: map(without_spaces_in, given())

    def _prepared(
        self, examples: Sequence[Example], *, remember: bool
    ) -> tuple[list[FeatureBlock], Ids, NDArray[np.int64]]:
        seen = [without_spaces_in(example) for example in examples]
        return super()._prepared(seen, remember=remember)

    def compare(self, examples: Sequence[Example]) -> Compared:
        """All answers on the predicted Docs of examples, and whether they are right.

        Args:
            examples: The examples.
        """
        return super().compare([without_spaces_in(example) for example in examples])

    def predict(self, docs: Iterable[Doc]) -> Prediction:
        """Predict wrong tokens, with the probability of each token to be wrong."""
        words, coder = Words.of(list(docs)), self.coder
        assert isinstance(coder, ErrorCoder)
        columns, batch = self.read_docs(words.docs)
        wrong, kinds = coder.wrong(batch, coder.calibration.temperature)
        flagged = coder.flag(batch, wrong, kinds)
        assert flagged.scores is not None
        # Of probabilities that are not calibrated: the judge fits weights of its own.
        sources = self.learner.features.sources.values()
        features = sentence_features(wrong, batch.bounds, sources, columns)
        return flagged._replace(
            labels=words.spread(flagged.labels, coder.right),
            scores=words.spread(flagged.scores, 0),
            docs=words.whole,
            sentences=words.bounds(flagged.sentences, batch.per_doc),
            features=features.astype(np.float32),
        )

    def score(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
        """Score examples with the scorer of this component."""
        return super().score(examples, spans_key=self.layer.name, **kwargs)
