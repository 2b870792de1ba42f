"""The base class of all components: labels, initialization and training."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from spacy.errors import Errors as SpacyErrors
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example, validate_examples
from spacy.vocab import Vocab
from thinc.api import Model, Optimizer

from ..encoder_scores import SAMPLE, EncoderScores, check_optimizer
from ..errors import Errors, Warnings
from ..errors.check import check_count, check_strings
from ..features.attributes import ANNOTATED
from ..features.sources import DocReading, Sources
from ..kernels.chains import FeatureBlock
from ..knowledge.gazetteer import Gazetteer
from ..learners.base import Batch
from ..learners.chain import NotFiniteError
from ..learners.threads import MOST_THREADS
from ..model import get_generation, learner_of
from .doc_reader import DocReader, describe, have_words
from .feature_cache import FeatureCache
from .first_look import first_look, fit_sources
from .forwarded import saved_calibration
from .saved import FITTED, Check, check_calibration, check_labels
from .saved_pipe import SavedPipe

# Words whose attributes are still remembered when a memory zone ends.
ZONE_WORDS = 1 << 16


class LearnerPipe(SavedPipe):
    """A trainable component around a learner.

    Subclasses define the labels, read the gold annotation, predict and write.
    """

    # True if examples with all tags, chunks and entities have all labels.
    labels_in_sample = False
    # An encoder below the learner, which is trained through it.
    encoder: EncoderScores | None = None
    # What was fitted to the weights in the middle of training, and goes with them.
    fitted_in_training: tuple[str, ...] = ()
    # `nlp.resume_training` puts a copy of the model here.
    _rehearsal_model: Model | None = None

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str,
        *,
        cfg: dict[str, Any] | None = None,
        scorer: Callable | None = None,
        n_threads: int = 1,
    ):
        learner_of(model)  # refuses other models
        self.vocab = vocab
        self.model: Any = model
        self.name = name
        self.scorer = scorer
        self.n_threads = n_threads
        # What was learned, and what that is tied to. Other settings are attributes.
        self.cfg: dict[str, Any] = {"labels": []} if cfg is None else cfg
        self.reader = DocReader(
            self.learner.plan.columns,
            self._doc_readings,
            self._sources,
        )
        self.feature_cache = FeatureCache()
        self._count_in_update = False
        self._warned: set[str] = set()

    # Defined by each component --------------------------------------------------------

    def _set_learner_labels(self) -> None:
        """Pass the labels, and which may follow which, to the learner."""
        raise NotImplementedError

    def collect_labels(self, doc: Doc) -> Iterable[str]:
        """Return the labels of a reference Doc."""
        raise NotImplementedError

    def _gold(
        self, examples: Sequence[Example], same: Sequence[bool], batch: Batch
    ) -> NDArray[np.int32]:
        """Return gold label ids on the predicted tokens; -1 where they are unknown."""
        raise NotImplementedError

    def _doc_readings(self) -> dict[str, DocReading]:
        """Return the readers of columns that come from attribute sources."""
        return self.learner.plan.doc_readings

    def _sources(self) -> Sources:
        """Return the attribute sources."""
        return self.learner.features.sources

    @property
    def written(self) -> str:
        """The name of what it writes, among the `inputs` of corpus readers."""
        raise ValueError(Errors.LP776.format(name=self.name))

    @property
    def gazetteers(self) -> dict[str, Gazetteer]:
        """The gazetteers among the sources of attributes, by name. They may change
        after training, even while threads predict."""
        sources = self._sources().items()
        return {name: x for name, x in sources if isinstance(x, Gazetteer)}

    calibration = saved_calibration

    # Labels ---------------------------------------------------------------------------

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that users see."""
        return tuple(self.cfg["labels"])

    @property
    def label_data(self) -> list[str]:
        """The labels, as `spacy init labels` writes and `initialize` reads them."""
        return list(self.cfg["labels"])

    def add_label(self, label: str) -> int:
        """Add a label, also to a trained component.

        Returns:
            1 if it is new, else 0.
        """
        self._check_label(label)
        before = self.cfg["labels"]
        if label in before:
            return 0
        self.cfg["labels"] = [*before, label]
        try:
            self._set_learner_labels()
        except Exception:
            self.cfg["labels"] = before
            raise
        if self.encoder is not None:
            self.encoder.grow(self.learner)
        self._name_labels(self.vocab)
        return 1

    def _check_label(self, label: str) -> None:
        """Raise an error for an invalid label, before anything changes."""
        if not isinstance(label, str):
            raise ValueError(SpacyErrors.E187)
        if not label:
            raise ValueError(Errors.LP031.format(name=self.name))
        try:
            label.encode("utf8")
        except UnicodeEncodeError:
            text = ascii(label)
            raise ValueError(Errors.LP520.format(name=self.name, label=text)) from None

    def _cfg_checks(self) -> dict[str, Check]:
        return {
            "labels": check_labels(self._check_label),
            "calibration": check_calibration,
        }

    def _loaded(self) -> None:
        self._name_labels(self.vocab)
        self.feature_cache.clear()

    def _name_labels(self, vocab: Vocab) -> None:
        """Add the labels to a vocabulary, so that they outlive any memory zone."""
        strings: Any = vocab.strings
        for label in self.cfg["labels"]:
            strings.add(label, allow_transient=False)

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
            sample = [x.predicted for x in islice(get_examples(), SAMPLE)]
            self.encoder.initialize(sample, self.learner)
        wanted = self.learner.settings.epoch_size
        counted = seen.counted and (not wanted or wanted <= seen.sentences)
        self._start(seen.sentences, keep_features=counted)
        self._count_in_update = self.learner.space.min_count > 1 and not counted

    def _start(self, sentences: int, *, keep_features: bool) -> None:
        """Reset the weights to zero."""
        self.learner.start(sentences, keep_features=keep_features)

    # Predicting -----------------------------------------------------------------------

    @property
    def n_threads(self) -> int:
        """The most threads that annotate a batch."""
        return self._n_threads

    @n_threads.setter
    def n_threads(self, n: int) -> None:
        hint = "at most one per core helps"
        self._n_threads = check_count("n_threads", n, high=MOST_THREADS, hint=hint)

    def decisions(self, docs: Iterable[Doc]) -> NDArray:
        """Return the predictions for Docs as an array, to be compared."""
        raise NotImplementedError

    def _input(self, docs: Sequence[Doc], extra: Sequence[int] = ()) -> Batch:
        """Read the input of the model, and extra attributes, from Docs."""
        batch = self.reader.read(docs, extra)
        self._warn_of_empty_columns(batch)
        if not self.cfg["labels"]:
            raise ValueError(SpacyErrors.E143.format(name=self.name))
        for vocab in {doc.vocab for doc in docs}:
            if vocab is not self.vocab:  # sourced from another pipeline
                self._name_labels(vocab)
        return batch

    @contextmanager
    def memory_zone(self, mem: Any = None) -> Iterator[Any]:
        """Limit the cache of words at the end of a memory zone."""
        try:
            yield mem
        finally:
            for model in (self.model, self._rehearsal_model):
                if model is not None:
                    learner_of(model).forget_words(ZONE_WORDS)

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

    # Warnings -------------------------------------------------------------------------

    def _warn_of_empty_columns(self, batch: Batch) -> None:
        for name in self.reader.empty(batch):
            if name not in self._warned:
                message = Warnings.LP911.format(
                    name=self.name, column=name, component=ANNOTATED[name]
                )
                self._warn_once(name, message)

    def _warn_once(self, key: str, message: str) -> None:
        if key not in self._warned:
            self._warned.add(key)
            warnings.warn(message, stacklevel=3)

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
