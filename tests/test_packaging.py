"""What a build or a release can get wrong without any other test noticing."""

import ast
import importlib
import re
from importlib.metadata import version
from types import ModuleType

import pytest
from project_files import (
    BESIDE,
    PACKAGE,
    ROOT,
    beside_files,
    package_files,
    read_pyproject,
    relative,
)

import spacy_latperc

PYTHON_FILES = package_files(".py") + beside_files(".py")
CYTHON_FILES = package_files(".pyx", ".pxd")
TEXT_FILES = PYTHON_FILES + package_files(".pyi", ".pyx", ".pxd", ".hh")
EXTENSIONS = {
    extension["name"]: extension
    for extension in read_pyproject()["tool"]["setuptools"]["ext-modules"]
}
HEADER = re.compile(r"^#\s*cython:\s*(.+)$", flags=re.MULTILINE)
INCLUDE = re.compile(r'^\s*(?:#include|cdef extern from)\s+"(\w+\.hh)"', re.MULTILINE)


def includes(text: str) -> set[str]:
    """The headers of our own that a source includes, directly or through another."""
    found: set[str] = set()
    waiting = set(INCLUDE.findall(text))
    while waiting:
        name = waiting.pop()
        found.add(name)
        header = (PACKAGE / "kernels" / name).read_text(encoding="utf-8")
        waiting |= set(INCLUDE.findall(header)) - found
    return found


def test_packaging_versions_agree():
    declared = read_pyproject()["project"]["version"]
    assert spacy_latperc.__version__ == declared
    assert version("spacy-latperc") == declared, "reinstall: the metadata is stale"


def test_packaging_changelog_is_open_or_has_this_version():
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(
        rf"^## \[({spacy_latperc.__version__}|Unreleased)\]", changelog, re.M
    )


def test_packaging_directives_of_pyproject_exist():
    options = pytest.importorskip("Cython.Compiler.Options")
    known = options.get_directive_defaults()
    table = read_pyproject()["tool"]["distutils"]["build_ext"]["cython_directives"]
    assert set(table) <= set(known)


@pytest.mark.parametrize("path", CYTHON_FILES, ids=relative)
def test_packaging_directives_of_headers_exist(path):
    # Cython ignores an unknown directive in a header comment without a word.
    options = pytest.importorskip("Cython.Compiler.Options")
    names = [
        setting.partition("=")[0].strip()
        for header in HEADER.findall(path.read_text(encoding="utf-8"))
        for setting in header.split(",")
    ]
    assert set(names) <= set(options.get_directive_defaults())


@pytest.mark.parametrize("path", CYTHON_FILES, ids=relative)
def test_packaging_directives_of_pyproject_are_not_overruled(path):
    # The checked build rewrites pyproject.toml: a file of its own mind would escape it.
    table = read_pyproject()["tool"]["distutils"]["build_ext"]["cython_directives"]
    text = path.read_text(encoding="utf-8")
    assert not [name for name in table if re.search(rf"\b{name}\s*[=(]", text)]


@pytest.mark.parametrize("path", CYTHON_FILES, ids=relative)
def test_packaging_cimports_nothing_that_may_change_its_layout(path):
    # A cimport ties a wheel to the struct sizes of one release of that package.
    text = path.read_text(encoding="utf-8")
    assert not re.search(
        r"^\s*(from|cimport)\s+(spacy|thinc|numpy|preshed|cymem)\b.*$",
        "\n".join(line for line in text.splitlines() if "cimport" in line),
        flags=re.MULTILINE,
    )


def test_packaging_every_cython_file_is_built():
    sources = {source for built in EXTENSIONS.values() for source in built["sources"]}
    assert sources == {relative(path) for path in package_files(".pyx")}


def with_declarations(source):
    """The text of a module, of its declarations, and of all that these cimport."""
    seen = {source: source.read_text(encoding="utf-8")}
    open_ends = [source, source.with_suffix(".pxd")]
    while open_ends:
        path = open_ends.pop()
        if path.exists():
            seen[path] = path.read_text(encoding="utf-8")
            names = re.findall(
                r"^from (?:\w*\.)*(\w+) cimport", seen[path], re.MULTILINE
            )
            cimported = {path.with_name(f"{name}.pxd") for name in names}
            open_ends.extend(cimported - seen.keys())
    return "\n".join(seen.values())


@pytest.mark.parametrize("name", EXTENSIONS)
def test_packaging_extension_depends_on_its_headers(name):
    # A header that is not listed is no reason for setuptools to build again.
    source = PACKAGE.parent / EXTENSIONS[name]["sources"][0]
    text = with_declarations(source)
    listed = {path.rpartition("/")[2] for path in EXTENSIONS[name]["depends"]}
    assert {entry for entry in listed if entry.endswith(".hh")} == includes(text)


@pytest.mark.parametrize("name", EXTENSIONS)
def test_packaging_stub_names_what_the_extension_has(name):
    module = importlib.import_module(name)
    stub = (PACKAGE.parent / EXTENSIONS[name]["sources"][0]).with_suffix(".pyi")
    assert stub.exists(), f"{name} has no stub beside its source"
    declared: set[str] = set()
    for node in ast.parse(stub.read_text(encoding="utf-8")).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            declared.add(node.name)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            declared.add(node.target.id)
    public = {
        key
        for key, value in vars(module).items()
        if not key.startswith("_")
        and not isinstance(value, ModuleType)
        and getattr(value, "__module__", name) == name
    }
    assert {key for key in declared if not key.startswith("_")} == public


@pytest.mark.parametrize("path", TEXT_FILES, ids=relative)
def test_packaging_names_no_folder_of_a_machine(path):
    text = path.read_text(encoding="utf-8")
    assert not re.search(
        r"""["'](/(home|root|tmp|usr|opt|work|Users)/|[A-Z]:\\)""", text
    )


def test_packaging_corpora_folder_is_named_in_one_place():
    naming = [
        relative(path)
        for path in TEXT_FILES
        if "shared/data" in path.read_text(encoding="utf-8")
    ]
    assert naming in ([], ["tools/corpora/locate.py"])


@pytest.mark.parametrize("path", PYTHON_FILES, ids=relative)
def test_packaging_runs_no_code_from_data(path):
    unsafe_modules = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "marshal"}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            assert unsafe_modules.isdisjoint(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module not in unsafe_modules
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in {"eval", "exec", "__import__"}


@pytest.mark.parametrize("path", CYTHON_FILES, ids=relative)
def test_packaging_kernels_run_no_code_from_data(path):
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"\b(import (pickle|marshal)|eval\(|exec\()", text)


def test_packaging_wheel_leaves_out_what_stands_beside_the_package():
    setuptools = pytest.importorskip("setuptools")
    wanted = read_pyproject()["tool"]["setuptools"]["packages"]["find"]["include"]
    found = setuptools.find_packages(str(ROOT), include=wanted)
    assert not [name for name in found if name.partition(".")[0] in BESIDE]
    sdist = (ROOT / "MANIFEST.in").read_text(encoding="utf-8").splitlines()
    assert {f"graft {name}" for name in BESIDE} <= set(sdist)


@pytest.mark.parametrize("path", package_files(".py"), ids=relative)
def test_packaging_package_imports_nothing_that_stands_beside_it(path):
    modules = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            modules.add(node.module)
    assert not {name.partition(".")[0] for name in modules} & set(BESIDE)


def test_packaging_marks_itself_as_typed():
    assert (PACKAGE / "py.typed").exists()
