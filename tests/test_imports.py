"""Imports go one way, and the lower layers know nothing of spaCy."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from project_files import PACKAGE, package_files, relative

LOWER = ("features", "kernels", "learners", "schemes")
# What each layer may import of the package, itself and errors.py apart.
BELOW = {
    "io": set(),
    "kernels": set(),
    "schemes": {"kernels"},
    "features": {"kernels"},
    "learners": {"features", "schemes", "kernels"},
    "lm": {"io", "learners", "kernels"},
    "model": {"learners", "features", "schemes", "kernels"},
}


def loaded_after(code: str, folder: Path) -> set[str]:
    """The top-level modules that a fresh interpreter has after running the code."""
    report = "import sys; print(*{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{report}"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


def layer_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def package_imports(path: Path) -> set[str]:
    """The layers of the package that a file imports, however it spells it."""
    package = ["spacy_latperc", *path.relative_to(PACKAGE).parts[:-1]]
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            names += [f"{module}.{alias.name}" for alias in node.names]
    return {
        name.split(".")[1]
        for name in names
        if name.startswith("spacy_latperc.") and name != "spacy_latperc.__version__"
    }


def test_imports_package_alone_is_light(tmp_path):
    loaded = loaded_after("import spacy_latperc", tmp_path)
    assert loaded.isdisjoint({"spacy", "thinc", "numpy", "pydantic", "typer"})


@pytest.mark.parametrize("layer", LOWER)
def test_imports_lower_layer_without_spacy_or_thinc(layer, tmp_path):
    code = (
        "import importlib, pkgutil\n"
        f"layer = importlib.import_module('spacy_latperc.{layer}')\n"
        "for found in pkgutil.walk_packages(layer.__path__, layer.__name__ + '.'):\n"
        "    importlib.import_module(found.name)\n"
    )
    loaded = loaded_after(code, tmp_path)
    assert "spacy_latperc" in loaded
    assert loaded.isdisjoint({"spacy", "thinc"})


@pytest.mark.parametrize(
    "path",
    [path for path in package_files(".py") if layer_of(path) in BELOW],
    ids=relative,
)
def test_imports_go_one_way(path):
    layer = layer_of(path)
    assert package_imports(path) <= BELOW[layer] | {layer, "errors"}
