"""The parts of a saved component: `cfg` has what was learned, `model` the weights.

Settings are in the config of the pipeline only. `cfg` has what learning found (labels,
calibration) and what the weights are tied to (scheme, attribute). A file can be
damaged, or come from another model: everything is read and checked before anything
changes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any

import srsly

from ..calibration import Calibration
from ..errors import Errors
from ..io.component_folder import CFG, MODEL

LARGEST = 1e9  # of the numbers of a calibration
# Fitted to held-out data after training, if at all.
FITTED = ("calibration", "joined", "floor", "recall_constant")
# Keys that a cfg need not have.
OPTIONAL = (*FITTED, "threshold", "bad_share")

Check = Callable[[Any], object]  # a ValueError says what is wrong with a value


def read_cfg(
    saved: Mapping[str, Any],
    checks: Mapping[str, Check],
    tied: Mapping[str, Any],
    *,
    name: str,
    where: str,
) -> dict[str, Any]:
    """Check what a cfg file says.

    Args:
        saved: What it says.
        checks: The checks of learned values. All but those of OPTIONAL must be there.
        tied: Settings of now that must be those of the file.
        name: The name of the component, for messages.
        where: Where the file is, for messages.

    Returns:
        What is learned, and what it is tied to.
    """

    def refuse(problem: object) -> ValueError:
        message = Errors.LP521.format(name=name, where=where, problem=problem)
        return ValueError(message)

    known = {**tied, **checks}
    for key in known:
        if key not in saved and key not in OPTIONAL:
            raise refuse(f"'{key}' is missing")
    for key in saved:
        if key not in known:
            raise refuse(f"{_short(key)} is unknown; a newer version may have it")
    for key, mine in tied.items():
        if saved[key] != mine:
            message = Errors.LP526.format(
                name=name, key=key, mine=mine, saved=_short(saved[key]), where=where
            )
            raise ValueError(message)
    for key in saved.keys() & checks.keys():
        try:
            checks[key](saved[key])
        except ValueError as error:
            problem = f"'{key}' is {_short(saved[key])}, but {error}"
            raise refuse(problem) from error
    return dict(saved)


def check_labels(check_one: Callable[[str], None]) -> Check:
    """Return a check of a list of labels, given that of one label."""

    def check(value: Any) -> None:
        check_string_list(value)
        for label in value:
            check_one(label)

    return check


def check_calibration(value: Any) -> None:
    """Raise an error for numbers that give no probabilities."""
    names = [field.name for field in fields(Calibration)]
    if not isinstance(value, dict) or not set(names).issuperset(value):
        raise ValueError(f"it must be an object with {', '.join(names)}")
    for key, number in value.items():
        _check_number(key, number, -LARGEST)
    if value.get("temperature", 1.0) <= 0:
        raise ValueError("'temperature' must be above 0")
    if min(value.get("low", 1.0), value.get("high", 1.0)) < 0:
        raise ValueError("'low' and 'high' must be 0 or above")


def check_recall_constant(value: Any) -> None:
    """Refuse anything but a number."""
    _check_number("recall_constant", value, -LARGEST)


def unpack_parts(data: bytes, *, name: str) -> dict[str, Any]:
    """Unpack the bytes of a component into its parts."""
    try:
        parts = srsly.msgpack_loads(data)
        for key in (CFG, MODEL, "vocab"):
            if not isinstance(parts.get(key, b""), bytes | str):
                raise ValueError(f"'{key}' has no bytes")
    except Exception as error:  # whatever the unpacker finds in damaged bytes
        reason = str(error).rstrip(".")
        message = Errors.LP523.format(name=name, size=len(data), error=reason)
        raise ValueError(message) from error
    return {k: v.encode() if isinstance(v, str) else v for k, v in parts.items()}


def check_fit(
    name: str,
    where: str,
    wanted: Sequence[str],
    found: Sequence[str],
    untrained: Sequence[str] = (),
) -> None:
    """Refuse weights that have other labels than cfg."""
    if list(wanted) == list(found) or not (found or list(wanted) != list(untrained)):
        return
    message = Errors.LP525.format(
        name=name, where=where, cfg=_listed(wanted), model=_listed(found)
    )
    raise ValueError(message)


def _listed(labels: Sequence[str]) -> str:
    shown = ", ".join(labels[:8]) or "none"
    return f"{shown}, ... ({len(labels)} in all)" if len(labels) > 8 else shown


def _check_number(key: str, number: object, lowest: float) -> None:
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise ValueError(f"'{key}' must be a number")
    if not lowest <= number <= LARGEST:
        raise ValueError(f"'{key}' must be from {lowest:g} to {LARGEST:g}")


def check_string_list(value: Any) -> None:
    """Refuse anything but a list of different strings."""
    if not isinstance(value, list) or not all(isinstance(x, str) for x in value):
        raise ValueError("it must be a list of strings")
    if len(set(value)) < len(value):
        raise ValueError("one of them occurs twice")


def _short(value: object) -> str:
    text = ascii(value) if not isinstance(value, Sequence) else ascii(value)[:200]
    return text if len(text) <= 60 else f"{text[:57]}..."
