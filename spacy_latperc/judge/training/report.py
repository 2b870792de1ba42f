"""What a judge of sentences is worth, beside n-gram models and length.

Pairs: is the better one of two sentences preferred? Grades: are sentences ranked as
people rank them? Tokens: are the wrong words found? Clean text and text with errors:
how much of each is flagged? Junk: is what is no sentence at all told from sentences?
Spans: do those that are shown touch the error more often than spans at random places?
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.language import Language
from spacy.tokens import Doc

from ...calibration import log_odds
from ...grammaticality.annotations import WORST
from ...grammaticality.ngrams.model import NgramModel
from ...grammaticality.rng import fractions
from ...grammaticality.scorer import LENGTHS, area_under_curve
from ..error_detector import EVIDENCE, TOKENS
from ..error_injection.corrupt import Corrupter
from ..error_scorer import token_scores
from ..filter.scores import find_component
from ..judge_component import LatpercJudge
from ..sentence_features import NGRAM, columns_of
from .junk import KINDS as JUNK
from .junk import make_junk
from .train_judge import Made

Rows = Sequence[Sequence[str]]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Judge = Callable[[Rows], Floats]

JUDGE, PROBABILITY = "judge", "its probability"
_AT_ONCE = 256
_TENTHS = 41  # thresholds of a curve
_RANDOM_PLACES = 20  # for each span


@dataclass
class Sets:
    """What a judge is tried on; every part may be empty. Sets have names.

    Attributes:
        pairs: Better sentences and worse ones.
        grades: Sentences and a number for each.
        tokens: Sentences, and whether each token is wrong.
        clean: Good sentences.
        wrong: Sentences with errors.
        foreign: Sentences of another language.
        trigrams: Of the same text as the judge, for comparison.
    """

    pairs: dict[str, tuple[Rows, Rows]] = field(default_factory=dict)
    grades: dict[str, tuple[Rows, Floats]] = field(default_factory=dict)
    tokens: dict[str, tuple[Rows, list[Bools]]] = field(default_factory=dict)
    clean: dict[str, Rows] = field(default_factory=dict)
    wrong: dict[str, Rows] = field(default_factory=dict)
    foreign: Rows = ()
    trigrams: NgramModel | None = None


@dataclass(frozen=True)
class Judged:
    """What the judge says of some sentences.

    Attributes:
        scores: Log odds of each to be good.
        versions: How good each is beside other versions of it.
        flagged: Whether each is below the threshold.
        tokens: The probability of each token to be wrong; None without a detector.
        spans: First tokens and ends of the spans that are shown.
        ngrams: Of each sentence, logarithms of its probability and that of a token;
            None where n-grams are not among the evidence.
    """

    scores: Floats
    versions: Floats
    flagged: Bools
    tokens: list[Floats] | None
    spans: list[list[tuple[int, int]]]
    ngrams: Floats | None


class Asked:
    """A judge that is asked once about each list of sentences.

    Args:
        nlp: Its pipeline.
        component: Its name; None for the only one.
    """

    def __init__(self, nlp: Language, component: str | None = None):
        self.nlp = nlp
        self.pipe: LatpercJudge = find_component(nlp, component)
        self._known: dict[int, tuple[Rows, Judged]] = {}

    def __call__(self, rows: Rows) -> Judged:
        """What it says."""
        known = self._known.get(id(rows))
        if known is None:
            known = self._known[id(rows)] = rows, self._ask(rows)
        return known[1]

    def _ask(self, rows: Rows) -> Judged:
        good = self.pipe.labels[0]
        key = getattr(self.pipe.settings, "errors_key", "")  # no detector: no errors
        scores, versions, tokens, spans, ngrams = [], [], [], [], []
        docs = (Doc(self.nlp.vocab, words=list(words)) for words in rows)
        for doc in self.nlp.pipe(docs, batch_size=_AT_ONCE):
            scores.append(doc.cats[good])
            versions.append(doc._.preference)
            found = doc.spans.data.get(WORST)
            spans.append([(x.start, x.end) for x in found] if found else [])
            group = doc.spans.data.get(key)
            attrs = {} if group is None else group.attrs
            if TOKENS in attrs:
                tokens.append(np.asarray(attrs[TOKENS], dtype=np.float64))
            table = attrs.get(EVIDENCE, {}).get(NGRAM)
            if table is not None and len(table):
                ngrams.append(np.asarray(table, dtype=np.float64).sum(axis=0))
        given = np.array(scores, dtype=np.float64)
        return Judged(
            np.asarray(log_odds(given)),
            np.array(versions, dtype=np.float64),
            given < self.pipe.threshold,
            tokens if len(tokens) == len(scores) else None,
            spans,
            np.array(ngrams) if len(ngrams) == len(scores) and ngrams else None,
        )


def judges_of(asked: Asked, sets: Sets) -> dict[str, Judge]:
    """What gives sentences a score, by name: the judge, and what it is beside."""
    judges: dict[str, Judge] = {JUDGE: lambda rows: asked(rows).scores}
    some = next((rows for rows in sets.clean.values() if len(rows)), None)
    if some is not None and asked(some[:1]).ngrams is not None:
        mean = columns_of(NGRAM).index("log probability, mean")
        whole = columns_of(NGRAM).index("log probability, sum")

        def column(number: int) -> Judge:
            def scores(rows: Rows) -> Floats:
                found = asked(rows).ngrams
                assert found is not None
                return np.asarray(found[:, number])

            return scores

        judges["n-grams, per token"] = column(mean)
        judges["n-grams, sum"] = column(whole)
    if (model := sets.trigrams) is not None:
        judges["3-grams, per token"] = lambda rows: (
            model.score_sentences(rows) / np.array([len(words) + 1 for words in rows])
        )
    judges["shorter"] = lambda rows: -np.array([len(x) for x in rows], np.float64)
    return judges


def report_on(
    nlp: Language, sets: Sets, component: str | None = None
) -> dict[str, Any]:
    """All figures, as plain values.

    Args:
        nlp: The pipeline of the judge.
        sets: What it is tried on.
        component: Its name; None for the only one.
    """
    asked = Asked(nlp, component)
    asked.pipe.settings.explain = True
    judges = judges_of(asked, sets)
    own = {JUDGE: lambda rows: asked(rows).versions, PROBABILITY: judges[JUDGE]}
    of_versions: dict[str, Judge] = {**own, **{**judges, **own}}

    def compared(
        named: Mapping[str, tuple[Rows, Any]],
        figure: Callable[[Judge, Rows, Any], float | None],
        judges: Mapping[str, Judge] = judges,
    ) -> dict[str, Any]:
        return {
            name: {
                "n": len(rows),
                **{key: figure(judge, rows, other) for key, judge in judges.items()},
            }
            for name, (rows, other) in named.items()
        }

    def in_order(judge: Judge, better: Rows, worse: Rows) -> float | None:
        return preferred(judge(better), judge(worse))

    return {
        "component": asked.pipe.name,
        "threshold": asked.pipe.threshold,
        "judges": list(judges),
        "judges of pairs": list(of_versions),
        "pairs": compared(sets.pairs, in_order, of_versions),
        "grades": compared(sets.grades, lambda j, x, y: rank_correlation(j(x), y)),
        "tokens": {name: _tokens(asked, *x) for name, x in sets.tokens.items()},
        "clean": {name: _flagged(asked, rows) for name, rows in sets.clean.items()},
        "wrong": {name: _flagged(asked, rows) for name, rows in sets.wrong.items()},
        "spans": {name: _spans(asked, *x) for name, x in sets.tokens.items()},
        **_curves(asked, sets),
        "junk": _junk(asked, judges, sets),
    }


def preferred(better: Floats, worse: Floats) -> float | None:
    """The share of pairs whose better sentence has the higher score, ties by half."""
    if not len(better):
        return None
    return float(((better > worse) + 0.5 * (better == worse)).mean())


def rank_correlation(first: Floats, second: Floats) -> float | None:
    """Spearman's correlation; None where all values are the same."""
    one, other = _ranks(np.asarray(first)), _ranks(np.asarray(second))
    if len(one) < 2 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    return float(np.corrcoef(one, other)[0, 1])


def _ranks(values: Floats) -> Floats:
    """Places in order; of equal values, the mean of theirs."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[place]


def _flagged(asked: Asked, rows: Rows) -> dict[str, Any]:
    flagged = asked(rows).flagged
    return {"n": len(rows), "flagged": float(flagged.mean()) if len(rows) else None}


def _tokens(asked: Asked, rows: Rows, wrong: list[Bools]) -> dict[str, Any]:
    found = asked(rows).tokens
    if found is None or not wrong:
        return {}
    real, sure = np.concatenate(wrong), np.concatenate(found)
    table = []
    for threshold in np.linspace(0.02, 0.9, _TENTHS).tolist():
        precision, recall, f = token_scores(real, sure >= threshold)
        table.append({"threshold": threshold, "p": precision, "r": recall, "f05": f})
    return {
        "n": len(real),
        "wrong": float(real.mean()),
        "auc": area_under_curve(sure, real),
        "best": max(table, key=lambda row: row["f05"]),
        "all flagged": token_scores(real, np.ones(len(real), dtype=bool))[2],
        "table": table,
    }


def _spans(asked: Asked, rows: Rows, wrong: list[Bools]) -> dict[str, Any]:
    """How often a span that is shown touches a wrong token, or that before which
    something is missing; and as many spans as long at random places."""
    touched, chance, tokens, size = [], [], 0, 0
    for number, (words, bad, spans) in enumerate(
        zip(rows, wrong, asked(rows).spans, strict=True)
    ):
        if not spans or not bad.any():
            continue
        touched.append(any(bad[start:end].any() for start, end in spans))
        lengths = [end - start for start, end in spans]
        tokens += len(words)
        size += sum(lengths)
        given = fractions(_RANDOM_PLACES * len(lengths), 5, number).reshape(
            _RANDOM_PLACES, -1
        )
        hits = 0
        for places in given:
            starts = [
                int(at * (len(words) - n + 1))
                for at, n in zip(places.tolist(), lengths, strict=True)
            ]
            hits += any(
                bad[at : at + n].any() for at, n in zip(starts, lengths, strict=True)
            )
        chance.append(hits / _RANDOM_PLACES)
    if not touched:
        return {"n": 0}
    return {
        "n": len(touched),
        "touch": float(np.mean(touched)),
        "random": float(np.mean(chance)),
        "share of tokens": size / max(tokens, 1),
    }


def _curves(asked: Asked, sets: Sets) -> dict[str, Any]:
    """Precision and recall of sentences with errors, as many as there are good ones, by
    threshold; and what is flagged by length."""
    good, bad = _joined(asked, sets.clean), _joined(asked, sets.wrong)
    if not len(good[0]) or not len(bad[0]):
        return {"thresholds": [], "lengths": []}
    scores = np.concatenate([good[0], bad[0]])
    table = []
    for cut in np.quantile(scores, np.linspace(0.01, 0.99, _TENTHS)).tolist():
        false, found = float((good[0] < cut).mean()), float((bad[0] < cut).mean())
        table.append(
            {
                "threshold": float(1 / (1 + np.exp(-cut))),
                "false alarms": false,
                "recall": found,
                "precision": found / (found + false) if found + false else 1.0,
            }
        )
    lengths = []
    for low, high in zip(LENGTHS[:-1], LENGTHS[1:], strict=True):
        here = [(x >= low) & (x < high) for x in (good[1], bad[1])]
        if all(mask.any() for mask in here):
            lengths.append(
                {
                    "from": low,
                    "to": high - 1 if high < LENGTHS[-1] else None,
                    "n": [int(mask.sum()) for mask in here],
                    "flagged": float(good[2][here[0]].mean()),
                    "found": float(bad[2][here[1]].mean()),
                    "auc": area_under_curve(
                        np.concatenate([good[0][here[0]], bad[0][here[1]]]),
                        np.repeat([True, False], [mask.sum() for mask in here]),
                    ),
                }
            )
    return {"thresholds": table, "lengths": lengths}


def _joined(asked: Asked, named: Mapping[str, Rows]) -> tuple[Floats, Floats, Bools]:
    """Scores, lengths and flags of several sets."""
    found = [asked(rows) for rows in named.values()]
    lengths = [len(words) for rows in named.values() for words in rows]
    return (
        np.concatenate([np.zeros(0), *(x.scores for x in found)]),
        np.array(lengths, dtype=np.float64),
        np.concatenate([np.zeros(0, bool), *(x.flagged for x in found)]),
    )


def _junk(asked: Asked, judges: Mapping[str, Judge], sets: Sets) -> dict[str, Any]:
    """How well what is no sentence is told from the clean sentences it is made of."""
    rows = [words for found in sets.clean.values() for words in found][:2000]
    if len(rows) < 2:
        return {}
    made: dict[str, Rows] = {kind: make_junk(kind, rows) for kind in JUNK}
    if len(sets.foreign):
        made["other language"] = sets.foreign
    found = {}
    for kind, bad in made.items():
        real = np.repeat([True, False], [len(rows), len(bad)])
        curves = {
            name: area_under_curve(np.concatenate([judge(rows), judge(bad)]), real)
            for name, judge in judges.items()
        }
        share = float(asked(bad).flagged.mean())
        found[kind] = {"n": len(bad), **curves, "found": share}
    return found


def held_out_sets(made: Made, most: int) -> Sets:
    """Sentences that the judge did not see, and the same with errors."""
    sets = Sets()
    sets.trigrams = NgramModel.train(made.parts.whole, order=3)
    for number, text in enumerate(made.parts.unseen, 1):
        rows = list(text.slice(0, most // 2))
        if rows:
            name = "held out" if len(made.parts.unseen) == 1 else f"held out {number}"
            add_errors(sets, name, rows, made.corrupter)
    return sets


def add_errors(sets: Sets, name: str, rows: Rows, corrupter: Corrupter) -> None:
    """Add clean sentences, the same with errors, pairs of them, and their tokens."""
    good: list[list[str]] = []
    bad: list[list[str]] = []
    tokens = []
    other: Sequence[str] = ()
    for number, words in enumerate(rows):
        made = corrupter.one(words, number, other)
        other = words
        if made.marks and made.words:
            good.append(list(words))
            bad.append(made.words)
            tokens.append(np.array([bool(label) for label in made.labels]))
    sets.clean[name] = rows
    sets.wrong[name] = bad
    sets.pairs[name] = good, bad
    sets.tokens[name] = bad, tokens
