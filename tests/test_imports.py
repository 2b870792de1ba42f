"""Imports go one way, and the lower layers know nothing of spaCy."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from project_files import PACKAGE, nodes_of, package_files, relative

WING = "grammaticality"
# Rooms that know nothing of spaCy or thinc.
LOWER = (
    "explain",
    "features",
    "kernels",
    "learners",
    "schemes",
    "sequence",
    f"{WING}.classifier",
    f"{WING}.ngrams",
)
# What each room may import of the package, itself and errors apart. A room is a
# folder or a module of the package; those of the wing count one by one.
ROOMS = {
    "io": {"kernels"},
    "kernels": set(),
    "schemes": set(),
    "calibration": set(),
    "signatures": set(),
    "features": {"kernels", "signatures"},
    "label_sets": {"schemes"},
    "knowledge": {"features", "text", "kernels", "io"},
    "learners": {"features", "kernels", "io", "signatures"},
    "explain": {"learners", "features", "kernels"},
    "data": {"schemes", "label_sets", "io"},
    f"{WING}.rng": set(),
    f"{WING}.scorer": set(),
    "text": {"kernels", "io"},
    f"{WING}.ngrams": {"text", "kernels", "io"},
    f"{WING}.negatives": {
        *(f"{WING}.{name}" for name in ("ngrams", "rng", "scorer")),
        *("text", "kernels", "io"),
    },
    f"{WING}.classifier": {"learners", "features", "schemes", "kernels", "io"},
    "model": {"learners", f"{WING}.classifier", "features", "kernels"},
    "encoder_scores": {"model", "learners", "features", "kernels"},
    "pipeline": {
        "encoder_scores",
        *("model", "learners", "explain", "features", "schemes", "kernels", "io"),
        *("calibration", "label_sets", "data", "knowledge"),
    },
    "scorers": {"pipeline", "data"},
    WING: {
        *("pipeline", "model", f"{WING}.classifier", f"{WING}.scorer"),
        *("learners", "features", "schemes", "kernels", "io", "calibration", "data"),
    },
    "judge": {
        *(f"{WING}.{name}" for name in ("ngrams", "rng", "scorer")),
        *(f"{WING}.classifier", WING, "knowledge", "text", "kernels", "io", "data"),
        *("pipeline", "model", "learners", "features", "schemes", "calibration"),
    },
    "parser": {
        *("pipeline", "model", "learners", "features", "kernels", "io", "signatures"),
        "calibration",
    },
    "compact": {"learners", "model", "pipeline"},
    "training": {"pipeline", "scorers", "data", "learners", "kernels", "io"},
}
# Estimators read raw tokens with spaCy, where they have templates.
ROOMS["sequence"] = {"learners", "features", "explain", "kernels", "io", "pipeline"}
# The wings, which no other room imports: they can be left out.
WINGS = {"judge", "parser"}
ROOMS["report"] = {"explain", "pipeline", "learners", "io"}
ROOMS["autofit"] = {
    *(
        "training",
        "pipeline",
        "learners",
        "data",
        "knowledge",
        "text",
        "io",
        "report",
        "schemes",
    ),
}
ROOMS["distributed"] = set(ROOMS) - WINGS
ROOMS["api"] = set(ROOMS)  # of names that are imported on first use
ROOMS["cli"] = set(ROOMS) - WINGS - {"api"}
ROOMS["judge.commands"] = {*ROOMS["judge"], "judge", "cli", "distributed"}


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


def room_of(parts: tuple[str, ...] | list[str]) -> str:
    """The room of a module, by its path or dotted name within the package."""
    inner = ".".join(parts[:2])
    return inner if inner in ROOMS else parts[0]


def module_of(path: Path) -> tuple[str, ...]:
    return path.relative_to(PACKAGE).with_suffix("").parts


def imported_rooms(path: Path) -> set[str]:
    """The rooms that a file imports, however it spells it."""
    package = ["spacy_latperc", *path.relative_to(PACKAGE).parts[:-1]]
    names: list[str] = []
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            names += [f"{module}.{alias.name}" for alias in node.names]
    return {
        room_of(name.split(".")[1:])
        for name in names
        if name.startswith("spacy_latperc.") and name != "spacy_latperc.__version__"
    }


def test_imports_package_alone_is_light(tmp_path):
    loaded = loaded_after("import spacy_latperc", tmp_path)
    assert loaded.isdisjoint({"spacy", "thinc", "numpy", "pydantic", "typer"})


@pytest.mark.parametrize("room", LOWER)
def test_imports_lower_room_without_spacy_or_thinc(room, tmp_path):
    code = (
        "import importlib, pkgutil\n"
        f"room = importlib.import_module('spacy_latperc.{room}')\n"
        "for found in pkgutil.walk_packages(room.__path__, room.__name__ + '.'):\n"
        "    importlib.import_module(found.name)\n"
    )
    loaded = loaded_after(code, tmp_path)
    assert "spacy_latperc" in loaded
    assert loaded.isdisjoint({"spacy", "thinc"})


def test_imports_go_one_way():
    for path in package_files(".py"):
        room = room_of(module_of(path))
        if room not in ("__init__", "errors"):
            upwards = imported_rooms(path) - ROOMS[room] - {room, "errors"}
            assert not upwards, relative(path)


def test_imports_of_rooms_make_no_circle():
    left = {room: set(below) for room, below in ROOMS.items()}
    while free := {room for room, below in left.items() if not below & left.keys()}:
        left = {room: below for room, below in left.items() if room not in free}
    assert not left
