"""A training corpus as features and gold labels: what `fit` learns from, wherever."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from spacy.language import Language
from spacy.training import Example
from spacy.util import minibatch

from ..data.corpus import ColumnExamples
from ..errors import Errors
from ..kernels.chains import FeatureBlock
from ..pipeline.base import LearnerPipe
from ..pipeline.chain import ChainPipe

READ_AT_ONCE = 256

Components = list[tuple[str, LearnerPipe]]


class Job(NamedTuple):
    """What is to be trained.

    Attributes:
        nlp: The initialised pipeline; its weights change with each pass.
        training: Its [training] block, resolved.
        components: Those that learn.
    """

    nlp: Language
    training: dict[str, Any]
    components: Components


Corpus = Callable[[Language], Iterable[Example]]


@dataclass(eq=False, slots=True)
class Stub:
    """Stands for an example where spaCy's batchers and its sorting ask for lengths.

    Attributes:
        length: Its tokens.
        prepared: For each component, in order, its features and gold labels.
    """

    length: int
    prepared: list[tuple[FeatureBlock, NDArray[np.int32]]]

    def __len__(self) -> int:
        return self.length

    @property
    def predicted(self) -> "Stub":
        """Itself, where spaCy asks for one side of an example."""
        return self

    reference = predicted
    x = predicted
    y = predicted


def components_to_train(nlp: Language, training: dict[str, Any]) -> Components:
    """The components that learn, by name, or an error that says why they cannot."""
    if training["annotating_components"]:
        names = training["annotating_components"]
        raise ValueError(Errors.LP041.format(names=names))
    if training["max_epochs"] < 1:
        raise ValueError(Errors.LP042.format(max_epochs=training["max_epochs"]))
    components = []
    for name, component in nlp.pipeline:
        if name in training["frozen_components"]:
            continue
        if isinstance(component, LearnerPipe):
            components.append((name, component))
        elif getattr(component, "is_trainable", False):
            raise ValueError(Errors.LP040.format(name=name))
    if not components:
        frozen = training["frozen_components"]
        message = Errors.LP570.format(pipeline=nlp.pipe_names, frozen=frozen)
        raise ValueError(message)
    return components


def read_stubs(
    nlp: Language, examples: Iterable[Example], components: Components
) -> Iterator[Stub]:
    """Examples as features and gold labels; the examples themselves are let go."""
    read = [component.reader.attributes for _, component in components]
    plain = all(isinstance(component, ChainPipe) for _, component in components)
    if plain and isinstance(examples, ColumnExamples) and None not in read:
        examples.share_docs({x for attributes in read for x in attributes or ()})
    for batch in minibatch(examples, READ_AT_ONCE):
        stubs = [Stub(len(example.predicted), []) for example in batch]
        for _, component in components:
            prepared = component.prepare(batch)
            for stub, item in zip(stubs, prepared, strict=True):
                stub.prepared.append(item)
        yield from stubs
