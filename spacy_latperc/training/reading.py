"""A training corpus as features and gold labels, for `fit` and its workers."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from spacy.language import Language
from spacy.training import Example
from spacy.util import minibatch, resolve_dot_names

from ..data.corpus import ColumnExamples
from ..errors import Errors
from ..io.progress import counted
from ..kernels.chains import FeatureBlock
from ..pipeline.chain_pipe import ChainPipe
from ..pipeline.learner_pipe import LearnerPipe

READ_AT_ONCE = 256

Components = list[tuple[str, LearnerPipe]]


class Job(NamedTuple):
    """A pipeline in training."""

    nlp: Language
    training: dict[str, Any]
    components: Components


Corpus = Callable[[Language], Iterable[Example]]


@dataclass(eq=False, slots=True)
class Stub:
    """A stand-in for an example in spaCy's batchers, which need only lengths.

    There are as many as examples, so each of them is small: see `gold_of`.

    Attributes:
        length: The number of tokens.
        features: The features for each component, in order.
        gold: The gold codes for each component, as bytes.
        shapes: The shapes of the codes of a token, which many examples share.
    """

    length: int
    features: tuple[FeatureBlock, ...] = ()
    gold: tuple[bytes, ...] = ()
    shapes: tuple[tuple[int, ...], ...] = ()

    def __len__(self) -> int:
        return self.length

    @property
    def predicted(self) -> "Stub":
        """The stub itself, as one side of an example for spaCy."""
        return self

    reference = predicted
    x = predicted
    y = predicted


def components_to_train(nlp: Language, training: dict[str, Any]) -> Components:
    """Return the components of this package that learn, by name."""
    frozen = training["frozen_components"]
    pipes = [(name, pipe) for name, pipe in nlp.pipeline if name not in frozen]
    if not any(getattr(pipe, "is_trainable", False) for _, pipe in pipes):
        message = Errors.LP570.format(pipeline=nlp.pipe_names, frozen=frozen)
        raise ValueError(message)
    return [(name, pipe) for name, pipe in pipes if isinstance(pipe, LearnerPipe)]


def component_of_docs(nlp: Language, training: dict[str, Any]) -> str | None:
    """Find a component that needs Docs in every epoch: one of another package that
    learns, or one that learns and annotates in between. Return None if features are
    enough."""
    learning = False
    for name, pipe in nlp.pipeline:
        learns = name not in training["frozen_components"] and getattr(
            pipe, "is_trainable", False
        )
        learning = learning or learns
        annotates = name in training["annotating_components"]
        features = isinstance(pipe, LearnerPipe) and not pipe.learns_from_docs
        if (annotates and learning) or (learns and not features):
            return name
    return None


def annotators_of(nlp: Language, training: dict[str, Any]) -> list[Any]:
    """Return the frozen components whose annotation the others learn from."""
    names = training["annotating_components"]
    return [pipe for name, pipe in nlp.pipeline if name in names]


def training_corpus(nlp: Language, training: dict[str, Any]) -> Corpus:
    """Return the reader of the training corpus of a pipeline."""
    config = nlp.config.interpolate()
    corpus: Corpus
    (corpus,) = resolve_dot_names(config, [training["train_corpus"]])
    return corpus


def corpus_stubs(job: Job, *, quiet: bool) -> Iterator[Stub]:
    """Read all examples of the training corpus, with progress."""
    examples = training_corpus(job.nlp, job.training)(job.nlp)
    annotators = annotators_of(job.nlp, job.training)
    read = read_stubs(examples, job.components, annotators)
    found = False
    for stub in read if quiet else counted(read, "examples read"):
        found = True
        yield stub
    if not found:
        raise ValueError(Errors.LP043.format(corpus="training", setting="paths.train"))


def gold_of(stubs: Sequence[Stub], number: int) -> NDArray[np.int32]:
    """Return the gold codes of some examples, one after the other."""
    data = bytearray().join([stub.gold[number] for stub in stubs])
    return np.frombuffer(data, np.int32).reshape(-1, *stubs[0].shapes[number])


def _annotate(examples: Sequence[Example], pipe: Any) -> None:
    """Let a component annotate the predicted Docs of some examples."""
    docs = [example.predicted for example in examples]
    annotated = pipe.pipe(docs) if hasattr(pipe, "pipe") else map(pipe, docs)
    for example, doc in zip(examples, annotated, strict=True):
        example.predicted = doc


def read_stubs(
    examples: Iterable[Example], components: Components, annotators: Sequence[Any] = ()
) -> Iterator[Stub]:
    """Convert examples to features and gold labels, and drop the examples."""
    read = [component.reader.attributes for _, component in components]
    plain = all(isinstance(component, ChainPipe) for _, component in components)
    plain = plain and not annotators and None not in read
    if plain and isinstance(examples, ColumnExamples):
        examples.share_docs({x for attributes in read for x in attributes or ()})
    for batch in minibatch(examples, READ_AT_ONCE):
        for pipe in annotators:
            _annotate(batch, pipe)
        prepared = [component.prepare(batch) for _, component in components]
        shapes = tuple([parts[0][1].shape[1:] for parts in prepared])
        for number, example in enumerate(batch):
            yield Stub(
                len(example.predicted),
                tuple([parts[number][0] for parts in prepared]),
                tuple([parts[number][1].tobytes() for parts in prepared]),
                shapes,
            )
