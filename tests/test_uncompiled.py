"""An import from a folder of sources that nobody has compiled."""

import shutil
import subprocess
import sys

import pytest
from project_files import PACKAGE

BUILT = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd", "*.cpp")
IMPORT = "import spacy_latperc.features.templates as found; print(found.__file__)"


@pytest.fixture
def sources(tmp_path):
    """A folder as a clone is: the package as sources, nothing compiled."""
    shutil.copytree(PACKAGE, tmp_path / "spacy_latperc", ignore=BUILT)
    return tmp_path


def run(folder, *arguments):
    command = [sys.executable, *arguments, "-c", IMPORT]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def test_uncompiled_sources_give_way_to_the_installed_package(sources):
    done = run(sources)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(PACKAGE / "features" / "templates.py")
    assert not done.stderr, "the README's commands are run in a clone after pip install"
    with open(sources / "spacy_latperc" / "model.py", "a") as file:
        file.write("# edited")
    done = run(sources)
    assert done.returncode == 0, done.stderr
    assert "[LP581]" in done.stderr and "pip install -e ." in done.stderr


def test_uncompiled_sources_alone_say_what_to_do(sources):
    done = run(sources, "-S")  # without site-packages
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("ImportError: [LP580]")
    assert "pip install -e ." in done.stderr
    kernel = sources / "spacy_latperc" / "kernels" / "chain.cpython-27-x86_64-none.so"
    kernel.write_bytes(b"")
    assert "[LP580]" in run(sources, "-S").stderr
