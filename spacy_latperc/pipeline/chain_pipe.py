"""A component around a chain: the tagger, the chunker and the entity recogniser.

Two objects know what it annotates: the layer reads tags, chunks or entities off Docs
and writes them, and the coder (coder.py) translates between a layer and the label ids
of the chain.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Model

from ..encoder_scores import NETWORK, EncoderScores
from ..errors.check import check_choice, check_count
from ..learners.base import Batch, Prepared
from ..learners.chain import NO_PATH, UNKNOWN, ChainLearner
from ..schemes.decode import Chunks
from .best_sequences import (
    Sequences,
    best_sequences,
    list_analyses,
    log_probabilities,
)
from .component_settings import ConfidenceSettings
from .doc_reader import same_tokens
from .explained_pipe import ExplainedPipe
from .extensions import Analysis, register_extensions, write_n_best
from .gold_spans import covered
from .prediction import Ids, LogScores, Mask, Prediction, Scores
from .saved import Check

SHARES = ("list", "all")


class Compared(NamedTuple):
    """The answers of a component on annotated Docs.

    Attributes:
        known: True for each answer on annotated tokens.
        n_gold: The number of gold answers.
        gold: Docs all of whose labels the component has, and their label ids.
    """

    batch: Prepared
    answers: Chunks
    correct: Mask
    known: Mask
    n_gold: int
    gold: tuple[Prepared, Ids]


class ChainPipe(ExplainedPipe):
    """A component that predicts labels of tokens with a chain."""

    labels_in_sample = True
    scores = "none"
    threshold: Any = 0.0
    n_best_size = 1

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str,
        layer: Any,
        make_coder: Callable[[Any, Any], Any],
        *,
        tied: dict[str, Any] | None = None,
        settings: ConfidenceSettings | None = None,
        scorer: Callable | None = None,
    ):
        n_threads = 1 if settings is None else settings.n_threads
        cfg = {"labels": [], **(tied or {})}
        super().__init__(
            vocab, model, name, cfg=cfg, scorer=scorer, n_threads=n_threads
        )
        self.layer = layer
        self.coder = make_coder(self, layer)
        if NETWORK in model.ref_names:
            self.encoder = EncoderScores(model)
        if self.encoder is not None and self.coder.outside:
            self.encoder.refuse(name, "OutsideScores.v1")
        if settings is not None:
            self.coder.check_confidence(settings)
            self.n_best_size, self.scores = settings.n_best, settings.scores
            self.threshold = settings.threshold
            if self.scores != "none" or self.n_best_size > 1:
                register_extensions()

    @property
    def learner(self) -> ChainLearner:
        """The chain inside the model."""
        return self.model.shims[0].learner

    @property
    def written(self) -> str:
        """The name of what it writes, as `inputs` of corpus readers call it."""
        return self.layer.written

    # Labels and gold, from the coder --------------------------------------------------

    def _check_label(self, label: str) -> None:
        super()._check_label(label)
        self.coder.check_label(label)

    def _cfg_checks(self) -> dict[str, Check]:
        return {**super()._cfg_checks(), **self.coder.cfg_checks()}

    def _check_weights(self, cfg: dict[str, Any], learner: Any, where: str) -> None:
        self.coder.check_weights(cfg, learner, where)

    def _set_learner_labels(self) -> None:
        self.coder.set_labels()

    def collect_labels(self, doc: Doc) -> Iterable[str]:
        return self.coder.collect_labels(doc)

    def _gold(
        self, examples: Sequence[Example], same: Sequence[bool], batch: Batch
    ) -> Ids:
        return self.coder.gold(examples, same, batch)

    # Learning -------------------------------------------------------------------------

    def rehearse(
        self,
        examples: Iterable[Example],
        *,
        losses: dict[str, float] | None = None,
        **unused: Any,
    ) -> dict[str, float]:
        """Learn from the predictions of the model before training was resumed, so that
        it does not forget. Does nothing before `nlp.resume_training`.
        """
        examples, losses = self._checked(examples, losses, "rehearse")
        if self.encoder is not None:
            self.encoder.refuse(self.name, "Rehearsal")
        docs = [example.predicted for example in examples]
        if self._rehearsal_model is None or not any(len(doc) for doc in docs):
            return losses
        batch, prepared = self.read_docs(docs)
        gold = self._rehearsal_model.predict(batch.within(prepared.allowed))
        gold[gold == NO_PATH] = UNKNOWN
        blocks = self.learner.extract(batch)
        loss, _ = self.learner.update(blocks, gold)
        losses[self.name] += loss
        return losses

    # Predicting -----------------------------------------------------------------------

    def predict(self, docs: Iterable[Doc]) -> Prediction:
        """Return the label ids of a batch of Docs, with scores and n best if the
        settings ask for them; the Docs are not changed."""
        docs = list(docs)
        batch, prepared = self.read_docs(docs)
        prediction = self.coder.decide(docs, prepared)._replace(
            extra=batch.extra, all_blank=batch.blank
        )
        if self.n_best_size > 1:
            found = best_sequences(self.learner, prepared, self.n_best_size)
            analyses = self._listed(prepared, found)
            prediction = prediction._replace(analyses=analyses)
        if self.scores != "none":
            return self._scored(prepared, prediction)
        return prediction

    def decisions(self, docs: Iterable[Doc]) -> Ids:
        """Return the labels of Docs as an array, to be compared."""
        return self.predict(docs).labels

    def external_scores(self, docs: Sequence[Doc]) -> Scores | None:
        """Return the scores at which the chain starts: those of an encoder or of
        outside models; None if there are none."""
        if self.encoder is None:
            return self.coder.external_scores(docs)
        return self.encoder.predict(docs)

    def read_docs(self, docs: Sequence[Doc]) -> tuple[Batch, Prepared]:
        """Read Docs to be annotated, once for all questions."""
        coder = self.coder
        batch = self._input(docs, coder.extra_columns)
        prepared = self.learner.read(
            batch,
            allowed=coder.allowed(docs, batch),
            external_scores=self.external_scores(docs),
            n_threads=self._n_threads,
            recall_constant=coder.recall_constant,
        )
        return batch, prepared

    def set_annotations(self, docs: Iterable[Doc], scores: Prediction) -> None:
        """Write what was predicted."""
        docs = list(docs)
        self.coder.write(docs, scores)
        if scores.analyses is not None:
            for doc, analyses in zip(docs, scores.analyses, strict=True):
                write_n_best(doc, self.name, analyses)

    # Confidence -----------------------------------------------------------------------

    def n_best(self, doc: Doc, k: int = 10, *, share: str = "list") -> list[Analysis]:
        """Return the k best annotations of a Doc, best first; the Doc is not changed.

        Args:
            doc: The Doc.
            k: How many. There may be fewer.
            share: What probabilities are shares of: those of the "list" sum to one;
                under "all" they are the probabilities among all annotations.

        Returns:
            (annotation, probability, score) of each: of a tagger the tags, else
            (start, end, label) of the spans.
        """
        check_count("k", k)
        check_choice("share", share, SHARES)
        _, batch = self.read_docs([doc])
        # Masks that leave no labels are an error that names the place.
        self.coder.decide([doc], batch)
        (sequences,) = best_sequences(self.learner, batch, k)
        (listed,) = self._listed(batch, [sequences])
        if share == "list":
            return listed
        shares = np.exp(self._log_probabilities(batch, sequences.labels)).tolist()
        return [
            analysis._replace(probability=probability)
            for analysis, probability in zip(listed, shares, strict=True)
        ]

    def log_probability(self, doc: Doc) -> float:
        """Return the log probability, among all, of the annotation that is on a Doc.

        Tokens that are not annotated may be anything. What cannot be, such as a span
        across sentences, is not annotated either; what may not follow each other is
        impossible (-inf).
        """
        batch, gold = self.gold_of([Example(doc, doc)])
        if not len(gold):
            return 0.0
        return float(self._log_probabilities(batch, gold[None, :])[0])

    def _listed(
        self, batch: Prepared, sequences: Sequence[Sequences]
    ) -> list[list[Analysis]]:
        return list_analyses(self.coder, batch, sequences, self.calibration.temperature)

    def _log_probabilities(self, batch: Prepared, labels: Ids) -> LogScores:
        temperature = self.calibration.temperature
        return log_probabilities(self.learner, batch, labels, temperature)

    def _scored(self, batch: Prepared, prediction: Prediction) -> Prediction:
        """Score the answers of a prediction, and remove those below the threshold."""
        labels = prediction.labels
        answers = self.coder.answers(labels, prediction.sentences)
        if not len(answers[0]):
            return prediction._replace(scores=np.zeros(0, dtype=np.float32))
        scores = self._answer_scores(batch, prediction, answers)
        if self.threshold > 0:
            low = scores < self.threshold
            labels = labels.copy()
            withdrawn = covered(answers[0][low], answers[1][low], len(labels))
            self.coder.withdraw(labels, withdrawn)
            scores = scores[~low]
        return prediction._replace(labels=labels, scores=scores)

    def _answer_scores(
        self, batch: Prepared, prediction: Prediction, answers: Chunks
    ) -> Scores:
        """Return the score of each answer, of the kind that the settings ask for."""
        calibration = self.calibration
        found = self.coder.probabilities(batch, answers, calibration.temperature)
        return calibration(found).astype(np.float32)

    # Calibration ----------------------------------------------------------------------

    def compare(self, examples: Sequence[Example]) -> Compared:
        """Return all answers on the predicted Docs of examples, whatever the threshold,
        and which of them are correct."""
        docs = [example.predicted for example in examples]
        _, batch = self.read_docs(docs)
        prediction = self.coder.decide(docs, batch)
        answers = self.coder.answers(prediction.labels, prediction.sentences)
        same = [same_tokens(example) for example in examples]
        correct, known, n = self.coder.compare(examples, same, answers)
        gold = self.gold_of(self.known(examples))
        return Compared(batch, answers, correct, known, n, gold)

    def known(self, examples: Sequence[Example]) -> list[Example]:
        """Return the examples all of whose labels the component has."""
        names = set(self.labels)
        return [
            example
            for example in examples
            if names.issuperset(self.collect_labels(example.reference))
        ]

    def gold_of(self, examples: Sequence[Example]) -> tuple[Prepared, Ids]:
        """Read the predicted Docs of examples, and their gold label ids."""
        docs = [example.predicted for example in examples]
        batch = self.reader.read(docs)
        prepared = self.learner.read(
            batch,
            external_scores=self.external_scores(docs),
            recall_constant=self.coder.recall_constant,
        )
        if not len(batch.values):
            return prepared, np.zeros(0, dtype=np.int32)
        return prepared, self._read_gold(examples, batch)

    def probabilities(self, compared: Compared, temperature: float) -> LogScores:
        """Return the model's probabilities of answers at a temperature."""
        if not len(compared.answers[0]):
            return np.zeros(0)
        return self.coder.probabilities(compared.batch, compared.answers, temperature)

    def gold_scores(self, compared: Compared, temperature: float) -> LogScores:
        """Return the log probabilities of the gold labels of sentences."""
        batch, gold = compared.gold
        if not len(gold):
            return np.zeros(0)
        scores = self.coder.log_scores(batch, gold, temperature)
        return scores[np.isfinite(scores)]  # -inf: labels that cannot be together
