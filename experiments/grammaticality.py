"""Rows of the multiple-views paper: real sentences and n-gram samples.

The protocol of "An online algorithm for learning over constrained latent
representations using multiple views", section 4, with negatives that differ from real
sentences in grammar only, or, by name, with the paper's own. Accuracy in domain (A) and
out of domain (B), means over the negative sets. Agree: the share of tokens of dev on
whose chunk type two views agree.
"""

import statistics
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from itertools import combinations
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spacy_latperc.features.sets import custom_templates, grammaticality
from spacy_latperc.grammaticality.classifier import (
    ClassifierSettings,
    LatentClassifier,
)
from spacy_latperc.grammaticality.classifier.lclr import lclr
from spacy_latperc.grammaticality.classifier.online import latent_pa
from spacy_latperc.grammaticality.classifier.views import CHUNK_TYPES
from spacy_latperc.learners.base import Batch

from .grammaticality_data import Labelled, Material, Sets
from .significance import Counts, compare

Options = dict[str, Any]
LEARNERS: dict[str, Callable[..., ClassifierSettings]] = {
    "online": latent_pa,
    "lclr": lclr,
}
_material = cache(Material)


def measure(row: Options, reference: Options | None = None) -> dict[str, Any]:
    """The figures of a row.

    Args:
        row: model and learner of the classifier; warm (the view of IOB2 begins with
            the weights of a chunker, the largest of them so large, the others with
            zeros: section 4.1); negatives, n (sentences of each class), tests
            (negative sets), passes, evaluate (every so many passes), seeds; phrases:
            numbers of test sentences whose chunks are shown.
        reference: The row that p compares with, over the sentences of A.
    """
    begin, runs, phrases = process_time(), [], []
    right: list[Counts] = []
    for seed in range(row["seeds"]):
        sets = _sets(row["negatives"], row["n"], row["tests"], seed)
        classifier = make_classifier(row["model"], row["learner"], seed)
        warm = partial(_warm_up, limit=row["warm"]) if row.get("warm") else None
        runs.append(
            train(classifier, sets, row["passes"], every=row["evaluate"], begin=warm)
        )
        found = np.concatenate([_right(classifier, x) for x in sets["A"]])
        right.append([(int(x), 1, 1) for x in found])
        if not seed and "phrases" in row:
            phrases = _phrases(classifier, sets["A"][0], row["phrases"])
    curve = []
    for points in zip(*runs, strict=True):
        values = [point["A accuracy"] for point in points]
        point = {key: statistics.mean(x[key] for x in points) for key in points[0]}
        point |= {"mean": statistics.mean(values), "low": min(values)}
        curve.append({**point, "high": max(values)})
    last = [run[-1]["A accuracy"] for run in runs]
    figures = {
        "mean": statistics.mean(last),
        "sd": statistics.stdev(last) if len(last) > 1 else 0.0,
        "runs": last,
        "passes": row["passes"],
        "seconds": curve[-1]["seconds"],
        "decodings": curve[-1]["decodings per negative"],
        "agree": curve[-1]["dev agree"],
        "B": curve[-1]["B accuracy"],
        "seeds": len(runs),
        "curve": curve,
        **({"phrases": phrases} if phrases else {}),
        "cpu": process_time() - begin,
    }
    return {**figures, **compare(row, right, reference, measure)}


def _right(classifier: LatentClassifier, labelled: Labelled) -> NDArray[np.bool_]:
    values = _columns(classifier, labelled)
    found = classifier.predict(Batch(values, labelled.docs, _material().lookup))
    return (found.scores > 0) == (labelled.gold > 0)


@cache
def _sets(negatives: str, n: int, tests: int, seed: int) -> Sets:
    columns = LatentClassifier(grammaticality(), latent_pa()).plan.columns
    return _material().sets(negatives, n, columns=columns, tests=tests, seed=seed + 1)


def make_classifier(model: Options, learner: Options, seed: int) -> LatentClassifier:
    """The classifier of a run."""
    learner, model = dict(learner), dict(model)
    build = LEARNERS[learner.pop("learner", "online")]
    own = model.pop("templates", None)
    return LatentClassifier(
        custom_templates(own) if own else grammaticality(),
        build(**learner),
        types=model.pop("types", CHUNK_TYPES),
        combine=model.pop("combine", "add"),
        seed=seed,
        **model,
    )


def _warm_up(classifier: LatentClassifier, *, limit: float) -> None:
    """The view of IOB2 begins as a supervised chunker."""
    schemes = [inventory.scheme.name for inventory in classifier.inventories]
    view = schemes.index("IOB2")
    chunker = _material().chunker(classifier.features, classifier.inventories[view])
    classifier.start_from(chunker, view=view, limit=limit)


def train(
    classifier: LatentClassifier,
    sets: Mapping[str, Sequence[Labelled]],
    passes: int,
    *,
    every: int = 1,
    begin: Callable[[LatentClassifier], None] | None = None,
) -> list[dict[str, float]]:
    """Figures after every so many passes, and after the last.

    begin: gives the classifier its first weights.
    """
    known, lookup = sets["train"][0], _material().lookup
    positives = int((known.gold > 0).sum())
    negatives = len(known.gold) - positives
    values = _columns(classifier, known)
    classifier.extract(Batch(values, known.docs, lookup), count=True)
    classifier.start(positives, negatives, keep_features=True)
    if begin:
        begin(classifier)
    blocks = classifier.extract(Batch(values, known.docs, lookup))
    result, seconds = [], 0.0
    for number in range(1, passes + 1):
        start = process_time()
        progress = classifier.update(blocks, known.gold)
        seconds += process_time() - start
        if number % every and number < passes:
            continue
        figures = {
            "pass": number,
            "seconds": seconds,
            "decodings per negative": progress.negative_decodings / negatives,
        }
        for part in ("dev", "A", "B"):
            found = [_evaluate(classifier, labelled) for labelled in sets[part]]
            for key in found[0]:
                figures[f"{part} {key}"] = float(np.mean([x[key] for x in found]))
        result.append(figures)
    return result


def _phrases(
    classifier: LatentClassifier, labelled: Labelled, numbers: Sequence[int]
) -> list[str]:
    """The chunks of test sentences, as the first view has them in IOB2, and scores."""
    lookup = _material().lookup
    found = classifier.predict(
        Batch(_columns(classifier, labelled), labelled.docs, lookup)
    )
    inventory, labels = classifier.inventories[0], found.labels[0]
    starts = np.flatnonzero(
        labelled.values[:, list(classifier.plan.columns).index("SENT_START")] == 1
    )
    ends = [*starts[1:], len(labels)]
    shown = []
    for number in numbers:
        words: list[str] = []
        depth = False
        for i in range(starts[number], ends[number]):
            label = inventory.labels[labels[i]]
            begins = label.startswith("B")
            if depth and not label.startswith("I"):
                words[-1] += ")"
                depth = False
            words.append(("(" if begins else "") + lookup(int(labelled.values[i, 0])))
            depth = depth or begins
        shown.append(
            " ".join(words) + (")" if depth else "") + f"  {found.scores[number]:+.2f}"
        )
    return shown


def _columns(classifier: LatentClassifier, labelled: Labelled) -> NDArray[np.uint64]:
    """The columns that it reads, which are the first: own templates read fewer."""
    wide = len(classifier.plan.columns)
    return np.ascontiguousarray(labelled.values[:, :wide])


def _evaluate(classifier: LatentClassifier, labelled: Labelled) -> dict[str, float]:
    values = _columns(classifier, labelled)
    found = classifier.predict(Batch(values, labelled.docs, _material().lookup))
    right = (found.scores > 0) == (labelled.gold > 0)
    return {
        "accuracy": 100 * float(right.mean()),
        "agree": 100 * _agreement(classifier, found.labels),
    }


def _agreement(classifier: LatentClassifier, labels: NDArray[np.int32]) -> float:
    """The share of tokens for which two views find a chunk of the same type, or none;
    the mean over all pairs of views."""
    pairs = zip(classifier.inventories, labels, strict=True)
    types = [inventory.type_of[of_view] for inventory, of_view in pairs]
    found = [float((a == b).mean()) for a, b in combinations(types, 2)]
    return float(np.mean(found)) if found else 1.0
