"""What gazetteers are worth: lists of another corpus, of the same kind of text, and the
trap, a list made from the training annotation.

    python -m experiments.gazetteers

Corpora are found below LATPERC_DATA: W-NUT 2017 and CoNLL-2002. Each list has the
entities of one type that some corpus has. Scores are those of entities on development
data, mean and standard deviation over seeds; beside them, how many of the entities of
the development data are in the lists.
"""

import argparse
import json
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import spacy
from spacy.util import load_config
from thinc.api import Config
from wasabi import msg

from spacy_latperc.data.corpus import column_corpus
from spacy_latperc.training.fit import fit
from spacy_latperc.training.repeat import Run, mean_and_sd
from tools.corpora.locate import required_file

SHORT = 2500  # sentences of the short training set
# Language, columns, training and development data, C of the learner.
Corpus = tuple[str, str, str, str, float]
CORPORA: dict[str, Corpus] = {
    "W-NUT": ("en", "word,ent", "wnut17/train.conll", "wnut17/dev.conll", 0.03),
    "Spanish": (
        *("es", "word,tag,ent"),
        *("conll2002/esp.train.gz", "conll2002/esp.testa", 1.0),
    ),
    "Dutch": (
        *("nl", "word,tag,ent"),
        *("conll2002/ned.train.gz", "conll2002/ned.testa", 1.0),
    ),
}
Phrase = tuple[str, ...]
Phrases = dict[str, set[Phrase]]  # by type


def main() -> None:
    parser = argparse.ArgumentParser(description="Gazetteers from several corpora")
    parser.add_argument("--seeds", type=int, default=3)
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore", message=r"\[LP979\]")  # the trap, on purpose
    dutch, spanish, tweets = (
        phrases_of(name) for name in ("Dutch", "Spanish", "W-NUT")
    )
    rest = phrases_of("Spanish", SHORT)
    news = {x: dutch.get(x, set()) | spanish.get(x, set()) for x in dutch | spanish}
    rows: list[tuple[str, int, str, Phrases]] = [
        ("W-NUT", 0, "none", {}),
        ("W-NUT", 0, "Spanish and Dutch news", news),
        ("W-NUT", 0, "its own training data", tweets),
        ("Spanish", 0, "none", {}),
        ("Spanish", 0, "Dutch news", dutch),
        ("Spanish", 0, "its own training data", spanish),
        ("Spanish", SHORT, "none", {}),
        ("Spanish", SHORT, "the rest of the training data", rest),
    ]
    table = []
    for name, limit, what, lists in rows:
        runs = [
            Run(seed, 0.0, {"f": score(name, limit, lists, seed)})
            for seed in range(arguments.seeds)
        ]
        mean, sd = mean_and_sd(runs, "f")
        covered = f"{100 * coverage(name, lists):.1f}" if lists else ""
        training = f"{name}, {limit or 'all'}"
        table.append((training, what, covered, f"{mean:.2f}", f"{sd:.2f}"))
        msg.text(" | ".join(table[-1]))
    header = ("training data", "lists from", "% covered", "ents_f", "SD")
    msg.table(table, header=header, divider=True)


def phrases_of(name: str, skipped: int = 0, *, dev: bool = False) -> Phrases:
    """The entities of a corpus, but for its first sentences."""
    found: Phrases = {}
    for number, doc in enumerate(_docs(name, dev=dev)):
        for ent in doc.ents if number >= skipped else ():
            found.setdefault(ent.label_, set()).add(tuple(t.text for t in ent))
    return found


def coverage(name: str, lists: Phrases) -> float:
    """The share of the entities of the development data that are in some list, whatever
    their case."""
    known = {_lower(phrase) for phrases in lists.values() for phrase in phrases}
    found = [
        _lower([token.text for token in ent]) in known
        for doc in _docs(name, dev=True)
        for ent in doc.ents
    ]
    return sum(found) / len(found)


def score(name: str, limit: int, lists: Phrases, seed: int) -> float:
    """Train with these lists: F1 of the entities of the development data."""
    with TemporaryDirectory() as folder:
        nlp = fit(_config(name, limit, _sources(Path(folder), lists), seed))
    examples = list(_reader(name, dev=True)(nlp))
    return nlp.evaluate(examples)["ents_f"]


def _config(name: str, limit: int, sources: dict[str, Any], seed: int) -> Config:
    lang, columns, train, _, step = CORPORA[name]
    config = load_config(Path("configs/ner.cfg"), interpolate=False)
    config["nlp"]["lang"] = lang
    config["system"]["seed"] = seed
    config["paths"]["train"] = str(required_file(train))
    config["corpora"]["train"] |= {"columns": columns, "repair": True, "limit": limit}
    model = config["components"]["ner"]["model"]
    model["learner"]["C"] = step
    model["features"]["sources"] = sources
    return config


def _sources(folder: Path, lists: Phrases) -> dict[str, Any]:
    """A gazetteer for each list. The words of phrases are given as they are."""
    sources = {}
    for label, phrases in lists.items():
        path = folder / f"{label}.jsonl"
        lines = [
            json.dumps({"label": label, "pattern": [{"TEXT": word} for word in words]})
            for words in sorted(phrases)
        ]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        sources[label] = {"@misc": "spacy_latperc.Gazetteer.v1", "paths": [str(path)]}
    return sources


def _docs(name: str, *, dev: bool) -> Iterator[Any]:
    nlp = spacy.blank(CORPORA[name][0])
    for example in _reader(name, dev=dev)(nlp):
        yield example.reference


def _reader(name: str, *, dev: bool) -> Any:
    _, columns, train, held_out, _ = CORPORA[name]
    path = required_file(held_out if dev else train)
    return column_corpus(path, columns, repair=True)


def _lower(words: Sequence[str]) -> Phrase:
    return tuple(word.lower() for word in words)


if __name__ == "__main__":
    main()
