"""Chunk representations: spans to labels and back, validity, detection, repair."""

from .convert_labels import meaning_mask, no_chunk_mask, shared_meaning
from .decode import (
    Boundary,
    Chunks,
    LabelReader,
    Span,
    boundary_between,
    read_spans,
    split_label,
)
from .inventory import LabelInventory
from .partial_spans import border_masks, chunks_by_sentence, dead_end
from .representations import (
    DEFAULT_LABELS_SCHEME,
    DEFAULT_SCHEME,
    SCHEMES,
    Scheme,
    changed_by_repair,
    detect_scheme,
    detect_scheme_of_ids,
    get_scheme,
    repair,
)

__all__ = [
    "DEFAULT_LABELS_SCHEME",
    "DEFAULT_SCHEME",
    "SCHEMES",
    "Chunks",
    "Boundary",
    "LabelInventory",
    "LabelReader",
    "Scheme",
    "Span",
    "border_masks",
    "changed_by_repair",
    "chunks_by_sentence",
    "dead_end",
    "detect_scheme",
    "detect_scheme_of_ids",
    "boundary_between",
    "get_scheme",
    "meaning_mask",
    "no_chunk_mask",
    "read_spans",
    "repair",
    "shared_meaning",
    "split_label",
]
