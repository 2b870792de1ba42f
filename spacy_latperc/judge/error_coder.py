"""Errors on Docs as labels of a chain: right, wrong, missing before the token."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from spacy.tokens import Doc, Span, SpanGroup
from spacy.training import Example

from ..errors import Errors
from ..errors.check import check_kind, check_number
from ..grammaticality.annotations import SCORES
from ..learners.base import Batch, Prepared
from ..learners.chain import UNKNOWN
from ..pipeline.coder import Coder
from ..pipeline.doc_reader import describe
from ..pipeline.forwarded import saved_calibration
from ..pipeline.prediction import Ids, Mask, Prediction
from ..schemes.decode import Chunks

KEY = "errors"
RIGHT, WRONG, MISSING = "ok", "wrong", "missing"
# Attributes of the span group.
TOKENS, STARTS = "tokens", "starts"
FEATURES = "features"

Floats = NDArray[np.float64]


class ErrorLayer:
    """Spans of doc.spans as labels of tokens."""

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
    """Translates between errors and the label ids of a chain."""

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

    calibration = saved_calibration

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
