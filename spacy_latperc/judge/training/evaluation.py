"""Evaluation of a judge, with an n-gram model and a length-only baseline."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.language import Language
from spacy.tokens import Doc

from ...calibration import log_odds
from ...grammaticality.scorer import area_under_curve
from ..error_detector import EVIDENCE, TOKENS
from ..error_injection.corrupt import Corrupter
from ..error_scorer import token_scores
from ..filter.filter_scores import find_component
from ..sentence_features import NGRAM, columns_of
from .junk import KINDS as JUNK
from .junk import make_junk

Rows = Sequence[Sequence[str]]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

SYSTEMS = ("judge", "n-grams", "length")
PREFERRED, RANKS, AUC = "pairs preferred", "rank correlation", "AUC"
TOKEN_F, TOKEN_AUC = "F0.5 of tokens", "AUC of tokens"
_PER_TOKEN = "log probability, mean"  # a feature of n-grams
_AT_ONCE = 256
_THRESHOLDS = np.linspace(0.02, 0.9, 41)
_MOST_JUNK = 2000  # sentences


@dataclass
class EvaluationData:
    """Sets of sentences by name. Each group may be empty.

    Attributes:
        pairs: Good sentences and worse versions of them.
        grades: Sentences and their grades.
        tokens: Sentences, and True for each wrong token.
        clean: Good sentences.
        wrong: Bad sentences.
    """

    pairs: dict[str, tuple[Rows, Rows]] = field(default_factory=dict)
    grades: dict[str, tuple[Rows, Floats]] = field(default_factory=dict)
    tokens: dict[str, tuple[Rows, list[Bools]]] = field(default_factory=dict)
    clean: dict[str, Rows] = field(default_factory=dict)
    wrong: dict[str, Rows] = field(default_factory=dict)

    def add_errors(self, name: str, corrupter: Corrupter) -> None:
        """Add sentences with errors, made of a set of clean ones.

        Args:
            name: The name of the clean set.
            corrupter: Injects the errors.
        """
        good: list[Sequence[str]] = []
        bad: list[list[str]] = []
        labels = []
        other: Sequence[str] = ()
        for number, words in enumerate(self.clean[name]):
            made = corrupter.one(words, number, other)
            other = words
            if made.marks and made.words:
                good.append(words)
                bad.append(made.words)
                labels.append(np.array([bool(label) for label in made.labels]))
        name = f"{name}, with errors"
        self.wrong[name] = bad
        self.pairs[name] = good, bad
        self.tokens[name] = bad, labels

    def add_junk(self) -> None:
        """Add sets that are no sentences, made of all clean ones."""
        rows = [words for found in self.clean.values() for words in found][:_MOST_JUNK]
        if len(rows) > 1:
            self.wrong.update({kind: make_junk(kind, rows) for kind in JUNK})


class Scores:
    """The scores of some sentences by the judge and by the baselines.

    Args:
        nlp: The pipeline of the judge.
        rows: The words of the sentences.
    """

    def __init__(self, nlp: Language, rows: Rows):
        self.rows = rows
        pipe = find_component(nlp)
        key = getattr(pipe.settings, "errors_key", "")
        good, preferences, tokens, ngrams = [], [], [], []
        docs = (Doc(nlp.vocab, words=list(words)) for words in rows)
        for doc in nlp.pipe(docs, batch_size=_AT_ONCE):
            good.append(doc.cats[pipe.labels[0]])
            preferences.append(doc._.preference)
            group = doc.spans.data.get(key)
            attrs = {} if group is None else group.attrs
            tokens.append(np.asarray(attrs.get(TOKENS, ()), dtype=np.float64))
            table = attrs.get(EVIDENCE, {}).get(NGRAM)
            if table is not None and len(table):
                ngrams.append(np.asarray(table, dtype=np.float64).sum(axis=0))
        probabilities = np.array(good, dtype=np.float64)
        self.judge = np.asarray(log_odds(probabilities))
        self.flagged = probabilities < pipe.threshold
        self.preference = np.array(preferences, dtype=np.float64)
        self.tokens = np.concatenate([*tokens, np.zeros(0)])
        column = columns_of(NGRAM).index(_PER_TOKEN)
        complete = len(ngrams) == len(good)
        self.ngrams = np.array([row[column] for row in ngrams]) if complete else None

    @cached_property
    def systems(self) -> dict[str, Floats | None]:
        """The scores of sentences by system."""
        lengths = np.array([len(words) for words in self.rows], dtype=np.float64)
        return dict(zip(SYSTEMS, (self.judge, self.ngrams, -lengths), strict=True))

    @cached_property
    def versions(self) -> dict[str, Floats | None]:
        """The same, to compare versions of one sentence."""
        return {**self.systems, SYSTEMS[0]: self.preference}


def evaluate_judge(nlp: Language, data: EvaluationData) -> dict[str, Any]:
    """Evaluate a judge.

    Args:
        nlp: The pipeline of the judge.
        data: The sets of sentences.

    Returns:
        The threshold of the judge, and rows of figures: of pairs, the share in which
        the better sentence has the higher score; of grades, Spearman's correlation; of
        bad sentences, the area under the curve against all clean ones; and the share of
        sentences below the threshold.
    """
    pipe = find_component(nlp)
    rows: list[dict[str, Any]] = []
    known: dict[int, Scores] = {}  # the sets of a corpus share sentences

    def scored(sentences: Rows) -> Scores:
        if id(sentences) not in known:
            known[id(sentences)] = Scores(nlp, sentences)
        return known[id(sentences)]

    def add(name: str, n: int, figure: str, **values: Any) -> None:
        empty: dict[str, Any] = dict.fromkeys((*SYSTEMS, "flagged"))
        rows.append({"data": name, "n": n, "figure": figure, **empty, **values})

    for name, (better, worse) in data.pairs.items():
        first, second = scored(better).versions, scored(worse).versions
        add(name, len(better), PREFERRED, **_compared(preferred, first, second))
    for name, (sentences, grades) in data.grades.items():
        found = scored(sentences).systems
        same = dict.fromkeys(SYSTEMS, grades)
        add(name, len(sentences), RANKS, **_compared(rank_correlation, found, same))
    clean: list[Scores] = []
    for name, sentences in data.clean.items():
        clean.append(scored(sentences))
        add(name, len(sentences), "", flagged=_mean(clean[-1].flagged))
    good = {name: _joined([x.systems[name] for x in clean]) for name in SYSTEMS}
    for name, sentences in data.wrong.items():
        bad = scored(sentences)
        figures = _compared(_area, good, bad.systems) if clean else {}
        add(name, len(sentences), AUC, **figures, flagged=_mean(bad.flagged))
    for name, (sentences, wrong) in data.tokens.items():
        found_wrong = scored(sentences).tokens
        truth = np.concatenate([*wrong, np.zeros(0, dtype=bool)])
        if len(truth) and len(found_wrong) == len(truth):
            best = max(token_scores(truth, found_wrong >= t)[2] for t in _THRESHOLDS)
            add(name, len(truth), TOKEN_F, judge=best)
            area = area_under_curve(found_wrong, truth)
            add(name, len(truth), TOKEN_AUC, judge=area)
    return {"component": pipe.name, "threshold": pipe.threshold, "rows": rows}


def evaluation_table(figures: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Return the header and the rows of a table of figures.

    Args:
        figures: The figures of `evaluate_judge`.
    """

    def percent(value: float | None) -> str:
        return "-" if value is None else f"{100 * value:.1f}"

    header = ["", "n", "figure", "judge", "n-grams", "length", "flagged"]
    rows = [
        [
            row["data"],
            f"{row['n']:,}",
            row["figure"],
            *(percent(row[key]) for key in header[3:]),
        ]
        for row in figures["rows"]
    ]
    return header, rows


def preferred(better: Floats, worse: Floats) -> float | None:
    """Return the share of pairs whose better sentence has the higher score. Ties count
    half."""
    if not len(better):
        return None
    return float(((better > worse) + 0.5 * (better == worse)).mean())


def rank_correlation(first: Floats, second: Floats) -> float | None:
    """Return Spearman's correlation, or None if all values are equal."""
    one, other = _ranks(np.asarray(first)), _ranks(np.asarray(second))
    if len(one) < 2 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    return float(np.corrcoef(one, other)[0, 1])


def _ranks(values: Floats) -> Floats:
    """Return the ranks of values. Equal values share the mean of their ranks."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[place]


def _area(good: Floats, bad: Floats) -> float | None:
    real = np.repeat([True, False], [len(good), len(bad)])
    return area_under_curve(np.concatenate([good, bad]), real)


def _compared(
    figure: Any, first: Mapping[str, Any], second: Mapping[str, Any]
) -> dict[str, float | None]:
    """Compute a figure from the scores of each system that has them."""
    return {
        name: None
        if first[name] is None or second[name] is None
        else figure(first[name], second[name])
        for name in SYSTEMS
    }


def _joined(parts: Sequence[Floats | None]) -> Floats | None:
    there = [part for part in parts if part is not None]
    return np.concatenate(there) if there and len(there) == len(parts) else None


def _mean(flags: Bools) -> float | None:
    return float(flags.mean()) if len(flags) else None
