"""A mix of 80 % clean and 20 % bad text, of which a judge has seen nothing:
`python -m benchmarks.judge_mix JUDGE --data DATA`.

The bad text is nine kinds in equal shares. It prints the share of each kind that is
flagged at the default threshold, the share below the floor and below the score that
5 % of the good sentences do not reach, and how often the probabilities are right. The
n-grams of the judge, per token, and the length alone stand beside the judge. Abstracts,
and each other language, are measured alone.
"""

import argparse
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import spacy
from numpy.typing import NDArray
from spacy.language import Language
from spacy.tokens import Doc
from wasabi import msg

from experiments.judge import kenlm_scorer, parallel_rows, read_columns
from spacy_latperc.calibration import expected_calibration_error, reliability
from spacy_latperc.io.jsonl import write_json
from spacy_latperc.judge.error_injection.corrupt import Corrupter, CorruptSettings
from spacy_latperc.judge.judge_component import BELOW
from spacy_latperc.judge.sentence_features import COLUMNS, MEAN
from spacy_latperc.judge.training.evaluation import (
    SYSTEMS,
    Others,
    Rows,
    evaluation_table,
)
from spacy_latperc.judge.training.evaluation_files import lexicon_of, rows_of
from spacy_latperc.judge.training.junk import make_junk

Floats = NDArray[np.float64]

EACH = 150  # sentences of a kind
LOST = 0.05  # of the good sentences
LOCAL = {"form": 0.4, "small": 0.35, "order": 0.15, "spelling": 0.1}
FEWEST = 8  # words of sentences in another language, and of shuffled ones
FLOOR = 0.005  # of each clean text
GENRE = 3000  # sentences of abstracts, a genre that is not in the mix

# Boilerplate of web pages.
MENU = ("Home", "About Us", "Contact", "Login", "Register", "Help", "Sitemap", "Blog")
SHOP = ("Add to cart", "In stock", "Free shipping", "Buy now", "Write a review", "Sale")
SITE = ("Share on Facebook", "Tweet this", "Print page", "E-mail to a friend", "RSS")
NAMES = ("Acme", "Globex", "Initech", "Umbrella", "Stark", "Wonka", "Hooli", "Vandelay")
LEGAL = ("All Rights Reserved", "Terms of Use", "Privacy Policy", "Cookies", "Imprint")


def boilerplate(n: int, seed: int = 0) -> Rows:
    """Return lines of menus, shops, archives, forums and footers."""
    draw = random.Random(seed)

    def some(words: Sequence[str], least: int, most: int) -> list[str]:
        return draw.sample(words, draw.randint(least, most))

    def menu() -> str:
        return draw.choice((" | ", " > ", " » ", " · ")).join(some(MENU, 4, 8))

    def shop() -> str:
        price = f"$ {draw.randint(1, 999)}.{draw.randint(0, 99):02d}"
        code = f"SKU : {draw.choice('ABCX')}{draw.randint(1000, 99999)}"
        return " ".join([*some(SHOP, 1, 3), price, code, *some(SHOP, 1, 2)])

    def footer() -> str:
        year = draw.randint(1998, 2024)
        parts = [f"Copyright © {year} {draw.choice(NAMES)} Inc.", *some(LEGAL, 2, 4)]
        return " | ".join(parts)

    def forum() -> str:
        at = f"{draw.randint(1, 12)}:{draw.randint(0, 59):02d} PM"
        name = f"{draw.choice(NAMES).lower()}{draw.randint(1, 99)}"
        counts = f"Posts : {draw.randint(1, 9999)} Joined : {draw.randint(2001, 2020)}"
        return f"Posted by {name} at {at} {counts} Quote Reply Report"

    def pages() -> str:
        first = draw.randint(1, 5)
        numbers = " ".join(str(first + k) for k in range(draw.randint(4, 9)))
        return f"« Previous {numbers} Next » Showing {first} - {first + 9} results"

    def social() -> str:
        counts = f"{draw.randint(1, 900)} likes {draw.randint(0, 90)} comments"
        return " ".join([*some(SITE, 2, 4), counts])

    kinds = (menu, shop, footer, forum, pages, social)
    return [draw.choice(kinds)().split() for _ in range(n)]


def clean_and_bad(data: Path) -> tuple[dict[str, Rows], dict[str, Rows]]:
    """Return clean sentences by text, and bad ones by kind."""
    draw = random.Random(7)
    news = rows_of(data / "lm_text/domain_b.txt.gz")
    clean = {
        "news": news[:3000],
        "CoNLL-2000 test": read_columns(data / "conll2000/test.txt"),
        "EWT test": read_columns(data / "ud_ewt/test.tsv", 1, treebank=True),
    }
    sources = (
        news[10_000:],
        read_columns(data / "conll2000/train.txt.gz"),
        read_columns(data / "ud_ewt/train.tsv.gz", 1, treebank=True),
    )
    base = [x for rows in sources for x in draw.sample(rows, 2000) if len(x) >= 5]
    draw.shuffle(base)
    settings = CorruptSettings(shares=LOCAL, most=1, seed=11)
    local = Corrupter(lexicon_of(base), settings)
    wrong = (local.one(words, n) for n, words in enumerate(base))
    long = [x for x in base if len(x) >= FEWEST]
    others = list(other_languages(data).values())
    learners = (parallel_rows(data / f"jfleg/dev.{x}") for x in ("src", "ref0"))
    pairs = zip(*learners, strict=True)
    bad = {
        "another language": [x for rows in others for x in draw.sample(rows, EACH)],
        "tweets": read_columns(data / "wnut17/train.conll"),
        "learners": [x for x, y in pairs if x != y][::2],
        "one error": [x.words for x in wrong if x.marks],
        "shuffled": make_junk("shuffled", long),
        "cut off": make_junk("cut off", base),
        "two halves": make_junk("two halves", base),
        "repeated": make_junk("repeated", base),
        "boilerplate": boilerplate(500),
    }
    bad = {kind: draw.sample(rows, EACH) for kind, rows in bad.items()}
    each = 4 * EACH * len(bad) // len(clean)
    return {name: draw.sample(rows, each) for name, rows in clean.items()}, bad


def other_languages(data: Path) -> dict[str, Rows]:
    """Return sentences of eight words or more in other languages."""
    path = data / "ud_trees/af_afribooms-test.conllu.gz"
    found = {
        "Spanish": read_columns(data / "conll2002/esp.testb"),
        "Dutch": read_columns(data / "conll2002/ned.testb"),
        "Afrikaans": read_columns(path, 1, treebank=True),
    }
    return {k: [x for x in rows if len(x) >= FEWEST] for k, rows in found.items()}


def scores_of(nlp: Language, rows: Sequence[Sequence[str]], others: Others) -> Floats:
    """Return a table of sentences: raw scores, n-grams per token, lengths, and the
    scores of other systems."""
    judge, detector = nlp.get_pipe("judge"), nlp.get_pipe("errors")
    docs = [Doc(nlp.vocab, words=list(words)) for words in rows]
    seen = list(detector.pipe(docs, batch_size=256))
    lengths = [-len(words) for words in rows]
    scores = judge.predict(seen).found.scores
    features = [doc.spans["errors"].attrs["features"][0] for doc in seen]
    means = np.array(features)[:, COLUMNS.index(MEAN)]
    more = ([score(words) for words in rows] for score in others.values())
    return np.stack([scores, means, lengths, *more], axis=1)


def mix_figures(
    nlp: Language, data: Path, bad_share: float, others: Others
) -> dict[str, Any]:
    """Measure a judge on the mix, as `evaluate_judge` does on other data.

    Args:
        nlp: The pipeline of the judge.
        data: The folder of the corpora.
        bad_share: The share of bad sentences that its probabilities assume.
        others: Other systems by name: functions from words to scores.
    """
    judge = nlp.get_pipe("judge")
    names = (*SYSTEMS, *others)
    good, bad = (
        {name: scores_of(nlp, rows, others) for name, rows in some.items()}
        for some in clean_and_bad(data)
    )
    whole = np.concatenate([*good.values()])
    cuts = np.quantile(whole, LOST, axis=0)
    bad["all nine kinds"] = np.concatenate([*bad.values()])
    rows = []

    def add(name: str, figure: str, table: Floats) -> None:
        found = dict(zip(names, (table < cuts).mean(axis=0).tolist(), strict=True))
        flagged = float((~judge.accepted(table[:, 0])).mean())
        floor = float((table[:, 0] <= BELOW).mean())
        row = {"data": name, "n": len(table), "figure": figure}
        rows.append({**row, **found, "flagged": flagged, "below floor": floor})

    for name, table in {**good, **bad}.items():
        lost = f"lost, of {LOST:.0%}" if name in good else f"found at {LOST:.0%} lost"
        add(name, lost, table)
    genre = rows_of(data / "raw_text/biomedical.txt.gz")[:GENRE]
    rest = {"biomedical": genre, **other_languages(data)}
    alone = {
        name: scores_of(nlp, sentences, others) for name, sentences in rest.items()
    }
    for name, table in alone.items():
        add(name, "alone", table)
    # What a floor would find that takes half a per cent of no clean text.
    clean = [*good.values(), alone.pop("biomedical")]
    long = [np.where(table[:, [2]] <= -FEWEST, table, 0.0) for table in clean]
    cuts = np.min([np.quantile(table, FLOOR, axis=0) for table in long], axis=0)
    empty = dict.fromkeys([*names, "flagged", "below floor"])
    for name in ("tweets", "boilerplate", *alone):
        table = {**bad, **alone}[name]
        row = {"data": name, "n": len(table), "figure": f"found at {FLOOR:.1%} of each"}
        found = dict(zip(names, (table < cuts).mean(axis=0).tolist(), strict=True))
        found = {system: found[system] for system in names[1::2]}  # n-grams
        rows.append({**row, **empty, **found})
    judge.bad_share = bad_share
    scores = np.concatenate([whole[:, 0], bad["all nine kinds"][:, 0]])
    probabilities = judge.probabilities(scores)
    truth = np.arange(len(scores)) < len(whole)
    error = expected_calibration_error(probabilities, truth)
    row = {"data": "good and bad", "n": len(scores), "figure": "calibration error"}
    rows.append({**row, **empty, "judge": error})
    bins = [vars(x) for x in reliability(probabilities, truth)]
    return {"bad_share": bad_share, "rows": rows, "reliability": bins}


def main() -> None:
    """Print the figures of a judge."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("judge")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--bad-share", type=float, default=0.2)
    parser.add_argument("--arpa", help="an n-gram model, which KenLM scores")
    parser.add_argument("--json", type=Path, help="file for all figures")
    given = parser.parse_args()
    nlp, others = spacy.load(given.judge), kenlm_scorer(given.arpa)
    figures = mix_figures(nlp, given.data, given.bad_share, others)
    if given.json:
        write_json(given.json, figures)
    header, figures_shown = evaluation_table(figures)
    aligns = ["l", "r", "l", *("r" for _ in header[3:])]
    msg.table(figures_shown, header=header, divider=True, aligns=aligns)
    msg.text("All figures but n are per cent.")
    header = ["probability", "n", "mean", "good"]
    rows = [
        [f"{x['low']:.2f} to {x['high']:.2f}", f"{x['answers']:,}"]
        + [f"{100 * x[name]:.1f}" for name in ("confidence", "accuracy")]
        for x in figures["reliability"]
    ]
    msg.table(rows, header=header, divider=True, aligns=["l", "r", "r", "r"])


if __name__ == "__main__":
    main()
