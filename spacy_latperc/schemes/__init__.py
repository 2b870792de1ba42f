"""Chunk representations: spans to labels and back, validity, detection, repair."""

from .gaps import Gap, gap_between, split_label
from .inventory import LabelInventory
from .reading import LabelReader
from .repair import changed_by_repair, detect_scheme, detect_scheme_of_ids, repair
from .representations import SCHEMES, Scheme, get_scheme
from .spans import Span, read_spans

__all__ = [
    "SCHEMES",
    "Gap",
    "LabelInventory",
    "LabelReader",
    "Scheme",
    "Span",
    "changed_by_repair",
    "detect_scheme",
    "detect_scheme_of_ids",
    "gap_between",
    "get_scheme",
    "read_spans",
    "repair",
    "split_label",
]
