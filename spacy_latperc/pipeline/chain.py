"""A component around a chain: the tagger, the chunker and the entity recogniser.

It has a reader, a layer, a coder with its constraints, and confidence (see parts.py).
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Model, Optimizer

from ..errors.check import check_choice, check_count
from ..learners.base import Batch, Prepared
from ..learners.chain import NO_PATH, UNKNOWN, ChainLearner
from ..model import get_learner
from ..schemes.decode import Chunks
from .base import Begin, LearnerPipe
from .coder import Coder
from .confidence import SHARES, Confidence
from .docs import same_tokens
from .extensions import Analysis, write_n_best
from .parts import Context, Ids, Mask, Prediction, forwarded
from .saved import Check
from .settings import ConfidenceSettings
from .warm_start import WarmStart


class Compared(NamedTuple):
    """Answers of a component on annotated Docs.

    Attributes:
        batch: The Docs.
        answers: What is answered.
        correct: Whether each is right.
        known: Whether the annotation says so at all.
        n_gold: How many right answers there are.
        gold: Docs all of whose labels the component knows, and their label ids.
    """

    batch: Prepared
    answers: Chunks
    correct: Mask
    known: Mask
    n_gold: int
    gold: tuple[Prepared, Ids]


class ChainPipe(LearnerPipe):
    """Learns from, and predicts, labels of tokens.

    Args:
        vocab: Of the pipeline.
        model: A chain.
        name: Of the component.
        layer: What it annotates.
        make_coder: Makes the coder, from what the parts share and the layer.
        tied: Settings that the weights are tied to.
        settings: How sure it is to be; by default it does not say.
        scorer: Scores the annotation in evaluation.
    """

    coder: Coder
    labels_in_sample = True
    scores = forwarded("confidence", "The kind of scores.")
    threshold = forwarded("confidence", "The lowest score.")
    n_best_size = forwarded("confidence", "Analyses of each Doc.", "n_best")
    written = forwarded("layer", "What it writes, as inputs of corpus readers say it.")

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str,
        layer: Any,
        make_coder: Callable[[Context, Any], Coder],
        *,
        tied: dict[str, Any] | None = None,
        settings: ConfidenceSettings | None = None,
        scorer: Callable | None = None,
    ):
        self.layer = layer
        cfg = {"labels": [], **(tied or {})}
        context = Context(name, vocab, model, cfg, self._warn_once)
        self.coder = make_coder(context, layer)
        settings = settings or ConfidenceSettings()
        super().__init__(
            vocab, model, name, cfg=cfg, scorer=scorer, n_threads=settings.n_threads
        )
        self.confidence = Confidence(context, self.coder, settings)

    @property
    def learner(self) -> ChainLearner:
        """The chain inside the model."""
        return get_learner(self.model)

    # Labels and gold, of which the coder knows ----------------------------------------

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

    def _warm_start(self, init_from: str | Path | None, component: str | None) -> Begin:
        start = WarmStart.find(self, init_from, component)
        return None if start is None else partial(start.apply, self)

    def rehearse(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Optimizer | None = None,
        losses: dict[str, float] | None = None,
    ) -> dict[str, float]:
        """Learn from what the model of before says about these texts, so that it is not
        forgotten. Does nothing before `nlp.resume_training`.

        Args:
            examples: The texts.
            drop: Not used; see `update`.
            sgd: Not used; see `update`.
            losses: The loss is added under the component's name.
        """
        examples, losses = self._given(examples, losses, "rehearse")
        docs = [example.predicted for example in examples]
        if self._rehearsal_model is None or not any(len(doc) for doc in docs):
            return losses
        batch, prepared = self._read(docs)
        gold = self._rehearsal_model.predict(batch.within(prepared.allowed))
        gold[gold == NO_PATH] = UNKNOWN
        blocks = self.learner.extract(batch)
        loss, _ = self.learner.update(blocks, gold)
        losses[self.name] += loss
        return losses

    # Predicting -----------------------------------------------------------------------

    def predict(self, docs: Iterable[Doc]) -> Prediction:
        """Label ids of a batch of Docs, and what the settings want to know about them;
        the Docs are not changed."""
        docs = list(docs)
        _, batch = self._read(docs)
        decided = self.coder.decide(docs, batch)._replace(
            beside=batch.beside, all_blank=batch.blank, lengths=batch.word_lengths
        )
        return self.confidence.add(batch, decided)

    def decisions(self, docs: Iterable[Doc]) -> NDArray:
        """What is decided about Docs, to be compared."""
        return self.predict(docs).labels

    def _read(self, docs: Sequence[Doc]) -> tuple[Batch, Prepared]:
        """Docs to be annotated, read once for all questions."""
        batch = self._input(docs, self.coder.beside)
        prepared = self.learner.read(batch).for_threads(self._n_threads)
        prepared = prepared.starting_from(self.coder.given(docs))
        return batch, prepared.within(self.coder.allowed(docs, prepared))

    def set_annotations(self, docs: Iterable[Doc], scores: Prediction) -> None:
        """Write what was predicted."""
        docs = list(docs)
        self.coder.write(docs, scores, self.confidence.certain)
        if scores.analyses is not None:
            for doc, analyses in zip(docs, scores.analyses, strict=True):
                write_n_best(doc, self.name, analyses)

    # Confidence -----------------------------------------------------------------------

    def n_best(self, doc: Doc, k: int = 10, *, share: str = "list") -> list[Analysis]:
        """The k best annotations of a Doc, best first; the Doc is not changed.

        Args:
            doc: The Doc.
            k: How many. There may be fewer.
            share: What probabilities are shares of: those of the "list" sum to one;
                under "all" they are the probabilities among all annotations.

        Returns:
            (annotation, probability, score) of each: of a tagger the tags, else
            (start, end, label) of the spans.
        """
        self.coder.refuse("n_best", NotImplementedError)
        check_count("k", k)
        check_choice("share", share, SHARES)
        _, batch = self._read([doc])
        # Masks that leave no labels are an error that names the place.
        self.coder.decide([doc], batch)
        (sequences,) = self.confidence.sequences(batch, k)
        (listed,) = self.confidence.listed(batch, [sequences])
        if share == "list":
            return listed
        shares = np.exp(self.confidence.log_shares(batch, sequences.labels)).tolist()
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
        self.coder.refuse("log_probability", NotImplementedError)
        batch = self.reader.read([doc])
        if not len(batch.values):
            return 0.0
        gold = self._gold([Example(doc, doc)], [True], batch)
        prepared = self.learner.read(batch).starting_from(self.coder.given([doc]))
        return float(self.confidence.log_shares(prepared, gold[None, :])[0])

    # Calibration ----------------------------------------------------------------------

    def compare(self, examples: Sequence[Example]) -> Compared:
        """All answers on the predicted Docs of examples, whatever the threshold is, and
        whether they are right."""
        docs = [example.predicted for example in examples]
        _, batch = self._read(docs)
        prediction = self.coder.decide(docs, batch)
        answers = self.coder.answers(prediction.labels, prediction.sentences)
        same = [same_tokens(example) for example in examples]
        correct, known, n = self.coder.compare(examples, same, answers)
        gold = self.gold_of(self.known(examples))
        return Compared(batch, answers, correct, known, n, gold)

    def known(self, examples: Sequence[Example]) -> list[Example]:
        """The examples all of whose labels the component has."""
        names = set(self.labels)
        return [
            example
            for example in examples
            if names.issuperset(self.collect_labels(example.reference))
        ]

    def gold_of(self, examples: Sequence[Example]) -> tuple[Prepared, Ids]:
        """The predicted Docs of examples, read, and their gold label ids."""
        docs = [example.predicted for example in examples]
        batch = self.reader.read(docs)
        prepared = self.learner.read(batch).starting_from(self.coder.given(docs))
        if not len(batch.values):
            return prepared, np.zeros(0, dtype=np.int32)
        same = [same_tokens(example) for example in examples]
        return prepared, self._gold(examples, same, batch)

    def probabilities(
        self, compared: Compared, temperature: float
    ) -> NDArray[np.float64]:
        """The model's probabilities of answers at a temperature."""
        if not len(compared.answers[0]):
            return np.zeros(0)
        return self.coder.probabilities(compared.batch, compared.answers, temperature)

    def gold_scores(
        self, compared: Compared, temperature: float
    ) -> NDArray[np.float64]:
        """Log probabilities of the annotation of sentences at a temperature."""
        batch, gold = compared.gold
        if not len(gold):
            return np.zeros(0)
        scores = self.coder.log_scores(batch, gold, temperature)
        return scores[np.isfinite(scores)]  # -inf: labels that cannot be together
