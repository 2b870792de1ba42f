"""The one door: its example runs, its names are documented and resolve."""

import doctest
import inspect

import pytest

from spacy_latperc import api
from spacy_latperc.judge.training import from_text


@pytest.mark.parametrize("module", [api, from_text], ids=lambda x: x.__name__)
def test_api_examples_run(module):
    found = doctest.testmod(module)
    assert found.attempted > 4
    assert found.failed == 0


def test_api_names_are_sorted_resolve_and_are_documented():
    assert api.__all__ == sorted(api.__all__)
    assert len(set(api.__all__)) == len(api.__all__)
    imported = {
        name
        for name, thing in vars(api).items()
        if not name.startswith("_") and not inspect.ismodule(thing)
    }
    lazy = {name for names in api._LAZY.values() for name in names}
    assert imported | lazy == set(api.__all__)
    for name in api.__all__:
        thing = getattr(api, name)
        mine = (
            thing.__dict__.get("__doc__") if inspect.isclass(thing) else thing.__doc__
        )
        assert mine and len(mine.split()) > 2, name
