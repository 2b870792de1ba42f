"""Evaluation of a judge, with an n-gram model and a length-only baseline."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.language import Language
from spacy.tokens import Doc

from ...grammaticality.scorer import area_under_curve
from ..error_coder import FEATURES, TOKENS
from ..error_injection.corrupt import Corrupter
from ..error_scorer import token_scores
from ..recalibration import find_judge
from ..sentence_features import COLUMNS, MEAN
from .junk import KINDS as JUNK
from .junk import make_junk

Rows = Sequence[Sequence[str]]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Others = Mapping[str, Callable[[Sequence[str]], float]]

SYSTEMS = ("judge", "n-grams", "length")
PREFERRED, AUC = "pairs preferred", "AUC"
TOKEN_F, TOKEN_AUC = "F0.5 of tokens", "AUC of tokens"
_AT_ONCE = 256
_THRESHOLDS = np.linspace(0.02, 0.9, 41)
_MOST_JUNK = 2000  # sentences


@dataclass
class EvaluationData:
    """Sets of sentences by name. Each group may be empty.

    Attributes:
        pairs: Good sentences and worse versions of them.
        tokens: Sentences, and True for each wrong token.
        clean: Good sentences.
        wrong: Bad sentences.
    """

    pairs: dict[str, tuple[Rows, Rows]] = field(default_factory=dict)
    tokens: dict[str, tuple[Rows, list[Bools]]] = field(default_factory=dict)
    clean: dict[str, Rows] = field(default_factory=dict)
    wrong: dict[str, Rows] = field(default_factory=dict)

    def add_errors(self, name: str, corrupter: Corrupter) -> None:
        """Add sentences with errors, made of a set of clean ones."""
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

    Attributes:
        systems: The scores of sentences, [sentences, systems].
        versions: The same, to compare versions of one sentence.
        flagged: A mask of the sentences below the threshold.
        tokens: The probability of each token to be wrong.
    """

    def __init__(self, nlp: Language, rows: Rows, others: Others):
        pipe = find_judge(nlp)
        found, tokens = [np.zeros((0, 4))], [np.zeros(0)]
        docs = (Doc(nlp.vocab, words=list(words)) for words in rows)
        for doc in nlp.pipe(docs, batch_size=_AT_ONCE):
            attrs = doc.spans[pipe.settings.errors_key].attrs
            mean = attrs[FEATURES][:, COLUMNS.index(MEAN)].sum()
            scores = doc.cats[pipe.labels[0]], mean, -len(doc), doc._.preference
            found.append(np.array([scores]))
            tokens.append(attrs[TOKENS])
        table = np.concatenate(found)
        self.flagged = table[:, 0] < pipe.threshold
        more = np.array([[x(words) for x in others.values()] for words in rows])
        more = more.reshape(len(table), len(others))
        self.systems = np.hstack([table[:, :3], more])
        self.versions = np.hstack([table[:, [3, 1, 2]], more])
        self.tokens = np.concatenate(tokens)


def evaluate_judge(
    nlp: Language, data: EvaluationData, others: Others | None = None
) -> dict[str, Any]:
    """Evaluate a judge.

    Args:
        nlp: The pipeline of the judge.
        data: The sets of sentences.
        others: Other systems by name: functions from words to scores.

    Returns:
        The threshold of the judge, and rows of figures: of pairs, the share in which
        the better sentence has the higher score; of bad sentences, the
        area under the curve against all clean ones; and the share of sentences below
        the threshold.
    """
    pipe = find_judge(nlp)
    rows: list[dict[str, Any]] = []
    known: dict[int, Scores] = {}  # the sets of a corpus share sentences
    others = others or {}

    def scored(sentences: Rows) -> Scores:
        if id(sentences) not in known:
            known[id(sentences)] = Scores(nlp, sentences, others)
        return known[id(sentences)]

    def compared(figure: Any, first: Floats, second: Floats) -> dict[str, float | None]:
        columns = zip((*SYSTEMS, *others), first.T, second.T, strict=True)
        return {name: figure(one, other) for name, one, other in columns}

    def add(name: str, n: int, figure: str, **values: Any) -> None:
        empty: dict[str, Any] = dict.fromkeys((*SYSTEMS, *others, "flagged"))
        rows.append({"data": name, "n": n, "figure": figure, **empty, **values})

    for name, (better, worse) in data.pairs.items():
        first, second = scored(better).versions, scored(worse).versions
        add(name, len(better), PREFERRED, **compared(preferred, first, second))
    clean: list[Scores] = []
    for name, sentences in data.clean.items():
        clean.append(scored(sentences))
        add(name, len(sentences), "", flagged=_mean(clean[-1].flagged))
    good = np.concatenate([x.systems for x in clean]) if clean else np.zeros((0, 0))
    for name, sentences in data.wrong.items():
        bad = scored(sentences)
        figures = compared(_area, good, bad.systems) if clean else {}
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
    """Return the header and the rows of a table of figures."""

    def percent(value: float | None) -> str:
        return "-" if value is None else f"{100 * value:.1f}"

    header = ["", *[*figures["rows"][0]][1:]]
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


def _area(good: Floats, bad: Floats) -> float | None:
    real = np.repeat([True, False], [len(good), len(bad)])
    return area_under_curve(np.concatenate([good, bad]), real)


def _mean(flags: Bools) -> float | None:
    return float(flags.mean()) if len(flags) else None
