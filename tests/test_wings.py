"""The core works without the wings, and imports none of them."""

import os
import subprocess
import sys

import pytest
from project_files import ROOT
from test_imports import WINGS

from spacy_latperc import api


@pytest.mark.parametrize("wing", sorted(WINGS))
def test_the_core_works_without_a_wing(wing):
    done = subprocess.run(
        [sys.executable, "-m", "builders.without_wing", wing],
        cwd=ROOT / "tests",
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.stdout.endswith("done\n"), done.stderr


def test_the_command_line_imports_no_wing():
    code = "import sys, spacy_latperc.cli, spacy_latperc.api; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    loaded = {name.rpartition("spacy_latperc.")[2] for name in done.stdout.split()}
    assert "cli" in loaded and loaded.isdisjoint(WINGS)
    with pytest.raises(AttributeError, match="no attribute 'nosuch'"):
        api.nosuch  # noqa: B018
