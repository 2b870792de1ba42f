"""Spans as labels of a chain."""

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.tokens import Doc
from spacy.training import Example

from ..errors.check import check_block
from ..learners.base import Batch, Prepared
from ..schemes import (
    DEFAULT_SCHEME,
    LabelInventory,
    chunks_by_sentence,
    dead_end,
    get_scheme,
    meaning_mask,
    split_label,
)
from ..schemes.decode import Chunks
from .coder import Coder, find_ids
from .component_settings import SpanSettings
from .gold_spans import align_gold, gold_ids
from .outside import OutsideScores
from .prediction import Found, Ids, Mask, Prediction
from .saved import Check, check_fit, check_recall_constant


def span_settings(**settings: Any) -> dict[str, Any]:
    """Return the arguments of a ChainPipe whose answers are spans, of SpanSettings."""
    wanted = SpanSettings(**settings)
    scheme = wanted.scheme or DEFAULT_SCHEME
    return {
        "make_coder": partial(SpanCoder, scheme=scheme, settings=wanted),
        "tied": {"scheme": get_scheme(scheme).name},
        "settings": wanted,
    }


class SpanCoder(Coder):
    """Spans of a layer as labels of one chain."""

    def __init__(
        self,
        owner: Any,
        layer: Any,
        scheme: str,
        settings: SpanSettings,
    ):
        super().__init__(owner, layer, scheme)
        for key, block in settings.outside.items():
            check_block(f"outside.{key}", block, OutsideScores, "OutsideScores")
        self.outside: dict[str, OutsideScores] = dict(settings.outside)
        self.layer = layer
        self.scheme = get_scheme(scheme)
        self._inventory: LabelInventory | None = None
        self._hashed: tuple[str, ...] | None = None  # types whose hashes are held
        self._hashes: NDArray[np.uint64] = np.zeros(0, dtype=np.uint64)

    @property
    def inventory(self) -> LabelInventory:
        """The labels of the chain: O and the types with the scheme's letters."""
        known, labels = self._inventory, self.labels
        if known is None or known.types != labels:
            known = self._inventory = LabelInventory(self.scheme, labels)
        return known

    def set_labels(self) -> None:
        inventory = self.inventory
        self.learner.set_labels(
            inventory.labels,
            transitions=inventory.transitions,
            starts=inventory.starts,
            ends=inventory.ends,
        )

    def cfg_checks(self) -> dict[str, Check]:
        return {"recall_constant": check_recall_constant}

    def check_weights(self, cfg: dict[str, Any], learner: Any, where: str) -> None:
        wanted = self.scheme.labels(cfg["labels"])
        untrained = self.scheme.labels([])
        check_fit(self.name, where, wanted, learner.labels, untrained)

    def hashes(self) -> NDArray[np.uint64]:
        """Return the label hashes of the types, by id; cached for short texts."""
        labels = tuple(self.labels)
        if labels != self._hashed:
            strings = self.vocab.strings
            hashes = [strings.as_int(label) for label in labels]
            self._hashes = np.asarray(hashes, dtype=np.uint64)
            self._hashed = labels
        return self._hashes

    def type_ids(self, hashes: NDArray[np.uint64]) -> tuple[Ids, Mask]:
        """Return the ids of types, and which of the hashes are of types at all."""
        return find_ids(hashes, self.hashes())

    @property
    def extra_columns(self) -> Sequence[int]:
        return self.layer.extra_columns

    def collect_labels(self, doc: Doc) -> Iterable[str]:
        """Return the labels of a reference Doc."""
        sets, _ = self.sets(doc)
        in_sets = {
            split_label(label)[1] for labels in sets.values() for label in labels
        }
        return [*self.layer.labels(doc), *(in_sets - {""})]

    # Gold -----------------------------------------------------------------------------

    def gold(
        self, examples: Sequence[Example], same: Sequence[bool], batch: Batch
    ) -> Ids:
        """Return gold label ids on the predicted tokens."""
        return gold_ids(self, examples, same, batch)

    # Recall constant ------------------------------------------------------------------

    @property
    def recall_constant(self) -> float:  # type: ignore[override]
        """The constant that the chain adds to "outside" at every token (recall.py)."""
        return self.cfg.get("recall_constant", 0.0)

    # Outside scores -------------------------------------------------------------------

    def external_scores(self, docs: Sequence[Doc]) -> NDArray[np.float32] | None:
        if not self.outside:
            return None
        joined = np.zeros(1)
        for key, model in self.outside.items():
            place = {"name": self.name, "key": key}
            joined = joined + model.weight * model.table(
                docs, self.inventory, place=place
            )
        return joined.astype(np.float32)

    # Spans that stay ------------------------------------------------------------------

    def possible(self, docs: Sequence[Doc], batch: Batch) -> NDArray[np.uint8] | None:
        if batch.blank:
            return None
        kept = self.layer.kept(docs, batch.extra)
        if kept is None or not kept[1].any():
            return None
        spans, held = kept
        allowed = np.ones((len(held), len(self.inventory)), dtype=np.uint8)
        # What the chain cannot say (blocked tokens, a type of its own, a span across
        # sentences) is O to the search and kept all the same.
        allowed[held, 1:] = 0
        types = dict(zip(self.hashes().tolist(), self.labels, strict=True))
        known = [
            (start, end, types[label])
            for start, end, label in spans.tolist()
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
            if type_ and (letter not in rules.letters or type_ not in self.labels):
                raise KeyError(label)
        return meaning_mask(labels, rules, self.inventory)

    def dead_end(self, allowed: Mask) -> tuple[int, Mask]:
        found = dead_end(self.inventory, allowed)
        assert found is not None
        return found

    # Prediction -----------------------------------------------------------------------

    def write(self, docs: Sequence[Doc], prediction: Prediction) -> None:
        """Write what was predicted."""
        starts, ends, types = self.answers(prediction.labels, prediction.sentences)
        found = Found(starts, ends, self.hashes()[types])
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
        names = [self.labels[type_] for type_ in types.tolist()]
        spans = zip(
            (starts - shift).tolist(), (ends - shift).tolist(), names, strict=True
        )
        found, at = list(spans), first.tolist()
        return [found[i:j] for i, j in pairwise(at)]

    def probabilities(
        self, batch: Prepared, answers: Chunks, temperature: float
    ) -> NDArray[np.float64]:
        """Return the model's probability of each answer."""
        starts, ends, types = answers
        return self.learner.span_probabilities(
            batch,
            starts.astype(np.int64),
            ends.astype(np.int64),
            types,
            type_of=self.inventory.type_of,
            boundary=self.inventory.boundary,
            temperature=temperature,
        )

    def withdraw(self, labels: Ids, tokens: Mask) -> None:
        """Remove the labels of tokens."""
        labels[tokens] = 0

    def compare(
        self, examples: Sequence[Example], same: Sequence[bool], answers: Chunks
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_], int]:
        """Return which answers are correct or on annotated tokens; count gold ones."""
        (spans, missing, _), _ = align_gold(self.layer, examples, same)
        gold = set(map(tuple, spans.tolist()))
        labels = self.hashes()[answers[2]]
        found = zip(*(x.tolist() for x in (*answers[:2], labels)), strict=True)
        correct = np.array([span in gold for span in found], dtype=bool)
        blank = np.concatenate([[0], np.cumsum(missing)])
        return correct, blank[answers[0]] == blank[answers[1]], len(gold)
