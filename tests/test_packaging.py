"""Errors of a build or a release that no other test would notice."""

import ast
import itertools
import os
import re
import runpy
import subprocess
import sys
import zipfile
from importlib.machinery import EXTENSION_SUFFIXES as SUFFIXES
from importlib.metadata import version
from typing import Any

import pytest
from project_files import (
    BESIDE,
    PACKAGE,
    ROOT,
    beside_files,
    nodes_of,
    package_files,
    read_pyproject,
    relative,
    text_of,
)

import spacy_latperc

PYTHON_FILES = package_files(".py") + beside_files(".py")
CYTHON_FILES = package_files(".pyx", ".pxd", ".pxi")
TEXT_FILES = PYTHON_FILES + package_files(".pyx", ".pxd", ".pxi", ".hh")
HEADER = re.compile(r"^#\s*cython:\s*(.+)$", flags=re.MULTILINE)
# In a clone and in the sdist; a wheel carries what is compiled of them.
KERNEL_SOURCES = sorted((ROOT / "spacy_latperc").rglob("*.pyx"))
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:setuptools")


def setup_py() -> dict[str, Any]:
    """The names of setup.py, which builds nothing when it is only read."""
    pytest.importorskip("setuptools", minversion="77")
    return runpy.run_path(str(ROOT / "setup.py"))


def test_packaging_versions_agree():
    declared = read_pyproject()["project"]["version"]
    assert spacy_latperc.__version__ == declared
    assert version("spacy-latperc") == declared, "reinstall: the metadata is stale"
    assert f"version: {declared}\n" in (ROOT / "CITATION.cff").read_text("utf-8")
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^## \[({declared}|Unreleased)\]", changelog, re.M)
    assert (PACKAGE / "py.typed").exists()


def test_packaging_directives_exist_and_are_not_overruled():
    options = pytest.importorskip("Cython.Compiler.Options")
    known = options.get_directive_defaults()
    directives = setup_py()["DIRECTIVES"]
    assert set(directives) <= set(known)
    # Cython ignores an unknown directive in a header comment without a word.
    names = {
        (setting.partition("=")[0].strip(), relative(path))
        for path in CYTHON_FILES
        for header in HEADER.findall(text_of(path))
        for setting in header.split(",")
    }
    assert not [(name, path) for name, path in names if name not in known]
    # A file with directives of its own would escape the checked build.
    assert not lines_with(CYTHON_FILES, rf"\b({'|'.join(directives)})\s*[=(]")


def lines_with(paths, pattern):
    """Find the lines with a pattern."""
    return [
        f"{relative(path)}: {line.strip()}"
        for path in paths
        for line in text_of(path).splitlines()
        if re.search(pattern, line)
    ]


def test_packaging_cimports_nothing_that_may_change_its_layout():
    # A cimport ties a wheel to the struct sizes of one release of that package.
    theirs = "(spacy|thinc|numpy|preshed|cymem)"
    pattern = rf"^\s*(from\s+{theirs}\b.*cimport|cimport\s+{theirs}\b)"
    assert not lines_with(CYTHON_FILES, pattern)


def test_packaging_clones_are_functions_of_one_file():
    # Among clones of a method the loader chooses before the thread sanitizer is ready.
    headers = package_files(".hh")
    clones = lines_with(headers, r"LATPERC_(WIDE_)?CLONES\b(?!$)")
    assert len(clones) > 10
    wrong = r"^(?!#|LATPERC_(WIDE_)?CLONES static\b).*\bLATPERC_(WIDE_)?CLONES\b"
    assert not lines_with(headers, wrong)


def test_packaging_names_no_folder_of_a_machine():
    pattern = r"""["'](/(home|root|tmp|usr|opt|work|Users)/|[A-Z]:\\)"""
    assert not lines_with(TEXT_FILES, pattern)
    naming = [relative(path) for path in TEXT_FILES if "shared/data" in text_of(path)]
    assert naming in ([], ["tools/corpora/locate.py"])


def test_packaging_runs_no_code_from_data():
    unsafe_modules = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "marshal"}
    unsafe = []
    for path in PYTHON_FILES:
        for node in nodes_of(path):
            names: set[str | None] = set()
            if isinstance(node, ast.Import):
                names = unsafe_modules & {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                names = unsafe_modules & {node.module}
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                names = {"eval", "exec", "__import__"} & {node.func.id}
            if names:
                unsafe.append((relative(path), node.lineno, names))
    assert not unsafe
    assert not lines_with(CYTHON_FILES, r"\b(import (pickle|marshal)|eval\(|exec\()")


def test_packaging_wheel_leaves_out_what_stands_beside_the_package():
    setuptools = pytest.importorskip("setuptools")
    wanted = read_pyproject()["tool"]["setuptools"]["packages"]["find"]["include"]
    found = setuptools.find_packages(str(ROOT), include=wanted)
    assert not [name for name in found if name.partition(".")[0] in BESIDE]
    sdist = (ROOT / "MANIFEST.in").read_text(encoding="utf-8").splitlines()
    assert {f"graft {name}" for name in BESIDE} <= set(sdist)
    for path in package_files(".py"):
        assert not imports_of(nodes_of(path)) & set(BESIDE), relative(path)


@pytest.fixture(scope="module")
def built_python(tmp_path_factory):
    """The folder of the package as setuptools puts it into a wheel, kernels apart."""
    if not (ROOT / "setup.py").exists() or not KERNEL_SOURCES:
        pytest.skip("the sources of the package are not here")
    pytest.importorskip("setuptools", minversion="77")
    folder = tmp_path_factory.mktemp("wheel")
    command = ["setup.py", "-q", "build_py", "--build-lib", str(folder)]
    subprocess.run([sys.executable, *command], cwd=ROOT, check=True)
    return folder / "spacy_latperc"


def test_packaging_wheel_carries_the_package_alone_in_at_most_3_mb(
    built_python, tmp_path
):
    built = {path.relative_to(built_python) for path in built_python.rglob("*.*")}
    assert {path.suffix for path in built} <= {".py", ".typed", ".html"}
    package = ROOT / "spacy_latperc"
    assert {path for path in built if path.suffix == ".py"} == {
        path.relative_to(package) for path in package.rglob("*.py")
    }
    # A tree may also hold kernels of other Pythons, and of before a file was renamed.
    wanted = {path.stem + suffix for path in KERNEL_SOURCES for suffix in SUFFIXES}
    kernels = [path for path in package_files(".so", ".pyd") if path.name in wanted]
    assert len(kernels) == len(KERNEL_SOURCES)
    with zipfile.ZipFile(tmp_path / "a.whl", "w", zipfile.ZIP_DEFLATED) as wheel:
        for path in [*built_python.rglob("*.*"), *kernels]:
            wheel.write(path)
    assert (tmp_path / "a.whl").stat().st_size <= 3_000_000


def test_packaging_without_a_compiler_says_what_to_install(tmp_path):
    if os.name == "nt":
        pytest.skip("setuptools itself says it there")
    pytest.importorskip("setuptools", minversion="77")
    (tmp_path / "empty").mkdir()
    done = subprocess.run(
        [sys.executable, "setup.py", "-q", "build_ext", "--build-lib", str(tmp_path)],
        cwd=ROOT,
        env={"PATH": str(tmp_path / "empty")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "There is no C++ compiler" in done.stderr
    assert "apt install g++" in done.stderr and "Traceback" not in done.stderr


def test_packaging_protocols_can_be_checked_at_run_time():
    # Older pydantic asks isinstance() of each type that a setting may have.
    for node in itertools.chain.from_iterable(map(nodes_of, package_files(".py"))):
        if isinstance(node, ast.ClassDef) and "Protocol" in map(
            ast.unparse, node.bases
        ):
            decorators = map(ast.unparse, node.decorator_list)
            assert "runtime_checkable" in decorators, node.name


def test_packaging_declares_what_the_package_imports():
    project = read_pyproject()["project"]
    declared = names_of(project["dependencies"])
    optional = project["optional-dependencies"]
    extras = set().union(
        *(names_of(optional[x]) for x in ("formats", "ray", "encoder"))
    )
    imported, asked_for = set(), set()
    for path in package_files(".py"):
        imported |= imports_of(nodes_of(path))
        asked_for |= imports_of(
            node
            for function in nodes_of(path)
            if isinstance(function, ast.FunctionDef)
            for node in ast.walk(function)
        )
    # What is an extra is imported when it is needed. Estimators import scikit-learn
    # when it asks for their tags.
    assert imported == declared | extras | {"sklearn"}
    assert extras <= asked_for


def names_of(requirements):
    return {re.split(r"[\[<>=!~; ]", line)[0] for line in requirements}


def imports_of(nodes):
    """The packages of others that are imported."""
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module.partition(".")[0])
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "import_extra"
            and isinstance(node.args[0], ast.Constant)
        ):
            found.add(node.args[0].value.partition(".")[0])
    return found - sys.stdlib_module_names - {"spacy_latperc", "__future__"}
