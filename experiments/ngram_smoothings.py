"""Ways to smooth the counts of n-grams: what they predict, and what they prefer.

    python -m experiments.ngram_smoothings

Counts of the raw text at hand (as in experiments.error_judge), in tables of one size.
Held out: the mean logarithm of the probability of a token, of sentences that are not in
the text. JFLEG, development part: how often a correction has a higher logarithm per
token than what the learner wrote. Local: how often a sentence of the development part
of UD English EWT has a higher one than the same with one error of the same length. The
last row is the model that false sentences are sampled from, which is not made to fit.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from time import process_time

import numpy as np
from wasabi import msg

from experiments.error_judge import (
    CONLL,
    EWT,
    JFLEG,
    LOCAL,
    RAW,
    Judge,
    choose,
    learner_pairs,
    local_pairs,
    preferred,
    read_columns,
    read_parts,
    read_rows,
)
from spacy_latperc.grammaticality.corruption.corrupt import Corrupter, CorruptSettings
from spacy_latperc.grammaticality.ngrams.model import NgramModel
from spacy_latperc.io.jsonl import write_json
from spacy_latperc.knowledge.lexicon import Lexicon
from spacy_latperc.knowledge.ngram_counts import CountSettings, NgramCounts
from spacy_latperc.text.sentences import join
from tools.corpora.locate import required_folder

EWT_DEV = "ud_ewt/dev.tsv"
ORDERS = (3, 4, 5)
SMOOTHINGS = ("absolute", "witten-bell", "kneser-ney", "modified-kneser-ney")
HEADER = (
    "Smoothing", "Order", "MB", "Kept from", "s", "Held out", "JFLEG", "Local",
)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Ways to smooth counts of n-grams")
    parser.add_argument("--megabytes", type=float, default=40.0, help="of tables")
    parser.add_argument("--json", type=Path, metavar="FILE", help="for the figures")
    options = parser.parse_args(arguments)
    folder = required_folder(*RAW, EWT[0], EWT_DEV, CONLL[0], *JFLEG)
    parts, _ = read_parts(folder)
    held_out, _, whole = choose(parts, 0)
    learners = [read_rows(folder / name) for name in JFLEG]
    lexicon = Lexicon(join(whole.vocabulary, parts[1:]))
    local = Corrupter(lexicon, CorruptSettings(shares=LOCAL, most=1, seed=7))
    rows = [words for words, _ in read_columns(folder / EWT_DEV)]
    pairs = local_pairs(local, rows)

    def measure(judge: Judge) -> tuple[float, float, float]:
        def per_token(rows: Sequence[Sequence[str]]) -> np.ndarray:
            return judge(rows) / np.array([len(words) + 1 for words in rows])

        sentences = list(held_out)
        tokens = sum(len(words) + 1 for words in sentences)
        return (
            float(judge(sentences).sum()) / tokens,
            learner_pairs(per_token, learners),
            preferred(per_token, pairs),
        )

    figures = []
    for order in ORDERS:
        for smoothing in SMOOTHINGS if order == max(ORDERS) else SMOOTHINGS[::3]:
            start = process_time()
            settings = CountSettings(
                order, smoothing, options.megabytes, alternatives=False
            )
            counts = NgramCounts.count(whole, settings)
            seconds = process_time() - start
            least = ", ".join(map(str, counts.least))
            found = measure(counts.log_probability)
            size = counts.nbytes / 1e6
            figures.append((smoothing, order, size, least, seconds, *found))
    start = process_time()
    model = NgramModel.train(whole, order=3)
    seconds = process_time() - start
    found = measure(model.score_sentences)
    size = sum(x.nbytes for x in model.table.to_arrays().values()) / 1e6
    figures.append(("kneser-ney, exact", 3, size, "1, 1, 1", seconds, *found))
    print(f"{len(whole):,} sentences, {len(whole.ids):,} words; {len(pairs):,} pairs")
    msg.table([_row(*row) for row in figures], header=HEADER, divider=True)
    if options.json:
        names = ("smoothing", "order", "megabytes", "least", "seconds", "held_out",
                 "jfleg", "local")  # fmt: skip
        rows_of = [dict(zip(names, row, strict=True)) for row in figures]
        write_json(options.json, rows_of)


def _row(
    smoothing: str, order: int, size: float, least: str, seconds: float,
    held_out: float, jfleg: float, local: float,
) -> tuple[str, ...]:  # fmt: skip
    return (
        smoothing, str(order), f"{size:.1f}", least, f"{seconds:.1f}",
        f"{held_out:.2f}", f"{100 * jfleg:.1f}%", f"{100 * local:.1f}%",
    )  # fmt: skip


if __name__ == "__main__":
    main()
