"""Validation of settings: choices, ranges, types.

Settings are checked one by one, by functions that do not know their path in the config.
`fit` adds the path, such as `components.ner.model.learner.C`.
"""

import difflib
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from . import Errors

Kind = TypeVar("Kind")

MOST = 2**31 - 1  # the largest 32-bit integer of the kernels
_SHOWN = 60  # characters of a value in a message


def did_you_mean(name: str, known: Iterable[str], alike: float = 0.5) -> str:
    """Suggest known names, at the end of a message, for an unknown one. Empty if no
    known name has a similarity of `alike` (0 to 1)."""
    near = difflib.get_close_matches(name, list(known), n=3, cutoff=alike)
    return f" Did you mean {' or '.join(map(repr, near))}?" if near else ""


def check_choice(name: str, value: Any, known: Iterable[str], *, hint: str = "") -> Any:
    """Return the value if it is one of the known ones.

    Args:
        name: The name of the setting.
        value: The value of the setting.
        known: The allowed values.
        hint: A remark on the allowed values, in parentheses in the message.
    """
    listed = list(known)
    if not isinstance(value, str) or value not in listed:
        raise refusal(Errors.LP085, name, value, hint, known=", ".join(listed))
    return str(value)


def check_count(
    name: str, value: Any, *, low: int = 1, high: int = MOST, hint: str = ""
) -> int:
    """Return the value if it is an integer in a range."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole or not low <= value <= high:
        least = whole and value < low and high == MOST
        said = f"of {low} or more" if least else f"from {low} to {high}"
        raise refusal(Errors.LP086, name, value, hint, range=said)
    return int(value)


def check_seed(value: Any) -> int:
    """Return the `seed` of a model if it has 64 bits."""
    return check_count("seed", value, low=0, high=2**64 - 1)


def check_number(
    name: str,
    value: Any,
    *,
    low: float = 0.0,
    high: float = math.inf,
    above: bool = False,
    hint: str = "",
) -> float:
    """Return the value as a float if it is a finite number in a range, which excludes
    `low` if `above`. For the other arguments see check_count.
    """
    if not is_number(value) or not low <= value <= high or (above and value == low):
        least = f"above {low:g}" if above else f"of {low:g} or more"
        said = least if high == math.inf else f"from {low:g} to {high:g}"
        raise refusal(Errors.LP015, name, value, hint, range=said)
    return float(value)


def check_positive(name: str, value: Any, *, zero: bool = False) -> float:
    """Return the value if it is a finite number above 0, or also 0 if `zero`."""
    return check_number(name, value, above=not zero)


def check_flag(name: str, value: Any) -> bool:
    """Return the value if it is true or false."""
    return check_kind(name, value, bool, "true or false")


def check_kind(
    name: str, value: Any, kind: type[Kind] | tuple[type[Kind], ...], wanted: str
) -> Kind:
    """Return the value if it has the right type.

    Args:
        name: The name of the setting.
        value: The value of the setting.
        kind: The allowed types.
        wanted: The same in words, after "must be".
    """
    if not isinstance(value, kind):
        raise refusal(Errors.LP590, name, value, wanted=wanted)
    return value


def check_block(name: str, value: Any, kind: type, example: str) -> None:
    """Check the object that a block of the config has created.

    Args:
        name: The name of the block.
        value: The object.
        kind: The allowed type.
        example: A registered function that creates this type.
    """
    check_kind(name, value, kind, f"a block such as spacy_latperc.{example}.v1")


def check_strings(name: str, value: Any) -> list[str]:
    """Return the value as a list if it is a list of strings."""
    whole = isinstance(value, list | tuple) and all(isinstance(x, str) for x in value)
    if not whole:
        raise refusal(Errors.LP590, name, value, wanted="a list of strings")
    return list(value)


def is_number(value: Any) -> bool:
    """True if the value is a finite number that a float can hold."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= sys.float_info.max  # false for NaN


class SettingError(ValueError):
    """An error for an invalid setting (see `locate_settings`)."""

    def __init__(self, say: Callable[[str], str], setting: str, value: Any):
        super().__init__(say(setting))
        self.say = say
        self.setting = setting
        self.value = value


def refusal(
    message: str, name: str, value: Any, hint: str = "", **fields: Any
) -> SettingError:
    """Create the error for an invalid setting."""
    text = ascii(value)
    if len(text) > _SHOWN:
        text = f"{text[:_SHOWN]}..."

    def say(setting: str) -> str:
        remark = hint and f" ({hint})"
        return message.format(setting=setting, value=text, hint=remark, **fields)

    return SettingError(say, name, value)


@contextmanager
def locate_settings(config: Mapping[str, Any]) -> Iterator[None]:
    """Replace the names of invalid settings by their paths in a config.

    If several blocks have a setting with this name and value, the first is named.
    """
    try:
        yield
    except SettingError as error:
        paths = _paths(config, "", error.setting, error.value)
        path = next(paths, error.setting)
        raise SettingError(error.say, path, error.value) from None


def _paths(config: Any, path: str, setting: str, value: Any) -> Iterator[str]:
    """Yield the paths of a setting that has this value."""
    if isinstance(config, Mapping):
        for key, found in config.items():
            place = f"{path}.{key}" if path else str(key)
            if key == setting and found == value:
                yield place
            yield from _paths(found, place, setting, value)


def split_shares(text: str) -> Iterator[tuple[str, str, float]]:
    """Split "swap=0.2,deletion=0.1" into parts, names and shares (-1 if invalid)."""
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, value = part.partition("=")
        try:
            yield part, name, float(value)
        except ValueError:
            yield part, name, -1.0
