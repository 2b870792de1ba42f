"""The interface of span layers, which read spans off Docs and write them."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from spacy.tokens import Doc

from .gold_spans import GoldSpans, Rows
from .prediction import Ids, Mask, Prediction


class Found(NamedTuple):
    """Spans to be written, in tokens of a batch.

    Attributes:
        starts: The first token of each span.
        ends: The token after each span.
        labels: The hash of each label.
        certain: The score of spans that stay on the Doc.
    """

    starts: Ids
    ends: Ids
    labels: NDArray[np.uint64]
    certain: float


@runtime_checkable
class SpanLayer(Protocol):
    """Spans on Docs: entities, or those under a key of doc.spans."""

    @property
    def name(self) -> str:
        """The name of the label sets for this layer."""

    @property
    def written(self) -> str:
        """The name of these spans among the `inputs` of corpus readers."""

    def labels(self, doc: Doc) -> Iterable[str]:
        """Return the labels of the gold spans of a reference Doc."""

    def gold(self, docs: Sequence[Doc]) -> GoldSpans:
        """Read the gold spans of reference Docs."""

    @property
    def extra_columns(self) -> Sequence[int]:
        """The attributes of tokens that it needs of Docs to be annotated."""

    def kept(
        self, docs: Sequence[Doc], extra: NDArray[np.uint64] | None
    ) -> tuple[Rows, Mask] | None:
        """Return the spans that stay on the Docs, in tokens of the batch, and a mask of
        tokens that no other span may have; None if nothing stays."""

    def write(self, docs: Sequence[Doc], prediction: Prediction, found: Found) -> None:
        """Write spans, and their scores."""
