"""Fixtures and options shared by all tests."""

import os
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import settings

# benchmarks, experiments and tools stand beside the package. Last, so that the package
# that is installed goes before the tree of a clone.
sys.path.append(str(Path(__file__).resolve().parent.parent))

# Speed is measured by the bench; here a slow machine is no failure.
settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")


def pytest_configure() -> None:
    # A shell that starts the tests in its background lets them ignore interrupts, and
    # all that they start too.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="also run the slow tests")


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    for item in items:
        if item.get_closest_marker("ray"):
            # What Ray warns of is for those who develop Ray: it is no failure here.
            item.add_marker(pytest.mark.filterwarnings("default"))
    if config.getoption("--slow"):
        return
    skip = pytest.mark.skip(reason="slow: run with --slow")
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(skip)


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of the real corpora; tests that need them are skipped without it."""
    from tools.corpora.locate import data_folder

    folder = data_folder()
    if folder is None:
        pytest.skip("no corpora here: set LATPERC_DATA to the folder that holds them")
    return folder
