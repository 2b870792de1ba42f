"""Labels of a layer as ids of a chain, and back; label sets as masks."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from operator import index
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from spacy.tokens import Doc
from spacy.training import Example

from ..errors import Errors
from ..errors.check import check_choice, check_count, check_number
from ..label_sets import ALLOWED, SCHEME
from ..learners.base import Batch, Prepared
from ..learners.chain import NO_PATH, UNKNOWN, ChainLearner
from ..schemes import DEFAULT_LABELS_SCHEME
from ..schemes.decode import Chunks
from .component_settings import ConfidenceSettings
from .doc_reader import describe
from .prediction import Ids, Mask, Masks, Prediction
from .saved import Check, check_fit


def find_ids(values: NDArray[np.uint64], known: NDArray[np.uint64]) -> tuple[Ids, Mask]:
    """Return the positions of values among known ones, and which of them are known."""
    if not len(known):
        return np.zeros(len(values), dtype=np.int32), np.zeros(len(values), dtype=bool)
    order = np.argsort(known)
    place = np.searchsorted(known, values, sorter=order)
    found = order[np.minimum(place, len(known) - 1)].astype(np.int32)
    return found, known[found] == values


class Coder:
    """Translates between the annotation of a layer and the label ids of a chain.

    It answers what the gold labels are, which labels are allowed beside the annotation
    that stays and the label sets of a Doc (see label_sets.py), and what the best labels
    say. Here each label is the answer for a token; SpanCoder decodes spans.

    Subclasses also define `collect_labels` and `gold` (of reference Docs), `write` (the
    annotation), and for scores `probabilities` and `withdraw` of answers and `compare`
    with gold ones.

    Attributes:
        score_kinds: The kinds of scores that can be asked for.
    """

    score_kinds: tuple[str, ...] = ("none", "marginal")
    recall_constant = 0.0  # of tags there is none
    outside: Mapping[str, Any] = {}  # nor outside models

    def __init__(
        self,
        owner: Any,
        layer: Any,
        scheme_name: str = "none",
    ):
        self.layer = layer
        self.scheme_name = scheme_name
        self.name = owner.name
        self.vocab = owner.vocab
        self.model: Any = owner.model
        self.cfg = owner.cfg  # which the component changes in place
        self.warn = owner._warn_once

    @property
    def labels(self) -> list[str]:
        """The labels that users see, by id."""
        return self.cfg["labels"]

    @property
    def learner(self) -> ChainLearner:
        """The chain inside the model."""
        return self.model.shims[0].learner

    # What chains have in common -------------------------------------------------------

    def check_confidence(self, settings: ConfidenceSettings) -> None:
        """Refuse settings of scores and n best that the component cannot have."""
        n_best, scores, threshold = settings.n_best, settings.scores, settings.threshold
        check_count("n_best", n_best, hint="1 for the best analysis only")
        check_choice("scores", scores, self.score_kinds)
        check_number("threshold", threshold, high=1.0)
        if threshold and scores == "none":
            raise ValueError(Errors.LP079.format(name=self.name, threshold=threshold))

    def check_label(self, label: str) -> None:
        """Refuse what cannot be a label."""

    def set_labels(self) -> None:
        """Pass the labels, and which may follow which, to the learner."""
        self.learner.set_labels(self.labels)

    def cfg_checks(self) -> dict[str, Check]:
        """Return the checks of the entries of cfg that training or calibration adds."""
        return {}

    def check_weights(self, cfg: dict[str, Any], learner: Any, where: str) -> None:
        """Raise an error if weights have other labels than cfg."""
        check_fit(self.name, where, cfg["labels"], learner.labels)

    def answers(self, labels: Ids, sentences: NDArray[np.int64]) -> Chunks:
        """Return the starts, ends and types of the answers, in tokens of the batch."""
        starts = np.arange(len(labels), dtype=np.int32)
        return starts, starts + np.int32(1), labels

    def annotations(
        self, labels: Ids, sentences: NDArray[np.int64], edges: NDArray[np.int64]
    ) -> list[list]:
        """Return the annotation of each stretch of tokens between two edges."""
        names = self.labels
        found = [names[label] for label in labels.tolist()]
        return [found[i:j] for i, j in pairwise(edges.tolist())]

    def external_scores(self, docs: Sequence[Doc]) -> NDArray[np.float32] | None:
        """Return the scores at which the chain starts; None if there are none."""
        return None

    @property
    def extra_columns(self) -> Sequence[int]:
        """The attributes of tokens that the layer needs besides those of templates."""
        return ()

    def allowed(self, docs: Sequence[Doc], batch: Batch) -> NDArray[np.uint8] | None:
        """Return the labels that tokens may have beside what is already on the Docs;
        None if all may have all."""
        allowed = self.possible(docs, batch)
        key = (ALLOWED, self.layer.name)
        for doc, start in zip(docs, batch.docs.tolist(), strict=False):
            # Most Docs have no user data at all, which is found out faster.
            if not doc.user_data or key not in doc.user_data:
                continue
            if allowed is None:
                size = (len(batch.values), len(self.learner.labels))
                allowed = np.ones(size, dtype=np.uint8)
            for token, mask in self._masks(doc).items():
                row = allowed[start + token]
                if not (row & mask).any():
                    first = f"what is on it already allows {self._named(row > 0)}"
                    second = f"its label set allows {self._named(mask)}"
                    self.refuse_token(start + token, batch.docs, docs, first, second)
                row &= mask
        return allowed

    def decide(self, docs: Sequence[Doc], batch: Prepared) -> Prediction:
        """Return the best labels; where masks leave no path, raise an error that names
        the token."""
        labels = self.learner.best(batch)
        if batch.allowed is not None and (labels == NO_PATH).any():
            self._refuse_dead_end(docs, batch, labels, batch.allowed)
        return Prediction(labels, batch.docs, batch.bounds)

    def log_scores(
        self, batch: Prepared, gold: Ids, temperature: float
    ) -> NDArray[np.float64]:
        """Return the log probabilities of the gold labels of sentences."""
        return self.learner.log_scores(batch, gold, temperature)

    # Label sets -----------------------------------------------------------------------

    def sets(self, doc: Doc) -> tuple[dict[int, tuple[str, ...]], str]:
        """Return the label sets of a Doc by token, and their representation."""
        value = doc.user_data.get((ALLOWED, self.layer.name))
        if value is None:
            return {}, DEFAULT_LABELS_SCHEME
        if not isinstance(value, Mapping):
            self._refuse_sets(doc, value)
        scheme = value.get(SCHEME, DEFAULT_LABELS_SCHEME)
        sets = {}
        for key, labels in value.items():
            if key == SCHEME:
                continue
            try:
                token = index(key)
            except TypeError:
                self._refuse_sets(doc, key)
            given = isinstance(labels, list | tuple | set | frozenset) and labels
            if not given or not 0 <= token < len(doc):
                self._refuse_sets(doc, {key: labels})
            sets[token] = tuple(sorted(map(str, labels)))
        return sets, scheme

    def _refuse_sets(self, doc: Doc, entry: object) -> NoReturn:
        raise ValueError(
            Errors.LP072.format(
                name=self.name,
                layer=self.layer.name,
                doc=describe(doc),
                entry=entry,
                n=len(doc) - 1,
            )
        )

    def _masks(self, doc: Doc) -> Masks:
        """Return the label sets of a Doc as masks over the labels of the chain."""
        sets, scheme = self.sets(doc)
        masks: dict[tuple[str, ...], Mask] = {}
        for token, labels in sets.items():
            if labels in masks:
                continue
            place = {"name": self.name, "doc": describe(doc), "token": token}
            try:
                mask = self.mask(labels, scheme)
            except KeyError as error:
                known = ", ".join(self.labels)
                raise ValueError(
                    Errors.LP070.format(label=error.args[0], known=known, **place)
                ) from None
            if mask is None:
                own, text = self.scheme_name, ", ".join(labels)
                raise ValueError(
                    Errors.LP073.format(labels=text, scheme=scheme, own=own, **place)
                )
            masks[labels] = mask
        return {token: masks[labels] for token, labels in sets.items()}

    # Gold -----------------------------------------------------------------------------

    def gold_masks(
        self, examples: Sequence[Example], same: Sequence[bool], batch: Batch
    ) -> Masks:
        """Return the label sets of reference Docs on the tokens of a batch. Where the
        tokens differ, only tokens that both sides have keep theirs."""
        found: Masks = {}
        key = (ALLOWED, self.layer.name)
        at = batch.docs.tolist()
        for number, example in enumerate(examples):
            if key not in example.reference.user_data:
                continue
            masks = self._masks(example.reference)
            if not same[number]:
                masks = _aligned(example, masks)
            found.update((at[number] + token, mask) for token, mask in masks.items())
        return found

    def narrow_gold(
        self,
        gold: Ids,
        rows: Masks,
        narrower: Masks,
        batch: Batch,
        docs: Sequence[Doc],
        reason: str,
    ) -> None:
        """Restrict the gold labels of tokens by masks, or raise an error that names the
        contradiction.
        """
        for token, mask in narrower.items():
            known = rows.get(token)
            if known is None:
                known = self._row(gold[token])
            both = known & mask
            if not both.any():
                first = f"its annotation allows {self._named(known)}"
                second = f"{reason} {self._named(mask)}"
                self.refuse_token(token, batch.docs, docs, first, second)
            rows[token] = both

    def set_gold(self, gold: Ids, rows: Masks) -> None:
        """Replace the gold of tokens with masks by the codes of these masks."""
        for token, mask in rows.items():
            gold[token] = self.learner.label_set(mask)

    def _row(self, code: int) -> Mask:
        """Return the mask of a label; of all labels if it is unknown."""
        mask = np.full(len(self.learner.labels), code == UNKNOWN)
        if code != UNKNOWN:
            mask[code] = True
        return mask

    # Contradictions -------------------------------------------------------------------

    def _named(self, mask: Mask) -> str:
        names = self.learner.labels
        labels = [names[i] for i in np.flatnonzero(mask)[:9]]
        return ", ".join(labels[:8] + ["..."] * (len(labels) > 8)) or "nothing"

    def refuse_token(
        self,
        token: int,
        offsets: NDArray[np.int64],
        docs: Sequence[Doc],
        first: str,
        second: str,
    ) -> NoReturn:
        """Raise an error that names a token and the contradiction there."""
        number = int(np.searchsorted(offsets, token, side="right")) - 1
        raise ValueError(
            Errors.LP071.format(
                name=self.name,
                token=token - int(offsets[number]),
                doc=describe(docs[number]),
                first=first,
                second=second,
            )
        )

    def _refuse_dead_end(
        self,
        docs: Sequence[Doc],
        batch: Prepared,
        labels: Ids,
        allowed: NDArray[np.uint8],
    ) -> NoReturn:
        """Raise an error that names the token at which masks leave no path."""
        bounds = batch.bounds
        first = int(np.flatnonzero(labels == NO_PATH)[0])
        s = int(np.searchsorted(bounds, first, side="right")) - 1
        sentence = allowed[bounds[s] : bounds[s + 1]] > 0
        position, possible = self.dead_end(sentence)
        token = int(bounds[s]) + position
        number = int(np.searchsorted(batch.docs, token, side="right")) - 1
        raise ValueError(
            Errors.LP033.format(
                name=self.name,
                doc=describe(docs[number]),
                token=token - int(batch.docs[number]),
                here=self._named(sentence[position]),
                possible=self._named(possible),
            )
        )

    # Defined by some coders -----------------------------------------------------------

    def mask(self, labels: Sequence[str], scheme: str) -> Mask | None:
        """Return the labels of the chain with the same meaning as a mask [labels]; None
        if there are none. An unknown label is a KeyError."""
        raise NotImplementedError

    def possible(self, docs: Sequence[Doc], batch: Batch) -> NDArray[np.uint8] | None:
        """Return the labels that go with the annotation that stays; None if all do."""
        raise NotImplementedError

    def dead_end(self, allowed: Mask) -> tuple[int, Mask]:
        """Return the first token of a sentence that has no label left, and the labels
        that its neighbours allow there."""
        raise NotImplementedError


def _aligned(example: Example, masks: Masks) -> Masks:
    forward, backward = example.alignment.y2x, example.alignment.x2y
    found = {}
    for token, mask in masks.items():
        tokens = forward[token].tolist()
        if len(tokens) == 1 and backward[tokens[0]].tolist() == [token]:
            found[tokens[0]] = mask
    return found
