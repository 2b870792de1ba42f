"""Spans as labels of a chain: each type with the letters of a chunk representation."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from spacy.tokens import Doc
from spacy.training import Example

from ..errors import Errors, Warnings
from ..learners.base import Batch, Prepared
from ..learners.chain import UNKNOWN
from ..schemes import (
    LabelInventory,
    border_masks,
    chunks_by_sentence,
    dead_end,
    get_scheme,
    meaning_mask,
    no_chunk_mask,
    split_label,
)
from ..schemes.decode import Chunks
from .coder import Coder
from .docs import Spans, align_spans, describe
from .parts import Context, Ids, Mask, Masks, Prediction
from .saved import Check, check_fit, check_scheme

NO_SPANS: Spans = ([], [], [])
ANY_TYPE = -1


class Found(NamedTuple):
    """Spans to be written, in tokens of a batch.

    Attributes:
        starts: Their first tokens.
        ends: The tokens after their last ones.
        labels: The hashes of their labels.
        certain: The score of spans that were there before and stay.
    """

    starts: Ids
    ends: Ids
    labels: NDArray[np.uint64]
    certain: float


class Annotation(NamedTuple):
    """Gold spans of one reference Doc, its tokens without annotation, and spans that
    are known not to be gold."""

    spans: Spans
    missing: Sequence[int]
    incorrect: Spans = NO_SPANS


@runtime_checkable
class SpanLayer(Protocol):
    """Spans on Docs: entities, or those under a key of doc.spans."""

    @property
    def name(self) -> str:
        """Names the label sets that are meant for it."""

    def labels(self, doc: Doc) -> Iterable[str]:
        """The labels of the gold spans of a reference Doc."""

    def annotation(self, doc: Doc) -> Annotation:
        """The gold spans of a reference Doc."""

    def state(self, doc: Doc) -> object | None:
        """What tells, by ==, that the gold spans are as they were; None: read again."""

    def kept(self, docs: Sequence[Doc]) -> tuple[Spans, Mask] | None:
        """Spans on the Docs that stay, in tokens of the batch, and tokens that cannot
        be in any other."""

    def write(self, docs: Sequence[Doc], prediction: Prediction, found: Found) -> None:
        """Write spans, and their scores."""


class SpanCoder(Coder):
    """Spans of a layer as labels of one chain.

    Args:
        context: Of the component.
        layer: Where the spans are.
        scheme: The chunk representation of the labels.
    """

    def __init__(self, context: Context, layer: SpanLayer, scheme: str):
        super().__init__(context, layer, scheme)
        self.layer = layer
        self.scheme = get_scheme(scheme)
        self._inventory: LabelInventory | None = None

    @property
    def inventory(self) -> LabelInventory:
        """The labels of the chain: O and the types with the scheme's letters."""
        known, labels = self._inventory, self.context.labels
        if known is None or known.types != labels:
            known = self._inventory = LabelInventory(self.scheme, labels)
        return known

    def set_labels(self) -> None:
        inventory = self.inventory
        self.context.learner.set_labels(
            inventory.labels,
            transitions=inventory.transitions,
            starts=inventory.starts,
            ends=inventory.ends,
        )

    def cfg_checks(self) -> dict[str, Check]:
        return {"scheme": check_scheme}

    def check_weights(self, cfg: dict[str, Any], learner: Any, where: str) -> None:
        wanted = self.scheme.labels(cfg["labels"])
        untrained = self.scheme.labels([])
        check_fit(self.context.name, where, wanted, learner.labels, untrained)

    def hashes(self) -> NDArray[np.uint64]:
        """Of the types, by id."""
        strings = self.context.vocab.strings
        hashes = [strings.as_int(label) for label in self.context.labels]
        return np.asarray(hashes, dtype=np.uint64)

    def collect_labels(self, doc: Doc) -> Iterable[str]:
        sets, _ = self.constraints.sets(doc)
        in_sets = {
            split_label(label)[1] for labels in sets.values() for label in labels
        }
        return [*self.layer.labels(doc), *(in_sets - {""})]

    # Gold -----------------------------------------------------------------------------

    def gold_state(self, doc: Doc) -> object | None:
        state = self.layer.state(doc)
        return None if state is None else (state, self.constraints.state(doc))

    def gold(
        self, examples: Sequence[Example], same: Sequence[bool], batch: Batch
    ) -> Ids:
        types = {value: i for i, value in enumerate(self.hashes().tolist())}
        starts: list[int] = []
        ends: list[int] = []
        kinds: list[int] = []
        missing: list[int] = []
        incorrect: list[tuple[int, int, int]] = []
        astray: list[int] = []  # for each span that does not fit, its example
        at = batch.docs.tolist()
        for number, example in enumerate(examples):
            spans, unknown, wrong = self.layer.annotation(example.reference)
            if not same[number]:
                unknown = _align_tokens(example, unknown)
                n_spans = len(spans[0])
                spans, lost = align_spans(example, spans)
                missing.extend(at[number] + token for token in lost)
                astray.extend([number] * (n_spans - len(spans[0])))
                wrong, _ = align_spans(example, wrong)
            self._check(example.reference, spans, types)
            offset = at[number]
            for start, end, label in zip(*wrong, strict=True):
                if label in types or not label:
                    type_id = types.get(label, ANY_TYPE)
                    incorrect.append((start + offset, end + offset, type_id))
            starts.extend([start + offset for start in spans[0]])
            ends.extend([end + offset for end in spans[1]])
            kinds.extend([types[label] for label in spans[2]])
            missing.extend([token + offset for token in unknown])
        bounds = batch.bounds
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
            self.context.warn(
                "astray",
                Warnings.LP912.format(
                    name=self.context.name,
                    n=len(astray),
                    doc=describe(examples[min(astray)].reference),
                ),
            )
        chunks = (first[~crossing], last[~crossing], kind[~crossing])
        gold = self.inventory.encode_ids(*chunks, len(batch.values), offsets=bounds)
        masks = self.constraints.gold_masks(examples, same, batch)
        if not (missing or incorrect or masks):
            return gold
        docs = [example.reference for example in examples]
        unknown_tokens = np.zeros(len(gold), dtype=bool)
        unknown_tokens[missing] = True
        gold[unknown_tokens] = UNKNOWN
        rows = border_masks(self.inventory, chunks, unknown_tokens, bounds)
        for span in incorrect:
            allowed = self._incorrect_mask(span, gold, chunks, bounds, batch, docs)
            reason = "what is incorrect there leaves"
            self.constraints.narrow_gold(gold, rows, allowed, batch, docs, reason)
        self.constraints.narrow_gold(
            gold, rows, masks, batch, docs, "its label set allows"
        )
        self.constraints.set_gold(gold, rows)
        return gold

    def _incorrect_mask(
        self,
        span: tuple[int, int, int],
        gold: NDArray[np.int32],
        chunks: Chunks,
        bounds: NDArray[np.int64],
        batch: Batch,
        docs: Sequence[Doc],
    ) -> Masks:
        """Labels that keep a span from being a chunk, at the token that says so. Where
        the annotation already says as much there is nothing to add."""
        start, end, type_id = span
        at = np.searchsorted(chunks[0], start)
        if at < len(chunks[0]) and (chunks[0][at], chunks[1][at]) == (start, end):
            if type_id in (ANY_TYPE, chunks[2][at]):
                label = self.context.labels[chunks[2][at]]
                first = f"its annotation has {label} from there, {end - start} token(s)"
                second = "the same is among the incorrect spans"
                self.constraints.refuse_token(start, batch.docs, docs, first, second)
        within = np.searchsorted(bounds, start, side="right") == np.searchsorted(
            bounds, end - 1, side="right"
        )
        if not within or (gold[start:end] != UNKNOWN).any():
            return {}
        found = no_chunk_mask(
            self.inventory, None if type_id == ANY_TYPE else type_id, end - start
        )
        return {} if found is None else {start + found[0]: ~found[1]}

    def _check(self, doc: Doc, spans: Spans, types: dict[int, int]) -> None:
        """Known labels, no overlaps: or an error that names the Doc."""
        for label in spans[2]:
            if label not in types:
                raise ValueError(
                    Errors.LP035.format(
                        name=self.context.name,
                        label=doc.vocab.strings[label],
                        doc=describe(doc),
                        known=", ".join(self.context.labels),
                    )
                )
        for s in range(1, len(spans[0])):
            if spans[0][s] < spans[1][s - 1]:
                raise ValueError(
                    Errors.LP036.format(
                        name=self.context.name,
                        doc=describe(doc),
                        first=f"{spans[0][s - 1]} to {spans[1][s - 1] - 1}",
                        second=f"{spans[0][s]} to {spans[1][s] - 1}",
                    )
                )

    # Spans that are there before us --------------------------------------------------

    def kept(self, docs: Sequence[Doc], batch: Prepared) -> NDArray[np.uint8] | None:
        kept = self.layer.kept(docs)
        if kept is None or not kept[1].any():
            return None
        spans, held = kept
        allowed = np.ones((len(held), len(self.inventory)), dtype=np.uint8)
        # What the chain cannot say (blocked tokens, a type of its own, a span across
        # sentences) is O to the search and kept all the same.
        allowed[held, 1:] = 0
        types = dict(zip(self.hashes().tolist(), self.context.labels, strict=True))
        known = [
            (start, end, types[label])
            for start, end, label in zip(*spans, strict=True)
            if label in types
        ]
        bounds = batch.bounds
        for s, chunks in chunks_by_sentence(known, bounds).items():
            first, last = bounds[s], bounds[s + 1]
            mask = self.inventory.forced_mask(chunks, last - first)
            for start, end, _ in chunks:
                allowed[first + start : first + end] = 1
            allowed[first:last] &= mask
        return allowed

    def mask(self, labels: Sequence[str], scheme: str) -> Mask | None:
        rules = get_scheme(scheme)
        for label in labels:
            letter, type_ = split_label(label)
            if type_ and (
                letter not in rules.letters or type_ not in self.context.labels
            ):
                raise KeyError(label)
        return meaning_mask(labels, rules, self.inventory)

    def dead_end(self, allowed: Mask) -> tuple[int, Mask]:
        found = dead_end(self.inventory, allowed)
        assert found is not None
        return found

    # Prediction -----------------------------------------------------------------------

    def write(
        self, docs: Sequence[Doc], prediction: Prediction, certain: float
    ) -> None:
        starts, ends, types = self.answers(prediction.labels, prediction.sentences)
        found = Found(starts, ends, self.hashes()[types], certain)
        self.layer.write(docs, prediction, found)

    # Confidence -----------------------------------------------------------------------

    def answers(self, labels: Ids, sentences: NDArray[np.int64]) -> Chunks:
        return self.inventory.decode_ids(labels, sentences)

    def annotations(
        self, labels: Ids, sentences: NDArray[np.int64], edges: NDArray[np.int64]
    ) -> list[list]:
        starts, ends, types = self.answers(labels, sentences)
        first = starts.searchsorted(edges)
        shift = np.repeat(edges[:-1], np.diff(first))
        names = [self.context.labels[type_] for type_ in types.tolist()]
        spans = zip(
            (starts - shift).tolist(), (ends - shift).tolist(), names, strict=True
        )
        found, at = list(spans), first.tolist()
        return [found[i:j] for i, j in pairwise(at)]

    def probabilities(
        self, batch: Prepared, answers: Chunks, temperature: float
    ) -> NDArray[np.float64]:
        starts, ends, types = answers
        return self.context.learner.span_probabilities(
            batch,
            starts.astype(np.int64),
            ends.astype(np.int64),
            types,
            type_of=self.inventory.type_of,
            boundary=self.inventory.boundary,
            temperature=temperature,
        )

    def margins(
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

    def withdraw(self, labels: Ids, tokens: Mask) -> None:
        labels[tokens] = 0

    def judge(
        self, examples: Sequence[Example], same: Sequence[bool], answers: Chunks
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_], int]:
        hashes = self.hashes()[answers[2]].tolist()
        gold: set[tuple[int, int, int]] = set()
        unknown: list[int] = []
        offset = 0
        for example, equal in zip(examples, same, strict=True):
            spans, missing, _ = self.layer.annotation(example.reference)
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
