"""Training the classifier of sentences without the host's loop: Docs are read once and
let go; what stays is arrays."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.language import Language
from spacy.tokens import Doc

from ..calibration import fit_line
from ..errors import Errors
from ..features.attributes import ANNOTATED
from ..kernels.features import FeatureBlock
from ..model import Batch
from ..pipeline.docs import describe
from .component import LatpercGrammaticality
from .scorer import area_under_curve, truth

AT_ONCE = 1000
TAG_COLUMNS = ("TAG", "POS")
Margins = NDArray[np.float64]
Classes = NDArray[np.int8]


@dataclass(frozen=True)
class PassReport:
    """How a pass went. accuracy, auc: on held-out sentences, if there are any."""

    number: int
    seconds: float
    loss: float
    wrong: int
    examples: int
    decodings_per_negative: float
    capped: int
    accuracy: float | None = None
    auc: float | None = None


@dataclass
class Training:
    """positives, negatives: sentences. passes: one after the other. margins: of the
    held-out sentences at the end, with their classes."""

    positives: int
    negatives: int
    passes: list[PassReport] = field(default_factory=list)
    held_out: list[tuple[float, bool]] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass
class Gathered:
    """Sentences as features, and their classes."""

    features: list[FeatureBlock]
    classes: Classes


class ArrayTrainer:
    """Trains one component of a pipeline; those before it annotate only."""

    def __init__(self, nlp: Language, name: str):
        pipe = nlp.get_pipe(name)
        assert isinstance(pipe, LatpercGrammaticality)
        self.name = name
        self.pipe = pipe
        self.learner = pipe.learner
        if self.learner.space.min_count > 1:
            raise ValueError(Errors.LP472.format(name=name))
        self.before = [pipe for _, pipe in nlp.pipeline[: nlp.pipe_names.index(name)]]

    def train(
        self,
        docs: Iterable[Doc],
        *,
        passes: int,
        held_out: Iterable[Doc] = (),
        read: Callable[[int], None] | None = None,
        progress: Callable[[PassReport], None] | None = None,
    ) -> Training:
        """Learn, then fit the probabilities to the held-out Docs.

        read: is told how many Docs were read.
        """
        # Features of learners that were begun anew would mean nothing.
        self.learner.start(1, 1)
        dev = list(self._batches(held_out, read))  # first: there are fewer to get wrong
        gathered = self._gather(docs, read=read)
        positives = int((gathered.classes > 0).sum())
        negatives = int((gathered.classes < 0).sum())
        self.learner.start(positives, negatives, keep_features=True)
        training = Training(positives, negatives)
        for number in range(1, passes + 1):
            start = perf_counter()
            done = self.learner.update(gathered.features, gathered.classes)
            seconds = perf_counter() - start
            margins, real = self._margins(dev)
            report = PassReport(
                number=number,
                seconds=seconds,
                loss=done.loss,
                wrong=done.wrong,
                examples=done.examples,
                decodings_per_negative=done.decodings_per_negative,
                capped=done.capped,
                accuracy=float(((margins > 0) == real).mean()) if len(real) else None,
                auc=area_under_curve(margins, real),
            )
            training.passes.append(report)
            if progress:
                progress(report)
        margins, real = self._margins(dev)
        if 0 < real.sum() < len(real):
            self.pipe.calibration = fit_line(margins, real)
        pairs = zip(margins.tolist(), real.tolist(), strict=True)
        training.held_out = list(pairs)
        return training

    def _gather(
        self, docs: Iterable[Doc], *, read: Callable[[int], None] | None
    ) -> Gathered:
        features, classes = [], []
        for batch, found in self._batches(docs, read):
            attrs = self.learner.space.assemble(batch.values, batch.lookup)
            bounds, per_doc = self.learner.bounds(batch.values, batch.docs)
            features.append(self.learner.space.extract(attrs, bounds))
            classes.append(np.repeat(found, per_doc))
        return Gathered(features, np.concatenate([np.zeros(0, np.int8), *classes]))

    def _margins(
        self, batches: list[tuple[Batch, Classes]]
    ) -> tuple[Margins, NDArray[np.bool_]]:
        """Of the sentences that have a class."""
        margins, real = [np.zeros(0)], [np.zeros(0, dtype=bool)]
        for batch, classes in batches:
            found = self.learner.predict(batch.values, batch.docs, batch.lookup)
            each = np.repeat(classes, found.per_doc)
            margins.append(found.scores[each != 0])
            real.append(each[each != 0] > 0)
        return np.concatenate(margins), np.concatenate(real)

    def _batches(
        self, docs: Iterable[Doc], read: Callable[[int], None] | None
    ) -> Iterator[tuple[Batch, Classes]]:
        """Columns and classes of Docs, as the pipeline sees them."""
        docs = iter(docs)
        while some := list(islice(docs, AT_ONCE)):
            for component in self.before:
                some = list(component.pipe(some, batch_size=AT_ONCE))
            batch = self.pipe.reader.read(some)
            self._check_columns(batch, some)
            truths = (truth(doc.cats, *self.pipe.labels) for doc in some)
            classes = [0 if real is None else 1 if real else -1 for real in truths]
            yield batch, np.array(classes, dtype=np.int8)
            if read:
                read(len(some))

    def _check_columns(self, batch: Batch, docs: Sequence[Doc]) -> None:
        for c, column in enumerate(self.pipe.reader.columns):
            if column in ANNOTATED and not batch.values[:, c].any():
                raise ValueError(
                    Errors.LP473.format(
                        name=self.name, column=column, component=ANNOTATED[column]
                    )
                )
            if column in TAG_COLUMNS:
                self._refuse_tags_of_some(column, docs)

    def _refuse_tags_of_some(self, column: str, docs: Sequence[Doc]) -> None:
        """Whether there are tags would be all that is learned."""
        for doc in docs:
            if len(doc) and not doc.has_annotation(column):
                message = Errors.LP474.format(
                    name=self.name, column=column, doc=describe(doc)
                )
                raise ValueError(message)
