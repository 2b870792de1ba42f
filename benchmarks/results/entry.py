"""The entries of what is published, from grid.yml: commands, and what they answer."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import srsly
from spacy.util import load_config

CONFIGS = Path(__file__).resolve().parents[2] / "configs"
LATPERC = "python -m spacy latperc"


@dataclass(frozen=True)
class Entry:
    """One command whose figures are published.

    Attributes:
        name: The name of its file in results/.
        page: The page that it is on.
        title: The question that it answers.
        commands: The commands, in this order; the output of the last one is kept.
        note: An explanation of the figures.
        slow: True for more than some minutes, so that it may be older than the rest.
        score: The score that the front table shows.
        beside: The entry without the knowledge that this one adds.
        needs: Packages without which it is skipped.
    """

    name: str
    page: str
    title: str
    commands: tuple[str, ...]
    note: str = ""
    slow: bool = False
    score: str = ""
    beside: str = ""
    needs: tuple[str, ...] = ()


def read_file() -> dict[str, Any]:
    """The sections of grid.yml."""
    return srsly.read_yaml(Path(__file__).with_name("grid.yml"))


def read_grid() -> tuple[Entry, ...]:
    """All entries. Those of a config and a test set are written short there."""
    grid = read_file()
    scored = (_scored(fields, grid) for fields in grid["scored"])
    corpora = grid["corpora"]
    return (*scored, *(_entry(corpora, **fields) for fields in grid["measured"]))


def _entry(corpora: dict[str, str], commands: list[str], **fields: Any) -> Entry:
    full = []
    for command in commands:
        for name, paths in corpora.items():
            command = command.replace(f"{{{name}}}", paths.strip())
        if command.startswith("latperc "):
            command = command.replace("latperc", LATPERC, 1)
        full.append(command.strip())
    return Entry(commands=tuple(full), **fields)


def _scored(fields: dict[str, Any], grid: dict[str, Any]) -> Entry:
    """An entry that trains a config and scores it, with three seeds.

    The fields are those of an entry, without the commands, and
        config, on: The config, and the corpus by its name.
        more: Further settings of the config.
        sources: Sources of knowledge by name, or as key=name.
        members: True for the members of the accuracy setting in the last component.
        before: Commands that make what the corpus needs.
        peers: Packages that are trained in the same run.
        note: Names of notes, or the note.
    """
    config, paths = fields["config"], grid["corpora"][fields["on"]]
    components = [config.partition("_")[0]]
    if config == "ner_two_pass":  # the corpus is inside that of the first pass
        paths = paths.replace("--corpora.train.", "--corpora.train.corpus.")
        components = ["first", "ner"]
    if config == "parser-pipeline":
        components = ["tagger", "morph"]
    commands = list(fields.get("before", ()))
    blocks = {}
    needs: list[str] = []
    for source in fields.get("sources", "").split():
        key, _, name = source.rpartition("=")
        blocks[key or name] = grid["sources"][name]["block"]
        commands += grid["sources"][name].get("commands", ())
        needs += grid["sources"][name].get("needs", ())
    settings = [paths.strip(), *([fields["more"]] if "more" in fields else [])]
    if blocks:
        value = json.dumps(blocks)
        settings += [
            f"--components.{x}.model.features.sources '{value}'" for x in components
        ]
    if fields.get("members"):
        accurate = load_config(CONFIGS / "ner_accuracy.cfg", interpolate=False)
        members = json.dumps(accurate["components"]["ner"]["model"]["members"])
        settings.append(f"--components.ner.model.members '{members}'")
    how = "latperc compare"
    last = "--seeds 3"
    if "peers" in fields:
        how = "python -m benchmarks.peers"
        last = f"--score {fields['score']} --peers {fields['peers']}"
    commands.append(
        f"{how} configs/{config}.cfg {' '.join(settings)} {last} --json {{json}}"
    )
    note = fields.get("note", "")
    names = note.split()
    if names and all(name in grid["notes"] for name in names):
        note = " ".join(grid["notes"][name].strip() for name in names)
    return _entry(
        grid["corpora"],
        commands,
        name=fields["name"],
        page="knowledge" if "beside" in fields else "accuracy",
        title=fields["title"],
        note=note,
        score=fields["score"],
        beside=fields.get("beside", ""),
        needs=tuple(needs),
    )


GRID = read_grid()
