"""What is known of some tokens: their sets of labels as masks, contradictions named."""

from collections.abc import Mapping, Sequence
from operator import index
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray
from spacy.tokens import Doc
from spacy.training import Example

from ..errors import Errors
from ..label_sets import ALLOWED, SCHEME
from ..learners.chain import NO_PATH, UNKNOWN
from ..model import Batch
from ..schemes import DEFAULT_LABELS_SCHEME
from .docs import describe
from .online import OnlinePipe

Mask = NDArray[np.bool_]
Masks = dict[int, Mask]


class ConstrainedPipe(OnlinePipe):
    """A chain that learns from, and predicts within, sets of allowed labels.

    Sets are on the Docs (see label_sets.py).
    """

    @property
    def layer(self) -> str:
        """Which annotation it writes: names the sets that are meant for it."""
        raise NotImplementedError

    def _mask(self, labels: Sequence[str], scheme: str) -> Mask | None:
        """Labels of the chain [labels] that say the same; None if none can. An unknown
        label is a KeyError."""
        raise NotImplementedError

    def _kept(self, docs: Sequence[Doc], batch: Batch) -> NDArray[np.uint8] | None:
        """Labels that annotation which stays allows; None: all, everywhere."""
        return None

    # Label sets -----------------------------------------------------------------------

    def _sets(self, doc: Doc) -> tuple[dict[int, tuple[str, ...]], str]:
        """The label sets of a Doc by token, and the representation they are in."""
        value = doc.user_data.get((ALLOWED, self.layer))
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
                layer=self.layer,
                doc=describe(doc),
                entry=entry,
                n=len(doc) - 1,
            )
        )

    def _sets_state(self, doc: Doc) -> str | None:
        """What tells that the label sets of a Doc are as they were."""
        value = doc.user_data.get((ALLOWED, self.layer))
        return None if value is None else repr(value)

    def _set_masks(self, doc: Doc) -> Masks:
        """The label sets of a Doc as masks over the labels of the chain."""
        sets, scheme = self._sets(doc)
        masks: dict[tuple[str, ...], Mask] = {}
        for token, labels in sets.items():
            if labels in masks:
                continue
            place = {"name": self.name, "doc": describe(doc), "token": token}
            try:
                mask = self._mask(labels, scheme)
            except KeyError as error:
                known = ", ".join(self.labels)
                raise ValueError(
                    Errors.LP070.format(label=error.args[0], known=known, **place)
                ) from None
            if mask is None:
                text = ", ".join(labels)
                raise ValueError(
                    Errors.LP073.format(
                        labels=text, scheme=scheme, own=self.cfg["scheme"], **place
                    )
                )
            masks[labels] = mask
        return {token: masks[labels] for token, labels in sets.items()}

    def _gold_masks(
        self, examples: Sequence[Example], same: Sequence[bool], batch: Batch
    ) -> Masks:
        """The label sets of the reference Docs on the tokens of a batch. Where tokens
        differ, those of tokens that both sides have."""
        found: Masks = {}
        at = batch.docs.tolist()
        for number, example in enumerate(examples):
            if (ALLOWED, self.layer) not in example.reference.user_data:
                continue
            masks = self._set_masks(example.reference)
            if not same[number]:
                masks = _aligned(example, masks)
            found.update((at[number] + token, mask) for token, mask in masks.items())
        return found

    def _narrow_gold(
        self,
        gold: NDArray[np.int32],
        rows: Masks,
        narrower: Masks,
        batch: Batch,
        docs: Sequence[Doc],
        reason: str,
    ) -> None:
        """Put masks on the gold of tokens, or say which annotation they contradict.

        rows: masks of tokens so far; they take part, and are changed.
        """
        for token, mask in narrower.items():
            known = rows.get(token)
            if known is None:
                known = self._row(gold[token])
            both = known & mask
            if not both.any():
                first = f"its annotation allows {self._named(known)}"
                second = f"{reason} {self._named(mask)}"
                self._refuse_token(token, batch, docs, first, second)
            rows[token] = both

    def _row(self, code: int) -> Mask:
        """The mask of a label, or of none."""
        mask = np.full(len(self.learner.labels), code == UNKNOWN)
        if code != UNKNOWN:
            mask[code] = True
        return mask

    # Prediction -----------------------------------------------------------------------

    def _allowed(self, docs: Sequence[Doc], batch: Batch) -> NDArray[np.uint8] | None:
        allowed = self._kept(docs, batch)
        key = (ALLOWED, self.layer)
        for doc, start in zip(docs, batch.docs.tolist(), strict=False):
            if key not in doc.user_data:
                continue
            if allowed is None:
                size = (len(batch.values), len(self.learner.labels))
                allowed = np.ones(size, dtype=np.uint8)
            for token, mask in self._set_masks(doc).items():
                row = allowed[start + token]
                if not (row & mask).any():
                    first = f"what is on it already allows {self._named(row > 0)}"
                    second = f"its label set allows {self._named(mask)}"
                    self._refuse_token(start + token, batch, docs, first, second)
                row &= mask
        return allowed

    # Contradictions -------------------------------------------------------------------

    def _named(self, mask: Mask) -> str:
        labels = [self.learner.labels[i] for i in np.flatnonzero(mask)[:9]]
        return ", ".join(labels[:8] + ["..."] * (len(labels) > 8)) or "nothing"

    def _refuse_token(
        self, token: int, batch: Batch, docs: Sequence[Doc], first: str, second: str
    ) -> NoReturn:
        number = int(np.searchsorted(batch.docs, token, side="right")) - 1
        doc = docs[number]
        position = token - int(batch.docs[number])
        raise ValueError(
            Errors.LP071.format(
                name=self.name,
                token=position,
                doc=describe(doc),
                first=first,
                second=second,
            )
        )

    def _raise_contradiction(
        self, docs: Sequence[Doc], batch: Batch, labels: NDArray[np.int32]
    ) -> NoReturn:
        """Name the token at which masks leave no path, and what they allow there."""
        assert batch.allowed is not None
        bounds, _ = self.learner.bounds(batch.values, batch.docs)
        first = int(np.flatnonzero(labels == NO_PATH)[0])
        s = int(np.searchsorted(bounds, first, side="right")) - 1
        sentence = batch.allowed[bounds[s] : bounds[s + 1]] > 0
        position, possible = self._dead_end(sentence)
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

    def _dead_end(self, allowed: Mask) -> tuple[int, Mask]:
        """The first token of a sentence that has no label left, and the labels that the
        tokens beside it let it have."""
        raise NotImplementedError


def _aligned(example: Example, masks: Masks) -> Masks:
    forward, backward = example.alignment.y2x, example.alignment.x2y
    found = {}
    for token, mask in masks.items():
        tokens = forward[token].tolist()
        if len(tokens) == 1 and backward[tokens[0]].tolist() == [token]:
            found[tokens[0]] = mask
    return found
