"""Annotation of a training corpus by models that have not seen it.

A component that reads the annotation of another one must not learn from predictions on
the other's training sentences: they are better than predictions on new text. So the
corpus is divided into folds, and a model that is trained on the others annotates each.
Afterwards the first component is trained on everything, as usual.
"""

import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b

import numpy as np
from spacy.attrs import DEP, ENT_IOB, ENT_TYPE, HEAD, LEMMA, MORPH, ORTH, POS, TAG
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import registry

from ..errors import Errors
from ..errors.check import check_count
from ..io.progress import progress_bar
from ..pipeline.learner_pipe import LearnerPipe
from .course import train_alone

Reader = Callable[[Language], Iterable[Example]]

READER = "spacy_latperc.Jackknifed.v1"

# The annotation that distinguishes corpora of the same words.
_GOLD = [ORTH, TAG, POS, LEMMA, MORPH, ENT_IOB, ENT_TYPE, HEAD, DEP]

# `spacy train` resolves its readers twice, for initialisation and for training: the
# second one reuses the Docs of the first.
_made: weakref.WeakKeyDictionary[Language, tuple[object, list[Doc]]] = (
    weakref.WeakKeyDictionary()
)


def jackknifed_corpus(
    corpus: Reader,
    component: str | list[str],
    folds: int = 4,
    epochs: int | None = None,
) -> Reader:
    """Registered as spacy_latperc.Jackknifed.v1: the examples of another reader, with
    predicted Docs that components of the pipeline have annotated.

    Args:
        corpus: The block of the reader of the examples.
        component: The component that annotates, or a list of several in their order.
            Later components may read its annotation.
        folds: The number of models, each trained on all documents but those that it
            annotates. More folds take longer and come closer to the model of the whole
            corpus.
        epochs: The number of epochs of these models; max_epochs of [training] if null.
    """
    check_count("folds", folds, low=2, hint="recommended: 4")
    if epochs is not None:
        check_count("epochs", epochs, hint="null for max_epochs of [training]")
    names = [component] if isinstance(component, str) else list(component)
    kept: list[tuple[object, list[Doc]]] = []

    def read(nlp: Language) -> Iterator[Example]:
        examples = list(corpus(nlp))
        key = (*names, folds, epochs, _digest(examples))
        if not kept or kept[0][0] != key:
            made = _made.pop(nlp, None)
            if made is None or made[0] != key:
                docs = jackknife(nlp, names, examples, folds=folds, epochs=epochs)
                made = _made[nlp] = (key, docs)
            kept[:] = [made]
        for doc, example in zip(kept[0][1], examples, strict=True):
            yield Example(doc.copy(), example.reference)

    return read


def jackknife(
    nlp: Language,
    name: str | Sequence[str],
    examples: Sequence[Example],
    *,
    folds: int = 4,
    epochs: int | None = None,
    quiet: bool = False,
) -> list[Doc]:
    """Annotate examples by models of components that have not seen them.

    The folds are runs of neighbouring documents of the corpus, since neighbours are
    often about the same topic. Seeds come from the config, and the components of the
    pipeline do not change.

    Args:
        nlp: A pipeline, with the config of its training.
        name: The name of the component, or of several: each reads the annotation of the
            ones before it.
        examples: The corpus.
        folds: The number of models.
        epochs: The epochs of each model; max_epochs of [training] by default.
        quiet: Print no progress.

    Returns:
        A copy of the predicted Doc of each example, annotated.
    """
    check_count("folds", folds, low=2, hint="recommended: 4")
    names = [name] if isinstance(name, str) else list(name)
    for each in names:
        _check_component(nlp, each)
    passes = nlp.config["training"]["max_epochs"] if epochs is None else epochs
    if passes < 1:
        raise ValueError(Errors.LP775.format(max_epochs=passes))
    if len(examples) < folds:
        raise ValueError(Errors.LP774.format(n=len(examples), folds=folds))
    docs = [example.predicted.copy() for example in examples]
    for each in names:
        _annotate(nlp, each, docs, examples, folds=folds, passes=passes, quiet=quiet)
        examples = [
            Example(doc.copy(), example.reference)
            for doc, example in zip(docs, examples, strict=True)
        ]
    return docs


def _annotate(
    nlp: Language,
    name: str,
    docs: Sequence[Doc],
    examples: Sequence[Example],
    *,
    folds: int,
    passes: int,
    quiet: bool,
) -> None:
    """Annotate the predicted Docs of examples, by folds."""
    bounds = [len(examples) * fold // folds for fold in range(folds + 1)]
    # The component of `nlp` itself would take over the settings of this one.
    host = type(nlp)(vocab=nlp.vocab)
    with progress_bar(
        f"passes over folds, '{name}'", total=folds * passes, quiet=quiet
    ) as told:
        for first, end in zip(bounds, bounds[1:], strict=False):
            others = [*examples[:first], *examples[end:]]
            component = _blank(nlp, host, name)
            _initialize(nlp, name, component, others)
            train_alone(
                nlp, name, component, others, epochs=passes, told=lambda: told(1)
            )
            for start in range(first, end, nlp.batch_size):
                batch = docs[start : min(start + nlp.batch_size, end)]
                component.set_annotations(batch, component.predict(batch))
            # Models of thinc are reference cycles, and garbage is collected rarely.
            component.model.shims.clear()


def _check_component(nlp: Language, name: str) -> None:
    ours = [key for key, pipe in nlp.pipeline if isinstance(pipe, LearnerPipe)]
    if name not in ours:
        known = ", ".join(f"'{key}'" for key in ours) or "none of them"
        raise ValueError(Errors.LP773.format(name=name, known=known))


def _blank(nlp: Language, host: Language, name: str) -> LearnerPipe:
    """Make an untrained copy of a component of the pipeline."""
    settings = dict(nlp.config.interpolate()["components"][name])
    return host.create_pipe(settings.pop("factory"), name, config=settings)


def _initialize(
    nlp: Language, name: str, component: LearnerPipe, examples: Sequence[Example]
) -> None:
    blocks = nlp.config.interpolate()["initialize"]["components"]
    settings = registry.resolve({"settings": blocks.get(name, {})})["settings"]
    component.initialize(lambda: examples, nlp=nlp, **settings)


def _digest(examples: Sequence[Example]) -> bytes:
    """Hash a corpus, to recognise the one that was annotated."""
    found = blake2b(digest_size=16)
    for example in examples:
        for doc in (example.predicted, example.reference):
            found.update(np.int64(len(doc)).tobytes())
            found.update(doc.to_array(_GOLD).tobytes())
            spans = [
                (key, span.start, span.end, span.label)
                for key, group in doc.spans.items()
                for span in group
            ]
            found.update(repr(spans).encode("utf-8", "surrogatepass"))
    return found.digest()
