"""`python -m tools.build_models [NAME ...]`: ready models as wheels, in packages/.

Each is trained, shrunk, packaged with its card, installed from the folder of `make
wheel` into an environment of its own, and scored there: less than half a point from its
score before. A model whose corpus is for research only needs --research, and must not
be passed on.
"""

import argparse
import json
import subprocess
import sys
import venv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PACKAGES, WHEELHOUSE = ROOT / "packages", ROOT / "wheelhouse"
MOST_MEGABYTES = 12
TOLERANCE = 0.005


@dataclass(frozen=True)
class ReadyModel:
    """A model that is ready for use.

    Attributes:
        lang: Its language.
        name: Its name, without the language.
        text: What it does.
        config: Its config in configs/, with these settings.
        settings: The settings.
        corpus: The name of its corpus for tools.corpora.
        test: The file of the corpus that it is scored on.
        score: The score that is compared.
        license: The licence of the corpus, and so of the model.
        source: The corpus and its address.
        research: True if the corpus is for research only.
    """

    lang: str
    name: str
    text: str
    config: str
    settings: str
    corpus: str
    test: str
    score: str
    license: str
    source: tuple[str, str]
    research: bool = False

    @property
    def package(self) -> str:
        """The name of the package."""
        return f"{self.lang}_{self.name}"


def treebank(lang: str, name: str, stem: str, repository: str) -> ReadyModel:
    """A tagger, morphologizer and parser of a UD treebank."""
    settings = f"--nlp.lang {lang}"
    for part in ("train", "dev"):
        settings += f" --paths.{part} corpus/ud_trees/{stem}-{part}.conllu.gz"
    return ReadyModel(
        lang,
        name,
        "Tags, morphological features and dependency trees.",
        "parser-pipeline",
        settings,
        "ud_trees",
        f"ud_trees/{stem}-test.conllu.gz",
        "dep_las",
        "CC BY-SA 4.0",
        (repository, f"https://github.com/UniversalDependencies/{repository}"),
    )


def news(lang: str, stem: str) -> ReadyModel:
    """An entity recogniser of CoNLL-2002."""
    folder = f"corpus/conll2002/{stem}"
    settings = (
        f"--nlp.lang {lang} --paths.train {folder}.train.gz --paths.dev {folder}.testa "
        "--corpora.train.columns word,-,ent "
        "--corpora.train.repair true --corpora.dev.repair true"
    )
    return ReadyModel(
        lang,
        "latperc_news",
        "Persons, places and organisations in news.",
        "ner",
        settings,
        "conll2002",
        f"conll2002/{stem}.testb",
        "ents_f",
        "research only",
        ("CoNLL-2002", "https://www.clips.uantwerpen.be/conll2002/ner/"),
        research=True,
    )


MODELS = (
    treebank("en", "latperc_web", "en_ewt", "UD_English-EWT"),
    treebank("af", "latperc_ud", "af_afribooms", "UD_Afrikaans-AfriBooms"),
    ReadyModel(
        "en",
        "latperc_social",
        "Emerging entities in posts and comments.",
        "ner",
        "--paths.train corpus/wnut17/train.conll --paths.dev corpus/wnut17/dev.conll "
        "--corpora.train.columns word,ent",
        "wnut17",
        "wnut17/test.conll",
        "ents_f",
        "CC BY 4.0",
        ("W-NUT 2017", "https://github.com/leondz/emerging_entities_17"),
    ),
    news("es", "esp"),
    news("nl", "ned"),
)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Build ready models")
    parser.add_argument("names", nargs="*", help="packages; by default all")
    parser.add_argument("--research", action="store_true", help="also those")
    options = parser.parse_args(arguments)
    for model in chosen(options.names, options.research):
        start = perf_counter()
        wheel, score = build(model)
        size, seconds = wheel.stat().st_size / 1e6, perf_counter() - start
        figures = f"{model.score} {100 * score:.2f}, {size:.1f} MB, {seconds:.0f} s"
        print(f"{wheel.name}: {figures}")


def chosen(names: Iterable[str], research: bool) -> list[ReadyModel]:
    """The models of these names; of all names if there are none."""
    wanted = set(names) or {model.package for model in MODELS}
    found = [x for x in MODELS if x.package in wanted and (research or not x.research)]
    if unknown := wanted - {model.package for model in MODELS}:
        raise SystemExit(f"There is no model {', '.join(sorted(unknown))}.")
    for model in MODELS:
        if model.package in wanted and model not in found:
            print(f"{model.package} needs --research: its corpus is for research only.")
    return found


def build(model: ReadyModel, version: str = "0.1.0") -> tuple[Path, float]:
    """Build one model. RETURNS: the wheel and its score."""
    folder = ROOT / "training" / "models" / model.package
    python = sys.executable
    latperc = [python, "-m", "spacy", "latperc"]
    run([python, "-m", "tools.corpora", model.corpus])
    config = f"configs/{model.config}.cfg"
    run(
        [
            *latperc,
            "fit",
            config,
            "--quiet",
            "--output",
            folder,
            *model.settings.split(),
        ]
    )
    trained, small = folder / "model-best", folder / "small"
    limits = ["--bits", "12", "--max-mb", str(MOST_MEGABYTES - 1)]
    run([*latperc, "compact", trained, "", small, *limits])
    before = score_of([*latperc, "evaluate", small], model, folder / "before.json")
    title, url = model.source
    card = {
        "description": model.text,
        "license": model.license,
        "sources": [{"name": title, "url": url, "license": model.license}],
    }
    (folder / "card.json").write_text(json.dumps(card), encoding="utf8")
    package = [python, "-m", "spacy", "package", small, PACKAGES, "--force"]
    named = ["--name", model.name, "--version", version, "--build", "none"]
    PACKAGES.mkdir(exist_ok=True)
    run([*package, *named, "--meta-path", folder / "card.json"])
    sources = PACKAGES / f"{model.package}-{version}"
    own = ["--no-deps", "--no-index", "--no-build-isolation", "--quiet"]
    run([python, "-m", "pip", "wheel", sources, "--wheel-dir", PACKAGES, *own])
    wheel = PACKAGES / f"{sources.name}-py3-none-any.whl"
    installed = install(model.package, folder / "venv")
    evaluate = [installed, "-I", "-m", "spacy", "latperc", "evaluate"]
    evaluate.append(model.package)
    after = score_of(evaluate, model, folder / "after.json")
    if abs(after - before) > TOLERANCE or wheel.stat().st_size > MOST_MEGABYTES * 1e6:
        raise SystemExit(f"{wheel.name}: {after} installed, {before} before")
    return wheel, after


def install(package: str, folder: Path) -> Path:
    """Install a package into an environment of its own. RETURNS: its interpreter."""
    venv.create(folder, clear=True, with_pip=True)
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    found = ["--no-index", "--find-links", WHEELHOUSE, "--find-links", PACKAGES]
    run([python, "-I", "-m", "pip", "install", "--quiet", *found, package])
    return python


def score_of(command: list[Any], model: ReadyModel, path: Path) -> float:
    """Score a model on its test file."""
    run([*command, ROOT / "corpus" / model.test, "--output", path], at=path.parent)
    return float(json.loads(path.read_text(encoding="utf8"))[model.score])


def run(command: list[Any], at: Path = ROOT) -> None:
    """Run a command; its output is shown."""
    subprocess.run([str(part) for part in command], cwd=at, check=True)


if __name__ == "__main__":
    main()
