"""What latperc_errors with n-gram evidence is worth as a judge, beside n-gram models.

    python -m experiments.error_judge --output FOLDER [--sentences N] [--json FILE]

It counts n-grams of the raw text at hand (speeches, reviews, web, chat, training parts
of UD English EWT and CoNLL-2000), puts errors into N of its sentences, in shares as
they are in JFLEG, and trains a tagger (EWT) and latperc_errors behind it. News of
Reuters is held back: it is the other domain.

Measured beside a 3-gram Kneser-Ney model of the same text, its 5-gram counts, and
length:

- JFLEG, development part: how often a correction is preferred to the sentence that a
  learner wrote. How much the detector counts beside the n-grams is chosen here.
- The same, tokens: wrong where at least two of four corrections change something. The
  threshold is chosen here.
- Pairs with one error of the same length, of test sentences of EWT and CoNLL-2000.
- Clean sentences flagged, at the threshold that flags one in twenty sentences that were
  held out of the raw text, and sentences with one to four errors that are found by it.
- CoLA, and every tenth pair of BLiMP, as in experiments.acceptability.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import spacy
from numpy.typing import NDArray
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from wasabi import msg

from experiments.acceptability import (
    BLIMP,
    COLA_DEV,
    COLA_TRAIN,
    Pairs,
    correlations,
    preferences,
    read_judged,
    read_pairs,
)
from spacy_latperc.grammaticality.corruption.corrupt import (
    Corrupted,
    Corrupter,
    CorruptSettings,
)
from spacy_latperc.grammaticality.corruption.files import to_doc
from spacy_latperc.grammaticality.corruption.fitting import align, fit_shares
from spacy_latperc.grammaticality.error_scorer import token_scores
from spacy_latperc.grammaticality.ngrams.model import NgramModel
from spacy_latperc.grammaticality.rng import random_order
from spacy_latperc.grammaticality.scorer import area_under_curve
from spacy_latperc.io.docbin import MADE_FROM
from spacy_latperc.io.jsonl import write_json
from spacy_latperc.io.packed import open_unpacked
from spacy_latperc.kernels.text import Vocabulary
from spacy_latperc.knowledge.lexicon import Lexicon
from spacy_latperc.knowledge.ngram_counts import SMOOTHINGS, CountSettings, NgramCounts
from spacy_latperc.text.lines import read_text
from spacy_latperc.text.sentences import Sentences, from_ids, join
from tools.corpora.locate import required_folder

RAW = ("lm_text/domain_a.train.txt.gz", "raw_text/english.txt.gz")
NEWS = "lm_text/domain_b.txt.gz"
EWT = ("ud_ewt/train.tsv.gz", "ud_ewt/test.tsv")
CONLL = ("conll2000/train.txt.gz", "conll2000/test.txt")
JFLEG = ("jfleg/dev.src", *(f"jfleg/dev.ref{n}" for n in range(4)))
# Of the training sentences: speeches, raw English, EWT and CoNLL-2000.
MIXTURE = (0.25, 0.45, 0.3)
# Kinds that an alignment cannot see, beside those that are fitted.
RARE = {"order": 0.03, "far": 0.01, "halves": 0.01, "cut": 0.01, "repeat": 0.01}
# Local errors that keep the length of a sentence.
LOCAL = {"form": 0.4, "small": 0.35, "order": 0.15, "spelling": 0.1}
WEIGHTS = (0.0, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 50.0)
BATCH = 256
BLIMP_EVERY = 10
HELD_OUT = 700  # of each kind of text
PASSES = 5
SURE = 1e-6

Floats = NDArray[np.float64]
Rows = Sequence[Sequence[str]]
Judge = Callable[[Rows], Floats]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Errors, found and judged by")
    parser.add_argument("--output", type=Path, required=True, help="for the pipeline")
    parser.add_argument("--sentences", type=int, default=36_000)
    parser.add_argument("--megabytes", type=float, default=30.0, help="of n-grams")
    parser.add_argument("--smoothing", default="absolute", choices=SMOOTHINGS)
    parser.add_argument("--json", type=Path, metavar="FILE", help="for the figures")
    options = parser.parse_args(arguments)
    folder = required_folder(*RAW, NEWS, *EWT, *CONLL, *JFLEG, BLIMP, COLA_TRAIN)
    clock = Clock()
    parts, tagged = read_parts(folder)
    held_out, train, whole = choose(parts, options.sentences)
    options.output.mkdir(parents=True, exist_ok=True)
    path = options.output / "text.ngrams"
    ways = CountSettings(smoothing=options.smoothing, megabytes=options.megabytes)
    counts = NgramCounts.count(whole, ways)
    counts.to_disk(path)
    clock.tell(f"counted {len(whole):,} sentences, {path.stat().st_size / 1e6:.1f} MB")
    learners = [read_rows(folder / name) for name in JFLEG]
    lexicon = Lexicon(join(whole.vocabulary, parts[1:]))
    fit = fit_shares(zip(learners[0], learners[1], strict=True), lexicon)
    shares = {**fit.shares, **RARE}
    settings = CorruptSettings(shares=shares, clean=0.25, most=5)
    made = list(Corrupter(lexicon, settings).all_of(train))
    clock.tell(f"put errors into {len(made):,} sentences")
    nlp = make_pipeline(tagged, made, path, clock)
    nlp.to_disk(options.output / "pipeline")
    size = sum(x.stat().st_size for x in (options.output / "pipeline/errors").iterdir())
    clock.tell(f"trained; the component has {size / 1e6:.1f} MB")
    trigrams = NgramModel.train(whole, order=3)
    judges = make_judges(nlp, counts, trigrams)
    judges = {name: remembered(judge) for name, judge in judges.items()}
    weight = best_weight(judges, learners)
    judges["both"] = lambda rows: (
        weight * judges["errors"](rows) + judges["3-grams, per token"](rows)
    )
    local = Corrupter(lexicon, CorruptSettings(shares=LOCAL, most=1, seed=7))
    tests = {"EWT": EWT[1], "CoNLL-2000": CONLL[1]}
    rows = {k: [w for w, _ in read_columns(folder / v)] for k, v in tests.items()}
    pairs = {name: local_pairs(local, found) for name, found in rows.items()}
    wrong = Corrupter(lexicon, CorruptSettings(shares=shares, seed=8))
    news = list(read_text(folder / NEWS)[0].slice(0, 3000))
    flagged = {
        "held out": list(held_out),
        "other news": news,
        **{f"{name} test": found for name, found in rows.items()},
        **{f"{k} test, with errors": corrupted(wrong, v) for k, v in rows.items()},
    }
    figures = {
        "weight": weight,
        "shares": shares,
        "megabytes": size / 1e6,
        "tokens": learner_tokens(nlp, learners),
        "judges": {
            name: {
                "JFLEG": learner_pairs(judge, learners),
                **{f"local, {k}": preferred(judge, v) for k, v in pairs.items()},
                "flagged": shares_flagged(judge, flagged),
                **acceptability(judge, folder),
            }
            for name, judge in judges.items()
        },
    }
    clock.tell("judged")
    show(figures)
    if options.json:
        write_json(options.json, figures)


class Clock:
    """Tells how much time of the processor was taken."""

    def __init__(self) -> None:
        self._start = process_time()

    def tell(self, what: str) -> None:
        """Print the seconds so far, and what was done."""
        msg.text(f"{process_time() - self._start:6.0f} s  {what}")


# Text ---------------------------------------------------------------------------------


def read_parts(folder: Path) -> tuple[list[Sentences], list[tuple[list[str], ...]]]:
    """Speeches, raw English and annotated text over one vocabulary; the sentences and
    tags of EWT."""
    vocabulary = Vocabulary()
    parts = [read_text(folder / name, vocabulary=vocabulary)[0] for name in RAW]
    tagged = read_columns(folder / EWT[0])
    rows = [words for words, _ in [*tagged, *read_columns(folder / CONLL[0])]]
    ids = [np.asarray([vocabulary.add(w) for w in words], np.int32) for words in rows]
    return [*parts, from_ids(vocabulary, ids)], tagged


def read_rows(path: Path) -> list[list[str]]:
    """The words of the lines of a file."""
    return [line.split() for line in path.read_text(encoding="utf8").splitlines()]


def read_columns(path: Path) -> list[tuple[list[str], ...]]:
    """Words and tags of the sentences of a file: those of EWT have numbers."""
    numbered = path.name.partition(".")[2].startswith("tsv")
    found: list[tuple[list[str], list[str]]] = [([], [])]
    with open_unpacked(path) as file:
        for line in file:
            fields = line.decode("utf8").split("\t" if numbered else None)
            if not line.strip():
                found.append(([], []))
            elif len(fields) > 2 and not (numbered and line.startswith(b"#")):
                found[-1][0].append("".join(fields[1 if numbered else 0].split()))
                found[-1][1].append(fields[3 if numbered else 1].strip())
    return [sentence for sentence in found if sentence[0]]


def choose(
    parts: Sequence[Sentences], n: int
) -> tuple[Sentences, Sentences, Sentences]:
    """Sentences of 4 to 60 words that are held out, n to train on, and all but those
    that are held out."""
    held_out, train, rest = [], [], []
    for number, (part, share) in enumerate(zip(parts, MIXTURE, strict=True)):
        fitting = np.flatnonzero((part.lengths >= 4) & (part.lengths <= 60))
        order = fitting[random_order(len(fitting), 5, number)]
        held_out.append(part.take(order[:HELD_OUT]))
        train.append(part.take(order[HELD_OUT : HELD_OUT + int(share * n)]))
        rest.append(part.take(np.setdiff1d(np.arange(len(part)), order[:HELD_OUT])))
    vocabulary = parts[0].vocabulary
    whole = join(vocabulary, train)
    mixed = whole.take(random_order(len(whole), 6))
    return join(vocabulary, held_out), mixed, join(vocabulary, rest)


# The pipeline -------------------------------------------------------------------------


def make_pipeline(
    tagged: Sequence[tuple[list[str], ...]],
    made: Sequence[Corrupted],
    counts: Path,
    clock: Clock,
) -> Language:
    """A tagger, and behind it what finds errors."""
    nlp = spacy.blank("en")
    tagger: Any = nlp.add_pipe("latperc_tagger", name="tagger")
    examples = [
        Example(Doc(nlp.vocab, words=words), Doc(nlp.vocab, words=words, tags=tags))
        for words, tags in tagged
    ]
    learn(tagger, examples, nlp)
    clock.tell("trained the tagger")
    source = {"@misc": "spacy_latperc.NgramEvidence.v1", "path": str(counts)}
    features = {
        "@misc": "spacy_latperc.ErrorFeatures.v1",
        "tags": True,
        "min_count": 2,
        "sources": {"text": source},
    }
    errors = nlp.add_pipe(
        "latperc_errors", name="errors", config={"model": {"features": features}}
    )
    docs = [as_doc(nlp, x.words, x.original) for x in made]
    docs = list(tagger.pipe(docs, batch_size=BATCH))
    references = (to_doc(sentence, nlp.vocab) for sentence in made)
    learn(errors, list(map(Example, docs, references)), nlp)
    return nlp


def as_doc(nlp: Language, words: Sequence[str], original: Rows = ()) -> Doc:
    """A Doc of words, and of the sentences that it was made from."""
    doc = Doc(nlp.vocab, words=list(words))
    if original:
        doc.user_data[MADE_FROM] = original
    return doc


def learn(pipe: Any, examples: list[Example], nlp: Language) -> None:
    """Some passes over examples."""
    pipe.initialize(lambda: examples, nlp=nlp)
    for number in range(PASSES):
        random.Random(number).shuffle(examples)
        for start in range(0, len(examples), 64):
            pipe.update(examples[start : start + 64])


def token_probabilities(nlp: Language, rows: Rows) -> list[Floats]:
    """How probable each token is to be wrong."""
    found = []
    for doc in nlp.pipe((as_doc(nlp, words) for words in rows), batch_size=BATCH):
        found.append(np.asarray(doc.spans["errors"].attrs["tokens"], np.float64))
    return found


# Judges -------------------------------------------------------------------------------


def make_judges(
    nlp: Language, counts: NgramCounts, trigrams: NgramModel
) -> dict[str, Judge]:
    """What gives sentences a score, by name."""

    def errors(rows: Rows) -> Floats:
        found = token_probabilities(nlp, rows)
        return np.array([np.log1p(-np.minimum(x, 1 - SURE)).mean() for x in found])

    def per_token(judge: Judge) -> Judge:
        # The end of the sentence is a token too.
        return lambda rows: judge(rows) / np.array([len(words) + 1 for words in rows])

    return {
        "length": lambda rows: -np.array([len(words) for words in rows], np.float64),
        "3-grams, per token": per_token(trigrams.score_sentences),
        "5-grams, per token": per_token(counts.log_probability),
        "5-grams, sum": counts.log_probability,
        "errors": errors,
    }


def remembered(judge: Judge) -> Judge:
    """The same, asked once about each list of sentences."""
    known: dict[int, Floats] = {}

    def scores(rows: Rows) -> Floats:
        key = hash(tuple(map(tuple, rows)))
        if key not in known:
            known[key] = judge(rows)
        return known[key]

    return scores


def best_weight(judges: dict[str, Judge], learners: Sequence[Rows]) -> float:
    """How much the detector counts beside the n-grams: the best on JFLEG."""
    parts = [judges["errors"], judges["3-grams, per token"]]
    found = [[judge(rows) for judge in parts] for rows in learners]

    def share(weight: float) -> float:
        scores = [weight * errors + ngrams for errors, ngrams in found]
        return _share(scores, learners)

    return max(WEIGHTS, key=share)


def learner_pairs(judge: Judge, learners: Sequence[Rows]) -> float:
    """The share of corrections that score higher than what the learner wrote."""
    return _share([judge(rows) for rows in learners], learners)


def _share(scores: Sequence[Floats], learners: Sequence[Rows]) -> float:
    right = [
        (corrected > scores[0]) + 0.5 * (corrected == scores[0])
        for corrected in scores[1:]
    ]
    changed = [
        np.array([a != b for a, b in zip(learners[0], rows, strict=True)])
        for rows in learners[1:]
    ]
    return float(np.concatenate(right)[np.concatenate(changed)].mean())


def preferred(judge: Judge, pairs: Sequence[tuple[list[str], list[str]]]) -> float:
    """The share of pairs whose first sentence scores higher, ties by half."""
    good, bad = (judge(rows) for rows in zip(*pairs, strict=True))
    return float(((good > bad) + 0.5 * (good == bad)).mean())


def local_pairs(corrupter: Corrupter, rows: Rows) -> list[tuple[list[str], list[str]]]:
    """Sentences of 5 to 50 words, and the same with one error of the same length."""
    found = []
    for number, words in enumerate(rows):
        if 5 <= len(words) <= 50:
            made = corrupter.one(words, number)
            if made.marks and len(made.words) == len(words):
                found.append((list(words), made.words))
    return found


def corrupted(corrupter: Corrupter, rows: Rows) -> list[list[str]]:
    """Sentences with errors."""
    made = (corrupter.one(words, n) for n, words in enumerate(rows) if len(words) > 4)
    return [sentence.words for sentence in made if sentence.marks]


def shares_flagged(judge: Judge, texts: Mapping[str, Rows]) -> dict[str, float]:
    """The share of sentences of each text that score below what one in twenty of the
    first text does."""
    scores = [judge(rows) for rows in texts.values()]
    threshold = np.quantile(scores[0], 0.05)
    return {
        name: float((found < threshold).mean())
        for name, found in zip(texts, scores, strict=True)
    }


def acceptability(judge: Judge, folder: Path) -> dict[str, float]:
    """BLiMP, and Matthews correlation and area under the curve of CoLA."""
    tokenizer = spacy.blank("en").tokenizer

    def score(texts: Sequence[str]) -> Floats:
        docs = tokenizer.pipe(texts, batch_size=BATCH)
        return judge([[t.text for t in doc if not t.is_space] for doc in docs])

    parts = {name: read_judged(folder / path) for name, path in COLA_DEV.items()}
    found = correlations(score, read_judged(folder / COLA_TRAIN), parts)
    pairs = read_pairs(folder / BLIMP)
    lists = (pairs.good, pairs.bad, pairs.groups)
    blimp = preferences(score, Pairs(*(part[::BLIMP_EVERY] for part in lists)))
    return {"BLiMP": blimp["all"], "CoLA MCC": found["all"], "CoLA AUC": found["auc"]}


def learner_tokens(nlp: Language, learners: Sequence[Rows]) -> dict[str, float]:
    """F0.5 at the best threshold, and area under the curve, of the tokens of learners'
    sentences; and F0.5 where all tokens are flagged."""
    source, *corrections = learners
    real = np.concatenate(
        [
            changed_tokens(words, [rows[number] for rows in corrections])
            for number, words in enumerate(source)
        ]
    )
    found = np.concatenate(token_probabilities(nlp, source))
    thresholds = np.linspace(0.05, 0.9, 35)
    scores = {float(t): token_scores(real, found >= t) for t in thresholds}
    best = max(scores, key=lambda t: scores[t][2])
    precision, recall, f = scores[best]
    everything = token_scores(real, np.ones(len(real), dtype=bool))[2]
    return {
        "f05": f,
        "precision": precision,
        "recall": recall,
        "threshold": best,
        "auc": area_under_curve(found, real) or 0.0,
        "f05 of all": everything,
    }


def changed_tokens(words: Sequence[str], corrections: Rows) -> NDArray[np.bool_]:
    """Tokens that at least two corrections change, or put something before."""
    votes = np.zeros(len(words), dtype=np.int64)
    for corrected_words in corrections:
        changed = np.zeros(len(words), dtype=bool)
        for _, _, start, end in align(corrected_words, words):
            at = min(start, len(words) - 1)
            changed[at : max(end, at + 1)] = True
        votes += changed
    return votes >= 2


def show(figures: dict) -> None:
    """Print the figures."""
    judges = figures["judges"]
    names = [name for name in next(iter(judges.values())) if name != "flagged"]
    rows = [
        (judge, *(f"{found[name]:.3f}" for name in names))
        for judge, found in judges.items()
    ]
    aligns = ("l", *("r" for _ in names))
    msg.table(rows, header=("", *names), divider=True, aligns=aligns)
    texts = list(next(iter(judges.values()))["flagged"])
    rows = [
        (judge, *(f"{100 * found['flagged'][text]:.1f}" for text in texts))
        for judge, found in judges.items()
    ]
    aligns = ("l", *("r" for _ in texts))
    msg.table(rows, header=("% flagged", *texts), divider=True, aligns=aligns)
    tokens = figures["tokens"]
    msg.table([(name, f"{value:.3f}") for name, value in tokens.items()])
    msg.text(f"The detector counts {figures['weight']:g} times beside the n-grams.")


if __name__ == "__main__":
    main()
