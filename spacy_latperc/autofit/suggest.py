"""Texts that are worth annotating next."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import minibatch

from ..errors.check import check_choice, check_count
from ..io.pipelines import annotate_before
from ..pipeline.best_sequences import best_sequences
from ..pipeline.chain_pipe import ChainPipe

MEASURES = ("margin", "entropy")
_AT_ONCE = 256


def suggest(
    nlp: Language,
    pipe: ChainPipe,
    docs: Iterable[Doc],
    n: int,
    *,
    measure: str = MEASURES[0],
) -> list[tuple[Doc, float]]:
    """Choose the Docs from which a component would learn most.

    A Doc is worth its uncertainty. The part of a token whose word has been chosen k
    times before counts only 1 / (1 + k), so that the Docs differ.

    The measure "margin" is a small gap between the scores of the best and the second
    analysis; each token has the same part of it. "entropy" is the entropy of the labels
    of each token, which prefers long Docs.

    Returns:
        n Docs, annotated by the components before this one, and their values.
    """
    check_count("n", n)
    check_choice("measure", measure, MEASURES)
    all_docs: list[Doc] = []
    found: list[Any] = []
    for part in minibatch(docs, _AT_ONCE):
        part = [annotate_before(nlp, pipe.name, doc) for doc in part if len(doc)]
        all_docs += part
        if part:
            found += (_gaps if measure == "margin" else _entropies)(pipe, part)
    if measure == "margin":
        # On the scale of those that may be chosen, since scores have no unit.
        unit = sorted(found)[: n + 1][-1:] or [1.0]
        values = [
            np.full(len(doc), np.exp(-gap / max(unit[0], 1e-6)) / len(doc))
            for doc, gap in zip(all_docs, found, strict=True)
        ]
    else:
        values = found
    chosen = choose(values, [[x.lower for x in doc] for doc in all_docs], n)
    return [(all_docs[i], value) for i, value in chosen]


def _gaps(pipe: ChainPipe, docs: Sequence[Doc]) -> Iterator[float]:
    """Yield the gap between the scores of the two best analyses of each Doc."""
    _, batch = pipe.read_docs(docs)
    for found in best_sequences(pipe.learner, batch, 2):
        scores = found.scores.tolist()
        yield scores[0] - scores[1] if len(scores) > 1 else np.inf


def _entropies(pipe: ChainPipe, docs: Sequence[Doc]) -> list[NDArray[np.float64]]:
    """Return the entropy of the labels of the tokens of each Doc."""
    _, batch = pipe.read_docs(docs)
    table, _ = pipe.learner.marginals(batch, pipe.calibration.temperature)
    p = table.astype(np.float64)
    return np.split(-(p * np.log(p + 1e-12)).sum(axis=1), batch.docs[1:-1])


def choose(
    values: Sequence[NDArray[np.float64]], words: Sequence[Sequence[Any]], n: int
) -> Iterator[tuple[int, float]]:
    """Yield the numbers and values of the n best texts, greedily. The value of a text
    only falls while others are chosen, so that the first of the queue whose value is
    up to date is the best."""
    seen: Counter[Any] = Counter()
    queue = [(-float(x.sum()), i, 0) for i, x in enumerate(values)]
    heapify(queue)
    found = 0
    while queue and found < n:
        value, i, age = heappop(queue)
        if age < found:
            known = np.array([seen[word] for word in words[i]])
            heappush(queue, (-float((values[i] / (1 + known)).sum()), i, found))
            continue
        yield i, -value
        found += 1
        seen.update(words[i])
