"""Chunk representations: spans to labels and back, validity, detection, repair."""

from .borders import border_masks, chunks_by_sentence
from .dead_ends import dead_end
from .gaps import Gap, gap_between, split_label
from .inventory import LabelInventory
from .meaning import meaning_mask, no_chunk_mask
from .reading import LabelReader
from .repair import changed_by_repair, detect_scheme, detect_scheme_of_ids, repair
from .representations import SCHEMES, Scheme, get_scheme
from .spans import Span, read_spans
from .voting import tally, vote_on_spans, vote_on_tokens

__all__ = [
    "SCHEMES",
    "Gap",
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
    "gap_between",
    "get_scheme",
    "meaning_mask",
    "no_chunk_mask",
    "read_spans",
    "repair",
    "split_label",
    "tally",
    "vote_on_spans",
    "vote_on_tokens",
]
