"""The base class of all components around a learner: labels, input and threads."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from numpy.typing import NDArray
from spacy.errors import Errors as SpacyErrors
from spacy.tokens import Doc
from spacy.vocab import Vocab
from thinc.api import Model

from ..errors import Errors, Warnings
from ..errors.check import check_count
from ..features.sources import DocReading, Sources
from ..knowledge.gazetteer import Gazetteer
from ..learners.base import Batch
from ..learners.threads import MOST_THREADS
from ..model import learner_of
from .doc_reader import DocReader
from .forwarded import saved_calibration
from .saved import Check, check_calibration, check_labels
from .saved_pipe import SavedPipe

# Words whose attributes are still remembered when a memory zone ends.
ZONE_WORDS = 1 << 16


class ModelPipe(SavedPipe):
    """A component around a learner, without its training.

    Subclasses define the labels, predict and write.
    """

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
        self._warned: set[str] = set()

    # Defined by each component --------------------------------------------------------

    def _set_learner_labels(self) -> None:
        """Pass the labels, and which may follow which, to the learner."""
        raise NotImplementedError

    def collect_labels(self, doc: Doc) -> Iterable[str]:
        """Return the labels of a reference Doc."""
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

    def _name_labels(self, vocab: Vocab) -> None:
        """Add the labels to a vocabulary, so that they outlive any memory zone."""
        strings: Any = vocab.strings
        for label in self.cfg["labels"]:
            strings.add(label, allow_transient=False)

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

    # Warnings -------------------------------------------------------------------------

    def _warn_of_empty_columns(self, batch: Batch) -> None:
        for column, writer in self.reader.empty(batch).items():
            if column not in self._warned:
                place = {"name": self.name, "column": column, "component": writer}
                self._warn_once(column, Warnings.LP911.format(**place))

    def _warn_once(self, key: str, message: str) -> None:
        if key not in self._warned:
            self._warned.add(key)
            warnings.warn(message, stacklevel=3)
