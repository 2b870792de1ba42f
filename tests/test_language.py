"""The package and its tests are written in plain English.

A docstring begins with an imperative verb or with a noun phrase and its article.
"""

import ast
import re

from project_files import ROOT, nodes_of, package_files, relative, text_of

FRAGMENT = re.compile(
    r"(?:What|Of|Those|Whoever|Whether|How|That|Who|Where|When|Which|If|As|So|Not|With"
    r"|Without|By|For|In|On|From|Here|Such)\b"
)
TICS = re.compile(
    r"\b(?:[Ww]hoever|of which none|of no matter|by halves|are (?:many|deep|far)\.)"
)
OPENING = re.compile(rf'^ *"""(?={FRAGMENT.pattern}).*', re.MULTILINE)
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def test_docstrings_begin_with_a_verb_or_an_article():
    fragments = [
        f"{relative(path)}: {docstring.splitlines()[0]}"
        for path in [*package_files(".py"), *sorted((ROOT / "tests").rglob("*.py"))]
        for node in nodes_of(path)
        if isinstance(node, DOCUMENTED)
        and (docstring := ast.get_docstring(node))
        and FRAGMENT.match(docstring)
    ]
    assert fragments == []


def test_docstrings_of_kernels_begin_with_a_verb_or_an_article():
    fragments = [
        f"{relative(path)}: {line}"
        for path in package_files(".pyx", ".pxi", ".pxd")
        for line in OPENING.findall(text_of(path))
    ]
    assert fragments == []


def test_package_and_pages_have_no_tics():
    files = package_files(".py", ".pyx", ".pxd", ".pxi", ".hh")
    assert [relative(path) for path in files if TICS.search(text_of(path))] == []
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    assert [relative(page) for page in pages if TICS.search(text_of(page))] == []
