"""The stubs say of each compiled class what it has."""

import ast
import importlib
from pathlib import Path

import pytest

MODULES = [
    f"spacy_latperc.kernels.{name}"
    for name in (
        "chain",
        "classifier",
        "diary",
        "features",
        "frozen",
        "frozen_classifier",
        "ngrams",
        "objective",
        "rules",
        "sentences",
        "structure",
        "sums",
    )
]


def stub_classes(module):
    """Names of the public members of each class in the stub beside the module."""
    path = Path(module.__file__).parent / f"{module.__name__.rpartition('.')[2]}.pyi"
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef):
            members = {
                item.name if isinstance(item, ast.FunctionDef) else item.target.id
                for item in node.body
            }
            yield node.name, members - {"__init__"}


@pytest.mark.parametrize("name", MODULES)
def test_stubs_name_the_members_of_each_class(name):
    module = importlib.import_module(name)
    for class_name, members in stub_classes(module):
        found = vars(getattr(module, class_name))
        assert members == {key for key in found if not key.startswith("_")}
