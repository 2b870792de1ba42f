"""What the chunker and the entity recogniser share: labels are chunks in a scheme."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from spacy.tokens import Doc
from spacy.training import Example

from ..errors import Errors, Warnings
from ..learners.chain import UNKNOWN
from ..model import Batch
from ..schemes import LabelInventory, get_scheme
from ..schemes.reading import Chunks
from .base import Prediction
from .confidence import ConfidentPipe
from .docs import Spans, align_spans, describe


class Annotation(NamedTuple):
    """Gold spans of one reference Doc, and its tokens without annotation."""

    spans: Spans
    missing: Sequence[int]


class SpanPipe(ConfidentPipe):
    """A chain whose labels are the types of spans in a chunk representation."""

    _inventory: LabelInventory | None = None

    @property
    def inventory(self) -> LabelInventory:
        """The labels of the chain: O and the types with the scheme's letters."""
        known = self._inventory
        scheme = get_scheme(self.cfg["scheme"])
        labels = self.cfg["labels"]
        if known is None or known.scheme is not scheme or known.types != labels:
            known = self._inventory = LabelInventory(scheme, labels)
        return known

    def _set_learner_labels(self) -> None:
        inventory = self.inventory
        self.learner.set_labels(
            inventory.labels,
            transitions=inventory.transitions,
            starts=inventory.starts,
            ends=inventory.ends,
        )

    def _label_hashes(self) -> NDArray[np.uint64]:
        strings = self.vocab.strings
        hashes = [strings.as_int(label) for label in self.labels]
        return np.asarray(hashes, dtype=np.uint64)

    # Gold -----------------------------------------------------------------------------

    def _annotation(self, doc: Doc) -> Annotation:
        """The gold spans of a reference Doc."""
        raise NotImplementedError

    def _gold(
        self, examples: Sequence[Example], same: Sequence[bool], batch: Batch
    ) -> NDArray[np.int32]:
        types = {value: i for i, value in enumerate(self._label_hashes().tolist())}
        starts: list[int] = []
        ends: list[int] = []
        kinds: list[int] = []
        missing: list[int] = []
        astray: list[int] = []  # for each span that does not fit, its example
        at = batch.docs.tolist()
        for number, example in enumerate(examples):
            spans, unknown = self._annotation(example.reference)
            if not same[number]:
                unknown = _align_tokens(example, unknown)
                n_spans = len(spans[0])
                spans, lost = align_spans(example, spans)
                missing.extend(at[number] + token for token in lost)
                astray.extend([number] * (n_spans - len(spans[0])))
            self._check(example.reference, spans, types)
            offset = at[number]
            starts.extend([start + offset for start in spans[0]])
            ends.extend([end + offset for end in spans[1]])
            kinds.extend([types[label] for label in spans[2]])
            missing.extend([token + offset for token in unknown])
        bounds, _ = self.learner.bounds(batch.values, batch.docs)
        first = np.asarray(starts, dtype=np.int64)
        last = np.asarray(ends, dtype=np.int64)
        kind = np.asarray(kinds, dtype=np.int32)
        crossing = np.searchsorted(bounds, first, side="right") != np.searchsorted(
            bounds, last - 1, side="right"
        )
        for s in np.flatnonzero(crossing).tolist():
            missing.extend(range(starts[s], ends[s]))
            astray.append(int(np.searchsorted(batch.docs, starts[s], side="right")) - 1)
        if astray:
            self._warn_once(
                "astray",
                Warnings.LP912.format(
                    name=self.name,
                    n=len(astray),
                    doc=describe(examples[min(astray)].reference),
                ),
            )
        gold = self.inventory.encode_ids(
            first[~crossing],
            last[~crossing],
            kind[~crossing],
            len(batch.values),
            offsets=bounds,
        )
        gold[missing] = UNKNOWN
        return gold

    def _check(self, doc: Doc, spans: Spans, types: dict[int, int]) -> None:
        """Known labels, no overlaps: or an error that names the Doc."""
        for label in spans[2]:
            if label not in types:
                raise ValueError(
                    Errors.LP035.format(
                        name=self.name,
                        label=doc.vocab.strings[label],
                        doc=describe(doc),
                        known=", ".join(self.labels),
                    )
                )
        for s in range(1, len(spans[0])):
            if spans[0][s] < spans[1][s - 1]:
                raise ValueError(
                    Errors.LP036.format(
                        name=self.name,
                        doc=describe(doc),
                        first=f"{spans[0][s - 1]} to {spans[1][s - 1] - 1}",
                        second=f"{spans[0][s]} to {spans[1][s] - 1}",
                    )
                )

    # Prediction -----------------------------------------------------------------------

    def _chunks(self, prediction: Prediction) -> Chunks:
        """Starts, ends and type ids in the concatenated batch."""
        return self._answers(prediction.labels, prediction.sentences)

    # Confidence -----------------------------------------------------------------------

    def _answers(
        self, labels: NDArray[np.int32], sentences: NDArray[np.int64]
    ) -> Chunks:
        return self.inventory.decode_ids(labels, sentences)

    def _annotations(
        self, labels: NDArray[np.int32], sentences: NDArray[np.int64]
    ) -> list:
        starts, ends, types = self._answers(labels, sentences)
        names = [self.labels[type_] for type_ in types.tolist()]
        return list(zip(starts.tolist(), ends.tolist(), names, strict=True))

    def _answer_probabilities(
        self, batch: Batch, answers: Chunks, temperature: float
    ) -> NDArray[np.float64]:
        inventory = self.inventory
        return self._chain.span_probabilities(
            batch.values,
            batch.docs,
            batch.lookup,
            *answers,
            type_of=inventory.type_of,
            boundary=inventory.boundary,
            allowed=batch.allowed,
            temperature=temperature,
        )

    def _answer_margins(
        self, margins: NDArray[np.float32], prediction: Prediction, answers: Chunks
    ) -> NDArray[np.float32]:
        """Of the best path without the span: it has another label within the span, or
        the same ones and a neighbour that joins them."""
        labels, boundary = prediction.labels, self.inventory.boundary
        starts, ends, _ = answers
        is_first = np.zeros(len(labels) + 1, dtype=bool)
        is_first[prediction.sentences] = True
        other = margins.copy()
        other[np.arange(len(labels)), labels] = np.inf
        weakest = np.append(other.min(axis=1), np.float32(np.inf))
        inside = np.stack([starts, ends], axis=1).ravel()
        found = np.minimum.reduceat(weakest, inside)[::2]
        after = np.flatnonzero(~is_first[ends])
        joins = ~boundary[labels[ends[after] - 1]]
        joined = np.where(joins, margins[ends[after]], np.inf)
        found[after] = np.minimum(found[after], joined.min(axis=1))
        before = np.flatnonzero(~is_first[starts])
        joins = ~boundary[:, labels[starts[before]]].T
        joined = np.where(joins, margins[starts[before] - 1], np.inf)
        found[before] = np.minimum(found[before], joined.min(axis=1))
        return found

    def _withdraw(self, labels: NDArray[np.int32], tokens: NDArray[np.bool_]) -> None:
        labels[tokens] = 0

    def _judge(
        self, examples: Sequence[Example], same: Sequence[bool], answers: Chunks
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_], int]:
        hashes = self._label_hashes()[answers[2]].tolist()
        gold: set[tuple[int, int, int]] = set()
        unknown: list[int] = []
        offset = 0
        for example, equal in zip(examples, same, strict=True):
            spans, missing = self._annotation(example.reference)
            if not equal:
                missing = _align_tokens(example, missing)
                spans, lost = align_spans(example, spans)
                missing = [*missing, *lost]
            unknown.extend(offset + token for token in missing)
            for start, end, label in zip(*spans, strict=True):
                gold.add((start + offset, end + offset, label))
            offset += len(example.predicted)
        found = zip(answers[0].tolist(), answers[1].tolist(), hashes, strict=True)
        correct = np.array([span in gold for span in found], dtype=bool)
        blank = np.zeros(offset + 1, dtype=np.int64)
        blank[[token + 1 for token in unknown]] = 1
        blank = np.cumsum(blank)
        return correct, blank[answers[0]] == blank[answers[1]], len(gold)


def _align_tokens(example: Example, tokens: Sequence[int]) -> list[int]:
    """Tokens of the reference on the tokens of the prediction."""
    if len(tokens) == len(example.reference):
        return list(range(len(example.predicted)))
    forward = example.alignment.y2x
    return [at for token in tokens for at in forward[token].tolist()]
