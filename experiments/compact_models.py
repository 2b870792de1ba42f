"""How small the default models get, and what that costs.

    python -m experiments.compact_models

A config is trained and its model made smaller as `spacy latperc compact` does: with 16
bits a weight, and as `--bits 12 --max-mb 3` says. Nothing is chosen by scores: as few
of the weights are left out as bring the file to three megabytes. Scored on the test
part.
"""

import argparse
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spacy.util import load_config
from wasabi import msg

from spacy_latperc.compact import compact, main_score
from spacy_latperc.data.configured import configured_examples
from spacy_latperc.training.fit import fit
from tools.corpora.locate import data_folder

SMALL = {"bits": 12, "max_mb": 3.0}
Figures = dict[str, Any]
CONFIGS = Path(__file__).resolve().parents[1] / "configs"


@dataclass(frozen=True)
class Task:
    """A config and its data.

    Attributes:
        settings: Of the config, by path.
    """

    config: str
    train: str
    test: str
    settings: dict[str, Any]


_EWT = {
    "corpora.train.columns": ["id", "word", "-", "tag", "space"],
    "corpora.train.comment": "#",
    "corpora.dev.comment": "#",
}
_SPANISH = {
    "corpora.train.columns": ["word", "-", "ent"],
    "corpora.train.repair": True,
    "corpora.dev.repair": True,
    "nlp.lang": "es",
}
_MEDLINE = {
    "corpora.train.columns": ["word", "ent"],
    "corpora.train.doc_mark": "###MEDLINE:",
    "corpora.dev.doc_mark": "###MEDLINE:",
}
TASKS = {
    "chunker, CoNLL-2000": Task(
        "chunker.cfg", "conll2000/train.txt.gz", "conll2000/test.txt", {}
    ),
    "tagger, UD English EWT": Task(
        "tagger.cfg", "ud_ewt/train.tsv.gz", "ud_ewt/test.tsv", _EWT
    ),
    "recogniser, CoNLL-2002 Spanish": Task(
        "ner.cfg",
        "conll2002/esp.train.gz",
        "conll2002/esp.testb",
        _SPANISH,
    ),
    "recogniser, JNLPBA": Task(
        "ner.cfg",
        "jnlpba/train.iob2.gz",
        "jnlpba/test.iob2",
        _MEDLINE,
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description="Default models, compact")
    parser.add_argument("--tasks", nargs="*", default=list(TASKS), choices=TASKS)
    parser.add_argument("--json", type=Path, help="File for the figures")
    options = parser.parse_args()
    folder = data_folder()
    if folder is None:
        raise SystemExit("Set LATPERC_DATA to the folder of the corpora.")
    figures = {name: measured(folder, TASKS[name]) for name in options.tasks}
    rows = [
        (name, size, f"{x['mb']:.2f}", f"{x['left out']:.0%}", _score(x), _changed(x))
        for name, found in figures.items()
        for size, x in found.items()
    ]
    header = ("Model", "", "MB", "left out", "score", "labels changed")
    msg.table(rows, header=header, divider=True)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


def _score(figures: Figures) -> str:
    return f"{100 * figures['score']:.2f}"


def _changed(figures: Figures) -> str:
    return f"{figures['changed']:,} of {figures['tokens']:,}"


def measured(folder: Path, task: Task) -> dict[str, Figures]:
    """The sizes and the scores of one model: as trained, of 16 bits, and small."""
    settings = {
        "paths.train": str(folder / task.train),
        "paths.dev": str(folder / task.test),
        **task.settings,
    }
    config = load_config(CONFIGS / task.config, overrides=settings, interpolate=False)
    nlp = fit(config)
    test = list(configured_examples(nlp))
    data = nlp.to_bytes(exclude=["vocab"])
    found: dict[str, Figures] = {}
    for size, how in {"16 bits": {}, "small": SMALL}.items():
        nlp.from_bytes(data, exclude=["vocab"])
        report = compact(nlp, test, **how)  # type: ignore[arg-type]
        (of_model,) = report.components
        found["trained"] = {
            "mb": of_model.before / 1e6,
            "left out": 0.0,
            "score": main_score(nlp, report.before),
            "changed": 0,
            "tokens": of_model.tokens,
        }
        found[size] = {
            "mb": of_model.after / 1e6,
            "left out": report.cut,
            "score": main_score(nlp, report.after),
            "changed": of_model.changed,
            "tokens": of_model.tokens,
        }
    return dict(sorted(found.items(), key=lambda x: -x[1]["mb"]))


if __name__ == "__main__":
    main()
