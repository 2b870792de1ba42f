"""Functions of your own and regular expressions, as sources of attributes.

`fn.NAME[0]` is the value of a function for the token: a string, a number, or several
values (features/values.py). `re.NAME[0]` is the first of the patterns that a token
matches.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..errors import Errors
from ..errors.check import check_strings, refusal
from ..features.sources import Givens, Reading, Source, Tokens
from ..features.values import DenseColumn, read_column
from .doc_vectors import is_vectors, join_vectors, text_of

Function = Callable[[Any], Sequence[Any]]


class FunctionSource(Source):
    """A function from a Doc to a value for each token."""

    kind = "fn"

    def __init__(self, function: Function):
        self.function = function

    def settings(self) -> dict[str, Any]:
        """Return nothing to compare: the code of the function may move."""
        return {}

    def attribute(self, argument: str) -> Reading:
        if argument:
            raise ValueError(Errors.LP709.format(argument=argument))
        return Reading(of_docs=self._values)

    @property
    def _name(self) -> str:
        return getattr(self.function, "__qualname__", type(self.function).__name__)

    def _values(self, tokens: Tokens) -> Any:
        found = []
        for doc in tokens.docs:
            values = self.function(doc)
            if len(values) != len(doc):
                message = Errors.LP753.format(
                    name=self._name,
                    values=len(values),
                    tokens=len(doc),
                    doc=text_of(doc),
                )
                raise ValueError(message)
            found.append(values)
        if any(is_vectors(x) for x in found if len(x)):
            rows = join_vectors(tokens.docs, found, f"fn ({self._name})")
            return DenseColumn.of(rows)
        given = [value for values in found for value in values]

        def place(token: int) -> str:
            number = int(np.searchsorted(tokens.offsets, token, side="right")) - 1
            at = token - int(tokens.offsets[number])
            return f"token {at} of {text_of(tokens.docs[number])}"

        return read_column(given, f"fn ({self._name})", place)

    # There is nothing to learn: the function is in the config.

    def fit(self, givens: Givens) -> None:
        """Do nothing."""

    def to_bytes(self) -> bytes:
        return b""

    def from_bytes(self, data: bytes) -> None:
        if data:
            raise ValueError(f"the source {self.kind} has nothing to save")

    def blank(self) -> "FunctionSource":
        return type(self)(self.function)

    @property
    def nbytes(self) -> int:
        return 0


def function(function: Any) -> FunctionSource:
    """Use a function of your own, whose values are `fn.NAME[0]` in templates.

    The function is called with each Doc and returns a value for each token: a string, a
    number, or several values as a list or a dict (guide "Numbers and lists"); or an
    array of floats, [tokens, width], which is read much faster than lists. Like
    every function in a config it must be registered wherever the pipeline is loaded
    (`--code`).

    Args:
        function: A block that makes the function, such as one of your own that is
            registered with `@spacy.registry.misc`.
    """
    if not callable(function):
        wanted = "a block that makes a function of a Doc"
        raise refusal(Errors.LP590, "function", function, wanted=wanted)
    return FunctionSource(function)


_NO_DOLLAR = (
    r"Write \x24 for the character and \Z for the end of the text; in a config, write "
    "each backslash twice"
)


class Patterns(FunctionSource):
    """Regular expressions, matched with word forms."""

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
