"""The one validator of settings: choices, ranges, kinds.

What it refuses it names by the full path in the config, such as
`components.ner.model.learner.C`. Settings come one by one, without their place; it is
found, only when there is something to refuse, in the config that spaCy is working on.
"""

import difflib
import math
import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import entry_points
from types import FrameType, FunctionType
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


def refusal(
    message: str, name: str, value: Any, advice: str = "", **fields: Any
) -> ValueError:
    """The error that refuses a setting, with the place of the setting in the config."""
    text = ascii(value)
    if len(text) > _SHOWN:
        text = f"{text[:_SHOWN]}..."
    said = message.format(setting=full_path(name, value), value=text, **fields)
    return ValueError(f"{said} {advice}".rstrip())


# Where a setting is -------------------------------------------------------------------


def full_path(name: str, value: Any = None) -> str:
    """The path of a setting in the config that is being resolved, if there is one.

    The calls on the way here are of a registered function of ours, which has the
    setting, and of the function of spaCy that holds the config.
    """
    functions: list[str] = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        functions += _functions_of(frame)
        config, prefix = _config_of(frame)
        if config is not None:
            places = list(_blocks(config, prefix, _registered(functions)))
            # Several blocks may call one function: the one with this value is meant.
            sure = [path for path, block in places if block.get(name) == value]
            if places:
                return f"{(sure or [places[0][0]])[0]}.{name}"
        frame = frame.f_back
    return name


def _functions_of(frame: FrameType) -> Iterator[str]:
    """The function of a call, and what it wraps if it is a decorator of ours."""
    module = frame.f_globals.get("__name__", "")
    yield f"{module}:{frame.f_code.co_name}"
    if module.startswith("spacy_latperc."):
        for value in frame.f_locals.values():
            if isinstance(value, FunctionType):
                yield f"{value.__module__}:{value.__name__}"


def _config_of(frame: FrameType) -> tuple[Mapping[str, Any] | None, str]:
    """The config that a function of spaCy works on, and what comes before it."""
    names = frame.f_locals
    config = names.get("config")
    if not isinstance(config, Mapping):
        return None, ""
    if frame.f_code.co_name == "create_pipe":
        return config, f"components.{names.get('name')}"
    return (config, "") if {"nlp", "components"} <= set(config) else (None, "")


def _registered(functions: list[str]) -> set[str]:
    """The names under which functions of ours are registered."""
    return {
        entry.name
        for group in ("spacy", "thinc")
        for entry in _entries(group)
        if entry.value in functions
    }


def _entries(prefix: str) -> Iterator[Any]:
    for group in entry_points().groups:
        if group.startswith(f"{prefix}_"):
            yield from entry_points(group=group)


def _blocks(
    config: Any, path: str, names: set[str]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The blocks that call functions of these names, inner ones first."""
    if isinstance(config, Mapping):
        for key, value in config.items():
            yield from _blocks(value, f"{path}.{key}" if path else str(key), names)
        called = {v for k, v in config.items() if k[:1] == "@" or k == "factory"}
        if names & {x for x in called if isinstance(x, str)}:
            yield path, config


def split_shares(text: str) -> Iterator[tuple[str, str, float]]:
    """The parts of "swap=0.2,deletion=0.1", with names and shares; -1 for no number."""
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, value = part.partition("=")
        try:
            yield part, name, float(value)
        except ValueError:
            yield part, name, -1.0
