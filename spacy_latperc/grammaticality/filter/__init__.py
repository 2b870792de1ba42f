"""Keeping the good lines of a text of any size, which is never in memory whole."""

from .lines import FORMATS, Line, LineReader
from .run import Tally, filter_file
from .scores import ScoringSettings, scored

__all__ = [
    "FORMATS",
    "Line",
    "LineReader",
    "ScoringSettings",
    "Tally",
    "filter_file",
    "scored",
]
