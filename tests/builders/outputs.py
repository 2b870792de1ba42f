"""What the commands write: every command is listed here, and a test says so."""

import inspect
from collections.abc import Callable
from pathlib import Path

from spacy_latperc.cli import latperc_cli

PIPELINE, FOLDER, OWN = "pipeline", "folder", "a format of its own"
# By command and parameter: a pipeline, a folder, or the suffixes that a file may have.
OUTPUTS: dict[str, dict[str, object]] = {
    "annotate": {"target": (".conllu", ".html", ".jsonl", ".parquet")},
    "calibrate": {"output": PIPELINE, "json_path": (".json",), "picture": (".svg",)},
    "cluster": {"output": (".tsv",)},
    "compact": {"output": PIPELINE},
    "contexts": {"output": OWN},
    "convert": {"target": (".spacy", ".conllu")},
    "corrupt": {"output": (".spacy", ".jsonl")},
    "evaluate": {"output": (".json",)},
    "filter": {"target": (".txt", ".jsonl", ".parquet")},
    "fit": {"output_path": PIPELINE},
    "jackknife": {"output": (".spacy",)},
    "judge": {"output": PIPELINE},
    "judge-report": {"output": FOLDER, "json_path": (".json",)},
    "negatives": {"output": (".spacy",), "save_model": OWN},
    "ngrams": {"output": OWN},
    "recalibrate": {"output": PIPELINE},
    "compare": {"output": (".json",)},
    "train-grammaticality": {"output": PIPELINE, "log": (".json",)},
}
# Parameters with a path that is read.
_READ = {
    *("config_path", "model", "source", "classes", "fit", "train", "dev", "negatives"),
    *("pairs", "grades", "tokens", "clean", "wrong", "foreign", "data", "code"),
}


def commands() -> dict[str, Callable]:
    """The functions of all commands, by name."""
    found = {info.name: info.callback for info in latperc_cli.registered_commands}
    return {str(name): call for name, call in found.items() if call is not None}


def unknown_paths() -> list[tuple[str, str]]:
    """Commands and their parameters of which the lists above say nothing."""
    return [
        (command, name)
        for command, call in commands().items()
        for name, parameter in inspect.signature(call).parameters.items()
        if _is_path(name, parameter.annotation)
        and name not in OUTPUTS.get(command, {})
        and name not in _READ
    ]


def _is_path(name: str, annotation: object) -> bool:
    named = name in ("target", "output") or name.startswith("save")
    return named or annotation is Path or Path.__name__ in str(annotation)
