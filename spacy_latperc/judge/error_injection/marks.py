"""Edits of a sentence, and the marks that they leave: enough to undo them."""

from collections.abc import Sequence
from typing import NamedTuple

MISSING = "missing"


class Edit(NamedTuple):
    """Words of a clean sentence, from `start` to before `end`, that others replace."""

    kind: str
    start: int
    end: int
    words: tuple[str, ...]


class Mark(NamedTuple):
    """Words of a corrupted sentence, from `start` to before `end`, and those that were
    there before. Where nothing is left, both places are that of the next word."""

    kind: str
    start: int
    end: int
    before: tuple[str, ...]


def touches(edits: Sequence[Edit], other: Edit) -> bool:
    """Whether an edit is at the place of another one, or right beside it."""
    return any(e.start <= other.end and other.start <= e.end for e in edits)


def corrupted(
    words: Sequence[str], edits: Sequence[Edit]
) -> tuple[list[str], list[Mark]]:
    """The sentence after some edits, of which none touches another.

    Args:
        words: Of the clean sentence.
        edits: In any order.
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


def restored(words: Sequence[str], marks: Sequence[Mark]) -> list[str]:
    """The clean sentence of a corrupted one.

    Args:
        words: Of the corrupted sentence.
        marks: All of its marks, from left to right.
    """
    clean: list[str] = []
    at = 0
    for mark in marks:
        clean += [*words[at : mark.start], *mark.before]
        at = mark.end
    return clean + list(words[at:])


def token_labels(n: int, marks: Sequence[Mark], first_only: Sequence[str]) -> list[str]:
    """What is wrong with each token; empty for nothing. Where words are missing, that
    is said of the token behind them, or of the last one.

    Args:
        n: Tokens of the corrupted sentence.
        marks: Its marks.
        first_only: Kinds of which only the first token is wrong.
    """
    labels = [""] * n
    for mark in marks:
        if mark.start == mark.end:
            if n:
                labels[min(mark.start, n - 1)] = MISSING
            continue
        end = mark.start + 1 if mark.kind in first_only else mark.end
        for at in range(mark.start, end):
            labels[at] = mark.kind
    return labels
