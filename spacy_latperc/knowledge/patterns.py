"""Regular expressions, as a source of attributes.

`re.NAME[0]` is the first of the patterns that a token matches.
"""

import re
from collections.abc import Sequence
from typing import Any

from ..errors import Errors
from ..errors.check import check_strings, refusal
from ..features.sources import Reading
from .functions import FunctionSource

_NO_DOLLAR = (
    r"Write \x24 for the character and \Z for the end of the text; in a config, write "
    "each backslash twice"
)


class Patterns(FunctionSource):
    """Regular expressions, matched with word forms.

    Args:
        patterns: The compiled patterns.
    """

    kind = "re"

    def __init__(self, patterns: Sequence[re.Pattern[str]]):
        self.patterns = tuple(patterns)

    def settings(self) -> dict[str, Any]:
        texts = [pattern.pattern for pattern in self.patterns]
        return {"patterns": texts}

    def attribute(self, argument: str) -> Reading:
        if argument:
            raise ValueError(Errors.LP709.format(argument=argument))
        return Reading(of_form=self._number, few_values=True)

    def _number(self, word: str) -> str:
        """Return the number of the first pattern that matches a word, or ""."""
        for number, pattern in enumerate(self.patterns, 1):
            if pattern.fullmatch(word):
                return str(number)
        return ""

    def blank(self) -> "Patterns":
        return type(self)(self.patterns)


def patterns(patterns: list[str]) -> Patterns:
    r"""Match regular expressions, with the matches `re.NAME[0]` in templates.

    Beware of patterns that backtrack, such as `(a+)+b`: they may take hours for one
    long word.

    Args:
        patterns: Patterns of Python's `re`, but without `$`, which configs double:
            write `\x24` for the sign and `\Z` for the end. `(?i)` at the beginning
            ignores case. The first that matches
            the whole word counts.
    """
    if not check_strings("patterns", patterns):
        raise refusal(
            Errors.LP590, "patterns", patterns, wanted="a list of regular expressions"
        )
    return Patterns([_compiled(n, x) for n, x in enumerate(patterns, 1)])


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
