"""What the components say about how sure they are: scores, thresholds, n best."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Model

from ..calibration import Calibration
from ..errors import Errors
from ..model import Batch
from ..schemes.decode import Chunks
from .analyses import Sequences, join_sequences, softmax, split_sequences
from .base import Prediction
from .constraints import ConstrainedPipe
from .docs import same_tokens
from .extensions import Analysis, register_extensions, write_n_best
from .saved import Check, check_calibration

SCORES = ("none", "marginal", "margin")
SHARE_SCORES = ("marginal", "agreement")  # between 0 and 1
SHARES = ("list", "all")


class Judged(NamedTuple):
    """Answers of a component on annotated Docs.

    correct: whether each is right. known: whether the annotation says so at all.
    n_gold: how many right answers there are. gold: Docs all of whose labels the
    component knows, and their label ids.
    """

    batch: Batch
    answers: Chunks
    correct: NDArray[np.bool_]
    known: NDArray[np.bool_]
    n_gold: int
    gold: tuple[Batch, NDArray[np.int32]]


class ConfidentPipe(ConstrainedPipe):
    """A component whose answers (tags of tokens, or spans) have scores.

    score_kinds: what `scores` may be.
    """

    score_kinds: tuple[str, ...] = SCORES

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str,
        *,
        n_best: int = 1,
        scores: str = "none",
        threshold: float = 0.0,
        **rest: Any,
    ):
        _check_settings(name, n_best, scores, threshold, self.score_kinds)
        super().__init__(vocab, model, name, **rest)
        self.n_best_size = n_best
        self.scores = scores
        self.threshold = threshold
        if scores != "none" or n_best > 1:
            register_extensions()

    # To be said by each component -----------------------------------------------------

    def _answers(
        self, labels: NDArray[np.int32], sentences: NDArray[np.int64]
    ) -> Chunks:
        """Starts, ends and types of what is answered, in the concatenated batch."""
        raise NotImplementedError

    def _annotations(
        self, labels: NDArray[np.int32], sentences: NDArray[np.int64]
    ) -> list:
        """The annotation of a Doc that has these labels."""
        raise NotImplementedError

    def _answer_probabilities(
        self, batch: Batch, answers: Chunks, temperature: float
    ) -> NDArray[np.float64]:
        """The model's probability of each answer."""
        raise NotImplementedError

    def _answer_margins(
        self, margins: NDArray[np.float32], prediction: Prediction, answers: Chunks
    ) -> NDArray[np.float32]:
        """The margin of each answer.

        margins: how much worse, for each token, the best path is that has this label
            there: [tokens, labels].
        """
        raise NotImplementedError

    def _withdraw(self, labels: NDArray[np.int32], tokens: NDArray[np.bool_]) -> None:
        """Make the labels of these tokens say nothing."""
        raise NotImplementedError

    def _judge(
        self, examples: Sequence[Example], same: Sequence[bool], answers: Chunks
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_], int]:
        """Which answers are right, which are known to be right or wrong, and how many
        right ones there are."""
        raise NotImplementedError

    # Scores ---------------------------------------------------------------------------

    def _cfg_checks(self) -> dict[str, Check]:
        return {**super()._cfg_checks(), "calibration": check_calibration}

    @property
    def calibration(self) -> Calibration:
        """What `spacy latperc calibrate` found; it is saved with the component."""
        return Calibration(**self.cfg.get("calibration", {}))

    @calibration.setter
    def calibration(self, value: Calibration) -> None:
        self.cfg["calibration"] = asdict(value)

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        labels: Sequence[str] | None = None,
        init_from: str | Path | None = None,
        init_component: str | None = None,
    ) -> None:
        """Collect labels, count the sentences of a pass, set the first weights.

        labels: the labels, when they are known (`spacy init labels`).
        init_from, init_component: whose weights to begin with (see online.py).
        """
        self.cfg.pop("calibration", None)
        super().initialize(
            get_examples,
            nlp=nlp,
            labels=labels,
            init_from=init_from,
            init_component=init_component,
        )

    def predict(self, docs: Iterable[Doc]) -> Prediction:
        """Label ids of a batch of Docs, and what the settings want to know about them;
        the Docs are not changed."""
        docs = list(docs)
        batch = self._input(docs)
        prediction = self._decide(docs, batch)
        if self.n_best_size > 1:
            found = self._sequences(batch, self.n_best_size)
            analyses = [self._listed(batch, d, x) for d, x in enumerate(found)]
            prediction = prediction._replace(analyses=analyses)
        if self.scores != "none":
            prediction = self._scored(batch, prediction)
        return prediction

    def _scored(self, batch: Batch, prediction: Prediction) -> Prediction:
        labels = prediction.labels
        answers = self._answers(labels, prediction.sentences)
        if not len(answers[0]):
            return prediction._replace(scores=np.zeros(0, dtype=np.float32))
        scores = self._answer_scores(batch, prediction, answers)
        if self.threshold > 0:
            low = scores < self.threshold
            edges = np.zeros(len(labels) + 1, dtype=np.int64)
            edges[answers[0][low]] += 1
            edges[answers[1][low]] -= 1
            labels = labels.copy()
            self._withdraw(labels, np.cumsum(edges)[:-1] > 0)
            scores = scores[~low]
        return prediction._replace(labels=labels, scores=scores)

    def _answer_scores(
        self, batch: Batch, prediction: Prediction, answers: Chunks
    ) -> NDArray[np.float32]:
        """The score of each answer, of the kind that is wanted."""
        if self.scores == "marginal":
            calibration = self.calibration
            probabilities = self._answer_probabilities(
                batch, answers, calibration.temperature
            )
            return calibration(probabilities).astype(np.float32)
        best = self.learner.max_marginals(
            batch.values, batch.docs, batch.lookup, batch.allowed
        )
        labels = prediction.labels
        chosen = best[np.arange(len(labels)), labels]
        return self._answer_margins(chosen[:, None] - best, prediction, answers)

    # n best ---------------------------------------------------------------------------

    def n_best(self, doc: Doc, k: int = 10, *, share: str = "list") -> list[Analysis]:
        """The k best annotations of a Doc, best first; the Doc is not changed.

        share: what probabilities are shares of: those of the "list" sum to one; under
            "all" they are the probabilities among all annotations.
        RETURNS: (annotation, probability, score) of each: of a tagger the tags, else
            (start, end, label) of the spans. There may be fewer than k.
        """
        if k < 1:
            raise ValueError(Errors.LP075.format(name=self.name, n_best=k))
        if share not in SHARES:
            known = ", ".join(SHARES)
            raise ValueError(Errors.LP078.format(share=share, known=known))
        batch = self._input([doc])
        self._decide([doc], batch)  # an empty mask is an error that names the place
        (sequences,) = self._sequences(batch, k)
        listed = self._listed(batch, 0, sequences)
        if share == "list":
            return listed
        shares = np.exp(self._log_shares(batch, sequences.labels)).tolist()
        return [
            analysis._replace(probability=probability)
            for analysis, probability in zip(listed, shares, strict=True)
        ]

    def log_probability(self, doc: Doc) -> float:
        """The log probability, among all, of the annotation that is on a Doc.

        Tokens that are not annotated may be anything. What cannot be, such as a span
        across sentences, is not annotated either; what may not follow each other is
        impossible (-inf).
        """
        batch = self.reader.read([doc])
        if not len(batch.values):
            return 0.0
        example = Example(doc, doc)
        gold = self._gold([example], [True], batch)
        return float(self._log_shares(batch, gold[None, :])[0])

    def _sequences(self, batch: Batch, k: int) -> list[Sequences]:
        """The k best label sequences of each Doc."""
        bounds, per_doc = self.learner.bounds(batch.values, batch.docs)
        found: list[Sequences] = []
        if len(batch.values):
            labels, scores, counts = self.learner.n_best(
                batch.values, batch.docs, batch.lookup, k, batch.allowed
            )
            found = split_sequences(labels, scores, counts, bounds)
        result = []
        first = 0
        for n in per_doc.tolist():
            result.append(join_sequences(found[first : first + n], k))
            first += n
        return result

    def _listed(
        self, batch: Batch, number: int, sequences: Sequences
    ) -> list[Analysis]:
        """The sequences of a Doc as annotation, with their shares of this list."""
        shares = softmax(sequences.scores / self.calibration.temperature)
        first, last = batch.docs[number : number + 2]
        bounds, _ = self.learner.bounds(
            batch.values[first:last], np.array([0, last - first], dtype=np.int64)
        )
        return [
            Analysis(self._annotations(labels, bounds), float(share), float(score))
            for labels, share, score in zip(
                sequences.labels, shares, sequences.scores, strict=True
            )
        ]

    def _write_n_best(self, docs: Sequence[Doc], prediction: Prediction) -> None:
        if prediction.analyses is not None:
            for doc, analyses in zip(docs, prediction.analyses, strict=True):
                write_n_best(doc, self.name, analyses)

    def _log_shares(
        self, batch: Batch, labels: NDArray[np.int32]
    ) -> NDArray[np.float64]:
        """Log probabilities of labellings of the one Doc of a batch: [k, tokens]."""
        k, n = labels.shape
        if not n:
            return np.zeros(k)
        values = np.tile(batch.values, (k, 1))
        docs = np.arange(k + 1, dtype=np.int64) * n
        allowed = None if batch.allowed is None else np.tile(batch.allowed, (k, 1))
        found = self.learner.log_scores(
            values,
            docs,
            batch.lookup,
            labels.ravel(),
            allowed,
            temperature=self.calibration.temperature,
        )
        return found.reshape(k, -1).sum(axis=1)

    # Calibration ----------------------------------------------------------------------

    def judge(self, examples: Sequence[Example]) -> Judged:
        """All answers on the predicted Docs of examples, whatever the threshold is, and
        whether they are right."""
        docs = [example.predicted for example in examples]
        batch = self._input(docs)
        prediction = self._decide(docs, batch)
        answers = self._answers(prediction.labels, prediction.sentences)
        same = [same_tokens(example) for example in examples]
        judged = self._judge(examples, same, answers)
        return Judged(batch, answers, *judged, self._known_labels(examples))

    def _known_labels(
        self, examples: Sequence[Example]
    ) -> tuple[Batch, NDArray[np.int32]]:
        names = set(self.labels)
        kept = [
            example
            for example in examples
            if names.issuperset(self._collect_labels(example.reference))
        ]
        batch = self.reader.read([example.predicted for example in kept])
        if not len(batch.values):
            return batch, np.zeros(0, dtype=np.int32)
        same = [same_tokens(example) for example in kept]
        return batch, self._gold(kept, same, batch)

    def probabilities(self, judged: Judged, temperature: float) -> NDArray[np.float64]:
        """The model's probabilities of answers at a temperature."""
        if not len(judged.answers[0]):
            return np.zeros(0)
        return self._answer_probabilities(judged.batch, judged.answers, temperature)

    def gold_scores(self, judged: Judged, temperature: float) -> NDArray[np.float64]:
        """Log probabilities of the annotation of sentences at a temperature."""
        batch, gold = judged.gold
        if not len(gold):
            return np.zeros(0)
        scores = self.learner.log_scores(
            batch.values, batch.docs, batch.lookup, gold, temperature=temperature
        )
        return scores[np.isfinite(scores)]  # -inf: labels that cannot be together


def _check_settings(
    name: str, n_best: int, scores: str, threshold: float, kinds: Sequence[str]
) -> None:
    if n_best < 1:
        raise ValueError(Errors.LP075.format(name=name, n_best=n_best))
    if scores not in kinds:
        known = ", ".join(kinds)
        raise ValueError(Errors.LP076.format(name=name, scores=scores, known=known))
    highest = 1.0 if scores in SHARE_SCORES else math.inf
    if not (math.isfinite(threshold) and 0 <= threshold <= highest):
        raise ValueError(Errors.LP077.format(name=name, threshold=threshold))
    if threshold and scores == "none":
        raise ValueError(Errors.LP079.format(name=name, threshold=threshold))
