"""Texts that `suggest` chooses, compared with a random choice.

    python -m experiments.suggestions [--sets nl,wnut] [--json FILE]

A recogniser starts with 2 % of the tokens of a training set, in random sentences.
In each round it is trained on what is annotated so far, and more sentences are chosen:
by `suggest`, or at random. The share is that of the tokens, since long sentences take
longer to annotate than short ones. F on the test part after the last epoch; means over
seeds. The last row is the smallest share with which `suggest` reaches the F of a random
half.
"""

import argparse
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_latperc.autofit.suggest import MEASURES, suggest
from spacy_latperc.data.corpus import column_corpus
from tools.corpora.locate import required_file

from .training import epochs, show

SETS = {
    "es": ("conll2002/esp.train.gz", "conll2002/esp.testb", "word,tag,ent"),
    "nl": ("conll2002/ned.train.gz", "conll2002/ned.testb", "word,tag,ent"),
    "wnut": ("wnut17/train.conll", "wnut17/test.conll", "word,ent"),
}
SHARES = (0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.5)
EPOCHS = 10


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Chosen and random texts")
    parser.add_argument("--sets", default="nl,wnut")
    parser.add_argument("--seeds", type=int, default=3, help="seeds 0, 1, ...")
    parser.add_argument("--measure", default=MEASURES[0], choices=MEASURES)
    parser.add_argument("--limit", type=int, default=0, help="sentences; 0: all")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    names = options.sets.split(",")
    figures: dict[str, Any] = {name: {} for name in names}
    for name in names:
        train, test = (read(name, i, options.limit) for i in (0, 1))
        for how in ("chosen", "random"):
            curves = []
            for seed in range(options.seeds):
                measure = options.measure if how == "chosen" else None
                curves.append(learning_curve(train, test, seed, measure))
            means = [statistics.mean(column) for column in zip(*curves, strict=True)]
            figures[name][how] = [round(x, 2) for x in means]
            print(name, how, figures[name][how], file=sys.stderr)
    rows = [
        [f"{share:.0%}", *(f"{figures[x][how][i]:.2f}" for x in names for how in HOW)]
        for i, share in enumerate(SHARES)
    ]
    rows.append(["a random half needs", *reached(figures)])
    header = ("Tokens", *(f"{x}, {how}" for x in names for how in HOW))
    show(header, rows, figures, options.json)


HOW = ("chosen", "random")


def reached(figures: dict[str, Any]) -> list[str]:
    """The smallest share with which each choice reaches the F of a random half."""
    found = []
    for curves in figures.values():
        for how in HOW:
            share = next(
                (
                    share
                    for share, f in zip(SHARES, curves[how], strict=True)
                    if f >= curves["random"][-1]
                ),
                None,
            )
            found.append(f"{share:.0%}" if share else "more")
    return found


def read(name: str, part: int, limit: int) -> list[Example]:
    """The examples of the training part (0) or the test part (1) of a set."""
    path, columns = required_file(SETS[name][part]), SETS[name][2]
    corpus = column_corpus(path, columns, ent_scheme="auto", repair=True, limit=limit)
    return list(corpus(spacy.blank("xx")))


def learning_curve(
    train: Sequence[Example], test: Sequence[Example], seed: int, measure: str | None
) -> list[float]:
    """F on test for each share of the tokens; measure None is a random choice."""
    order = np.random.default_rng(seed).permutation(len(train)).tolist()
    total = sum(len(example.reference) for example in train)
    chosen: list[int] = []
    scores = []
    nlp: Any = None
    for share in SHARES:
        queue = order
        if nlp is not None and measure is not None:
            queue = ranked(nlp, train, set(order) - set(chosen), measure)
        known, queue = set(chosen), iter(queue)
        n_tokens = sum(len(train[i].reference) for i in chosen)
        while n_tokens < share * total:
            i = next(queue)
            if i not in known:
                chosen.append(i)
                n_tokens += len(train[i].reference)
        nlp = train_on([train[i] for i in chosen], seed)
        copies = [Example(x.predicted.copy(), x.reference) for x in test]
        scores.append(100 * nlp.evaluate(copies)["ents_f"])
    return scores


def ranked(
    nlp: Language, train: Sequence[Example], rest: set[int], measure: str
) -> list[int]:
    """The numbers of the other examples, those first that `suggest` chooses."""
    numbers = sorted(rest)
    docs = [train[i].predicted.copy() for i in numbers]
    number_of = {id(doc): i for doc, i in zip(docs, numbers, strict=True)}
    found = suggest(nlp, nlp.get_pipe("ner"), docs, len(docs) // 10, measure=measure)
    return [number_of[id(doc)] for doc, _ in found] + numbers


def train_on(examples: Sequence[Example], seed: int) -> Language:
    """A recogniser with the default settings."""
    vocab = examples[0].reference.vocab
    nlp = spacy.blank("xx", vocab=vocab)
    ner = nlp.add_pipe("latperc_ner", "ner", config={"model": {"seed": seed}})
    fresh = [
        Example(Doc(vocab, [t.text for t in x.reference]), x.reference)
        for x in examples
    ]
    nlp.initialize(lambda: fresh)
    for _ in epochs(ner, fresh, EPOCHS, seed):
        pass
    return nlp


if __name__ == "__main__":
    main()
