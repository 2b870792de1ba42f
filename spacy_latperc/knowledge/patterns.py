"""Regular expressions, as a source of attributes.

`re.NAME[0]` is the first of the patterns that a token matches. Patterns of the text add
the position of the token in the match: first (B), last (E), only (S) or another (I).
"""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import Errors
from ..errors.check import check_choice, check_strings, refusal
from ..features.sources import Givens, Reading, Source, Tokens

MATCHED = ("token", "text")
_NO_DOLLAR = (
    r"Write \x24 for the character and \Z for the end of the text; in a config, write "
    "each backslash twice"
)

_BEGIN, _INSIDE, _END, _SINGLE = range(1, 5)
_PLACES = 8  # values of a pattern, of which some are in use


class Patterns(Source):
    """Regular expressions, matched with tokens or with whole texts.

    Args:
        patterns: The compiled patterns.
        match: "token" or "text".
    """

    kind = "re"

    def __init__(self, patterns: Sequence[re.Pattern[str]], match: str):
        self.patterns = tuple(patterns)
        self.match = match

    def settings(self) -> dict[str, Any]:
        texts = [pattern.pattern for pattern in self.patterns]
        return {"patterns": texts, "match": self.match}

    def attribute(self, argument: str) -> Reading:
        if argument:
            raise ValueError(Errors.LP709.format(argument=argument))
        if self.match == "token":
            return Reading(of_form=self._number, few_values=True)
        return Reading(of_docs=self._places, few_values=True)

    def _number(self, word: str) -> str:
        """Return the number of the first pattern that matches a word, or ""."""
        for number, pattern in enumerate(self.patterns, 1):
            if pattern.fullmatch(word):
                return str(number)
        return ""

    def _places(self, tokens: Tokens) -> NDArray[np.uint64]:
        found = np.zeros(len(tokens.words), dtype=np.uint64)
        for doc, start in zip(tokens.docs, tokens.offsets.tolist(), strict=False):
            self._mark(doc, found[start : start + len(doc)])
        return found

    def _mark(self, doc: Any, places: NDArray[np.uint64]) -> None:
        text = doc.text
        edges: tuple[NDArray, NDArray] | None = None
        for number, pattern in enumerate(self.patterns):
            for match in pattern.finditer(text):
                starts, ends = edges = edges or _edges(doc)
                # A match may begin or end inside a token.
                first = int(np.searchsorted(ends, match.start(), side="right"))
                last = int(np.searchsorted(starts, match.end(), side="left"))
                if first >= last or match.start() == match.end():
                    continue
                if places[first:last].any():
                    continue
                base = _PLACES * number
                places[first:last] = base + _INSIDE
                places[first] = base + (_SINGLE if last == first + 1 else _BEGIN)
                if last > first + 1:
                    places[last - 1] = base + _END

    def fit(self, givens: Givens) -> None:
        """Do nothing."""

    def to_bytes(self) -> bytes:
        return b""

    def from_bytes(self, data: bytes) -> None:
        if data:
            raise ValueError("patterns know nothing that could be saved")

    def blank(self) -> "Patterns":
        return type(self)(self.patterns, self.match)

    @property
    def nbytes(self) -> int:
        return 0


def patterns(patterns: list[str], match: str = "token") -> Patterns:
    r"""Match regular expressions, with the matches `re.NAME[0]` in templates.

    Beware of patterns that backtrack, such as `(a+)+b`: they may take hours for one
    long word.

    Args:
        patterns: Patterns of Python's `re`, but without `$`, which configs double:
            write `\x24` for the sign and `\Z` for the end. `(?i)` at the beginning
            ignores case. The first match in this list counts.
        match: "token" to match whole word forms, once for each word type, or "text" to
            search the text of the Doc; a match has every token that it touches.
    """
    check_choice("match", match, MATCHED)
    if not check_strings("patterns", patterns):
        raise refusal(
            Errors.LP590, "patterns", patterns, wanted="a list of regular expressions"
        )
    return Patterns([_compiled(n, x) for n, x in enumerate(patterns, 1)], match)


def _compiled(number: int, text: str) -> re.Pattern[str]:
    pattern, setting = ascii(text)[:80], "patterns"
    if "$" in text:
        shown = f"pattern {number}, {pattern},"
        message = Errors.LP745.format(setting=setting, text=shown, advice=_NO_DOLLAR)
        raise ValueError(message)
    try:
        return re.compile(text)
    except (re.error, OverflowError, RecursionError) as error:
        message = Errors.LP740.format(
            setting=setting, number=number, pattern=pattern, error=error
        )
        raise ValueError(message) from error


def _edges(doc: Any) -> tuple[NDArray, NDArray]:
    """Return the start and the end of each token in the text."""
    columns = doc.to_array(["LENGTH", "SPACY"]).astype(np.int64)
    lengths = columns[:, 0]
    after = np.cumsum(columns.sum(axis=1))
    ends = after - columns[:, 1]
    return ends - lengths, ends
