"""Training the classifier of sentences over arrays: Docs are read once and let go.

What a Doc means (columns, classes) is asked of the component, as in `spacy train`. The
loop is not that of `fit` (training/fit.py), since models would differ: there an update
sees one batch of Examples, here all the sentences of a pass, in the order that the
learner shuffles them to. For millions of sentences there is no Example either.
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
from ..pipeline.docs import describe
from .classifier import LabelledSentences
from .component import LatpercGrammaticality
from .scorer import area_under_curve

AT_ONCE = 1000
TAG_COLUMNS = ("TAG", "POS")
Margins = NDArray[np.float64]
Classes = NDArray[np.int8]


@dataclass(frozen=True)
class PassReport:
    """How a pass went.

    Args:
        number: Of the pass, counted from 1.
        seconds: That learning took.
        loss: The sum of the hinge losses before each first step.
        wrong: Sentences on the wrong side before the first step on them.
        examples: Sentences learned from.
        decodings_per_negative: Searches for the best chunking, on average.
        capped: Negatives still wrong after as many searches as allowed.
        accuracy: On held-out sentences, if there are any.
        auc: Area under the curve of them, likewise.
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
    """How training went.

    Args:
        positives: Good sentences that were learned from.
        negatives: The others.
        passes: One after the other.
        held_out: Margin and class of each held-out sentence at the end.
    """

    positives: int
    negatives: int
    passes: list[PassReport] = field(default_factory=list)
    held_out: list[tuple[float, bool]] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """All of it, for JSON."""
        return asdict(self)


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
    ) -> TrainingReport:
        """Learn, then fit the probabilities to the held-out Docs.

        Args:
            docs: With categories. The learner sees all of them in each pass.
            passes: How many.
            held_out: Other Docs with categories, for figures and for probabilities.
            read: Told how many Docs were read.
            progress: Told of each pass.
        """
        # Before any sentence is read, since this clears the index of features. How many
        # sentences there are is known later: they are counted as they are read.
        self.learner.start(1, 1)
        # These first: they are fewer, so that a mistake in them shows early.
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
        """Of the sentences that have a class."""
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
        """Columns and classes of Docs, as the pipeline sees them."""
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
        """Refuse columns that are empty, and tags that only some Docs have: all that is
        learned would be whether there are any."""
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
