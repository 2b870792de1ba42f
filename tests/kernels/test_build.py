"""Which build the kernel tests run on: the release build or the checked one."""

import importlib
import os

import pytest

MODULES = ("spacy_latperc.kernels.chains", "spacy_latperc.kernels.chains")


@pytest.mark.parametrize("name", MODULES)
def test_build_is_the_expected_one(name):
    expected = os.environ.get("LATPERC_EXPECT_BUILD") == "checked"
    module = importlib.import_module(name)
    assert module.build_info()["checked"] == expected, module.__file__
