"""The build that the kernel tests run on: release or checked."""

import os

from spacy_latperc.kernels import chains


def test_build_is_the_expected_one():
    expected = os.environ.get("LATPERC_EXPECT_BUILD") == "checked"
    assert chains.build_info()["checked"] == expected, chains.__file__
