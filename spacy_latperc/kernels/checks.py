"""Messages of the kernels about invalid arguments.

Arrays come from our own code: a message names the array, what it is and what it must
be.
"""

import warnings
from typing import Any

from ..errors import Errors, Warnings

# Numbers in one table of a search, or in one row of weights: 1 GB of floats. Far above
# what is fast, and far below where whole numbers of 32 bits end.
MOST_CELLS = 1 << 28
MOST_STATES = 1 << 24
MOST_PATHS = 1 << 20
MOST_INT = (1 << 31) - 1
MANY_STEPS = 1 << 23  # for a token: milliseconds


def whole(name: str, value: Any, low: int, high: int = MOST_INT) -> int:
    """The value, if it is a whole number from low to high."""
    try:
        number = value.__index__()
    except AttributeError:
        number = None
    if number is None or isinstance(value, bool) or not low <= number <= high:
        message = Errors.LP086.format(
            setting=name, range=f"from {low} to {high}", hint="", value=short(value)
        )
        raise ValueError(message)
    return int(number)


def path_count(name: str, value: Any) -> int:
    """The value, if so many paths may be asked for."""
    return whole(name, value, 1, MOST_PATHS)


def check_chain_size(labels: int, latent: int, history: int) -> None:
    """Check that tables over the states fit, given the number of earlier states."""
    cells = (labels * latent) ** (history + 1)
    most = MOST_CELLS if history else MOST_STATES
    if cells > most:
        message = Errors.LP500.format(
            labels=labels, latent=latent, order=history, cells=short(cells), most=most
        )
        raise ValueError(message)


def warn_if_slow(labels: int, latent: int, order: int, beam: int) -> None:
    """Exact search takes a step for each pair (or triple) of states at each token."""
    steps = (labels * latent) ** (order + 1)
    if steps > MANY_STEPS and not beam:
        message = Warnings.LP920.format(
            labels=labels, latent=latent, order=order, steps=steps
        )
        warnings.warn(message, stacklevel=3)


def too_little_memory(labels: int, latent: int, used: int) -> MemoryError:
    """The error for rows of weights that do not fit into memory."""
    message = Errors.LP640.format(labels=labels, latent=latent, mb=used / 1e6)
    return MemoryError(message)


def wrong_shape(name: str, found: tuple[int, ...], wanted: str) -> ValueError:
    """The error for an array that does not fit to the others."""
    return ValueError(Errors.LP502.format(name=name, found=found, wanted=wanted))


def wrong_number(name: str, value: Any, low: Any, high: Any) -> IndexError:
    """The error for a number in an array that names nothing."""
    message = Errors.LP503.format(name=name, value=value, low=low, high=high)
    return IndexError(message)


def wrong_bound(value: int, most: int) -> IndexError:
    """The error for a place where no sentence can begin."""
    return IndexError(Errors.LP504.format(value=value, most=most))


def wrong_value(name: str, value: Any, wanted: str) -> ValueError:
    """The error for a setting."""
    message = Errors.LP590.format(setting=name, wanted=wanted, hint="", value=value)
    return ValueError(message)


def other_features() -> ValueError:
    """The error for features of another index."""
    return ValueError(Errors.LP506)


def other_structure(what: str) -> ValueError:
    """The error for parts that were made for chains of different shapes."""
    return ValueError(Errors.LP507.format(what=what))


def short(value: Any) -> str:
    """A value that may be a number of a million digits."""
    if isinstance(value, int) and value.bit_length() > 200:
        return f"a number of {value.bit_length()} bits"
    text = repr(value)
    return text if len(text) <= 80 else text[:80] + " ..."
