"""latperc_chunker: flat chunks (NP, VP, ...) in doc.spans, without a parser."""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from thinc.api import Model

from ..data.examples import MISSING_KEY
from ..errors import Errors, Warnings
from ..errors.check import check_kind
from ..io.span_groups import CHARACTERS, Characters, span_groups
from .chain_pipe import ChainPipe
from .component_settings import (
    SpanSettings,
    default_model,
    defaults,
    span_weights,
    with_settings,
)
from .doc_reader import describe, offsets_of
from .extensions import SCORES
from .forwarded import forwarded
from .gold_spans import GoldSpans, covered, read_rows, read_spans
from .prediction import Found, Prediction
from .span_coder import span_settings

DEFAULT_SPANS_KEY = "chunks"


@Language.factory(
    "latperc_chunker",
    assigns=["doc.spans"],
    default_config={
        "model": default_model("RichChunkingFeatures.v1"),
        "spans_key": DEFAULT_SPANS_KEY,
        **defaults(SpanSettings),
        "scorer": {"@scorers": "spacy_latperc.scorer.v1"},
    },
    default_score_weights=span_weights("chunks"),
)
@with_settings(SpanSettings)
def make_chunker(
    nlp: Language,
    name: str,
    model: Model,
    spans_key: str,
    scorer: Callable | None,
    **settings: Any,
) -> "LatpercChunker":
    """Build a chunker, which writes phrases that do not overlap to doc.spans.

    In training, tokens inside the spans of doc.spans["missing_chunks"] count as not
    annotated.

    With `scores`, doc.spans[spans_key].attrs["scores"] has the score of each.

    Args:
        nlp: The pipeline.
        name: The name of the component.
        model: A chain (spacy_latperc.ChainModel.v1).
        spans_key: The key of doc.spans, for gold chunks and for predicted ones.
        scorer: Scores the chunks in evaluation.
        settings: See SpanSettings.
    """
    check_kind("spans_key", spans_key, str, "a string")
    layer = ChunkLayer(name, spans_key)
    chunker = LatpercChunker(
        nlp.vocab, model, name, layer, scorer=scorer, **span_settings(**settings)
    )
    if chunker.written not in chunker.reader.columns:  # no second pass
        for other, pipe in nlp.pipeline:
            if getattr(pipe, "key", None) == spans_key:
                chunker._warn_once(
                    "key", Warnings.LP923.format(name=name, other=other, key=spans_key)
                )
    return chunker


class ChunkLayer:
    """The spans under a key of doc.spans, its name: reads gold ones and writes
    predicted ones."""

    def __init__(self, name: str, spans_key: str):
        self._component = name
        self.name = spans_key

    @property
    def written(self) -> str:
        """The name of these spans among the `inputs` of corpus readers."""
        return f"spans:{self.name}"

    # Gold -----------------------------------------------------------------------------

    def labels(self, doc: Doc) -> Iterable[str]:
        """Return the labels of the gold spans of a reference Doc."""
        spans = read_spans(doc, self.name) or ()
        return {doc.vocab.strings[label] for _, _, label in spans}

    def gold(self, docs: Sequence[Doc]) -> GoldSpans:
        """Read the gold chunks; a Doc without the key is not annotated at all."""
        offsets = offsets_of(docs)
        spans, annotated = read_rows(docs, offsets, self.name)
        missing = np.repeat(~annotated, np.diff(offsets))
        empty = np.flatnonzero(spans[:, 0] >= spans[:, 1])
        if len(empty):
            doc, start, end, _ = self._find(docs, offsets, spans[empty[0]])
            raise ValueError(
                Errors.LP044.format(
                    name=self._component, start=start, end=end, doc=describe(doc)
                )
            )
        holes, _ = read_rows(docs, offsets, MISSING_KEY)
        if len(holes):
            missing |= covered(holes[:, 0], holes[:, 1], len(missing))
            for span in spans:
                within = missing[span[0] : span[1]]
                if within.any():
                    doc, start, end, label = self._find(docs, offsets, span)
                    chunk = f"{label} from token {start} to {end - 1}"
                    raise ValueError(
                        Errors.LP071.format(
                            name=self._component,
                            token=start + int(within.argmax()),
                            doc=describe(doc),
                            first=f"doc.spans['{self.name}'] has {chunk}",
                            second=f"doc.spans['{MISSING_KEY}'] says that it is open",
                        )
                    )
        return GoldSpans(spans, missing, spans[:0])

    @staticmethod
    def _find(
        docs: Sequence[Doc], offsets: NDArray[np.int64], span: NDArray[np.uint64]
    ) -> tuple[Doc, int, int, str]:
        """Return the Doc of a span, its tokens in that Doc, and its label."""
        first, end, label = span.tolist()
        number = min(int(offsets.searchsorted(first, side="right")), len(docs)) - 1
        doc, shift = docs[number], int(offsets[number])
        return doc, first - shift, end - shift, doc.vocab.strings[label]

    def kept(self, docs: Sequence[Doc], extra: NDArray[np.uint64] | None) -> None:
        """Return nothing: no span stays."""

    # Writing --------------------------------------------------------------------------

    extra_columns = CHARACTERS

    def write(self, docs: Sequence[Doc], prediction: Prediction, found: Found) -> None:
        """Write spans, and their scores."""
        key = self.name
        first = found.starts.searchsorted(prediction.docs)
        read, characters = prediction.extra, None
        if read is not None:
            characters = Characters(read[:, 0], read[found.ends - 1, 1])
        groups = span_groups(docs, key, prediction.docs, found, characters)
        places = list(pairwise(first.tolist()))
        for doc, group, (i, j) in zip(docs, groups, places, strict=True):
            doc.spans.data[key] = group  # which need not be asked of whom it is
            if prediction.scores is not None:
                group.attrs[SCORES] = prediction.scores[i:j].copy()


class LatpercChunker(ChainPipe):
    """Finds chunks that do not overlap."""

    layer: ChunkLayer
    inventory = forwarded("coder", "The labels, in the scheme.")
    key = forwarded("layer", "The key of doc.spans.", "name")

    def score(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
        """Score examples with the scorer of this component."""
        return super().score(examples, spans_key=self.key, **kwargs)
