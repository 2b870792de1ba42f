"""What all components share: labels, training and files."""

import json
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import srsly
from numpy.typing import NDArray
from spacy.errors import Errors as SpacyErrors
from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.tokens import Doc
from spacy.training import Example, validate_examples
from spacy.util import SimpleFrozenList, minibatch
from spacy.vocab import Vocab
from thinc.api import Model, Optimizer

from ..errors import Errors, Warnings
from ..features.attributes import ANNOTATED
from ..features.sources import DocReading, Givens
from ..io.component_folder import (
    CFG,
    MODEL,
    parse_cfg,
    read_component,
    whole_component,
)
from ..kernels.chains import FeatureBlock
from ..learners.base import Batch
from ..learners.chain import NotFiniteError
from ..model import (
    get_generation,
    learner_of,
    set_learner,
    set_reader,
)
from .docs import DocReader, describe, same_tokens
from .memory import TrainingMemory, known_gold
from .saved import Check, check_labels, read_cfg, unpack_parts

_COUNTING_BATCH = 256
# Words whose attributes are still remembered when a memory zone ends.
ZONE_WORDS = 1 << 16


class LearnerPipe(TrainablePipe):
    """A component around a learner: labels, training and files, as spaCy wants them.

    Subclasses say what the labels are, read the gold, predict and write.
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
    ):
        self.vocab = vocab
        self.model = model
        self.name = name
        self.scorer = scorer
        # What was learned, and what that is tied to. Other settings are attributes.
        self.cfg: dict[str, Any] = {"labels": []} if cfg is None else cfg
        self.reader = DocReader(self.learner.plan.columns, self._doc_readings)
        set_reader(model, self.reader.read)
        self.memory = TrainingMemory()
        self._count_in_update = False
        self._warned: set[str] = set()

    # To be said by each component -----------------------------------------------------

    def _set_learner_labels(self) -> None:
        """Give the labels (and which may follow which) to the learner."""
        raise NotImplementedError

    def _collect_labels(self, doc: Doc) -> Iterable[str]:
        """The labels of a reference Doc."""
        raise NotImplementedError

    def _gold(
        self, examples: Sequence[Example], same: Sequence[bool], batch: Batch
    ) -> NDArray[np.int32]:
        """Gold label ids on the predicted tokens; -1 where there are none."""
        raise NotImplementedError

    def _gold_state(self, doc: Doc) -> object | None:
        """What tells, by ==, that the gold of a reference Doc is as it was; None if
        reading the gold itself is as cheap."""
        return None

    def _doc_readings(self) -> dict[str, DocReading]:
        """What reads the columns that sources of attributes give."""
        return self.learner.plan.doc_readings

    # Labels ---------------------------------------------------------------------------

    @property
    def learner(self) -> Any:
        """What learns and predicts inside the model."""
        return learner_of(self.model)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that users see."""
        return tuple(self.cfg["labels"])

    @property
    def label_data(self) -> list[str]:
        """What `spacy init labels` writes and `initialize` reads."""
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
        self.memory.clear()  # gold that was read may say "any but these"
        return 1

    def _check_label(self, label: str) -> None:
        """Refuse what cannot be a label, before anything changes."""
        if not isinstance(label, str):
            raise ValueError(SpacyErrors.E187)
        if not label:
            raise ValueError(Errors.LP031.format(name=self.name))
        try:
            label.encode("utf8")
        except UnicodeEncodeError:
            text = ascii(label)
            raise ValueError(Errors.LP520.format(name=self.name, label=text)) from None

    def _name_labels(self, vocab: Vocab) -> None:
        """Let a vocabulary know the labels by name, beyond any memory zone."""
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
        """Collect labels, count the sentences of a pass, start with zero weights.

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
        self._refuse_streams(nlp)
        self.memory.clear()
        self._fit_sources(get_examples, nlp)
        found: set[str] = set()
        sentences = 0
        counting = self.learner.space.min_count > 1
        incomplete = False
        if counting:
            self.learner.space.clear()
        # spaCy's validate_get_examples would read the corpus once more.
        for examples in minibatch(get_examples(), _COUNTING_BATCH):
            validate_examples(examples, method)
            batch = self.reader.read([example.predicted for example in examples])
            sentences += len(batch.bounds) - 1
            if labels is None:
                for example in examples:
                    found.update(self._collect_labels(example.reference))
            if counting:
                incomplete = incomplete or bool(self._empty_columns(batch))
                self.learner.extract(batch, count=True)
        wanted_labels = labels if labels is not None else sorted(found)
        for label in wanted_labels:
            self._check_label(label)
        for label in wanted_labels:
            if label not in self.cfg["labels"]:
                self.cfg["labels"].append(label)
        if not self.cfg["labels"]:
            raise ValueError(self._no_labels())
        self._name_labels(self.vocab)
        self._set_learner_labels()
        wanted = self.learner.settings.pass_size
        counted = counting and not incomplete and (not wanted or wanted <= sentences)
        self._start(sentences, keep_features=counted)
        self._count_in_update = counting and not counted

    def _fit_sources(
        self, get_examples: Callable[[], Iterable[Example]], nlp: Language | None
    ) -> None:
        """Let the sources of attributes learn."""

        def tokenize(text: str) -> list[str]:
            assert nlp is not None
            return [token.text for token in nlp.make_doc(text)]

        def givens(name: str) -> Givens:
            return Givens(
                name,
                vocab=self.vocab,
                tokenize=tokenize if nlp is not None else None,
                examples=get_examples,
                seed=self.learner.seed,
            )

        self.learner.fit_sources(givens)

    def _start(self, sentences: int, *, keep_features: bool) -> None:
        """Begin anew with zero weights."""
        self.learner.start(sentences, keep_features=keep_features)

    def _refuse_streams(self, nlp: Language | None) -> None:
        """Of a stream only the first examples come here, which are no pass."""
        settings = self.learner.settings
        training = nlp.config["training"] if nlp is not None else {}
        if settings.whole_pass is not None and training.get("max_epochs") == -1:
            raise ValueError(Errors.LP060.format(name=settings.name))

    def _no_labels(self) -> str:
        return Errors.LP032.format(name=self.name)

    # Predicting -----------------------------------------------------------------------

    def decisions(self, docs: Iterable[Doc]) -> NDArray:
        """What is decided about Docs, to be compared."""
        raise NotImplementedError

    def _input(self, docs: Sequence[Doc]) -> Batch:
        """What the model sees of Docs to be annotated."""
        batch = self.reader.read(docs)
        self._warn_of_empty_columns(batch)
        if not self.cfg["labels"]:
            raise ValueError(SpacyErrors.E143.format(name=self.name))
        if docs and docs[0].vocab is not self.vocab:  # sourced from another pipeline
            self._name_labels(docs[0].vocab)
        return batch

    @contextmanager
    def memory_zone(self, mem: Any = None) -> Iterator[Any]:
        """What was remembered of words does not outlive a zone with ever new ones."""
        try:
            yield mem
        finally:
            for model in (self.model, self._rehearsal_model):
                if model is not None:
                    learner_of(model).forget_words(ZONE_WORDS)

    # Learning -------------------------------------------------------------------------

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
            drop: Not used; spaCy passes it. There is no dropout.
            sgd: Not used; spaCy passes it. There is no optimizer.
            losses: The loss of the batch is added under the component's name: wrong
                labels for the perceptron, hinge loss for passive-aggressive.
        """
        examples, losses = self._given(examples, losses, "update")
        if not any(len(example.predicted) for example in examples):
            return losses
        if not self.cfg["labels"]:
            raise ValueError(SpacyErrors.E143.format(name=self.name))
        features, gold = zip(*self.prepare(examples, remember=True), strict=True)
        try:
            loss, impossible = self.learn(list(features), np.concatenate(gold))
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

    def _given(
        self,
        examples: Iterable[Example],
        losses: dict[str, float] | None,
        method: str,
    ) -> tuple[list[Example], dict[str, float]]:
        """Examples, checked, and losses that have an entry for this component."""
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        listed = list(examples)
        validate_examples(listed, f"{type(self).__name__}.{method}")
        return listed, losses

    def learn(
        self, features: list[FeatureBlock], gold: NDArray[np.int32]
    ) -> tuple[float, list[int]]:
        """Learn from what `prepare` gave of some examples.

        Returns:
            The loss, and the numbers of sentences that cannot be learned from.
        """
        return self.learner.update(features, gold)

    def prepare(
        self, examples: Sequence[Example], *, remember: bool = False
    ) -> list[tuple[FeatureBlock, NDArray[np.int32]]]:
        """Features and gold labels of each example: all that `learn` needs.

        Args:
            examples: The examples.
            remember: Whether they come again, in the next pass: what did not change
                since is not read again then.
        """
        batch = self.reader.read([example.predicted for example in examples])
        self._warn_of_empty_columns(batch)
        if remember:
            seen = self.memory.recall(
                examples, batch, get_generation(self.model), self._extract
            )
            features = [entry.features for entry in seen]
            gold = known_gold(examples, seen, batch, self._gold_state, self._gold)
        else:
            features = self._extract(batch)
            same = [same_tokens(example) for example in examples]
            gold = self._gold(examples, same, batch)
        return list(zip(features, np.split(gold, batch.docs[1:-1]), strict=True))

    def _extract(self, batch: Batch) -> list[FeatureBlock]:
        """Features of each Doc, counted where that is still to be done."""
        before = self.learner.space.n_features
        blocks = self.learner.extract(batch, count=self._counting())
        if self.learner.space.min_count > 1:
            # Features that initialisation did not see: the corpus is a stream.
            grown = self.learner.space.n_features > before
            self._count_in_update = self._count_in_update or grown
        return blocks

    def _counting(self) -> bool:
        wanted = self.learner.settings.pass_size
        return self._count_in_update and (
            not wanted or self.learner.examples < self.learner.pass_size
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

    # Saving ---------------------------------------------------------------------------

    def _cfg_checks(self) -> dict[str, Check]:
        """What may be in a cfg file, and what each value must be."""
        return {"labels": check_labels(self._check_label)}

    def _check_weights(self, cfg: dict[str, Any], learner: Any, where: str) -> None:
        """Refuse weights that have other labels than cfg."""

    def to_disk(
        self, path: str | Path, *, exclude: Iterable[str] = SimpleFrozenList()
    ) -> None:
        """Save to a folder, which changes in one step.

        Args:
            path: The folder.
            exclude: Of "cfg", "vocab" and "model", what is not written.
        """
        with whole_component(Path(path)) as fresh:
            super().to_disk(fresh, exclude=exclude)
            if (fresh / CFG).is_file():
                (fresh / CFG).write_text(self._exact_cfg(), encoding="utf-8")

    def to_bytes(self, *, exclude: Iterable[str] = SimpleFrozenList()) -> bytes:
        """All of the component as bytes.

        Args:
            exclude: Of "cfg", "vocab" and "model", what is left out.
        """
        parts = srsly.msgpack_loads(super().to_bytes(exclude=exclude))
        if CFG in parts:
            parts[CFG] = self._exact_cfg()
        return srsly.msgpack_dumps(parts)

    def _exact_cfg(self) -> str:
        """What spaCy writes of cfg has ten decimals, too few for a calibration."""
        return json.dumps(self.cfg, indent=2)

    def from_disk(
        self, path: str | Path, *, exclude: Iterable[str] = SimpleFrozenList()
    ) -> "LearnerPipe":
        """Load from a folder. A load that is refused changes nothing.

        Args:
            path: The folder.
            exclude: Of "cfg", "vocab" and "model", what is not read.

        Raises:
            ValueError: A file is missing or damaged, or they are of two saves, or do
                not go with the settings of this component.
        """
        folder, exclude = Path(path), list(exclude)
        cfg, model = read_component(self.name, folder, exclude=exclude)
        vocab = None
        if "vocab" not in exclude:

            def vocab() -> None:
                self.vocab.from_disk(folder / "vocab", exclude=exclude)

        self._load(cfg, model, lambda part: str(folder / part), vocab)
        return self

    def from_bytes(
        self, bytes_data: bytes, *, exclude: Iterable[str] = SimpleFrozenList()
    ) -> "LearnerPipe":
        """Load what `to_bytes` gave. A load that is refused changes nothing.

        Args:
            bytes_data: The bytes.
            exclude: Of "cfg", "vocab" and "model", what is not read.

        Raises:
            ValueError: The bytes are damaged, or of two saves, or do not go with the
                settings of this component.
        """
        exclude = list(exclude)
        parts = unpack_parts(bytes_data, name=self.name)
        parts = {part: data for part, data in parts.items() if part not in exclude}
        cfg = None
        if CFG in parts:
            cfg = parse_cfg(self.name, "The part 'cfg' of the bytes", parts[CFG])
        vocab = None
        if "vocab" in parts:

            def vocab() -> None:
                self.vocab.from_bytes(parts["vocab"], exclude=exclude)

        self._load(cfg, parts.get(MODEL), "The part '{}' of the bytes".format, vocab)
        return self

    def _load(
        self,
        saved: dict[str, Any] | None,
        model: bytes | None,
        place: Callable[[str], str],
        vocab: Callable[[], None] | None,
    ) -> None:
        """Check that everything belongs together, then take it over."""
        cfg, learner = self.cfg, self.learner
        if saved is not None:
            cfg = self._read_cfg(saved, place(CFG))
        if model is not None:
            try:
                learner = self.model.read_learner(model)
            except ValueError as error:
                message = Errors.LP563.format(
                    name=self.name, path=place(MODEL), error=error
                )
                raise ValueError(message) from error
        if saved is not None or model is not None:
            self._check_weights(cfg, learner, place(CFG))
        if vocab is not None:
            try:
                vocab()
            except Exception as error:
                message = Errors.LP563.format(
                    name=self.name, path=place("vocab"), error=error
                )
                raise ValueError(message) from error
        # In place: parts of the component hold the same one.
        kept = dict(cfg)
        self.cfg.clear()
        self.cfg.update(kept)
        if learner is not self.learner:
            set_learner(self.model, learner)
        self._name_labels(self.vocab)
        self.memory.clear()

    def _read_cfg(self, saved: dict[str, Any], where: str) -> dict[str, Any]:
        """What a cfg file says, if it agrees with the settings that weights are tied
        to."""
        learned = ("labels", "calibration")
        tied = {key: value for key, value in self.cfg.items() if key not in learned}
        return read_cfg(saved, self._cfg_checks(), tied, name=self.name, where=where)

    # Warnings -------------------------------------------------------------------------

    def _empty_columns(self, batch: Batch) -> list[str]:
        """Columns that a component before us should have written, and did not."""
        if not len(batch.values):
            return []
        return [
            name
            for c, name in enumerate(self.reader.columns)
            if name in ANNOTATED and not batch.values[:, c].any()
        ]

    def _warn_of_empty_columns(self, batch: Batch) -> None:
        for name in self._empty_columns(batch):
            self._warn_once(
                name,
                Warnings.LP911.format(
                    name=self.name, column=name, component=ANNOTATED[name]
                ),
            )

    def _warn_once(self, key: str, message: str) -> None:
        if key not in self._warned:
            self._warned.add(key)
            warnings.warn(message, stacklevel=3)

    def get_loss(self, examples: Iterable[Example], scores: Any) -> NoReturn:
        """There is no gradient to return: see `update`."""
        raise NotImplementedError(Errors.LP034.format(name=self.name))


def settings_of(arguments: dict[str, Any]) -> dict[str, Any]:
    """The settings of a component, among all arguments of its factory."""
    given = ("nlp", "name", "model")
    return {key: value for key, value in arguments.items() if key not in given}


def default_model(features: str, **learner: Any) -> dict[str, Any]:
    """The model of a component that is added without a config.

    Args:
        features: The named set of templates.
        learner: Settings of the learner.
    """
    return {
        "@architectures": "spacy_latperc.ChainModel.v1",
        "latent": 1,
        "order": 1,
        "seed": 0,
        "features": {"@misc": f"spacy_latperc.{features}.v1"},
        "search": {"@misc": "spacy_latperc.Viterbi.v1"},
        "learner": {"@misc": "spacy_latperc.PassiveAggressive.v1", **learner},
    }


def _example_of(features: Sequence[FeatureBlock], sentence: int) -> int:
    """The example that a sentence of a batch is in."""
    ends = np.cumsum([block.n_sentences for block in features])
    return int(np.searchsorted(ends, sentence, side="right"))
