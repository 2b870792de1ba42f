"""Tell real sentences from n-gram samples by latent chunkings.

    python -m experiments.grammaticality --negatives kn_m --run "1 view"

The protocol of "An online algorithm for learning over constrained latent
representations using multiple views", section 4, with negatives that differ from real
sentences in grammar only (or, by name, with the paper's own). Accuracy and area under
the curve in domain (A) and out of domain (B), means over the negative sets; figures of
dev are there to choose settings by. Agree: the share of tokens of dev on whose chunk
type two views agree. The data folder is that of LATPERC_DATA.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from wasabi import msg

from spacy_latperc.features.sets import custom_templates, grammaticality
from spacy_latperc.grammaticality.classifier import (
    ClassifierSettings,
    LatentClassifier,
)
from spacy_latperc.grammaticality.classifier.lclr import lclr
from spacy_latperc.grammaticality.classifier.online import latent_pa
from spacy_latperc.grammaticality.classifier.views import ALL_VIEWS, CHUNK_TYPES
from spacy_latperc.grammaticality.negatives.constructions import find_construction
from spacy_latperc.grammaticality.scorer import area_under_curve
from spacy_latperc.io.atomic import write_whole
from spacy_latperc.io.outputs import check_target
from spacy_latperc.learners.base import Batch

from .grammaticality_data import Labelled, Material

Options = dict[str, Any]
PA = {"variant": "PA"}
ONE = {"schemes": ["IOB2"]}
FIVE = {"schemes": list(ALL_VIEWS)}
NO_CHUNKS: tuple[Options, Options] = ({**ONE, "types": []}, {**PA, "average_from": 1})
METHODS: dict[str, tuple[Options, Options]] = {
    "1 view": (ONE, PA),
    "5 views, add": (FIVE, PA),
    "5 views, vote": ({**FIVE, "combine": "vote"}, PA),
    "5 views, co-train": ({**FIVE, "combine": "cotrain"}, PA),
    "LCLR": (ONE, {"learner": "lclr"}),
    "LCLR-variant": (ONE, {"learner": "lclr", "fixed": True}),
}
# Options of LatentClassifier, and of its learner. "warm": the view of IOB2 begins with
# the weights of a chunker, the largest of them so large, the others with zeros (section
# 4.1).
RUNS: dict[str, tuple[Options, Options]] = {
    "bag of words": ({**NO_CHUNKS[0], "templates": ["w[0]"]}, NO_CHUNKS[1]),
    "no latent structure": NO_CHUNKS,
    **METHODS,
    **{
        f"{name}, warm": ({**model, "warm": 0.01 if name[0] == "5" else 0.1}, learner)
        for name, (model, learner) in METHODS.items()
    },
}
# What the paper has after 40 iterations, with negatives of its own (table 2).
PAPER = {
    "1 view": 98.75,
    "5 views, add": 98.70,
    "5 views, vote": 98.78,
    "5 views, co-train": 98.85,
    "LCLR": 90.27,
    "LCLR-variant": 94.55,
}
REPORT = ["bag of words", "no latent structure", *METHODS]
# The paper's Figure 1, and the same from zeros.
FIGURE = [
    "no latent structure",
    *(f"{name}{warm}" for name in METHODS for warm in (", warm", "")),
]
LEARNERS: dict[str, Callable[..., ClassifierSettings]] = {
    "online": latent_pa,
    "lclr": lclr,
}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Real sentences and n-gram samples")
    parser.add_argument("--negatives", default="kn_m", help="construction")
    parser.add_argument("--n", type=int, default=50_000, help="of each class")
    parser.add_argument("--tests", type=int, default=5, help="negative sets")
    parser.add_argument("--passes", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1, help="of the order of examples")
    parser.add_argument("--run", action="append", choices=RUNS, help="several times")
    parser.add_argument(
        "--report", action="store_true", help="those of the paper, and two baselines"
    )
    parser.add_argument(
        "--figure", action="store_true", help="those of its Figure 1, and between them"
    )
    parser.add_argument("--evaluate", type=int, default=1, help="every so many passes")
    parser.add_argument("--json", type=Path, help="figures of all passes")
    options = parser.parse_args(arguments)
    groups = ((options.report, REPORT), (options.figure, FIGURE), (True, RUNS))
    names = options.run or next(names for wanted, names in groups if wanted)
    try:
        find_construction(options.negatives)
        for name in ("n", "tests", "passes", "evaluate"):
            if getattr(options, name) < 1:
                raise ValueError(f"--{name} must be 1 or more")
        if options.json:
            check_target(options.json)
    except (ValueError, OSError) as error:
        parser.error(str(error))
    material = Material()
    columns = LatentClassifier(grammaticality(), latent_pa()).plan.columns
    sets = material.sets(
        options.negatives, options.n, columns=columns, tests=options.tests
    )
    rows, figures = [], {}
    for name in names:
        classifier = make_classifier(*RUNS[name], options.seed)
        limit = RUNS[name][0].get("warm")
        found = measure(
            classifier,
            sets,
            material.lookup,
            options.passes,
            every=options.evaluate,
            begin=partial(warm_up, material, limit=limit) if limit else None,
        )
        figures[name] = found
        rows.append(_row(name, found[-1]))
    msg.table(rows, header=HEADER, divider=True, aligns=["l"] + ["r"] * 11)
    if options.json:
        known = {k: str(v) for k, v in vars(options).items() if k != "json"}
        report = {"options": known}
        text = json.dumps({**report, "runs": figures}, indent=1)
        write_whole(options.json, text.encode())


def make_classifier(model: Options, learner: Options, seed: int) -> LatentClassifier:
    """The classifier of a run."""
    learner, model = dict(learner), dict(model)
    model.pop("warm", None)
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


def warm_up(material: Material, classifier: LatentClassifier, *, limit: float) -> None:
    """The view of IOB2 begins as a supervised chunker."""
    schemes = [inventory.scheme.name for inventory in classifier.inventories]
    view = schemes.index("IOB2")
    chunker = material.chunker(classifier.features, classifier.inventories[view])
    classifier.start_from(chunker, view=view, limit=limit)


def measure(
    classifier: LatentClassifier,
    sets: Mapping[str, Sequence[Labelled]],
    lookup: Any,
    passes: int,
    *,
    every: int = 1,
    begin: Callable[[LatentClassifier], None] | None = None,
) -> list[dict[str, float]]:
    """Figures after every so many passes, and after the last.

    begin: gives the classifier its first weights.
    """
    train = sets["train"][0]
    positives = int((train.gold > 0).sum())
    negatives = len(train.gold) - positives
    values = _columns(classifier, train)
    classifier.extract(Batch(values, train.docs, lookup), count=True)
    classifier.start(positives, negatives, keep_features=True)
    if begin:
        begin(classifier)
    blocks = classifier.extract(Batch(values, train.docs, lookup))
    result = []
    for number in range(1, passes + 1):
        start = process_time()
        progress = classifier.update(blocks, train.gold)
        seconds = process_time() - start
        if number % every and number < passes:
            continue
        figures = {
            "pass": number,
            "seconds": seconds,
            "decodings per negative": progress.negative_decodings / negatives,
            "capped": progress.capped,
            "wrong in training": progress.wrong / max(progress.examples, 1),
        }
        start = process_time()
        parts = [part for part in ("dev", "A", "B") if part in sets]
        for part in parts:
            found = [_evaluate(classifier, labelled, lookup) for labelled in sets[part]]
            for key in ("accuracy", "area", "accepted", "refused", "agree"):
                figures[f"{part} {key}"] = float(np.mean([x[key] for x in found]))
            if len(found) > 1:
                figures[f"{part} sd"] = float(np.std([x["accuracy"] for x in found]))
        tested = sum(len(x.gold) for part in parts for x in sets[part])
        figures["sentences/s"] = tested / (process_time() - start)
        figures["rows"] = sum(map(sum, classifier.n_rows))
        result.append(figures)
        print(figures, file=sys.stderr, flush=True)
    return result


def _columns(classifier: LatentClassifier, labelled: Labelled) -> NDArray[np.uint64]:
    """The columns that it reads, which are the first: own templates read fewer."""
    wide = len(classifier.plan.columns)
    return np.ascontiguousarray(labelled.values[:, :wide])


def _evaluate(
    classifier: LatentClassifier, labelled: Labelled, lookup: Any
) -> dict[str, float]:
    values = _columns(classifier, labelled)
    found = classifier.predict(Batch(values, labelled.docs, lookup))
    scores = found.scores
    positive = labelled.gold > 0
    return {
        "accuracy": 100 * float(((scores > 0) == positive).mean()),
        "area": area_under_curve(scores, labelled.gold > 0) or 0.0,
        "accepted": 100 * float((scores[positive] > 0).mean()),
        "refused": 100 * float((scores[~positive] <= 0).mean()),
        "agree": 100 * _agreement(classifier, found.labels),
    }


def _agreement(classifier: LatentClassifier, labels: NDArray[np.int32]) -> float:
    """The share of tokens for which two views find a chunk of the same type, or none;
    the mean over all pairs of views."""
    pairs = zip(classifier.inventories, labels, strict=True)
    types = [inventory.type_of[of_view] for inventory, of_view in pairs]
    found = [float((a == b).mean()) for a, b in combinations(types, 2)]
    return float(np.mean(found)) if found else 1.0


HEADER = (
    "Run", "Passes", "A", "AUC", "B", "AUC", "Dev", "s/pass", "Decodings",
    "Sentences/s", "Agree", "Paper",
)  # fmt: skip


def _row(name: str, figures: Mapping[str, float]) -> tuple:
    tested = defaultdict(lambda: float("nan"), figures)
    return (
        name,
        f"{figures['pass']:.0f}",
        f"{tested['A accuracy']:.1f}",
        f"{tested['A area']:.3f}",
        f"{tested['B accuracy']:.1f}",
        f"{tested['B area']:.3f}",
        f"{figures['dev accuracy']:.1f}",
        f"{figures['seconds']:.2f}",
        f"{figures['decodings per negative']:.2f}",
        f"{figures['sentences/s']:,.0f}",
        f"{figures['dev agree']:.0f}%" if name.startswith("5") else "",
        f"{PAPER[name]:.2f}" if name in PAPER else "",
    )


if __name__ == "__main__":
    main()
