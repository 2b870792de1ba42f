"""latperc_chunker: flat chunks (NP, VP, ...) in doc.spans, without a parser."""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Example
from thinc.api import Model

from ..data.span_reads import (
    NO_SPANS,
    Spans,
    group_spans,
    note_written,
    read_all_spans,
    read_spans,
    watch,
)
from ..errors import Errors, Warnings
from ..errors.check import check_kind
from ..io.span_groups import CHARACTERS, Characters, span_groups
from .docs import describe
from .extensions import SCORES
from .gazetteers import with_tokenizer
from .layers import Annotation, Found, SpanLayer
from .parts import Mask, Prediction, forwarded
from .settings import (
    SpanSettings,
    default_model,
    defaults,
    span_weights,
    with_settings,
)
from .span_pipe import SpanPipe

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
        "scorer": {"@scorers": "spacy_latperc.chunk_scorer.v1"},
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
        name: Of the component.
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
    chunker = LatpercChunker(nlp.vocab, model, name, layer, scorer=scorer, **settings)
    second_pass = chunker.written in chunker.reader.columns
    if not (keep_spans or second_pass):
        for other, pipe in nlp.pipeline:
            if getattr(pipe, "key", None) == spans_key:
                chunker._warn_once(
                    "key", Warnings.LP923.format(name=name, other=other, key=spans_key)
                )
    return with_tokenizer(chunker, nlp)


class ChunkLayer(SpanLayer):
    """The spans under a key of doc.spans (see layers.SpanLayer)."""

    def __init__(
        self, name: str, spans_key: str, keep_spans: bool, missing_spans_key: str | None
    ):
        self._component = name
        self.spans_key = spans_key
        self.keep_spans = keep_spans
        self.missing_spans_key = missing_spans_key

    @property
    def name(self) -> str:
        return self.spans_key

    @property
    def written(self) -> str:
        return f"spans:{self.spans_key}"

    # Gold -----------------------------------------------------------------------------

    def labels(self, doc: Doc) -> Iterable[str]:
        spans = read_spans(doc, self.spans_key)
        return [doc.vocab.strings[x] for x in set(spans[2])] if spans else []

    def annotation(self, doc: Doc) -> Annotation:
        """The gold chunks; a Doc without the key is not annotated at all."""
        spans = read_spans(doc, self.spans_key)
        if spans is None:
            return Annotation(NO_SPANS, range(len(doc)))
        missing = read_spans(doc, self.missing_spans_key)
        if not missing or not missing[0]:
            return Annotation(spans, ())
        ranges = map(range, *missing[:2])
        tokens = sorted({token for tokens in ranges for token in tokens})
        for start, end, label in zip(*spans, strict=True):
            covered = [token for token in tokens if start <= token < end]
            if covered:
                missing_key = self.missing_spans_key
                chunk = f"{doc.vocab.strings[label]} from token {start} to {end - 1}"
                raise ValueError(
                    Errors.LP071.format(
                        name=self._component,
                        token=covered[0],
                        doc=describe(doc),
                        first=f"doc.spans['{self.spans_key}'] has {chunk}",
                        second=f"doc.spans['{missing_key}'] says that it is open",
                    )
                )
        return Annotation(spans, tokens)

    def states(self, docs: Sequence[Doc]) -> Sequence[object | None]:
        gold = read_all_spans(docs, self.spans_key)
        missing = read_all_spans(docs, self.missing_spans_key)
        return [
            spans if spans is None or tokens is None else (spans, tokens)
            for spans, tokens in zip(gold, missing, strict=True)
        ]

    @property
    def place(self) -> tuple[str, str | None]:
        return self.spans_key, self.missing_spans_key

    def watch(self, doc: Doc) -> bool:
        return watch(doc, self.place)

    # Chunks set before us -------------------------------------------------------------

    def kept(
        self, docs: Sequence[Doc], beside: NDArray[np.uint64] | None
    ) -> tuple[Spans, Mask] | None:
        if not self.keep_spans:
            return None
        kept: tuple[list[int], list[int], list[int]] = ([], [], [])
        held = np.zeros(sum(map(len, docs)), dtype=bool)
        offset = 0
        for doc in docs:
            starts, ends, labels = group_spans(doc.spans.get(self.spans_key) or ())
            for i, (start, end) in enumerate(zip(starts, ends, strict=True)):
                if held[offset + start : offset + end].any():
                    self._refuse_overlap(doc, starts, ends, i)
                held[offset + start : offset + end] = True
            kept[0].extend([start + offset for start in starts])
            kept[1].extend([end + offset for end in ends])
            kept[2].extend(labels)
            offset += len(doc)
        return kept, held

    def _refuse_overlap(
        self, doc: Doc, starts: Sequence[int], ends: Sequence[int], second: int
    ) -> NoReturn:
        first = next(i for i, end in enumerate(ends) if end > starts[second])
        raise ValueError(
            Errors.LP071.format(
                name=self._component,
                token=starts[second],
                doc=describe(doc),
                first=f"a kept chunk has tokens {starts[first]} to {ends[first] - 1}",
                second=f"another has {starts[second]} to {ends[second] - 1}",
            )
        )

    # Writing --------------------------------------------------------------------------

    beside = CHARACTERS

    def write(self, docs: Sequence[Doc], prediction: Prediction, found: Found) -> None:
        key = self.spans_key
        first = found.starts.searchsorted(prediction.docs)
        characters = self._characters(prediction, found)
        groups = span_groups(docs, key, prediction.docs, found[:3], characters)
        places = list(pairwise(first.tolist()))
        for doc, group, (i, j) in zip(docs, groups, places, strict=True):
            scores = None
            if prediction.scores is not None:
                scores = prediction.scores[i:j].copy()
            if self.keep_spans and doc.spans.get(key):
                spans, scores = self._with_kept(doc, list(group), scores, found.certain)
                doc.spans[key] = spans
            else:
                doc.spans.data[key] = group  # which need not be asked of whom it is
            if scores is not None:
                doc.spans[key].attrs[SCORES] = scores
        if found.learning and prediction.scores is None and not self.keep_spans:
            shift = np.repeat(prediction.docs[:-1], np.diff(first))
            rows = np.empty((len(shift), 3), dtype=np.uint64)
            rows[:, 0], rows[:, 1] = found.starts - shift, found.ends - shift
            rows[:, 2] = found.labels
            for doc, (i, j) in zip(docs, places, strict=True):
                note_written(doc, key, rows[i:j])

    @staticmethod
    def _characters(prediction: Prediction, found: Found) -> Characters | None:
        """What is known of where the tokens and the chunks are in the text."""
        read, last = prediction.beside, found.ends - 1
        if read is None:
            return None
        if read.shape[1] == len(CHARACTERS):
            return Characters(read[:, 0], read[last, 1])
        if prediction.lengths is None:
            return None
        return Characters(read[:, 0], prediction.lengths(last))

    def _with_kept(
        self,
        doc: Doc,
        found: list[Span],
        scores: NDArray[np.float32] | None,
        certain: float,
    ) -> tuple[list[Span], NDArray[np.float32] | None]:
        """The found chunks and those that stay, in order; the latter are certain."""
        kept = list(doc.spans[self.spans_key])
        same = {(span.start, span.end, span.label) for span in kept}
        new = [i for i, x in enumerate(found) if (x.start, x.end, x.label) not in same]
        spans = kept + [found[i] for i in new]
        order = sorted(range(len(spans)), key=lambda i: spans[i].start)
        if scores is not None:
            sure = np.full(len(kept), certain, dtype=np.float32)
            scores = np.concatenate([sure, scores[new]])[order]
        return [spans[i] for i in order], scores


class LatpercChunker(SpanPipe):
    """Finds chunks that do not overlap."""

    layer: ChunkLayer
    key = forwarded("layer", "The key of doc.spans.", "spans_key")
    keep_spans = forwarded("layer", "Whether spans that are there stay.")
    missing_spans_key = forwarded("layer", "The key of spans without annotation.")

    def score(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
        """Score examples with the scorer of this component."""
        return super().score(examples, spans_key=self.key, **kwargs)
