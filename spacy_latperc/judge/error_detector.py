"""The component `latperc_errors`: finds wrong tokens and computes sentence features.

It is a chain over labels of tokens: right, wrong, missing before it; or the kinds of
errors. It learns from injected errors (`judge corrupt`) or from real ones.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
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
from ..errors.check import check_choice, check_flag, check_kind, check_number
from ..grammaticality.annotations import SCORES
from ..grammaticality.scorer import NEGATIVE, POSITIVE
from ..kernels.chains import FeatureBlock
from ..learners.base import Batch, Prepared
from ..learners.chain import UNKNOWN
from ..pipeline.chain_pipe import ChainPipe, Compared
from ..pipeline.coder import Coder
from ..pipeline.component_settings import default_model
from ..pipeline.doc_reader import describe
from ..pipeline.forwarded import forwarded, saved_threshold
from ..pipeline.prediction import Ids, Mask, Prediction
from ..pipeline.saved import Check, check_threshold
from ..schemes.decode import Chunks
from .error_scorer import error_score
from .sentence_features import (
    ERRORS,
    LENGTH,
    error_columns,
    evidence_tables,
    length_columns,
)
from .spaces import Words, without_spaces_in

KEY = "errors"
RIGHT, WRONG, MISSING = "ok", "wrong", "missing"
# Attributes of the span group.
TOKENS, SENTENCES, STARTS = "tokens", "sentences", "starts"
EVIDENCE = "evidence"
_LABELS = ("places", "kinds")

Values = NDArray[np.uint64]
Floats = NDArray[np.float64]


def _default_model() -> dict[str, Any]:
    model = default_model("ErrorFeatures.v1")
    learner = {"@misc": "spacy_latperc.CRF.v1", "optimizer": "adagrad"}
    return {**model, "learner": learner}


@Language.factory(
    "latperc_errors",
    assigns=["doc.spans", "doc.cats"],
    default_config={
        "model": _default_model(),
        "spans_key": KEY,
        "labels": "places",
        "threshold": 0.5,
        "write_cats": True,
        "scorer": None,
    },
    default_score_weights={"errors_f05": 1.0, "errors_auc": None},
)
def make_errors(
    nlp: Language,
    name: str,
    model: Model,
    spans_key: str,
    labels: str,
    threshold: float,
    write_cats: bool,
    scorer: Callable | None,
) -> "LatpercErrors":
    """Build a component that finds wrong tokens.

    It writes a span for each such token to doc.spans, with the calibrated probabilities
    in the attributes of the group: `scores` of the spans, `tokens` of every token to be
    wrong, `sentences` of every sentence to have no error, and the `starts` and the
    `evidence` of sentences for latperc_judge.

    Args:
        nlp: The pipeline.
        name: Of the component.
        model: A chain (spacy_latperc.ChainModel.v1) whose learner has probabilities.
        spans_key: Where in doc.spans it reads errors, to learn, and writes them.
        labels: "places": tokens are wrong, or words are missing before them; "kinds":
            the labels that the spans of the training data have.
        threshold: Tokens that are wrong with this probability or more are written.
        write_cats: Also write to doc.cats how probable it is that the Doc has no error
            (GRAMMATICAL) or some (UNGRAMMATICAL).
        scorer: Scores the errors in evaluation, in place of `error_score`.
    """
    layer = ErrorLayer(spans_key, labels, threshold, write_cats)
    scorer = scorer or error_score
    component = LatpercErrors(nlp.vocab, model, name, layer, ErrorCoder, scorer=scorer)
    return component


class ErrorLayer:
    """Spans of doc.spans as labels of tokens.

    Args:
        spans_key: Of doc.spans.
        labels: "places" or "kinds".
        threshold: Of what is written.
        write_cats: Whether doc.cats is written too.
    """

    def __init__(self, spans_key: str, labels: str, threshold: float, write_cats: bool):
        self.name = check_kind("spans_key", spans_key, str, "a key of doc.spans")
        self.written = f"spans:{spans_key}"
        self.coarse = check_choice("labels", labels, _LABELS) == "places"
        self.threshold = check_number("threshold", threshold, high=1.0)
        self.write_cats = check_flag("write_cats", write_cats)

    def labels(self, doc: Doc) -> list[str] | None:
        """The label of each token; None if the Doc says nothing of errors."""
        if self.name not in doc.spans:
            return None
        found = [RIGHT] * len(doc)
        for span in doc.spans[self.name]:
            label = span.label_ or WRONG
            if self.coarse and label != MISSING:
                label = WRONG
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
        sure: Floats,
    ) -> None:
        """Write spans and scores."""
        assert prediction.scores is not None
        edges = prediction.docs
        firsts = prediction.sentences.searchsorted(edges)
        found = np.flatnonzero(prediction.labels != names.index(RIGHT))
        within = found.searchsorted(edges)
        evidence = _Sliced(prediction.evidence or {})
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
                SENTENCES: sure[i:j],
                STARTS: prediction.sentences[i:j] - start,
            }
            if prediction.evidence is not None:
                attrs[EVIDENCE] = evidence.of(i, j)
            doc.spans[self.name] = SpanGroup(
                doc, name=self.name, attrs=attrs, spans=spans
            )
            if self.write_cats:
                good = float(sure[i:j].prod())
                doc.cats = {**doc.cats, POSITIVE: good, NEGATIVE: 1 - good}


class _Sliced:
    """Tables of sentences whose rows are copied once for each Doc.

    Args:
        tables: By kind of evidence.
    """

    def __init__(self, tables: Mapping[str, NDArray]):
        self._whole = np.concatenate([*tables.values()], axis=1) if tables else None
        ends = np.cumsum([0, *(table.shape[1] for table in tables.values())]).tolist()
        self._columns = [
            (kind, slice(*ends[n : n + 2])) for n, kind in enumerate(tables)
        ]

    def of(self, first: int, end: int) -> dict[str, NDArray]:
        """Return the rows of some sentences."""
        if self._whole is None:
            return {}
        own = self._whole[first:end].copy()
        return {kind: own[:, columns] for kind, columns in self._columns}


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
        calibration = Calibration(**self.cfg.get("calibration", {}))
        found, kinds = self.wrong(batch, calibration.temperature)
        scores = calibration(found)
        # Not calibrated: what is joined with it was fitted to what the model says.
        tables = {
            ERRORS: error_columns(found, batch.bounds),
            LENGTH: length_columns(batch.bounds),
        }
        evidence = {kind: table.astype(np.float32) for kind, table in tables.items()}
        flagged = (scores >= self.layer.threshold) & (kinds != self.right)
        labels = np.where(flagged, kinds, self.right).astype(np.int32)
        given = scores.astype(np.float32)
        return Prediction(labels, batch.docs, batch.bounds, given, evidence=evidence)

    def write(
        self, docs: Sequence[Doc], prediction: Prediction, certain: float
    ) -> None:
        """Write what was predicted."""
        assert prediction.scores is not None
        right = 1 - prediction.scores.astype(np.float64)
        sure = np.ones(0)
        if len(right):
            sure = np.multiply.reduceat(right, prediction.sentences[:-1])
        self.layer.write(docs, prediction, self.labels, sure)

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
    key = forwarded("layer", "The key of doc.spans.", "name")
    threshold = saved_threshold("layer", "The lowest probability of an error.")
    write_cats = forwarded("layer", "Whether doc.cats is written.")

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
        words = Words.of(list(docs))
        columns, batch = self.read_docs(words.docs)
        decided = self.coder.decide(words.docs, batch)
        evidence = dict(decided.evidence or {})
        for kind, table in evidence_tables(
            self.learner.features.sources, columns
        ).items():
            evidence[kind] = table.astype(np.float32)
        assert isinstance(self.coder, ErrorCoder) and decided.scores is not None
        return decided._replace(
            labels=words.spread(decided.labels, self.coder.right),
            scores=words.spread(decided.scores, 0),
            docs=words.whole,
            sentences=words.bounds(decided.sentences, batch.per_doc),
            evidence=evidence,
        )

    def wrong(self, docs: Sequence[Doc]) -> Floats:
        """The model's probability of each word to be wrong, at the temperature that was
        fitted, but else not calibrated. Tokens of white space are left out.

        Args:
            docs: The Docs; they are not changed.
        """
        _, batch = self.read_docs(Words.of(docs).docs)
        assert isinstance(self.coder, ErrorCoder)
        return self.coder.wrong(batch, self.calibration.temperature)[0]

    def score(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
        """Score examples with the scorer of this component."""
        return super().score(examples, spans_key=self.layer.name, **kwargs)
