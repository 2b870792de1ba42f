"""The output of every command; a test checks that none is missing."""

import inspect
from pathlib import Path
from typing import Any

from typer.main import get_command

from spacy_latperc.cli import latperc_cli

PIPELINE, OWN = "pipeline", "a format of its own"
# By command and parameter: a pipeline, or the suffixes that a file may have.
OUTPUTS: dict[str, dict[str, object]] = {
    "annotate": {"target": (".conllu", ".jsonl", ".parquet")},
    "calibrate": {"output": PIPELINE, "json_path": (".json",)},
    "compact": {"output": PIPELINE},
    "convert": {"target": (".spacy", ".conllu")},
    "evaluate": {"output": (".json",)},
    "explain": {"json_path": (".json",)},
    "filter": {"target": (".txt", ".jsonl", ".parquet")},
    "fit": {"output_path": PIPELINE},
    "inspect": {"json_path": (".json",)},
    "judge corrupt": {"output": (".spacy",)},
    "judge evaluate": {"json_path": (".json",)},
    "judge negatives": {"output": (".spacy",), "save_model": OWN},
    "judge recalibrate": {"output": PIPELINE},
    "judge train": {"output": PIPELINE},
    "knowledge clusters": {"output": (".tsv",)},
    "knowledge encoder": {"output": OWN},
    "knowledge vectors": {"output": PIPELINE},
    "knowledge contexts": {"output": OWN},
    "knowledge ngrams": {"output": OWN},
    "compare": {"output": (".json",), "picture": (".svg",)},
    "suggest": {"output": (".jsonl",)},
}
# Parameters with a path that is read.
_READ = {
    *("config_path", "model", "source", "classes", "fit", "train", "dev", "negatives"),
    *("raw", "test", "pairs", "grades", "tokens", "clean", "wrong", "code"),
    "encoder",
    *("base", "systems", "silver"),
}


def commands(group: Any = None, before: str = "") -> dict[str, Any]:
    """All commands by name, those of groups and of wings too."""
    group = group or get_command(latperc_cli)
    found: dict[str, Any] = {}
    for name in group.commands:
        command = group.get_command(None, name)
        if hasattr(command, "commands"):
            found |= commands(command, f"{before}{name} ")
        else:
            found[f"{before}{name}"] = command
    return found


def unknown_paths() -> list[tuple[str, str]]:
    """Commands and their parameters of which the lists above say nothing."""
    return [
        (command, name)
        for command, found in commands().items()
        for name, parameter in inspect.signature(found.callback).parameters.items()
        if _is_path(name, parameter.annotation)
        and name not in OUTPUTS.get(command, {})
        and name not in _READ
    ]


def _is_path(name: str, annotation: object) -> bool:
    named = name in ("target", "output") or name.startswith("save")
    return named or annotation is Path or Path.__name__ in str(annotation)
