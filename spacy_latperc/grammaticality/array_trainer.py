"""A trainer of the classifier over arrays, which reads Docs once and drops them.

The component gives the columns and classes of a Doc, as in `spacy train`. The loop of
`fit` (training/fit.py) would train other models: there an update sees one batch of
Examples, here all sentences of an epoch, in the order that the learner shuffles them
to. Millions of sentences need no Examples either.
"""

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
from ..learners.base import Batch
from ..pipeline.doc_reader import describe
from .classifier import LabelledSentences
from .component import LatpercGrammaticality
from .scorer import area_under_curve

AT_ONCE = 1000
TAG_COLUMNS = ("TAG", "POS")
Margins = NDArray[np.float64]
Classes = NDArray[np.int8]


@dataclass(frozen=True)
class PassReport:
    """The report of an epoch.

    Args:
        number: The number of the epoch, counted from 1.
        seconds: The time of training.
        loss: The sum of the hinge losses before each first step.
        wrong: Sentences on the wrong side before the first step on them.
        examples: Sentences learned from.
        decodings_per_negative: Searches for the best chunking, on average.
        capped: Negatives still wrong after as many searches as allowed.
        accuracy: The accuracy on held-out sentences, if there are any.
        auc: The area under their curve, likewise.
    """

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
class TrainingReport:
    """The report of a training.

    Args:
        positives: Good sentences in the training data.
        negatives: Bad sentences in the training data.
        passes: The reports of the epochs.
        held_out: Margin and class of each held-out sentence at the end.
    """

    positives: int
    negatives: int
    passes: list[PassReport] = field(default_factory=list)
    held_out: list[tuple[float, bool]] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """Convert the report for JSON."""
        return asdict(self)


class ArrayTrainer:
    """A trainer of one component; the components before it annotate only."""

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
    ) -> TrainingReport:
        """Train, then fit the probabilities to the held-out Docs.

        Args:
            docs: Docs with categories. The learner sees all of them in each epoch.
            passes: The number of epochs.
            held_out: Other Docs with categories, for figures and for probabilities.
            read: A callback for the number of Docs read.
            progress: A callback for the report of each epoch.
        """
        # This clears the index of features, so it comes before reading. The number of
        # sentences is known only afterwards.
        self.learner.start(1, 1)
        # There are fewer held-out Docs, so a mistake in them shows early.
        dev = list(self._batches(held_out, read))
        sentences = self._read(docs, read)
        gold = sentences.gold
        positives, negatives = int((gold > 0).sum()), int((gold < 0).sum())
        self.learner.start(positives, negatives, keep_features=True)
        training = TrainingReport(positives, negatives)
        for number in range(1, passes + 1):
            start = perf_counter()
            done = self.learner.update(sentences.features, gold)
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

    def _read(
        self, docs: Iterable[Doc], read: Callable[[int], None] | None
    ) -> LabelledSentences:
        sentences = LabelledSentences()
        for batch, classes in self._batches(docs, read):
            found = self.learner.read(batch)
            block = self.learner.space.extract(
                found.attrs, found.bounds, values=found.values
            )
            sentences.add([block], np.repeat(classes, found.per_doc))
        return sentences

    def _margins(
        self, batches: list[tuple[Batch, Classes]]
    ) -> tuple[Margins, NDArray[np.bool_]]:
        """Score the sentences that have a class."""
        margins, real = [np.zeros(0)], [np.zeros(0, dtype=bool)]
        for batch, classes in batches:
            found = self.learner.predict(batch)
            each = np.repeat(classes, found.per_doc)
            margins.append(found.scores[each != 0])
            real.append(each[each != 0] > 0)
        return np.concatenate(margins), np.concatenate(real)

    def _batches(
        self, docs: Iterable[Doc], read: Callable[[int], None] | None
    ) -> Iterator[tuple[Batch, Classes]]:
        """Yield columns and classes of Docs, as the pipeline sees them."""
        docs = iter(docs)
        while some := list(islice(docs, AT_ONCE)):
            for component in self.before:
                some = list(component.pipe(some, batch_size=AT_ONCE))
            batch = self.pipe.reader.read(some)
            self._check_columns(batch, some)
            yield batch, self.pipe.classes(some)
            if read:
                read(len(some))

    def _check_columns(self, batch: Batch, docs: Sequence[Doc]) -> None:
        """Refuse empty columns, and tags that only some Docs have: the classifier would
        learn only which Docs have them."""
        for column in self.pipe.reader.empty(batch):
            raise ValueError(
                Errors.LP473.format(
                    name=self.name, column=column, component=ANNOTATED[column]
                )
            )
        columns = self.pipe.reader.columns
        for column in (name for name in TAG_COLUMNS if name in columns):
            for doc in docs:
                if len(doc) and not doc.has_annotation(column):
                    message = Errors.LP474.format(
                        name=self.name, column=column, doc=describe(doc)
                    )
                    raise ValueError(message)
