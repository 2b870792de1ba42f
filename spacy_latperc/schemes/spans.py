"""Chunks as (start, end, type): checked, and read off the labels of a sentence."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from ..errors import Errors
from .gaps import OUTSIDE, Gap, gap_between, split_label

Span = tuple[int, int, str]


def ordered_spans(spans: Iterable[Span], n: int) -> list[Span]:
    """The spans in order of their starts, refused when they cannot be chunks."""
    chunks = sorted((start, end, type_) for start, end, type_ in spans)
    for start, end, type_ in chunks:
        if not 0 <= start < end <= n:
            raise ValueError(Errors.LP205.format(start=start, end=end, type=type_, n=n))
    for first, second in pairwise(chunks):
        if first[1] > second[0]:
            raise ValueError(Errors.LP204.format(first=first, second=second))
    return chunks


def read_spans(labels: Sequence[str]) -> list[Span]:
    """The chunks that labels of any (mix of) representations stand for."""
    padded = [OUTSIDE, *labels, OUTSIDE]
    gaps = [gap_between(*pair) for pair in pairwise(padded)]
    spans = []
    start = 0
    for token, label in enumerate(labels):
        if gaps[token] != Gap.JOINED:
            start = token
        if label != OUTSIDE and gaps[token + 1] != Gap.JOINED:
            spans.append((start, token + 1, split_label(label)[1]))
    return spans
