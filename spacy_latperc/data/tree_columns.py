"""Dependency trees of column files: from word numbers to token positions, checked."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..errors import Errors
from .table import NO_HEAD, UNSET, Table

_NOT_A_NUMBER = -2


def with_heads(table: Table) -> Table:
    """Replace the columns `head` and `id` of a table by `heads`.

    Each sentence must be a tree, or part of one: "_" leaves a head open.
    """
    columns = dict(table.columns)
    positions = np.arange(table.n_tokens)
    lengths = np.diff(table.sentence_offsets)
    starts = np.repeat(table.sentence_offsets[:-1], lengths)
    if "id" in columns:
        _check_ids(table, positions - starts + 1)
    numbers = np.array([_number(x) for x in columns["head"].strings], dtype=np.int64)
    numbers = numbers[columns["head"].ids]
    is_root = numbers == 0
    heads = np.where(is_root, positions, starts + numbers - 1)
    heads[numbers == NO_HEAD] = NO_HEAD
    for wrong, problem in (
        (numbers == _NOT_A_NUMBER, "'{head}' is not a number"),
        (
            numbers > np.repeat(lengths, lengths),
            "there is no word {head} in the sentence",
        ),
        ((heads == positions) & ~is_root, "the word is its own head"),
    ):
        if wrong.any():
            raise _error(table, int(np.argmax(wrong)), problem)
    _check_roots(table, is_root, heads)
    _check_circles(table, heads, lengths)
    del columns["head"]
    columns.pop("id", None)
    return replace(table, columns=columns, heads=heads)


def _number(string: str) -> int:
    if string in UNSET:
        return NO_HEAD
    ascii_number = string.isascii() and string.isdecimal() and len(string) < 10
    return int(string) if ascii_number else _NOT_A_NUMBER


def _check_ids(table: Table, wanted: NDArray[np.int64]) -> None:
    column = table.columns["id"]
    numbers = np.array([_number(x) for x in column.strings], dtype=np.int64)
    wrong = numbers[column.ids] != wanted
    if wrong.any():
        token = int(np.argmax(wrong))
        raise table.error_at(Errors.LP134, "id", token, wanted=wanted[token])


def _check_roots(
    table: Table, is_root: NDArray[np.bool_], heads: NDArray[np.int64]
) -> None:
    firsts = table.sentence_offsets[:-1]
    counts = np.add.reduceat(is_root, firsts, dtype=np.int64)
    if (counts > 1).any():
        sentence = int(np.argmax(counts > 1))
        first, second = firsts[sentence] + np.flatnonzero(
            is_root[firsts[sentence] : table.sentence_offsets[sentence + 1]]
        )[:2].astype(np.int64)
        problem = f"the sentence has a root already, in line {table.lines[first]}"
        raise _error(table, int(second), problem)
    is_whole = ~np.logical_or.reduceat(heads == NO_HEAD, firsts)
    if (is_whole & (counts == 0)).any():
        sentence = int(np.argmax(is_whole & (counts == 0)))
        problem = "no word of the sentence is the root (its head is 0)"
        raise _error(table, int(firsts[sentence]), problem)


def _check_circles(
    table: Table, heads: NDArray[np.int64], lengths: NDArray[np.int64]
) -> None:
    """Check that every word is below a word without a head."""
    positions = np.arange(len(heads))
    above = np.where(heads == NO_HEAD, positions, heads)
    is_top = above == positions
    for _ in range(int(lengths.max()).bit_length()):
        above = above[above]
    if not is_top[above].all():
        token = int(np.argmin(is_top[above]))
        raise _error(table, token, "the heads go round in a circle")


def _error(table: Table, token: int, problem: str) -> ValueError:
    column = table.columns["head"]
    problem = problem.format(head=column.strings[column.ids[token]])
    return table.error_at(Errors.LP132, "head", token, problem=problem)


def attachment(table: Table) -> NDArray[np.int64]:
    """A head for every token: open heads are attached to the root of their sentence.

    This keeps an incomplete sentence whole, because spaCy derives sentence boundaries
    from heads. A token with an open head has no relation, which `token.has_head()`
    reads.
    """
    assert table.heads is not None
    positions = np.arange(table.n_tokens)
    lengths = np.diff(table.sentence_offsets)
    roots = table.sentence_offsets[:-1].copy()
    is_root = table.heads == positions
    sentence_of = np.repeat(np.arange(len(lengths)), lengths)
    roots[sentence_of[is_root]] = positions[is_root]
    return np.where(table.heads == NO_HEAD, roots[sentence_of], table.heads)


def rootless_line(table: Table) -> int | None:
    """The first line of a sentence with an open root, or None."""
    assert table.heads is not None
    is_root = table.heads == np.arange(table.n_tokens)
    found = np.logical_or.reduceat(is_root, table.sentence_offsets[:-1])
    if found.all():
        return None
    return int(table.lines[table.sentence_offsets[np.argmin(found)]])
