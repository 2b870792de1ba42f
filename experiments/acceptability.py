"""What scores of sentences say about acceptability: BLiMP and CoLA, without tuning.

    python -m experiments.acceptability MODEL ... --ngrams FILE ...

MODEL is a pipeline with latperc_grammaticality, which scores by its margin; FILE an
n-gram model (`spacy latperc negatives --save-model`), which scores by the logarithm of
the probability, of the sentence and per token. Words are those of the pipeline's own
tokenizer, for n-grams those of spaCy's English one.

BLiMP (Warstadt et al. 2020): the share of minimal pairs whose good sentence has the
higher score, ties by half. CoLA (Warstadt, Singh and Bowman 2019): Matthews correlation
on the development sets, with the threshold that is best on the training set; area under
the curve.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import spacy
from numpy.typing import NDArray
from spacy.util import load_model
from wasabi import msg

from spacy_latperc.errors import Errors
from spacy_latperc.grammaticality.filter.scores import AT_ONCE, find_component
from spacy_latperc.grammaticality.ngrams.model import NgramModel
from spacy_latperc.grammaticality.scorer import area_under_curve
from spacy_latperc.io.jsonl import write_json
from spacy_latperc.io.packed import open_unpacked
from tools.corpora.locate import required_folder

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Scorer = Callable[[Sequence[str]], Floats]

BLIMP = "blimp/blimp.jsonl.gz"
COLA_TRAIN = "cola/in_domain_train.tsv"
COLA_DEV = {"in": "cola/in_domain_dev.tsv", "out": "cola/out_of_domain_dev.tsv"}


@dataclass(frozen=True)
class Pairs:
    """Minimal pairs, and what each of them tests."""

    good: list[str]
    bad: list[str]
    groups: list[str]


@dataclass(frozen=True)
class Judged:
    """Sentences, and whether people accept them."""

    texts: list[str]
    accepted: Bools


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Scores and acceptability")
    parser.add_argument("models", nargs="*", metavar="MODEL", help="pipelines")
    parser.add_argument("--ngrams", nargs="*", type=Path, default=[], metavar="FILE")
    parser.add_argument(
        "--by", choices=("field", "linguistics_term", "UID"), default="field"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="for the figures")
    options = parser.parse_args(arguments)
    if not options.models and not options.ngrams:
        parser.error("nothing to score with: name a pipeline, or --ngrams FILE")
    for path in options.ngrams:
        if not path.is_file():
            parser.error(Errors.LP101.format(path=path))
    folder = required_folder(BLIMP, COLA_TRAIN, *COLA_DEV.values())
    pairs = read_pairs(folder / BLIMP, options.by)
    train = read_judged(folder / COLA_TRAIN)
    parts = {name: read_judged(folder / path) for name, path in COLA_DEV.items()}
    preferred, judged, figures = [], [], {}
    for name, score in scorers(options.models, options.ngrams):
        shares = preferences(score, pairs)
        agreement = correlations(score, train, parts)
        preferred.append((name, shares))
        judged.append((name, *map(_three, agreement.values())))
        figures[name] = {"blimp": shares, "cola": agreement}
    _table("BLiMP", preferred)
    header = ("CoLA", *(f"MCC {part}" for part in (*parts, "all")), "AUC")
    msg.table(judged, header=header, divider=True, aligns=("l", *"rrrr"))
    if options.json:
        write_json(options.json, figures)


def _table(title: str, rows: Sequence[tuple[str, dict[str, float]]]) -> None:
    """A row for each group: there may be many of them."""
    names = [name for name, _ in rows]
    groups = rows[0][1]
    cells = [
        (group, *(f"{100 * shares[group]:.1f}" for _, shares in rows))
        for group in groups
    ]
    aligns = ("l", *("r" for _ in names))
    msg.table(cells, header=(title, *names), divider=True, aligns=aligns)


def _three(value: float) -> str:
    return f"{value:.3f}"


# What is scored -----------------------------------------------------------------------


def read_pairs(path: Path, by: str = "field") -> Pairs:
    """The pairs of a file of BLiMP, plain or .gz; by: the field that groups them."""
    with open_unpacked(path) as file:
        rows = [json.loads(line) for line in file]
    return Pairs(
        [row["sentence_good"] for row in rows],
        [row["sentence_bad"] for row in rows],
        # One of the 67 paradigms spells its field with a slash.
        [row[by].replace("/", "_") for row in rows],
    )


def read_judged(path: Path) -> Judged:
    """The sentences of a file of CoLA: source, 1 or 0, original mark, sentence."""
    with open_unpacked(path) as file:
        rows = [line.decode("utf8").rstrip("\n").split("\t") for line in file]
    return Judged([row[3] for row in rows], np.array([row[1] == "1" for row in rows]))


# What scores --------------------------------------------------------------------------


def scorers(
    models: Sequence[str], ngrams: Iterable[Path]
) -> Iterable[tuple[str, Scorer]]:
    """One of each pipeline, two of each n-gram model, with their names."""
    for model in models:
        yield Path(model).name, pipeline_scorer(model)
    for path in ngrams:
        model_of_words = NgramModel.from_disk(path)
        yield f"{path.stem}, sum", ngram_scorer(model_of_words)
        yield f"{path.stem}, per token", ngram_scorer(model_of_words, per_token=True)


def pipeline_scorer(model: str | Path) -> Scorer:
    nlp = load_model(model)
    pipe = find_component(nlp, None)
    pipe.explain = pipe.chunks = False

    def score(texts: Sequence[str]) -> Floats:
        docs = nlp.pipe(texts, batch_size=AT_ONCE)
        return np.array([doc._.grammaticality_margin for doc in docs])

    return score


def ngram_scorer(model: NgramModel, *, per_token: bool = False) -> Scorer:
    tokenizer = spacy.blank("en").tokenizer

    def score(texts: Sequence[str]) -> Floats:
        docs = tokenizer.pipe(texts, batch_size=AT_ONCE)
        words = [[token.text for token in doc if not token.is_space] for doc in docs]
        found = model.score_sentences(words)
        # The end of the sentence is a token too.
        return found / [len(row) + 1 for row in words] if per_token else found

    return score


# What comes of it ---------------------------------------------------------------------


def preferences(score: Scorer, pairs: Pairs) -> dict[str, float]:
    """The share of pairs whose good sentence scores higher, of "all" and by group."""
    good, bad = score(pairs.good), score(pairs.bad)
    right = (good > bad) + 0.5 * (good == bad)
    groups = np.array(pairs.groups)
    shares = {str(group): right[groups == group].mean() for group in np.unique(groups)}
    return {"all": float(right.mean()), **{k: float(v) for k, v in shares.items()}}


def correlations(
    score: Scorer, train: Judged, parts: dict[str, Judged]
) -> dict[str, float]:
    """Matthews correlation on each part and on "all" of them, and their "auc"."""
    threshold = best_threshold(score(train.texts), train.accepted)
    scores = {name: score(part.texts) for name, part in parts.items()}
    found = {
        name: matthews(scores[name] >= threshold, part.accepted)
        for name, part in parts.items()
    }
    together = np.concatenate(list(scores.values()))
    accepted = np.concatenate([part.accepted for part in parts.values()])
    area = area_under_curve(together, accepted)
    return {
        **found,
        "all": matthews(together >= threshold, accepted),
        "auc": float("nan") if area is None else area,
    }


def best_threshold(scores: Floats, accepted: Bools) -> float:
    """The lowest score to accept, for the highest Matthews correlation; of several the
    lowest."""
    order = np.argsort(scores, kind="stable")
    values, first = np.unique(scores[order], return_index=True)
    above = np.cumsum(accepted[order][::-1])[::-1][first].astype(np.float64)
    taken = len(scores) - first.astype(np.float64)
    found = _matthews(above, taken, float(accepted.sum()), len(scores))
    return float(values[np.argmax(found)])


def matthews(predicted: Bools, accepted: Bools) -> float:
    """Matthews correlation coefficient; 0 where one side is all of one kind."""
    both, taken = (predicted & accepted).sum(), predicted.sum()
    return float(
        _matthews(
            np.array([both], dtype=np.float64),
            np.array([taken], dtype=np.float64),
            float(accepted.sum()),
            len(accepted),
        )[0]
    )


def _matthews(both: Floats, taken: Floats, accepted: float, n: int) -> Floats:
    """Of the numbers accepted by both, by the scores, by people, and of all."""
    spread = taken * (n - taken) * accepted * (n - accepted)
    covariance = n * both - taken * accepted
    return np.where(spread > 0, covariance / np.sqrt(np.maximum(spread, 1.0)), 0.0)


if __name__ == "__main__":
    main()
