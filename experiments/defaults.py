"""Choose default templates, epochs and C by cross-validation over many training sets.

    python -m experiments.defaults [--sets es,nl] [--json FILE]
    python -m experiments.defaults --seeds 5

Each training part is cut into runs of neighbouring sentences, and each run is annotated
by components that learned from the others. No default may be chosen by the development
part of one set: what gained there lost elsewhere. Two sets are raw text with names from
lists (listed_entities.py). The gain of a row is the mean over all runs of all sets,
compared with the first row; with its standard error.

With --seeds: the defaults of today and those before, on development parts, or where
there is none on the last fifth of the training part. A recall constant is fitted to one
half of it and scored on the other, both ways. No default may lose more than 0.1 beyond
two standard errors.
"""

import argparse
import json
import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import spacy
from spacy.training import Example

from spacy_latperc.data.corpus import column_corpus
from spacy_latperc.features import sets
from spacy_latperc.features.sets import FeatureSet
from spacy_latperc.features.templates import parse_template
from spacy_latperc.pipeline.recall import fit_recall_constant
from tools.corpora.locate import required_file

from .listed_entities import MARK
from .listed_entities import write as write_listed
from .training import epochs, show

FOLDS = 3
EPOCHS = (10, 20, 30)
LIMIT = 3000  # sentences of a set
NER, CHUNKER, TAGGER = "latperc_ner", "latperc_chunker", "latperc_tagger"
SCORES = {NER: "ents_f", CHUNKER: "chunks_f", TAGGER: "tag_acc"}
TEMPLATES: dict[str, Callable[..., FeatureSet]] = {
    NER: sets.ner,
    CHUNKER: sets.rich_chunking,
    TAGGER: sets.tagging,
}
LEARNER = {"@misc": "spacy_latperc.PassiveAggressive.v1"}


@dataclass(frozen=True)
class Corpus:
    """A training set, and its development part. names: the corpus and columns whose
    names label a raw text."""

    factory: str
    file: str
    columns: str
    lang: str = "en"
    names: tuple[str, str] | None = None
    dev: str = ""


@dataclass(frozen=True)
class Variant:
    """A change of the default. The first one of a component is what others gain on."""

    name: str
    add: Sequence[str] = ()
    drop: Sequence[str] = ()
    C: float = 0.0  # of the learner; 0 for the default


ESP, NED = "conll2002/esp.train.gz", "conll2002/ned.train.gz"
ESP_DEV, NED_DEV = "conll2002/esp.testa", "conll2002/ned.testa"
JNLPBA = "jnlpba/train_first1800.iob2.gz"
CORPORA = {
    "es": Corpus(NER, ESP, "word,-,ent", "es", dev=ESP_DEV),
    "es tags": Corpus(NER, ESP, "word,tag,ent", "es", dev=ESP_DEV),
    "nl": Corpus(NER, NED, "word,-,ent", "nl", dev=NED_DEV),
    "nl tags": Corpus(NER, NED, "word,tag,ent", "nl", dev=NED_DEV),
    "W-NUT": Corpus(NER, "wnut17/train.conll", "word,ent", dev="wnut17/dev.conll"),
    "JNLPBA": Corpus(NER, JNLPBA, "word,ent", dev="jnlpba/dev_last200.iob2"),
    "news": Corpus(
        NER, "lm_text/domain_b.txt.gz", "word,ent", names=(NED, "word,-,ent")
    ),
    "biomedical": Corpus(
        NER, "raw_text/biomedical.txt.gz", "word,ent", names=(JNLPBA, "word,ent")
    ),
    "CoNLL-2000": Corpus(CHUNKER, "conll2000/train.txt.gz", "word,tag,chunk"),
    "EWT": Corpus(
        TAGGER, "ud_ewt/train.tsv.gz", "id,word,-,tag,space", dev="ud_ewt/dev.tsv"
    ),
}
NGRAMS = ("ng3[0]", "ng4[0]")
PAIRS = ("w[-1]|w[0]", "w[0]|w[1]")
VARIANTS = {
    NER: (
        Variant("no n-grams", drop=NGRAMS),
        Variant("default"),
        Variant("n-grams of 3", drop=["ng4[0]"]),
        Variant("n-grams of 2 to 4", add=["ng2[0]"]),
        Variant("pairs of words", add=PAIRS),
        Variant("no pairs of words", drop=PAIRS),
        Variant("no tags at distance 2", drop=["t[-2]", "t[2]"]),
        Variant("C = 0.003", C=0.003),
        Variant("C = 0.03", C=0.03),
    ),
    CHUNKER: (
        Variant("default"),
        Variant("n-grams", add=NGRAMS),
        Variant("C = 0.003", C=0.003),
        Variant("C = 0.03", C=0.03),
    ),
    TAGGER: (
        Variant("default"),
        Variant("n-grams", add=NGRAMS),
        Variant("C = 0.01", C=0.01),
    ),
}
# The defaults before, of entities and of tags, and now, with their epochs.
BEFORE = Variant("before", drop=[*NGRAMS, *PAIRS, "t[-2]", "t[2]"])
NOW = Variant("now")
Row = dict[str, Any]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Defaults by cross-validation")
    parser.add_argument("--sets", default=",".join(CORPORA), help="with commas")
    parser.add_argument("--variants", default="", help="some of them, with commas")
    parser.add_argument("--limit", type=int, default=LIMIT, help="0 for no limit")
    parser.add_argument("--seeds", type=int, help="Compare with the defaults before")
    parser.add_argument("--json", type=Path, help="File for the figures")
    options = parser.parse_args(arguments)
    names = options.sets.split(",")
    if options.seeds:
        changed = [name for name in names if CORPORA[name].factory != CHUNKER]
        rows = [beside_before(name, options.limit, options.seeds) for name in changed]
        show(COLUMNS, list(map(cells, rows)), rows, options.json)
        return
    chosen = options.variants.split(",") if options.variants else []
    figures: list[Row] = []
    for name in names:
        corpus = CORPORA[name]
        examples = read(corpus, options.limit)
        seen: list[Any] = []
        for variant in VARIANTS[corpus.factory]:
            templates = templates_of(corpus, variant)
            same = (variant.C, templates) in seen  # without tags, say
            if same or (chosen and variant.name not in chosen):
                continue
            seen.append((variant.C, templates))
            for row in cross_validate(corpus, variant, examples):
                figures.append({"set": name, "variant": variant.name, **row})
                print(name, variant.name, row, file=sys.stderr)
    for factory, what in SCORES.items():
        columns = [name for name in names if CORPORA[name].factory == factory]
        if columns:
            print(f"==== {factory}, {what} ====")
            show(*table(columns, figures))
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


def read(corpus: Corpus, limit: int, file: str = "") -> list[Example]:
    """The training part or another file, with tags given if the columns have some."""
    path = required_file(file or corpus.file)
    given = ["tag"] if "tag" in corpus.columns and corpus.factory != TAGGER else []
    with TemporaryDirectory() as folder:
        if corpus.names:
            labelled, columns = corpus.names
            listed = Path(folder) / "listed.txt"
            write_listed(required_file(labelled), columns, path, listed)
            path = listed
        reader = column_corpus(
            path,
            corpus.columns,
            inputs=given,
            repair=True,
            doc_mark=MARK,
            limit=limit,
        )
        return list(reader(spacy.blank(corpus.lang)))


def templates_of(corpus: Corpus, variant: Variant) -> list[str]:
    """The templates of the default, changed."""
    given = {"tags": "tag" in corpus.columns} if corpus.factory == NER else {}
    names = [str(x) for x in TEMPLATES[corpus.factory](**given).templates]
    dropped, added = (
        [str(parse_template(x)) for x in y] for y in (variant.drop, variant.add)
    )
    return [x for x in dict.fromkeys([*names, *added]) if x not in dropped]


def cross_validate(
    corpus: Corpus, variant: Variant, examples: Sequence[Example]
) -> Iterator[Row]:
    """Train on all runs but one, and score on that one, after some of the epochs."""
    scores: dict[int, list[float]] = {epoch: [] for epoch in EPOCHS}
    start = process_time()
    for fold in range(FOLDS):
        first, end = (len(examples) * x // FOLDS for x in (fold, fold + 1))
        train = [*examples[:first], *examples[end:]]
        component = make(corpus, variant, train)
        for epoch, _ in enumerate(epochs(component, train, max(EPOCHS), fold), 1):
            if epoch in EPOCHS:
                scores[epoch].append(score(corpus, component, examples[first:end]))
    seconds = process_time() - start
    for epoch, found in scores.items():
        yield {"epochs": epoch, "scores": found, "seconds": seconds}


def make(corpus: Corpus, variant: Variant, train: Sequence[Example]) -> Any:
    """An initialized component."""
    config: dict[str, Any] = {
        "features": {
            "@misc": "spacy_latperc.Templates.v1",
            "templates": templates_of(corpus, variant),
            "min_count": 2 if corpus.factory == CHUNKER else 1,
        }
    }
    if variant.C:
        config["learner"] = {**LEARNER, "C": variant.C}
    nlp = spacy.blank(corpus.lang, vocab=train[0].reference.vocab)
    component = nlp.add_pipe(corpus.factory, config={"model": config})
    nlp.initialize(lambda: train)
    return component


def score(corpus: Corpus, component: Any, examples: Sequence[Example]) -> float:
    """The score in percent."""
    copies = [Example(x.predicted.copy(), x.reference) for x in examples]
    docs = [x.predicted for x in copies]
    component.set_annotations(docs, component.predict(docs))
    return 100 * component.score(copies)[SCORES[corpus.factory]]


COLUMNS = ("", "before", "now", "gain", "two errors", "with recall constant", "loses")


def beside_before(name: str, limit: int, seeds: int) -> Row:
    """The scores of each seed with the defaults before and now on held-out sentences,
    and now with a recall constant."""
    corpus = CORPORA[name]
    train = read(corpus, limit)
    if corpus.dev:
        held_out = read(corpus, 0, corpus.dev)
    else:
        cut = len(train) * 4 // 5
        train, held_out = train[:cut], train[cut:]
    row: Row = {"set": name, "before": [], "now": [], "recall": []}
    for seed in range(seeds):
        for variant, passes in ((BEFORE, 10), (NOW, 20)):
            component = make(corpus, variant if corpus.factory == NER else NOW, train)
            for _ in epochs(component, train, passes, seed):
                pass
            row[variant.name].append(score(corpus, component, held_out))
        if corpus.factory == NER:
            row["recall"].append(crossed(corpus, component, held_out))
    print(row, file=sys.stderr)
    return row


def crossed(corpus: Corpus, component: Any, examples: Sequence[Example]) -> float:
    """The mean score of each half with the recall constant of the other."""
    middle = len(examples) // 2
    halves = [examples[:middle], examples[middle:]]
    found = []
    for fitted, scored in (halves, halves[::-1]):
        fit_recall_constant(component, [fitted])
        found.append(score(corpus, component, scored))
    return statistics.mean(found)


def cells(row: Row) -> list[str]:
    """A row of the table: a loss is one of more than 0.1 and two standard errors."""
    before, now = (statistics.mean(row[name]) for name in ("before", "now"))
    spread = statistics.variance(row["before"]) + statistics.variance(row["now"])
    error = 2 * (spread / len(row["now"])) ** 0.5
    recall = f"{statistics.mean(row['recall']):.2f}" if row["recall"] else ""
    loses = "yes" if now - before < -0.1 - error else "no"
    gain = f"{now - before:+.2f}"
    shown = [f"{before:.2f}", f"{now:.2f}", gain, f"{error:.2f}", recall, loses]
    return [row["set"], *shown]


def table(names: Sequence[str], figures: Sequence[Row]) -> tuple[Any, Any]:
    """The header and the rows: the mean score on each set, and the gain."""
    found = {(x["variant"], x["epochs"], x["set"]): x["scores"] for x in figures}
    rows, first = [], None
    for variant, epoch in dict.fromkeys(key[:2] for key in found):
        runs = [found.get((variant, epoch, name), []) for name in names]
        if not any(runs):
            continue
        first = first or runs
        gains = [
            a - b
            for run, other in zip(runs, first, strict=True)
            for a, b in zip(run, other if run else [], strict=True)
        ]
        error = statistics.stdev(gains) / len(gains) ** 0.5
        means = [f"{statistics.mean(run):.2f}" if run else "" for run in runs]
        gain = [f"{statistics.mean(gains):+.2f}", f"{error:.2f}"]
        rows.append([variant, str(epoch), *means, *gain])
    return ["", "epochs", *names, "gain", "error"], rows


if __name__ == "__main__":
    main()
