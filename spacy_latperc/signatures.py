"""Functions of a config that share settings: these are named once, and seen by all."""

import functools
import inspect
from collections.abc import Callable, Iterable
from inspect import Parameter
from typing import Any


def parameters_of(
    function: Callable, *, leave_out: Iterable[str] = (), **defaults: Any
) -> list[Parameter]:
    """The parameters of a function, some of them left out or with other defaults."""
    return [
        each.replace(default=defaults.get(name, each.default))
        for name, each in inspect.signature(function).parameters.items()
        if name not in leave_out
    ]


def with_shared(
    function: Callable[..., Any],
    shared: Iterable[Parameter],
    finish: Callable[[Any, dict[str, Any]], Any],
    returns: type,
) -> Callable[..., Any]:
    """A function that takes shared parameters after those of its own.

    Args:
        function: Knows its own parameters only.
        shared: The other ones.
        finish: Makes the result of what the function gives and of the other arguments.
        returns: The type of the result.
    """
    own = inspect.signature(function).parameters
    signature = inspect.Signature([*own.values(), *shared], return_annotation=returns)

    @functools.wraps(function)
    def both(*args: Any, **settings: Any) -> Any:
        found = signature.bind(*args, **settings)
        found.apply_defaults()
        values = dict(found.arguments)
        given = function(**{name: values.pop(name) for name in own})
        return finish(given, values)

    both.__signature__ = signature  # type: ignore[attr-defined]
    both.__annotations__ = {
        **{name: each.annotation for name, each in signature.parameters.items()},
        "return": returns,
    }
    return both
