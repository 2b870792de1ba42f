"""Edits of a sentence, and the marks that they leave: enough to undo them."""

from collections.abc import Sequence
from typing import NamedTuple

MISSING = "missing"
HALVES = "halves"  # only its first token is labelled


class Edit(NamedTuple):
    """The replacement of some words of a clean sentence."""

    kind: str
    start: int
    end: int
    words: tuple[str, ...]


class Mark(NamedTuple):
    """The place of an edit in the corrupted sentence.

    Attributes:
        kind: The kind of the error.
        start: The first new word; the next word if words are only missing.
        end: The word after the last one.
        before: The words of the clean sentence.
    """

    kind: str
    start: int
    end: int
    before: tuple[str, ...]


def touches(edits: Sequence[Edit], other: Edit) -> bool:
    """Return True if an edit overlaps with another one or is next to it."""
    return any(e.start <= other.end and other.start <= e.end for e in edits)


def corrupted(
    words: Sequence[str], edits: Sequence[Edit]
) -> tuple[list[str], list[Mark]]:
    """Apply edits that do not touch each other.

    Returns:
        The words of the corrupted sentence, and the marks from left to right.
    """
    made: list[str] = []
    marks: list[Mark] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: edit.start):
        made += words[at : edit.start]
        before = tuple(words[edit.start : edit.end])
        marks.append(Mark(edit.kind, len(made), len(made) + len(edit.words), before))
        made += edit.words
        at = edit.end
    made += words[at:]
    return made, marks


def token_labels(n: int, marks: Sequence[Mark]) -> list[str]:
    """Return the kind of error of each token, or "". If words are missing, the token
    after them has the label, or the last token.
    """
    labels = [""] * n
    for mark in marks:
        if mark.start == mark.end:
            if n:
                labels[min(mark.start, n - 1)] = MISSING
            continue
        end = mark.start + 1 if mark.kind == HALVES else mark.end
        for at in range(mark.start, end):
            labels[at] = mark.kind
    return labels
