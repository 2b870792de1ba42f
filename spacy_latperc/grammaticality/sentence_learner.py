"""Learning of sentence classifiers: classes of Docs, epochs, initial weights."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from ..errors import Errors, Warnings
from ..io.pipelines import load_pipeline
from ..kernels.chains import FeatureBlock
from ..learners.base import Batch
from ..pipeline.doc_reader import describe
from ..pipeline.learner_pipe import LearnerPipe
from ..schemes import get_scheme
from .classifier import LabelledSentences
from .scorer import truth
from .sentence_pipe import SentencePipe


class SentenceLearner(SentencePipe, LearnerPipe):
    """A component that learns two classes of sentences.

    Subclasses have a `learner` (a LatentClassifier), and the classes as labels.
    """

    def __init__(self, *args: Any, **settings: Any):
        super().__init__(*args, **settings)
        self._seen_classes = {True: 0, False: 0}  # sentences
        self._waiting = LabelledSentences()  # of an incomplete epoch

    def _set_learner_labels(self) -> None:
        """Do nothing: the learner has two classes, under any names."""

    def add_label(self, label: str) -> int:
        """Refuse other labels than the two."""
        if label not in self.labels:
            known = ", ".join(self.labels)
            raise ValueError(
                Errors.LP459.format(name=self.name, label=label, known=known)
            )
        return 0

    def collect_labels(self, doc: Doc) -> Iterable[str]:
        real = truth(doc.cats)
        if real is not None and len(doc):
            several = doc.has_annotation("SENT_START")
            self._seen_classes[real] += sum(1 for _ in doc.sents) if several else 1
        return ()

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        labels: Sequence[str] | None = None,
        init_from: str | Path | None = None,
        init_component: str | None = None,
        init_limit: float = 0.01,
    ) -> None:
        """Count the sentences of each class, and set the initial weights.

        Args:
            get_examples: Gives the training examples.
            nlp: The pipeline.
            labels: Accepted because spaCy passes them (`spacy init labels`).
            init_from: A pipeline with a trained chunker. Views of the same
                representation begin with its weights, the others with zeros. It must
                have the types of the latent chunks, in their order.
            init_component: The name of the chunker, if that pipeline has several
                components of this package.
            init_limit: The largest initial weight.
        """
        for label in labels or ():
            self.add_label(label)
        chunker = None
        if init_from is not None:  # before the corpus is read
            chunker = load_component(init_from, init_component, self.name)
        self._waiting = LabelledSentences()
        self._seen_classes = {True: 0, False: 0}
        super().initialize(get_examples, nlp=nlp)
        if chunker is not None:
            self._begin_views(chunker, str(init_from), init_limit)

    def _begin_views(self, chunker: LearnerPipe, where: str, limit: float) -> None:
        """Give the weights of a chunker to all views of its representation."""
        scheme = get_scheme(chunker.cfg["scheme"]) if "scheme" in chunker.cfg else None
        schemes = [inventory.scheme for inventory in self.learner.inventories]
        if scheme not in schemes:
            known = ", ".join(x.name for x in schemes)
            name = scheme.name if scheme else "none"
            raise ValueError(Errors.LP462.format(where=where, scheme=name, known=known))
        for view, own in enumerate(schemes):
            if own == scheme:
                self.learner.start_from(chunker.learner, view=view, limit=limit)

    def _start(self, sentences: int, *, keep_features: bool) -> None:
        found = dict(zip(self.labels, self._seen_classes.values(), strict=True))
        for label, n in found.items():
            if not n:
                raise ValueError(Errors.LP460.format(name=self.name, label=label))
        self.learner.start(*found.values(), keep_features=keep_features)

    def _gold(
        self, examples: Sequence[Example], same: Sequence[bool], batch: Batch
    ) -> NDArray[np.int32]:
        """Return the class of each token's Doc: 1, -1, or 0 for unknown. `learn` reads
        the first token of each sentence."""
        classes = self.classes([example.reference for example in examples])
        if (classes < 0).any():
            several = np.flatnonzero((classes < 0) & (batch.per_doc > 1))
            if len(several):
                doc = describe(examples[several[0]].reference)
                self._warn_once(
                    "several",
                    Warnings.LP917.format(name=self.name, n=len(several), doc=doc),
                )
        return np.repeat(classes.astype(np.int32), np.diff(batch.docs))

    def learn(
        self, features: list[FeatureBlock], gold: NDArray[np.int32]
    ) -> tuple[float, list[int]]:
        """Learn from a batch. A batch learner waits for the end of the epoch."""
        starts = []
        at = 0
        for block in features:
            starts.append(at + block.bounds()[:-1])
            at += block.n_tokens
        first = np.concatenate([np.zeros(0, dtype=np.int64), *starts])
        self._waiting.add(features, gold[first].astype(np.int8))
        if self.learner.settings.needs_all and (
            self._waiting.examples < self.learner.epoch_size
        ):
            return 0.0, []
        whole, self._waiting = self._waiting, LabelledSentences()
        return self.learner.update(whole.features, whole.gold).loss, []


def load_component(path: str | Path, component: str | None, name: str) -> LearnerPipe:
    """Load a component of this package from a trained pipeline.

    Args:
        path: The pipeline.
        component: Its name; None: the one of this name, or the only one of this
            package.
        name: The name of the component that begins with it, for messages.
    """
    try:
        nlp = load_pipeline(path)
    except Exception as error:
        message = Errors.LP093.format(name=name, path=path, error=error)
        raise ValueError(message) from error
    ours = {key: pipe for key, pipe in nlp.pipeline if isinstance(pipe, LearnerPipe)}
    only = next(iter(ours)) if len(ours) == 1 and name not in ours else name
    wanted = component or only
    if wanted not in ours:
        message = Errors.LP094.format(
            name=name,
            path=path,
            wanted=wanted,
            known=", ".join(ours) or ", ".join(nlp.pipe_names) or "none",
        )
        raise ValueError(message)
    return ours[wanted]
