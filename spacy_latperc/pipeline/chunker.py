"""latperc_chunker: flat chunks (NP, VP, ...) in doc.spans, without a parser."""

from collections.abc import Callable, Iterable
from typing import Any

from spacy.language import Language
from spacy.training import Example
from thinc.api import Model

from ..errors import Warnings
from ..errors.check import check_kind
from .chain_pipe import ChainPipe
from .chunk_layer import ChunkLayer
from .component_settings import (
    SpanSettings,
    default_model,
    defaults,
    span_weights,
    with_settings,
)
from .forwarded import forwarded
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


class LatpercChunker(ChainPipe):
    """Finds chunks that do not overlap."""

    layer: ChunkLayer
    inventory = forwarded("coder", "The labels, in the scheme.")
    key = forwarded("layer", "The key of doc.spans.", "name")

    def score(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
        """Score examples with the scorer of this component."""
        return super().score(examples, spans_key=self.key, **kwargs)
