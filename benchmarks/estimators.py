"""`python -m benchmarks.estimators TRAIN TEST`: the estimators and sklearn-crfsuite.

Both learn from the same dicts, which the feature function of sklearn-crfsuite's
tutorial makes of the first two columns; the labels are in the last one. `fit` is timed
from these dicts. All is run by turns in one process; ours with three seeds, while
CRFsuite has none.
"""

import argparse
import gzip
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean, median, stdev
from time import process_time
from typing import Any

import sklearn_crfsuite
from wasabi import msg

from spacy_latperc import sequence
from spacy_latperc.io.jsonl import write_json
from spacy_latperc.schemes import read_spans

PASSES = 10
Sentence = list[list[str]]  # rows of columns
Feature = str | bool | float


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Estimators on the same features")
    parser.add_argument("train", type=Path, help="a file of columns")
    parser.add_argument("test", type=Path)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--json", type=Path, help="file for the figures")
    options = parser.parse_args(arguments)
    train, test = list(read(options.train)), list(read(options.test))
    figures = compare(train, test, options.seeds)
    for row in figures["rows"]:
        msg.text(f"{row['score']:.2f}  {row['seconds']:6.2f} s  {row['name']}")
    if options.json:
        write_json(options.json, figures)


def compare(train: list[Sentence], test: list[Sentence], seeds: int) -> dict[str, Any]:
    """Train and score all estimators.

    Returns:
        "rows" with name, passes, score, sd and seconds, the first for the default of
        ours; "scores", "seconds" and "runs" of that one.
    """
    X, gold = features_of(train), labels_of(test)
    y, X_test = labels_of(train), features_of(test)
    runs: dict[tuple[str, int], list[tuple[float, float]]] = {}
    for seed in range(seeds):
        for name, passes, model in estimators(seed):
            if seed and not name.startswith("ours"):
                continue
            start = process_time()
            model.fit(X, y)
            seconds = process_time() - start
            score = 100 * f_score(gold, model.predict(X_test))
            runs.setdefault((name, passes), []).append((score, seconds))
            msg.text(f"{name}, seed {seed}: {score:.2f} ({seconds:.2f} s)")
    rows: list[dict[str, Any]] = []
    for (name, passes), found in runs.items():
        scores, times = zip(*found, strict=True)
        row = {"name": name, "passes": passes, "score": mean(scores)}
        spread = {"sd": stdev(scores)} if len(scores) > 1 else {}
        rows.append({**row, **spread, "seconds": median(times)})
    first = next(iter(runs.values()))
    own = [
        {"seed": seed, "seconds": seconds, "scores": {"ents_f": score / 100}}
        for seed, (score, seconds) in enumerate(first)
    ]
    best = {"mean": rows[0]["score"], "sd": rows[0].get("sd", 0.0)}
    return {
        "rows": rows,
        "scores": {"ents_f": best},
        "seconds": rows[0]["seconds"],
        "runs": own,
    }


def estimators(seed: int) -> Iterator[tuple[str, int, Any]]:
    """Yield the name, the number of passes, and the estimator."""
    ours, crf, peer = sequence.ChainClassifier, sequence.CRF, sklearn_crfsuite.CRF
    n = PASSES
    yield "ours: ChainClassifier()", n, ours(random_state=seed)
    yield 'ours: CRF("ap")', n, crf("ap", max_iterations=n, random_state=seed)
    yield 'sklearn-crfsuite: CRF("ap")', n, peer("ap", max_iterations=n)
    for n in (PASSES, 6):
        model = ours("crf", epochs=n, random_state=seed)
        yield 'ours: ChainClassifier("crf")', n, model
    # The settings of the tutorial.
    n = 100
    for name, cls in (("ours", crf), ("sklearn-crfsuite", peer)):
        model = cls("lbfgs", c1=0.1, c2=0.1, max_iterations=n)
        model.set_params(all_possible_transitions=True)
        yield f'{name}: CRF("lbfgs")', n, model


def read(path: Path) -> Iterator[Sentence]:
    """Read the sentences of a column file, which may be compressed."""
    opened = gzip.open if path.suffix == ".gz" else open
    rows: Sentence = []
    with opened(path, "rt", encoding="utf8") as lines:
        for line in [*lines, ""]:
            if columns := line.split():
                rows.append(columns)
            elif rows:
                yield rows
                rows = []


def features_of(sentences: list[Sentence]) -> list[list[dict[str, Feature]]]:
    """Return the features of all tokens."""
    return [[word2features(x, i) for i in range(len(x))] for x in sentences]


def labels_of(sentences: list[Sentence]) -> list[list[str]]:
    """Return the last column."""
    return [[row[-1] for row in sentence] for sentence in sentences]


def word2features(sentence: Sentence, i: int) -> dict[str, Feature]:
    """The function of the tutorial."""
    word, tag = sentence[i][:2]
    features: dict[str, Feature] = {
        "bias": 1.0,
        "word.lower()": word.lower(),
        "word[-3:]": word[-3:],
        "word[-2:]": word[-2:],
        "word.isupper()": word.isupper(),
        "word.istitle()": word.istitle(),
        "word.isdigit()": word.isdigit(),
        "postag": tag,
        "postag[:2]": tag[:2],
    }
    for at, end in ((-1, "BOS"), (1, "EOS")):
        if not 0 <= i + at < len(sentence):
            features[end] = True
            continue
        word, tag = sentence[i + at][:2]
        features[f"{at:+}:word.lower()"] = word.lower()
        features[f"{at:+}:word.istitle()"] = word.istitle()
        features[f"{at:+}:word.isupper()"] = word.isupper()
        features[f"{at:+}:postag"] = tag
        features[f"{at:+}:postag[:2]"] = tag[:2]
    return features


def f_score(gold: Sequence[Sequence[str]], found: Sequence[Sequence[str]]) -> float:
    """Return the F of chunks or entities."""
    right = total = 0
    for labels, predicted in zip(gold, found, strict=True):
        wanted, given = set(read_spans(labels)), set(read_spans(predicted))
        right += len(wanted & given)
        total += len(wanted) + len(given)
    return 2 * right / total if total else 0.0


if __name__ == "__main__":
    main()
