"""Shares of the kinds of errors in real text, from originals and corrections."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from os.path import commonprefix

from ..evidence.lexicon import Lexicon, is_mark
from .kinds import KINDS
from .marks import MISSING, Edit

# The places of a difference in the correction (start, end) and in the original.
Difference = tuple[int, int, int, int]
# The kinds that pairs show. The others span more words than an alignment finds.
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
    """The errors in some pairs.

    Attributes:
        shares: The share of each kind. They sum to one.
        errors: The number of errors.
        other: The number of errors of unknown kind.
        per_sentence: The mean number of errors in sentences with errors.
    """

    shares: dict[str, float]
    errors: int
    other: int
    per_sentence: float


def align(clean: Sequence[str], wrong: Sequence[str]) -> list[Difference]:
    """Find the differences of two sentences by edit distance: replaced, missing and
    extra words, and neighbours in the wrong order.

    Args:
        clean: The words of the correction.
        wrong: The words of the original.
    """
    costs = [[0.0] * (len(wrong) + 1) for _ in range(len(clean) + 1)]
    steps = [[(0, 0)] * (len(wrong) + 1) for _ in range(len(clean) + 1)]
    for i in range(len(clean) + 1):
        for j in range(len(wrong) + 1):
            # The first of the cheapest steps is taken.
            found = []
            if i and j:
                change = _distance(clean[i - 1], wrong[j - 1])
                found.append((costs[i - 1][j - 1] + change, (1, 1)))
                if _swapped(clean, wrong, i, j):
                    found.append((costs[i - 2][j - 2] + 1, (2, 2)))
            if i:
                found.append((costs[i - 1][j] + 1, (1, 0)))
            if j:
                found.append((costs[i][j - 1] + 1, (0, 1)))
            if found:
                costs[i][j], steps[i][j] = min(found, key=itemgetter(0))
    differences = []
    i, j = len(clean), len(wrong)
    while i or j:
        back, across = steps[i][j]
        if (back, across) != (1, 1) or clean[i - 1] != wrong[j - 1]:
            differences.append((i - back, i, j - across, j))
        i, j = i - back, j - across
    return differences[::-1]


def _swapped(clean: Sequence[str], wrong: Sequence[str], i: int, j: int) -> bool:
    return (
        i > 1
        and j > 1
        and clean[i - 2] == wrong[j - 1]
        and clean[i - 1] == wrong[j - 2]
        and clean[i - 1] != clean[i - 2]
    )


def _distance(first: str, second: str) -> float:
    """The cost of replacing a word: similar words are replaced, others rather removed
    and inserted. Costs are sums of powers of two, so that equal ones compare equal."""
    if first == second:
        return 0.0
    first, second = first.lower(), second.lower()
    if first == second:
        return 0.5
    common = len(commonprefix([first, second]))
    return 1.0 if 2 * common >= max(len(first), len(second)) else 1.25


def kind_of(
    clean: Sequence[str],
    wrong: Sequence[str],
    lexicon: Lexicon,
    neighbours: Sequence[str] = (),
) -> str:
    """Return the kind of a difference, or "" if it is unknown.

    Args:
        clean: The words of the correction.
        wrong: The words of the original.
        lexicon: The lexicon of a text in the same language.
        neighbours: The words of the original before and after the difference.
    """
    if len(clean) == 2:
        return "order"
    if all(map(is_mark, [*clean, *wrong])):
        return "mark"
    if not wrong:
        return MISSING
    if not clean:
        return "repeat" if wrong[0] in neighbours else "extra"
    good, bad = clean[0].lower(), wrong[0].lower()
    if good == bad:
        return "case"
    if good in lexicon.like and bad in lexicon.like:
        return "small"
    if good in lexicon.forms and bad in lexicon.forms[good].words:
        return "form"
    if wrong[0] not in lexicon.known and bad not in lexicon.known:
        return "spelling"
    if _distance(good, bad) <= 1:
        return "form" if good.isalpha() and bad.isalpha() else ""
    return "spelling" if _near(good, bad) else ""


def _near(first: str, second: str) -> bool:
    """Return True if two words differ in the place or kind of a few letters."""
    letters, others = Counter(first), Counter(second)
    apart = max((letters - others).total(), (others - letters).total())
    return apart <= 1 and len(first) > 3


def edits_of(
    clean: Sequence[str], wrong: Sequence[str], lexicon: Lexicon
) -> list[Edit]:
    """Return the differences as edits of the correction.

    Args:
        clean: The words of the correction.
        wrong: The words of the original.
        lexicon: The lexicon of a text in the same language.
    """
    found = []
    for i, end, j, stop in align(clean, wrong):
        neighbours = [*wrong[j - 1 : j], *wrong[stop : stop + 1]]
        kind = kind_of(clean[i:end], wrong[j:stop], lexicon, neighbours)
        found.append(Edit(kind, i, end, tuple(wrong[j:stop])))
    return found


def fit_shares(
    pairs: Iterable[tuple[Sequence[str], Sequence[str]]], lexicon: Lexicon
) -> Fit:
    """Fit the shares of the kinds of errors to pairs of sentences.

    Args:
        pairs: The words of originals and of their corrections.
        lexicon: The lexicon of a text in the same language.
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
