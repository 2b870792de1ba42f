"""The one door: its example runs, its names are documented and resolve."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

from spacy_latperc import api, pipeline

PIPELINE = [
    importlib.import_module(f"{pipeline.__name__}.{found.name}")
    for found in pkgutil.iter_modules(pipeline.__path__)
]


def test_api_example_runs():
    found = doctest.testmod(api)
    assert found.attempted > 10
    assert found.failed == 0


def test_api_names_are_sorted_and_resolve():
    assert api.__all__ == sorted(api.__all__)
    assert len(set(api.__all__)) == len(api.__all__)
    imported = {
        name
        for name, thing in vars(api).items()
        if not name.startswith("_") and not inspect.ismodule(thing)
    }
    assert imported == set(api.__all__)


@pytest.mark.parametrize("name", api.__all__)
def test_api_names_are_documented(name):
    """By a docstring of their own, not one that a base class has."""
    thing = getattr(api, name)
    text = thing.__dict__.get("__doc__") if inspect.isclass(thing) else thing.__doc__
    assert text and len(text.split()) > 2


@pytest.mark.parametrize(
    "thing", [getattr(api, name) for name in api.__all__], ids=api.__all__
)
def test_api_public_methods_are_documented(thing):
    if not inspect.isclass(thing):
        return
    for name, member in vars(thing).items():
        public = not name.startswith("_")
        if public and (inspect.isfunction(member) or isinstance(member, property)):
            assert inspect.getdoc(getattr(thing, name)), f"{thing.__name__}.{name}"


@pytest.mark.parametrize("module", PIPELINE, ids=lambda module: module.__name__)
def test_api_methods_of_the_pipeline_are_documented(module):
    """Where they are, or where what they override is declared."""
    for thing in vars(module).values():
        if not inspect.isclass(thing) or thing.__module__ != module.__name__:
            continue
        for name, member in vars(thing).items():
            if name.startswith("_") or not inspect.isfunction(member):
                continue
            assert inspect.getdoc(getattr(thing, name)), f"{thing.__name__}.{name}"
