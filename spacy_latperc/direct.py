"""Training without the host's loop: examples are read once, then only arrays are left.

The order of examples is that of `spacy train` with the same config, so that the model
after the last epoch is the same, byte for byte, as model-last of `spacy train`.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from spacy.language import DEFAULT_CONFIG, Language
from spacy.schemas import ConfigSchemaTraining
from spacy.training import Example
from spacy.training.initialize import init_nlp
from spacy.training.loop import create_before_to_disk_callback, subdivide_batch
from spacy.util import registry, resolve_dot_names
from thinc.api import Config

from .errors import Errors
from .kernels.features import FeatureBlock
from .pipeline.base import ChainPipe, minibatch

READ_AT_ONCE = 256

# (epoch, epochs, sentences learned from, loss of the epoch by component)
Progress = Callable[[int, int, int, dict[str, float]], None]


@dataclass(eq=False)
class _Stub:
    """Stands for an example where spaCy's batchers and its sorting ask for lengths."""

    length: int
    prepared: dict[str, tuple[FeatureBlock, NDArray[np.int32]]]

    def __len__(self) -> int:
        return self.length

    @property
    def predicted(self) -> "_Stub":
        return self

    reference = predicted
    x = predicted
    y = predicted


def fit(config: Config, *, progress: Progress | None = None) -> Language:
    """Train the pipeline of a config; what it leaves out gets spaCy's defaults.

    RETURNS: the pipeline after the last epoch.
    """
    nlp = init_nlp(DEFAULT_CONFIG.merge(config))
    config = nlp.config.interpolate()
    training = registry.resolve(config["training"], schema=ConfigSchemaTraining)
    components = _components(nlp, training)
    (corpus,) = resolve_dot_names(config, [training["train_corpus"]])
    stubs = list(_read(nlp, corpus, components))
    if not stubs:
        raise ValueError(Errors.LP043)
    shuffler = random.Random(training["seed"])
    step = 0
    for epoch in range(training["max_epochs"]):
        shuffler.shuffle(stubs)
        losses: dict[str, float] = {}
        seen = 0
        for batch in training["batcher"](stubs):
            for part in subdivide_batch(batch, training["accumulate_gradient"]):
                _learn(components, part, losses)
                seen += len(part)
            step += 1
            if training["max_steps"] and step > training["max_steps"]:
                return nlp
        if progress:
            progress(epoch + 1, training["max_epochs"], seen, losses)
    return nlp


def prepare_to_save(nlp: Language) -> Language:
    """What [training.before_to_disk] of its config makes of a trained pipeline."""
    config = nlp.config.interpolate()
    training = registry.resolve(config["training"], schema=ConfigSchemaTraining)
    return create_before_to_disk_callback(training["before_to_disk"])(nlp)


def _components(nlp: Language, training: dict) -> list[tuple[str, ChainPipe]]:
    if training["annotating_components"]:
        names = training["annotating_components"]
        raise ValueError(Errors.LP041.format(names=names))
    if training["max_epochs"] < 1:
        raise ValueError(Errors.LP042.format(max_epochs=training["max_epochs"]))
    components = []
    for name, component in nlp.pipeline:
        if name in training["frozen_components"]:
            continue
        if isinstance(component, ChainPipe):
            components.append((name, component))
        elif getattr(component, "is_trainable", False):
            raise ValueError(Errors.LP040.format(name=name))
    return components


def _read(
    nlp: Language,
    corpus: Callable[[Language], Iterator[Example]],
    components: list[tuple[str, ChainPipe]],
) -> Iterator[_Stub]:
    """The corpus as features and gold labels; the examples are let go."""
    for examples in minibatch(corpus(nlp), READ_AT_ONCE):
        stubs = [_Stub(len(example.predicted), {}) for example in examples]
        for name, component in components:
            prepared = component.prepare(examples)
            for stub, item in zip(stubs, prepared, strict=True):
                stub.prepared[name] = item
        yield from stubs


def _learn(
    components: list[tuple[str, ChainPipe]], part: list[_Stub], losses: dict[str, float]
) -> None:
    for name, component in components:
        features = [stub.prepared[name][0] for stub in part]
        gold = np.concatenate([stub.prepared[name][1] for stub in part])
        if not len(gold):
            continue
        loss, _ = component.learn(features, gold)
        losses[name] = losses.get(name, 0.0) + loss
