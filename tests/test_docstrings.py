"""Every public name says what it is, in the one style that the reference renders."""

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

import spacy_latperc

MODULES = sorted(
    found.name
    for found in pkgutil.walk_packages(spacy_latperc.__path__, "spacy_latperc.")
    # Compiled classes are no part of the reference.
    if not found.name.startswith("spacy_latperc.kernels.")
)
# Of Google's sections the ones that are used, and no others.
SECTIONS = {"Args", "Attributes", "Example", "Raises", "Returns", "Yields"}
HEADING = re.compile(r"^ *([A-Z][a-z]+):$|^ *(RETURNS|RAISES|ARGS):", re.MULTILINE)


def public_names(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """The module, and the public classes, functions and methods that it defines."""
    yield module.__name__, module
    for name, value in vars(module).items():
        mine = getattr(value, "__module__", None) == module.__name__
        if name.startswith("_") or not mine:
            continue
        if inspect.isclass(value):
            yield f"{module.__name__}.{name}", value
            for method, member in vars(value).items():
                if not method.startswith("_") and (
                    inspect.isroutine(member) or isinstance(member, property)
                ):
                    # As help() does: what a base class says holds here as well.
                    yield f"{module.__name__}.{name}.{method}", getattr(value, method)
        elif inspect.isroutine(value):
            yield f"{module.__name__}.{name}", value


@pytest.fixture(scope="module")
def names():
    return [
        found
        for name in MODULES
        for found in public_names(importlib.import_module(name))
    ]


def test_docstrings_are_there_for_every_public_name_in_one_style(names):
    assert not [path for path, value in names if not inspect.getdoc(value)]
    for path, value in names:
        for title, capitals in HEADING.findall(value.__doc__ or ""):
            assert title in SECTIONS, f"{path}: {title or capitals}:"
