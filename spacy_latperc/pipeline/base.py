"""What the tagger, the chunker and the entity recogniser share."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray
from spacy.errors import Errors as SpacyErrors
from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.tokens import Doc
from spacy.training import Example, validate_examples
from spacy.util import SimpleFrozenList
from spacy.vocab import Vocab
from thinc.api import Model, Optimizer

from ..errors import Errors, Warnings
from ..io.component_folder import (
    CFG,
    MODEL,
    parse_cfg,
    read_component,
    whole_component,
)
from ..kernels.features import FeatureBlock, fingerprints
from ..learners.chain import NO_PATH, ChainLearner, NotFiniteError
from ..model import Batch, get_generation, get_learner, set_learner, set_reader
from .doc_cache import DocCache
from .docs import DocReader, describe, same_tokens
from .extensions import Analysis
from .saved import Check, check_labels, read_cfg, unpack_parts
from .warns import Warns

_COUNTING_BATCH = 256


class Prediction(NamedTuple):
    """Label ids of a batch, and where its Docs begin.

    scores: of each answer that is left, where they are wanted (see confidence.py).
    analyses: the n best of each Doc, where they are wanted.
    """

    labels: NDArray[np.int32]
    docs: NDArray[np.int64]
    sentences: NDArray[np.int64]
    scores: NDArray[np.float32] | None = None
    analyses: list[list[Analysis]] | None = None


@dataclass(slots=True)
class _Seen:
    """What is kept of a training example between passes.

    state: of the reference when its gold was read (see ChainPipe._gold_state).
    """

    fingerprint: int
    features: FeatureBlock
    same_tokens: bool
    state: object | None = None
    gold: NDArray[np.int32] | None = None


class ChainPipe(Warns, TrainablePipe):
    """A component around a chain. Subclasses say what the labels are, read the gold and
    write the prediction."""

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str,
        *,
        scorer: Callable | None = None,
        **tied: Any,
    ):
        """tied: settings that the weights are tied to; they are saved with them."""
        self.vocab = vocab
        self.model = model
        self.name = name
        self.scorer = scorer
        # What was learned, and what that is tied to. Other settings are attributes.
        self.cfg: dict[str, Any] = {"labels": [], **tied}
        self.reader = DocReader(self.learner.plan.columns)
        set_reader(model, self.reader.read)
        self._seen: DocCache[_Seen] = DocCache()
        self._seen_generation: object = None
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

    # Labels ---------------------------------------------------------------------------

    @property
    def learner(self) -> ChainLearner:
        return get_learner(self.model)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that users see."""
        return tuple(self.cfg["labels"])

    @property
    def label_data(self) -> list[str]:
        """What `spacy init labels` writes and `initialize` reads."""
        return list(self.cfg["labels"])

    def add_label(self, label: str) -> int:
        """Add a label, also to a trained component. RETURNS: 1 if it is new."""
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
        self._seen.clear()  # gold that was read may say "any but these"
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

        labels: the labels, when they are known (`spacy init labels`); collecting
            them is then skipped.
        """
        method = f"{type(self).__name__}.initialize"
        given: object = get_examples
        if not callable(given):
            raise TypeError(SpacyErrors.E930.format(method=method, obj=type(given)))
        self._refuse_streams(nlp)
        self._seen.clear()
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
            bounds, _ = self.learner.bounds(batch.values, batch.docs)
            sentences += len(bounds) - 1
            if labels is None:
                for example in examples:
                    found.update(self._collect_labels(example.reference))
            if counting:
                incomplete = incomplete or bool(self._empty_columns(batch))
                self.learner.extract(batch.values, batch.docs, batch.lookup, count=True)
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

    def predict(self, docs: Iterable[Doc]) -> Prediction:
        """Label ids of a batch of Docs; the Docs are not changed."""
        docs = list(docs)
        return self._decide(docs, self._input(docs))

    def _input(self, docs: Sequence[Doc]) -> Batch:
        """What the model sees of Docs to be annotated."""
        batch = self.reader.read(docs)
        self._warn_of_empty_columns(batch)
        if not self.cfg["labels"]:
            raise ValueError(SpacyErrors.E143.format(name=self.name))
        if docs and docs[0].vocab is not self.vocab:  # sourced from another pipeline
            self._name_labels(docs[0].vocab)
        return batch._replace(allowed=self._allowed(docs, batch))

    def _decide(self, docs: Sequence[Doc], batch: Batch) -> Prediction:
        labels = self.model.predict(batch)
        bounds, _ = self.learner.bounds(batch.values, batch.docs)
        if batch.allowed is not None and (labels == NO_PATH).any():
            self._raise_contradiction(docs, batch, labels)
        return Prediction(labels, batch.docs, bounds)

    def _allowed(self, docs: Sequence[Doc], batch: Batch) -> NDArray[np.uint8] | None:
        """Labels that what is already on the Docs allows; None: all, everywhere."""
        return None

    def _raise_contradiction(
        self, docs: Sequence[Doc], batch: Batch, labels: NDArray[np.int32]
    ) -> NoReturn:
        """Say which of the things that are known leave no labels."""
        raise NotImplementedError

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

        drop, sgd: accepted because spaCy passes them; there is no dropout and no
            optimizer here.
        losses: the loss of the batch is added under the component's name: wrong labels
            for the perceptron, hinge loss for passive-aggressive.
        """
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        examples = list(examples)
        validate_examples(examples, f"{type(self).__name__}.update")
        if not any(len(example.predicted) for example in examples):
            return losses
        if not self.cfg["labels"]:
            raise ValueError(SpacyErrors.E143.format(name=self.name))
        batch = self.reader.read([example.predicted for example in examples])
        self._warn_of_empty_columns(batch)
        seen = self._seen_examples(examples, batch)
        features = [entry.features for entry in seen]
        gold = self._known_gold(examples, seen, batch)
        try:
            loss, impossible = self.learn(features, gold)
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

    def decisions(self, docs: Iterable[Doc]) -> NDArray:
        """What is decided about Docs, to be compared."""
        return self.predict(docs).labels

    def learn(
        self, features: list[FeatureBlock], gold: NDArray[np.int32]
    ) -> tuple[float, list[int]]:
        """Learn from what `prepare` gave of some examples. RETURNS: the loss, and the
        numbers of sentences that cannot be learned from."""
        return self.learner.update(features, gold)

    def prepare(
        self, examples: Sequence[Example]
    ) -> list[tuple[FeatureBlock, NDArray[np.int32]]]:
        """Features and gold labels of each example, to learn from many times without
        the examples themselves (see training/fit.py)."""
        batch = self.reader.read([example.predicted for example in examples])
        self._warn_of_empty_columns(batch)
        same = [same_tokens(example) for example in examples]
        gold = self._gold(examples, same, batch)
        features = self.learner.extract(
            batch.values, batch.docs, batch.lookup, count=self._counting()
        )
        return list(zip(features, np.split(gold, batch.docs[1:-1]), strict=True))

    def _seen_examples(self, examples: Sequence[Example], batch: Batch) -> list[_Seen]:
        """Feature ids, from the last pass where the columns are the same as then."""
        if self._seen_generation is not get_generation(self.model):
            self._seen.clear()
            self._seen_generation = get_generation(self.model)
        marks = fingerprints(batch.values, batch.docs).tolist()
        seen = [self._seen.get(example.reference) for example in examples]
        missing = [
            i
            for i, (entry, mark) in enumerate(zip(seen, marks, strict=True))
            if entry is None or entry.fingerprint != mark
        ]
        if missing:
            part = self._part(batch, missing)
            before = self.learner.space.n_features
            blocks = self.learner.extract(
                part.values, part.docs, part.lookup, count=self._counting()
            )
            if self.learner.space.min_count > 1:
                # Features that initialisation did not see: the corpus is a stream.
                grown = self.learner.space.n_features > before
                self._count_in_update = self._count_in_update or grown
            for i, block in zip(missing, blocks, strict=True):
                entry = _Seen(marks[i], block, same_tokens(examples[i]))
                size = block.nbytes + 4 * block.n_tokens
                self._seen.put(examples[i].reference, entry, nbytes=size)
                seen[i] = entry
        return [entry for entry in seen if entry is not None]

    def _known_gold(
        self, examples: Sequence[Example], seen: Sequence[_Seen], batch: Batch
    ) -> NDArray[np.int32]:
        """Gold label ids, from the last pass where the annotation is the same."""
        golds: list[NDArray[np.int32] | None] = []
        states = []
        for example, entry in zip(examples, seen, strict=True):
            state = self._gold_state(example.reference) if entry.same_tokens else None
            states.append(state)
            known = state is not None and state == entry.state
            golds.append(entry.gold if known else None)
        missing = [i for i, gold in enumerate(golds) if gold is None]
        if missing:
            part = self._part(batch, missing)
            same = [seen[i].same_tokens for i in missing]
            fresh = self._gold([examples[i] for i in missing], same, part)
            for i, gold in zip(missing, np.split(fresh, part.docs[1:-1]), strict=True):
                golds[i] = gold
                if states[i] is not None:
                    seen[i].state, seen[i].gold = states[i], gold.copy()
        return np.concatenate([gold for gold in golds if gold is not None])

    def _counting(self) -> bool:
        wanted = self.learner.settings.pass_size
        return self._count_in_update and (
            not wanted or self.learner.examples < self.learner.pass_size
        )

    @staticmethod
    def _part(batch: Batch, numbers: Sequence[int]) -> Batch:
        """Some Docs of a batch."""
        if len(numbers) == len(batch.docs) - 1:
            return batch
        pieces = [batch.values[batch.docs[i] : batch.docs[i + 1]] for i in numbers]
        docs = np.zeros(len(pieces) + 1, dtype=np.int64)
        np.cumsum([len(piece) for piece in pieces], out=docs[1:])
        return Batch(np.concatenate(pieces), docs, batch.lookup)

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

    def _fit_of_weights(self, cfg: dict[str, Any], learner: Any, where: str) -> None:
        """Refuse labels that are not those of the weights."""
        wanted, found = self._chain_labels(cfg), list(learner.labels)
        if wanted != found and (found or wanted != self._chain_labels({"labels": []})):
            raise self._mixed(where, wanted, found)

    def _chain_labels(self, cfg: dict[str, Any]) -> list[str]:
        """The labels of the chain that belongs to a cfg."""
        return list(cfg["labels"])

    def _mixed(
        self, where: str, wanted: Sequence[str], found: Sequence[str]
    ) -> ValueError:
        message = Errors.LP525.format(
            name=self.name, where=where, cfg=_listed(wanted), model=_listed(found)
        )
        return ValueError(message)

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

    def from_disk(
        self, path: str | Path, *, exclude: Iterable[str] = SimpleFrozenList()
    ) -> "ChainPipe":
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
    ) -> "ChainPipe":
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
            self._fit_of_weights(cfg, learner, place(CFG))
        if vocab is not None:
            try:
                vocab()
            except Exception as error:
                message = Errors.LP563.format(
                    name=self.name, path=place("vocab"), error=error
                )
                raise ValueError(message) from error
        self.cfg = cfg
        if learner is not self.learner:
            set_learner(self.model, learner)
        self._name_labels(self.vocab)
        self._seen.clear()

    def _read_cfg(self, saved: dict[str, Any], where: str) -> dict[str, Any]:
        """What a cfg file says, if it agrees with the settings that weights are tied
        to."""
        learned = ("labels", "calibration")
        tied = {key: value for key, value in self.cfg.items() if key not in learned}
        return read_cfg(saved, self._cfg_checks(), tied, name=self.name, where=where)

    def get_loss(self, examples: Iterable[Example], scores: Any) -> NoReturn:
        """There is no gradient to return: see `update`."""
        raise NotImplementedError(Errors.LP034.format(name=self.name))


def _listed(labels: Sequence[str]) -> str:
    shown = ", ".join(labels[:8]) or "none"
    return f"{shown}, ... ({len(labels)} in all)" if len(labels) > 8 else shown


def _example_of(features: Sequence[FeatureBlock], sentence: int) -> int:
    """The example that a sentence of a batch is in."""
    ends = np.cumsum([block.n_sentences for block in features])
    return int(np.searchsorted(ends, sentence, side="right"))


def minibatch(items: Iterable[Example], size: int) -> Iterable[list[Example]]:
    batch = []
    for item in items:
        batch.append(item)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
