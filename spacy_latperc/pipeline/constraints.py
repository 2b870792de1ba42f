"""What is known of some tokens: their sets of labels as masks, contradictions named."""

from collections.abc import Mapping, Sequence
from operator import index
from typing import TYPE_CHECKING, NoReturn, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from spacy.tokens import Doc
from spacy.training import Example

from ..errors import Errors
from ..label_sets import ALLOWED, SCHEME
from ..learners.base import Batch, Prepared
from ..learners.chain import NO_PATH, UNKNOWN
from ..schemes import DEFAULT_LABELS_SCHEME
from .docs import describe
from .parts import Context, Ids, Mask, Masks, Prediction

if TYPE_CHECKING:
    from .coder import Coder


@runtime_checkable
class Named(Protocol):
    """A layer, as far as label sets are concerned."""

    @property
    def name(self) -> str:
        """Label sets of this name are meant for it."""
        ...


class Constraints:
    """Sets of allowed labels on Docs (see label_sets.py): a chain learns from them and
    predicts within them.

    Args:
        context: Of the component.
        layer: What the component annotates: sets are meant for one.
        coder: Says what stays, and what labels mean to its chain.
    """

    def __init__(self, context: Context, layer: Named, coder: "Coder"):
        self.context = context
        self.layer = layer
        self.coder = coder

    # Label sets -----------------------------------------------------------------------

    def sets(self, doc: Doc) -> tuple[dict[int, tuple[str, ...]], str]:
        """The label sets of a Doc by token, and the representation they are in."""
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
                name=self.context.name,
                layer=self.layer.name,
                doc=describe(doc),
                entry=entry,
                n=len(doc) - 1,
            )
        )

    def _masks(self, doc: Doc) -> Masks:
        """The label sets of a Doc as masks over the labels of the chain."""
        sets, scheme = self.sets(doc)
        masks: dict[tuple[str, ...], Mask] = {}
        for token, labels in sets.items():
            if labels in masks:
                continue
            place = {"name": self.context.name, "doc": describe(doc), "token": token}
            try:
                mask = self.coder.mask(labels, scheme)
            except KeyError as error:
                known = ", ".join(self.context.labels)
                raise ValueError(
                    Errors.LP070.format(label=error.args[0], known=known, **place)
                ) from None
            if mask is None:
                own, text = self.coder.scheme_name, ", ".join(labels)
                raise ValueError(
                    Errors.LP073.format(labels=text, scheme=scheme, own=own, **place)
                )
            masks[labels] = mask
        return {token: masks[labels] for token, labels in sets.items()}

    # Gold -----------------------------------------------------------------------------

    def gold_masks(
        self, examples: Sequence[Example], same: Sequence[bool], batch: Batch
    ) -> Masks:
        """The label sets of the reference Docs on the tokens of a batch. Where tokens
        differ, those of tokens that both sides have."""
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
        """Put masks on the gold of tokens, or say which annotation they contradict.

        Args:
            gold: Label ids of all tokens.
            rows: Masks of tokens so far; they take part, and are changed.
            narrower: The masks.
            batch: Where the Docs begin.
            docs: The reference Docs, for messages.
            reason: Where the masks come from, for messages.
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
        """Give tokens the codes of their masks."""
        for token, mask in rows.items():
            gold[token] = self.context.learner.label_set(mask)

    def _row(self, code: int) -> Mask:
        """The mask of a label, or of none."""
        mask = np.full(len(self.context.learner.labels), code == UNKNOWN)
        if code != UNKNOWN:
            mask[code] = True
        return mask

    # Prediction -----------------------------------------------------------------------

    def allowed(self, docs: Sequence[Doc], batch: Prepared) -> NDArray[np.uint8] | None:
        """Labels that are possible beside what is already on the Docs; None: all,
        everywhere."""
        allowed = self.coder.possible(docs, batch)
        key = (ALLOWED, self.layer.name)
        for doc, start in zip(docs, batch.docs.tolist(), strict=False):
            # Mostly there is nothing at all, which is found out faster.
            if not doc.user_data or key not in doc.user_data:
                continue
            if allowed is None:
                size = (batch.n_tokens, len(self.context.learner.labels))
                allowed = np.ones(size, dtype=np.uint8)
            for token, mask in self._masks(doc).items():
                row = allowed[start + token]
                if not (row & mask).any():
                    first = f"what is on it already allows {self._named(row > 0)}"
                    second = f"its label set allows {self._named(mask)}"
                    self.refuse_token(start + token, batch.docs, docs, first, second)
                row &= mask
        return allowed

    def best(self, docs: Sequence[Doc], batch: Prepared, labels: Ids) -> Prediction:
        """The labels that a chain found best, as a prediction; where masks left it no
        path, an error that names the token."""
        if batch.allowed is not None and (labels == NO_PATH).any():
            self._refuse_dead_end(docs, batch, labels, batch.allowed)
        return Prediction(labels, batch.docs, batch.bounds)

    # Contradictions -------------------------------------------------------------------

    def _named(self, mask: Mask) -> str:
        names = self.context.learner.labels
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
        """Name a token of a batch and two things that contradict each other there."""
        number = int(np.searchsorted(offsets, token, side="right")) - 1
        raise ValueError(
            Errors.LP071.format(
                name=self.context.name,
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
        """Name the token at which masks leave no path, and what they allow there."""
        bounds = batch.bounds
        first = int(np.flatnonzero(labels == NO_PATH)[0])
        s = int(np.searchsorted(bounds, first, side="right")) - 1
        sentence = allowed[bounds[s] : bounds[s + 1]] > 0
        position, possible = self.coder.dead_end(sentence)
        token = int(bounds[s]) + position
        number = int(np.searchsorted(batch.docs, token, side="right")) - 1
        raise ValueError(
            Errors.LP033.format(
                name=self.context.name,
                doc=describe(docs[number]),
                token=token - int(batch.docs[number]),
                here=self._named(sentence[position]),
                possible=self._named(possible),
            )
        )


def _aligned(example: Example, masks: Masks) -> Masks:
    forward, backward = example.alignment.y2x, example.alignment.x2y
    found = {}
    for token, mask in masks.items():
        tokens = forward[token].tolist()
        if len(tokens) == 1 and backward[tokens[0]].tolist() == [token]:
            found[tokens[0]] = mask
    return found
