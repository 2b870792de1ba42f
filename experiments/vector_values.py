"""Compare word vectors, alone and together with clusters.

    python -m experiments.vector_values

Vectors are made of the raw English text below LATPERC_DATA: the words that stand beside
a word are counted, weighted by their pointwise mutual information, and the table is
reduced to its widest directions. Scores are those of entities on the development data
of W-NUT 2017 after each number of passes, the best of them.
"""

import argparse
import gzip
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import spacy
from numpy.typing import NDArray
from spacy.training import Example
from spacy.vectors import Vectors

from spacy_latperc.data.corpus import column_corpus
from tools.corpora.locate import required_file

from .training import epochs, show

TEXTS = ("raw_text/english.txt.gz", "lm_text/domain_a.train.txt.gz")
CLUSTERS = "clusters/ark_tweets_6mpaths.txt.gz"
WORDS, CONTEXTS, REACH, WIDTH = 20_000, 2_000, 2, 100
PASSES = range(3, 9)
STEP = 0.03  # C of the learner
Table = tuple[list[str], NDArray[np.float32]]


def main() -> None:
    parser = argparse.ArgumentParser(description="Word vectors as features")
    parser.add_argument("--most-words", type=int, default=6_000_000, help="of a text")
    arguments = parser.parse_args()
    table = make_vectors(_sentences(arguments.most_words))
    numbers = {"numbers": {"@misc": "spacy_latperc.VectorValues.v1"}}
    path = str(required_file(CLUSTERS))
    clusters = {"tweets": {"@misc": "spacy_latperc.ClusterFile.v1", "path": path}}
    rows = []
    nothing: dict[str, Any] = {}
    for what, sources in {
        "nothing": nothing,
        "numbers": numbers,
        "clusters": clusters,
        "clusters and numbers": {**clusters, **numbers},
    }.items():
        rows.append((what, f"{score(table, sources):.2f}"))
    show(("knowledge", "best ents_f on dev"), rows)


def make_vectors(sentences: Iterable[Sequence[str]]) -> Table:
    """Vectors of the most frequent words."""
    counts: Counter[str] = Counter()
    kept = []
    for sentence in sentences:
        counts.update(sentence)
        kept.append(sentence)
    words = [word for word, _ in counts.most_common(WORDS)]
    number = {word: i for i, word in enumerate(words)}
    flat: list[int] = []
    for sentence in kept:
        flat += [number.get(word, -1) for word in sentence]
        flat += [-1] * REACH
    seen = count_contexts(np.asarray(flat, dtype=np.int64), len(words))
    return words, reduce_table(weigh(seen))


def count_contexts(ids: NDArray[np.int64], words: int) -> NDArray[np.float64]:
    """Count the frequent words before and after each word; -1 is no
    word."""
    columns = min(CONTEXTS, words)
    seen = np.zeros(words * 2 * columns)
    for distance in range(1, REACH + 1):
        sides = ((ids[distance:], ids[:-distance]), (ids[:-distance], ids[distance:]))
        for side, (here, there) in enumerate(sides):
            known = (here >= 0) & (there >= 0) & (there < columns)
            cells = (here[known] * 2 + side) * columns + there[known]
            places, times = np.unique(cells, return_counts=True)
            seen[places] += times
    return seen.reshape(words, 2 * columns)


def weigh(seen: NDArray[np.float64]) -> NDArray[np.float32]:
    """Positive pointwise mutual information, of smoothed contexts."""
    rows = seen.sum(axis=1, keepdims=True) + 1
    columns = (seen.sum(axis=0, keepdims=True) + 1) ** 0.75
    with np.errstate(divide="ignore"):
        information = np.log(seen * columns.sum() / (rows * columns))
    return np.maximum(information, 0.0).astype(np.float32)


def reduce_table(table: NDArray[np.float32]) -> NDArray[np.float32]:
    """The widest directions of a table, by subspace iteration."""
    rng = np.random.default_rng(0)
    width = min(WIDTH + 20, *table.shape)
    q = rng.normal(size=(table.shape[1], width)).astype(np.float32)
    for _ in range(3):
        q = np.linalg.qr(table.T @ np.linalg.qr(table @ q)[0])[0]
    u, s, _ = np.linalg.svd(table @ q, full_matrices=False)
    found: NDArray[np.float32] = u[:, :WIDTH] * np.sqrt(s[:WIDTH])
    return found


def score(table: Table, sources: dict[str, Any]) -> float:
    """The best score on the development data."""
    nlp = spacy.blank("en")
    words, data = table
    keys = [nlp.vocab.strings.add(word) for word in words]
    nlp.vocab.vectors = Vectors(data=data, keys=keys, strings=nlp.vocab.strings)
    model = {
        "features": {"@misc": "spacy_latperc.NERFeatures.v1", "sources": sources},
        "learner": {"@misc": "spacy_latperc.PassiveAggressive.v1", "C": STEP},
    }
    component = nlp.add_pipe("latperc_ner", config={"model": model})
    train, dev = (_examples(nlp, part) for part in ("train", "dev"))
    nlp.initialize(lambda: train)
    best = 0.0
    for number, _ in enumerate(epochs(component, train, max(PASSES), seed=1), 1):
        if number in PASSES:
            best = max(best, 100 * nlp.evaluate(dev)["ents_f"])
    return best


def _examples(nlp: Any, part: str) -> list[Example]:
    path = required_file(f"wnut17/{part}.conll")
    return list(column_corpus(path, "word,ent")(nlp))


def _sentences(most_words: int) -> Iterable[list[str]]:
    for name in TEXTS:
        words = 0
        with gzip.open(required_file(name), "rt", encoding="utf8") as lines:
            for line in lines:
                sentence = line.lower().split()
                words += len(sentence)
                yield sentence
                if words > most_words:
                    break


if __name__ == "__main__":
    main()
