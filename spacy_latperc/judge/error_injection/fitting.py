"""The shares of the kinds of errors in real text, by originals and corrections."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ..evidence.lexicon import Lexicon, is_mark
from .kinds import KINDS
from .marks import MISSING, Edit

Difference = tuple[int, int, int, int]
# Kinds that pairs show. The others need longer stretches than an alignment sees.
FITTED = (
    "form",
    "small",
    MISSING,
    "extra",
    "order",
    "repeat",
    "spelling",
    "case",
    "mark",
)


@dataclass(frozen=True)
class Fit:
    """What was found in pairs.

    Attributes:
        shares: Of the kinds, which sum to one.
        errors: How many errors there are.
        other: How many of them are of no kind that is known.
        per_sentence: Errors of a sentence that has some.
    """

    shares: dict[str, float]
    errors: int
    other: int
    per_sentence: float


def align(clean: Sequence[str], wrong: Sequence[str]) -> list[Difference]:
    """The differences of two sentences, by edit distance: replaced, missing and extra
    words, and neighbours in the other order.

    Args:
        clean: Words of the correction.
        wrong: Words of the original.

    Returns:
        Of each difference the first word in `clean` and the end, and both in `wrong`.
    """
    n, m = len(clean), len(wrong)
    cost = np.zeros((n + 1, m + 1))
    cost[:, 0], cost[0, :] = np.arange(n + 1), np.arange(m + 1)
    alike = {
        (i, j): _difference(a, b)
        for i, a in enumerate(clean)
        for j, b in enumerate(wrong)
    }
    table = cost.tolist()
    for i in range(1, n + 1):
        row, above = table[i], table[i - 1]
        for j in range(1, m + 1):
            best = above[j - 1] + alike[i - 1, j - 1]
            best = min(best, above[j] + 1, row[j - 1] + 1)
            if _swapped(clean, wrong, i, j):
                best = min(best, table[i - 2][j - 2] + 1)
            row[j] = best
    found = []
    i, j = n, m
    while i or j:
        here = table[i][j]
        if i and j and here == table[i - 1][j - 1] + alike[i - 1, j - 1]:
            if alike[i - 1, j - 1]:
                found.append((i - 1, i, j - 1, j))
            i, j = i - 1, j - 1
        elif _swapped(clean, wrong, i, j) and here == table[i - 2][j - 2] + 1:
            found.append((i - 2, i, j - 2, j))
            i, j = i - 2, j - 2
        elif i and here == table[i - 1][j] + 1:
            found.append((i - 1, i, j, j))
            i -= 1
        else:
            found.append((i, i, j - 1, j))
            j -= 1
    return found[::-1]


def _swapped(clean: Sequence[str], wrong: Sequence[str], i: int, j: int) -> bool:
    return (
        i > 1
        and j > 1
        and clean[i - 2] == wrong[j - 1]
        and clean[i - 1] == wrong[j - 2]
        and clean[i - 1] != clean[i - 2]
    )


def _difference(first: str, second: str) -> float:
    """Words that are alike are rather replaced than left out and put in. The numbers
    are sums of powers of two, so that they can be compared."""
    if first == second:
        return 0.0
    if first.lower() == second.lower():
        return 0.5
    common = 0
    for a, b in zip(first.lower(), second.lower(), strict=False):
        if a != b:
            break
        common += 1
    return 1.0 if 2 * common >= max(len(first), len(second)) else 1.25


def kind_of(
    clean: Sequence[str],
    wrong: Sequence[str],
    lexicon: Lexicon,
    beside: Sequence[str] = (),
) -> str:
    """The kind of a difference; empty if it is none that is known.

    Args:
        clean: The words of the correction.
        wrong: The words of the original.
        lexicon: Of a text of the same language.
        beside: The words of the original before and behind them.
    """
    if len(clean) == 2:
        return "order"
    if all(map(is_mark, [*clean, *wrong])):
        return "mark"
    if not wrong:
        return MISSING
    if not clean:
        return "repeat" if wrong[0] in beside else "extra"
    good, bad = clean[0].lower(), wrong[0].lower()
    if good == bad:
        return "case"
    if good in lexicon.like and bad in lexicon.like:
        return "small"
    if good in lexicon.forms and bad in lexicon.forms[good].words:
        return "form"
    if wrong[0] not in lexicon.known and bad not in lexicon.known:
        return "spelling"
    if _difference(good, bad) <= 1:
        return "form" if good.isalpha() and bad.isalpha() else ""
    return "spelling" if _near(good, bad) else ""


def _near(first: str, second: str) -> bool:
    """Whether two words differ in the place or kind of a few letters."""
    apart = Counter(first) - Counter(second)
    back = Counter(second) - Counter(first)
    return sum(apart.values()) <= 1 and sum(back.values()) <= 1 and len(first) > 3


def edits_of(
    clean: Sequence[str], wrong: Sequence[str], lexicon: Lexicon
) -> list[Edit]:
    """The differences as edits of the correction, with their kinds.

    Args:
        clean: Words of the correction.
        wrong: Words of the original.
        lexicon: Of a text of the same language.
    """
    found = []
    for i, end, j, stop in align(clean, wrong):
        beside = [*wrong[j - 1 : j], *wrong[stop : stop + 1]]
        kind = kind_of(clean[i:end], wrong[j:stop], lexicon, beside)
        found.append(Edit(kind, i, end, tuple(wrong[j:stop])))
    return found


def fit_shares(
    pairs: Iterable[tuple[Sequence[str], Sequence[str]]], lexicon: Lexicon
) -> Fit:
    """The shares of the kinds of errors in pairs of sentences.

    Args:
        pairs: Words of an original, and of its correction.
        lexicon: Of a text of the same language.
    """
    counts: Counter[str] = Counter()
    sentences = 0
    for wrong, clean in pairs:
        kinds = [edit.kind for edit in edits_of(clean, wrong, lexicon)]
        counts.update(kinds)
        sentences += bool(kinds)
    other = counts.pop("", 0)
    known = sum(counts.values())
    shares = {kind: counts[kind] / known for kind in KINDS if counts[kind]}
    errors = known + other
    return Fit(shares, errors, other, errors / sentences if sentences else 0.0)
