"""A Python in which a wing of the package is not installed.

`python -m builders.without_wing judge` hides the folder and the entry points of a wing,
and then uses the core.
"""

import importlib
import importlib.abc
import importlib.metadata
import pkgutil
import sys
from pathlib import Path

from project_files import ROOT

SAMPLE = ROOT / "assets" / "sample"
SMALL = {"corpora.train.limit": 20, "corpora.dev.limit": 5, "training.max_epochs": 1}


class Hidden(importlib.abc.MetaPathFinder):
    """Finds no module of a wing.

    Args:
        wing: The name of its folder.
    """

    def __init__(self, wing: str):
        self.package = f"spacy_latperc.{wing}"

    def find_spec(self, name, path=None, target=None):
        if name == self.package or name.startswith(f"{self.package}."):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def hide(wing: str) -> None:
    """Hide a wing from the imports that follow; spaCy must not be imported yet."""
    assert "catalogue" not in sys.modules
    hidden = Hidden(wing)
    sys.meta_path.insert(0, hidden)
    listed = importlib.metadata.PathDistribution.entry_points.fget

    def entry_points(distribution) -> importlib.metadata.EntryPoints:
        found = listed(distribution)
        left = (one for one in found if not one.value.startswith(hidden.package))
        return importlib.metadata.EntryPoints(left)

    importlib.metadata.PathDistribution.entry_points = property(entry_points)
    left = importlib.metadata.entry_points(group="spacy_factories")
    places = [entry.value.rpartition(":")[0] for entry in left]
    assert places and not [x for x in places if x.startswith(hidden.package)]


def import_core() -> None:
    """Import every module but those of the wings."""
    import spacy_latperc

    wings = ("spacy_latperc.judge", "spacy_latperc.parser")
    todo = [spacy_latperc]
    while todo:
        package = todo.pop()
        for found in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            if found.name not in wings:
                module = importlib.import_module(found.name)
                if found.ispkg:
                    todo.append(module)
    assert not [name for name in sys.modules if name.startswith(wings)]


def use_commands(wing: str) -> None:
    """Show the help, and call commands of the core and of the judge."""
    from typer.testing import CliRunner

    from spacy_latperc.cli import WING_COMMANDS, latperc_cli

    def run(*arguments: str) -> str:
        result = CliRunner().invoke(latperc_cli, [*arguments])
        assert result.exit_code == expected, result.output
        return result.output

    expected = 0
    assert "judge" in run("--help") and "recalibrate" in run("judge", "--help")
    for command in ("fit", "annotate", "judge negatives", "knowledge clusters"):
        assert "Usage:" in run(*command.split(), "--help")
    expected = int(wing == "judge")
    for command, *_ in WING_COMMANDS:
        assert ("LP329" in run(*command.split(), "--help")) == (wing == "judge")


def train_core() -> None:
    """Train a chunker, a recogniser and the classifier of sentences, and use them."""
    import spacy
    from spacy.util import load_config

    from builders.grammaticality import make_trained
    from spacy_latperc.api import fit

    for name in ("chunker", "ner"):
        paths = {f"paths.{x}": str(SAMPLE / f"{x}.txt") for x in ("train", "dev")}
        config = load_config(ROOT / "configs" / f"{name}.cfg", overrides=paths | SMALL)
        nlp = fit(config)
        doc = nlp("She sold the red car in Rome .")
        assert doc.spans or doc.has_annotation("ENT_IOB")
        assert spacy.blank("en").from_config(nlp.config).pipe_names == nlp.pipe_names
    assert make_trained()("the cat sees this house .").cats


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent.parent))
    hide(sys.argv[1])
    import_core()
    use_commands(sys.argv[1])
    train_core()
    print("done")
