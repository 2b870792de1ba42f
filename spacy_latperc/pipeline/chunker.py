"""latperc_chunker: flat chunks (NP, VP, ...) in doc.spans, without a parser."""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Example
from thinc.api import Model

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
from .gold_spans import GoldSpans, Rows, covered, read_rows, read_spans
from .prediction import Found, Mask, Prediction
from .span_coder import span_settings

DEFAULT_SPANS_KEY = "chunks"
DEFAULT_MISSING_KEY = "missing_chunks"


@Language.factory(
    "latperc_chunker",
    assigns=["doc.spans"],
    default_config={
        "model": default_model("RichChunkingFeatures.v1"),
        "spans_key": DEFAULT_SPANS_KEY,
        "keep_spans": False,
        "missing_spans_key": DEFAULT_MISSING_KEY,
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
    keep_spans: bool,
    missing_spans_key: str | None,
    scorer: Callable | None,
    **settings: Any,
) -> "LatpercChunker":
    """Build a chunker, which writes phrases that do not overlap to doc.spans.

    With `scores`, doc.spans[spans_key].attrs["scores"] has the score of each.

    Args:
        nlp: The pipeline.
        name: The name of the component.
        model: A chain (spacy_latperc.ChainModel.v1).
        spans_key: The key of doc.spans, for gold chunks and for predicted ones.
        keep_spans: Chunks that are on the Doc already stay as they are, and the
            search finds the best labels around them.
        missing_spans_key: A key of doc.spans. In training, tokens inside its spans
            count as not annotated. The labels of these spans do not matter.
        scorer: Scores the chunks in evaluation.
        settings: See SpanSettings.
    """
    check_kind("spans_key", spans_key, str, "a string")
    check_kind(
        "missing_spans_key", missing_spans_key, (str, type(None)), "a string or null"
    )
    layer = ChunkLayer(name, spans_key, keep_spans, missing_spans_key)
    chunker = LatpercChunker(
        nlp.vocab, model, name, layer, scorer=scorer, **span_settings(**settings)
    )
    second_pass = chunker.written in chunker.reader.columns
    if not (keep_spans or second_pass):
        for other, pipe in nlp.pipeline:
            if getattr(pipe, "key", None) == spans_key:
                chunker._warn_once(
                    "key", Warnings.LP923.format(name=name, other=other, key=spans_key)
                )
    return chunker


class ChunkLayer:
    """The spans under a key of doc.spans, its name: reads gold ones and writes
    predicted ones."""

    def __init__(
        self, name: str, spans_key: str, keep_spans: bool, missing_spans_key: str | None
    ):
        self._component = name
        self.name = spans_key
        self.keep_spans = keep_spans
        self.missing_spans_key = missing_spans_key

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
        holes, _ = read_rows(docs, offsets, self.missing_spans_key)
        if len(holes):
            missing |= covered(holes[:, 0], holes[:, 1], len(missing))
            for span in spans:
                within = missing[span[0] : span[1]]
                if within.any():
                    doc, start, end, label = self._find(docs, offsets, span)
                    key, open_key = self.name, self.missing_spans_key
                    chunk = f"{label} from token {start} to {end - 1}"
                    raise ValueError(
                        Errors.LP071.format(
                            name=self._component,
                            token=start + int(within.argmax()),
                            doc=describe(doc),
                            first=f"doc.spans['{key}'] has {chunk}",
                            second=f"doc.spans['{open_key}'] says that it is open",
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

    # Chunks set before us -------------------------------------------------------------

    def kept(
        self, docs: Sequence[Doc], extra: NDArray[np.uint64] | None
    ) -> tuple[Rows, Mask] | None:
        """Return the spans that stay on the Docs, in tokens of the batch, and a mask of
        tokens that no other span may have; None if nothing stays."""
        if not self.keep_spans:
            return None
        offsets = offsets_of(docs)
        kept, _ = read_rows(docs, offsets, self.name)
        overlaps = np.flatnonzero(kept[1:, 0] < kept[:-1, 1])
        if len(overlaps):
            at = int(overlaps[0])
            doc, *first, _ = self._find(docs, offsets, kept[at])
            _, *second, _ = self._find(docs, offsets, kept[at + 1])
            raise ValueError(
                Errors.LP071.format(
                    name=self._component,
                    token=second[0],
                    doc=describe(doc),
                    first=f"a kept chunk has tokens {first[0]} to {first[1] - 1}",
                    second=f"another has {second[0]} to {second[1] - 1}",
                )
            )
        return kept, covered(kept[:, 0], kept[:, 1], int(offsets[-1]))

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
            scores = None
            if prediction.scores is not None:
                scores = prediction.scores[i:j].copy()
            if self.keep_spans and doc.spans.get(key):
                spans, scores = self._with_kept(doc, list(group), scores)
                doc.spans[key] = spans
            else:
                doc.spans.data[key] = group  # which need not be asked of whom it is
            if scores is not None:
                doc.spans[key].attrs[SCORES] = scores

    def _with_kept(
        self, doc: Doc, found: list[Span], scores: NDArray[np.float32] | None
    ) -> tuple[list[Span], NDArray[np.float32] | None]:
        """The found chunks and those that stay, in order; the latter are certain."""
        kept = list(doc.spans[self.name])
        same = {(span.start, span.end, span.label) for span in kept}
        new = [i for i, x in enumerate(found) if (x.start, x.end, x.label) not in same]
        spans = kept + [found[i] for i in new]
        order = sorted(range(len(spans)), key=lambda i: spans[i].start)
        if scores is not None:
            sure = np.ones(len(kept), dtype=np.float32)
            scores = np.concatenate([sure, scores[new]])[order]
        return [spans[i] for i in order], scores


class LatpercChunker(ChainPipe):
    """Finds chunks that do not overlap."""

    layer: ChunkLayer
    inventory = forwarded("coder", "The labels, in the scheme.")
    key = forwarded("layer", "The key of doc.spans.", "name")
    keep_spans = forwarded("layer", "Whether spans that are there stay.")
    missing_spans_key = forwarded("layer", "The key of spans without annotation.")

    def score(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
        """Score examples with the scorer of this component."""
        return super().score(examples, spans_key=self.key, **kwargs)
