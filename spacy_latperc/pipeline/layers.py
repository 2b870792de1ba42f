"""Layers of spans: what a component around spans reads from Docs and writes on them."""

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
        starts: Their first tokens.
        ends: The tokens after their last ones.
        labels: The hashes of their labels.
        certain: The score of spans that were there before and stay.
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
        """Names the label sets that are meant for it."""

    @property
    def written(self) -> str:
        """What corpus readers call these spans among their inputs."""

    def labels(self, doc: Doc) -> Iterable[str]:
        """The labels of the gold spans of a reference Doc."""

    def gold(self, docs: Sequence[Doc]) -> GoldSpans:
        """Read the gold spans of reference Docs."""

    @property
    def extra_columns(self) -> Sequence[int]:
        """Attributes of tokens that it wants to be read of Docs to be annotated."""

    def kept(
        self, docs: Sequence[Doc], extra: NDArray[np.uint64] | None
    ) -> tuple[Rows, Mask] | None:
        """Spans on the Docs that stay, in tokens of the batch, and tokens that cannot
        be in any other."""

    def write(self, docs: Sequence[Doc], prediction: Prediction, found: Found) -> None:
        """Write spans, and their scores."""
