"""The one validator of settings: choices, ranges, kinds.

Settings are checked one by one, by functions that do not know where in a config they
are. `fit` adds the path, such as `components.ner.model.learner.C`.
"""

import difflib
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from . import Errors

Kind = TypeVar("Kind")

MOST = 2**31 - 1  # what the kernels count to
_SHOWN = 60  # characters of a value in a message


def did_you_mean(name: str, known: Iterable[str], alike: float = 0.5) -> str:
    """A question to put after a message about an unknown name; empty if no known name
    is like it, from 0 (any is) to 1 (the same)."""
    near = difflib.get_close_matches(name, list(known), n=3, cutoff=alike)
    return f" Did you mean {' or '.join(map(repr, near))}?" if near else ""


def check_choice(
    name: str, value: Any, known: Iterable[str], *, advice: str = ""
) -> Any:
    """One of the known values.

    Args:
        name: Of the setting.
        value: What it is set to.
        known: What it may be.
        advice: A sentence about what to choose.

    Raises:
        ValueError: It is none of them.
    """
    listed = list(known)
    if not isinstance(value, str) or value not in listed:
        raise refusal(Errors.LP085, name, value, advice, known=", ".join(listed))
    return str(value)


def check_count(
    name: str, value: Any, *, low: int = 1, high: int = MOST, advice: str = ""
) -> int:
    """A whole number in a range.

    Args:
        name: Of the setting.
        value: What it is set to.
        low: The least that it may be.
        high: The most that it may be.
        advice: A sentence about what to choose.

    Raises:
        ValueError: It is none, or out of the range.
    """
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole or not low <= value <= high:
        least = whole and value < low and high == MOST
        said = f"of {low} or more" if least else f"from {low} to {high}"
        raise refusal(Errors.LP086, name, value, advice, range=said)
    return int(value)


def check_seed(value: Any) -> int:
    """The `seed` of a model, of 64 bits."""
    return check_count("seed", value, low=0, high=2**64 - 1)


def check_number(
    name: str,
    value: Any,
    *,
    low: float = 0.0,
    high: float = math.inf,
    above: bool = False,
    advice: str = "",
) -> float:
    """A finite number in a range, without its lower end if it must be `above` that.
    For the rest see check_count.
    """
    if not is_number(value) or not low <= value <= high or (above and value == low):
        least = f"above {low:g}" if above else f"of {low:g} or more"
        said = least if high == math.inf else f"from {low:g} to {high:g}"
        raise refusal(Errors.LP015, name, value, advice, range=said)
    return float(value)


def check_positive(name: str, value: Any, *, zero: bool = False) -> float:
    """A finite number above 0, or 0 too where that means none."""
    return check_number(name, value, above=not zero)


def check_flag(name: str, value: Any) -> bool:
    """True or false."""
    return check_kind(name, value, bool, "true or false")


def check_kind(
    name: str, value: Any, kind: type[Kind] | tuple[type[Kind], ...], wanted: str
) -> Kind:
    """A value of a type.

    Args:
        name: Of the setting.
        value: What it is set to.
        kind: What it must be an instance of.
        wanted: The same in words, after "It must be".

    Raises:
        ValueError: It is of another type.
    """
    if not isinstance(value, kind):
        raise refusal(Errors.LP590, name, value, wanted=wanted)
    return value


def check_block(name: str, value: Any, kind: type, example: str) -> None:
    """What a block of its own in the config has made.

    Args:
        name: Of the setting.
        value: What was made.
        kind: What it must be.
        example: A registered function that makes one.
    """
    check_kind(name, value, kind, f"a block such as spacy_latperc.{example}.v1")


def check_strings(name: str, value: Any) -> list[str]:
    """A list of strings."""
    whole = isinstance(value, list | tuple) and all(isinstance(x, str) for x in value)
    if not whole:
        raise refusal(Errors.LP590, name, value, wanted="a list of strings")
    return list(value)


def is_number(value: Any) -> bool:
    """Whether a value is a finite number that a float can hold."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= sys.float_info.max  # false for NaN


class SettingError(ValueError):
    """An error that refuses the value of a setting; see `locate_settings`.

    Args:
        say: Makes the message, given the setting by name or by path.
        setting: The name of the setting.
        value: The value that is refused.
    """

    def __init__(self, say: Callable[[str], str], setting: str, value: Any):
        super().__init__(say(setting))
        self.say = say
        self.setting = setting
        self.value = value


def refusal(
    message: str, name: str, value: Any, advice: str = "", **fields: Any
) -> SettingError:
    """Make the error that refuses the value of a setting."""
    text = ascii(value)
    if len(text) > _SHOWN:
        text = f"{text[:_SHOWN]}..."

    def say(setting: str) -> str:
        said = message.format(setting=setting, value=text, **fields)
        return f"{said} {advice}".rstrip()

    return SettingError(say, name, value)


@contextmanager
def locate_settings(config: Mapping[str, Any]) -> Iterator[None]:
    """Name refused settings by their path in a config while it is resolved.

    Where several blocks have a setting of this name and value, the first is named.
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
    """The parts of "swap=0.2,deletion=0.1", with names and shares; -1 for no number."""
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, value = part.partition("=")
        try:
            yield part, name, float(value)
        except ValueError:
            yield part, name, -1.0
