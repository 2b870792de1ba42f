"""The base class of all components that learn: initialization and training."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from spacy.errors import Errors as SpacyErrors
from spacy.language import Language
from spacy.training import Example, validate_examples
from thinc.api import Optimizer

from ..encoder_scores import EncoderScores, check_optimizer
from ..errors import Errors, Warnings
from ..errors.check import check_strings
from ..kernels.chains import FeatureBlock
from ..learners.base import Batch
from ..learners.chain import NotFiniteError
from ..model import get_generation
from .doc_reader import describe, have_words
from .feature_cache import FeatureCache
from .first_look import first_look, fit_sources
from .model_pipe import ModelPipe
from .saved import FITTED


class LearnerPipe(ModelPipe):
    """A trainable component around a learner. Subclasses read the gold annotation."""

    # True if examples with all tags, chunks and entities have all labels.
    labels_in_sample = False
    # An encoder below the learner, which is trained through it.
    encoder: EncoderScores | None = None
    # What was fitted to the weights in the middle of training, and goes with them.
    fitted_in_training: tuple[str, ...] = ()

    def __init__(self, *args: Any, **settings: Any):
        super().__init__(*args, **settings)
        self.feature_cache = FeatureCache()
        self._count_in_update = False

    def _gold(
        self, examples: Sequence[Example], same: Sequence[bool], batch: Batch
    ) -> NDArray[np.int32]:
        """Return gold label ids on the predicted tokens; -1 where they are unknown."""
        raise NotImplementedError

    def add_label(self, label: str) -> int:
        """Add a label; see ModelPipe."""
        added = super().add_label(label)
        if added and self.encoder is not None:
            self.encoder.grow(self.learner)
        return added

    def _loaded(self) -> None:
        super()._loaded()
        self.feature_cache.clear()

    # Initialising ---------------------------------------------------------------------

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        labels: Sequence[str] | None = None,
    ) -> None:
        """Collect labels, count the sentences of a pass, set the weights to zero.

        Args:
            get_examples: Gives the examples.
            nlp: The pipeline.
            labels: The labels, when they are known (`spacy init labels`); collecting
                them is then skipped.
        """
        method = f"{type(self).__name__}.initialize"
        given: object = get_examples
        if not callable(given):
            raise TypeError(SpacyErrors.E930.format(method=method, obj=type(given)))
        settings = self.learner.settings
        training = nlp.config["training"] if nlp is not None else {}
        if settings.needs_all and training.get("max_epochs") == -1:
            # Of a stream only the first examples come here, which are no pass.
            raise ValueError(Errors.LP060.format(name=settings.name))
        self.feature_cache.clear()
        for key in FITTED:
            self.cfg.pop(key, None)
        self._rehearsal_model = None
        fit_sources(self, get_examples, nlp)
        seen = first_look(self, get_examples, collect=labels is None)
        if isinstance(labels, str):  # which would be a list of letters
            check_strings(f"initialize.components.{self.name}.labels", labels)
        wanted_labels = labels if labels is not None else sorted(seen.labels)
        for label in wanted_labels:
            self._check_label(label)
        for label in wanted_labels:
            if label not in self.cfg["labels"]:
                self.cfg["labels"].append(label)
        if not self.cfg["labels"]:
            raise ValueError(Errors.LP032.format(name=self.name))
        self._name_labels(self.vocab)
        self._set_learner_labels()
        if self.encoder is not None:
            self.encoder.initialize(get_examples, self.learner)
        wanted = self.learner.settings.epoch_size
        counted = seen.counted and (not wanted or wanted <= seen.sentences)
        self._start(seen.sentences, keep_features=counted)
        self._count_in_update = self.learner.space.min_count > 1 and not counted

    def _start(self, sentences: int, *, keep_features: bool) -> None:
        """Reset the weights to zero."""
        self.learner.start(sentences, keep_features=keep_features)

    # Learning -------------------------------------------------------------------------

    @property
    def learns_from_docs(self) -> bool:
        """True if features are not enough to learn from: there is an encoder."""
        return self.encoder is not None

    def update(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Optimizer | None = None,
        losses: dict[str, float] | None = None,
    ) -> dict[str, float]:
        """Learn from a batch of examples.

        Args:
            examples: The examples.
            drop: The dropout rate of an encoder, if there is one.
            sgd: Not used; spaCy passes it, and steps by `finish_update`.
            losses: The loss of the batch is added under the component's name: wrong
                labels for the perceptron, hinge loss for passive-aggressive.
        """
        examples, losses = self._checked(examples, losses, "update")
        if not any(len(example.predicted) for example in examples):
            return losses
        if not self.cfg["labels"]:
            raise ValueError(SpacyErrors.E143.format(name=self.name))
        features, gold, _ = self._prepared(examples, remember=True)
        try:
            if self.encoder is None:
                loss, impossible = self.learn(features, gold)
            else:
                self._forget_fitted()
                docs = [example.predicted for example in examples]
                loss, impossible = self.encoder.learn(
                    self.learner, docs, features, gold, drop=drop
                )
        except NotFiniteError as error:
            number = _example_of(features, error.sentence)
            doc = describe(examples[number].reference)
            raise ValueError(
                Errors.LP039.format(name=self.name, doc=doc, error=error)
            ) from error
        if impossible:
            self._warn_of_impossible(examples, features, impossible)
        losses[self.name] += loss
        return losses

    def _checked(
        self,
        examples: Iterable[Example],
        losses: dict[str, float] | None,
        method: str,
    ) -> tuple[list[Example], dict[str, float]]:
        """Check examples, and add an entry for this component to the losses."""
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        listed = list(examples)
        validate_examples(listed, f"{type(self).__name__}.{method}")
        return listed, losses

    def learn(
        self, features: list[FeatureBlock], gold: NDArray[np.int32]
    ) -> tuple[float, list[int]]:
        """Learn from the features and gold labels that `prepare` returned.

        Returns:
            The loss, and the numbers of sentences that cannot be learned from.
        """
        self._forget_fitted()
        return self.learner.update(features, gold)

    def _forget_fitted(self) -> None:
        for key in self.fitted_in_training:
            self.cfg.pop(key, None)

    def finish_update(self, sgd: Optimizer) -> None:
        """Let an optimizer change the weights of an encoder, if there is one."""
        if self.encoder is not None:
            check_optimizer(self.name, sgd)
        super().finish_update(sgd)

    def prepare(
        self, examples: Sequence[Example], *, remember: bool = False
    ) -> list[tuple[FeatureBlock, NDArray[np.int32]]]:
        """Return the features and gold labels of each example, for `learn`."""
        features, gold, docs = self._prepared(examples, remember=remember)
        return list(zip(features, np.split(gold, docs[1:-1]), strict=True))

    def _prepared(
        self, examples: Sequence[Example], *, remember: bool
    ) -> tuple[list[FeatureBlock], NDArray[np.int32], NDArray[np.int64]]:
        """Return the features of each example, the gold labels of all, and the first
        token of each."""
        batch = self.reader.read([example.predicted for example in examples])
        self._warn_of_empty_columns(batch)
        if remember:
            references = [example.reference for example in examples]
            generation = get_generation(self.model)
            features = self.feature_cache.features(
                references, batch, generation, self._extract
            )
        else:
            features = self._extract(batch)
        return features, self._read_gold(examples, batch), batch.docs

    def _read_gold(
        self, examples: Sequence[Example], batch: Batch
    ) -> NDArray[np.int32]:
        """Return the gold labels of examples, whose predicted Docs are a batch."""
        return self._gold(examples, have_words(examples, batch), batch)

    def _extract(self, batch: Batch) -> list[FeatureBlock]:
        """Extract the features of each Doc, and count them if that is not done yet."""
        before = self.learner.space.n_features
        blocks = self.learner.extract(batch, count=self._counting())
        if self.learner.space.min_count > 1:
            # Features that initialisation did not see: the corpus is a stream.
            grown = self.learner.space.n_features > before
            self._count_in_update = self._count_in_update or grown
        return blocks

    @property
    def counts_while_learning(self) -> bool:
        """True if features are counted in the first epoch, since initialization could
        not see them all."""
        return self._count_in_update

    def _counting(self) -> bool:
        wanted = self.learner.settings.epoch_size
        return self._count_in_update and (
            not wanted or self.learner.examples < self.learner.epoch_size
        )

    def _warn_of_impossible(
        self,
        examples: Sequence[Example],
        features: Sequence[FeatureBlock],
        impossible: Sequence[int],
    ) -> None:
        number = _example_of(features, impossible[0])
        self._warn_once(
            "impossible",
            Warnings.LP913.format(
                name=self.name,
                n=len(impossible),
                doc=describe(examples[number].reference),
            ),
        )

    def get_loss(self, examples: Iterable[Example], scores: Any) -> NoReturn:
        """There is no gradient to return: see `update`."""
        raise NotImplementedError(Errors.LP034.format(name=self.name))


def use_threads(nlp: Language, n: int) -> None:
    """Set the number of threads of all components of this package."""
    for _, component in nlp.pipeline:
        if isinstance(component, LearnerPipe):
            component.n_threads = n


def _example_of(features: Sequence[FeatureBlock], sentence: int) -> int:
    """Return the number of the example that a sentence of a batch belongs to."""
    ends = np.cumsum([block.n_sentences for block in features])
    return int(np.searchsorted(ends, sentence, side="right"))
