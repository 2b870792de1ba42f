"""The search of frozen chains: where its time goes, and how it grows with labels.

Fresh text is new to the model, which has seen some other text: see tasks/tagging.py.
"""

from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
import spacy

from spacy_latperc.kernels.chains import (
    FeatureSpace,
    FrozenChain,
    Question,
    Structure,
    text_hash,
)
from spacy_latperc.pipeline.chain import ChainPipe

from ..clock import seconds as clock
from ..corpora import BenchCorpus
from .docs import read_docs

WARM_UP = 2000  # sentences of other text
WORD, BEFORE, BIAS = range(3)  # templates
WORDS = 2000
USED = 4  # labels that a word has weights for


def by_phase(
    *, corpus: BenchCorpus, model: str, inputs: list[str], passes: int
) -> dict[str, Any]:
    """Nanoseconds a token, attributes given as ids: of fresh text, of the same text
    again, and of each phase of both. Phases go by the wall clock, so that on a busy
    machine only the least of the passes says something."""
    nlp = spacy.load(model)
    component: ChainPipe = nlp.get_pipe("component")
    learner = component.learner
    space = learner.space

    def arrays(part: str, limit: int) -> tuple[Any, Any]:
        docs = read_docs(nlp, corpus, inputs=inputs, part=part, limit=limit)
        batch = component.reader.read(docs)
        return space.assemble(batch.values, batch.lookup), batch.bounds

    others = arrays("train", WARM_UP)
    text = arrays("test", 0)
    n = len(text[0])
    data = learner.to_bytes()

    def fresh() -> FrozenChain:
        learner.from_bytes(data)
        frozen = learner.freeze()
        frozen.decode(Question(learner.space, *others))
        return frozen

    asked = Question(learner.space, *text)
    totals: dict[str, list[float]] = {"fresh": [], "again": []}
    phases: dict[str, list[dict[str, float]]] = {"fresh": [], "again": []}
    for _ in range(passes):
        frozen = fresh()
        for name in totals:
            start = clock()
            frozen.decode(asked)
            totals[name].append(clock() - start)
        frozen = fresh()
        for name in phases:
            phases[name].append(frozen.profile(asked))
    return {
        "labels": len(learner.labels),
        **{f"{name}_ns": 1e9 * median(x) / n for name, x in totals.items()},
        **{
            f"{name}_phases_ns": {
                phase: 1e9 * min(one[phase] for one in runs) / n for phase in runs[0]
            }
            for name, runs in phases.items()
        },
    }


def cold_start(*, corpus: BenchCorpus, model: str, inputs: list[str]) -> dict[str, Any]:
    """Milliseconds from a file to the first sentence: loading the pipeline, and its
    first call, in a process that has imported spaCy."""
    start = perf_counter()
    nlp = spacy.load(model)
    loaded = perf_counter()
    docs = read_docs(nlp, corpus, inputs=inputs, limit=2)
    begin = perf_counter()
    nlp(docs[0])
    first = perf_counter()
    nlp(docs[1])
    return {
        "load_ms": 1e3 * (loaded - start),
        "first_ms": 1e3 * (first - begin),
        "second_ms": 1e3 * (perf_counter() - first),
    }


def labels(*, labels: int, tokens: int, passes: int) -> dict[str, Any]:
    """Nanoseconds a token where each label may follow each: made-up weights, a few for
    each word and some for every pair of labels."""
    rng = np.random.default_rng(labels)
    parts = {"word": [(0, 0)], "word before": [(0, -1)], "bias": []}
    programs = [(text_hash(name), each) for name, each in parts.items()]
    space = FeatureSpace(programs, [("column", 0)])
    single = [([t], [(0, -t)]) for t in (WORD, BEFORE)]
    structure = Structure(
        space,
        labels=labels,
        latent=1,
        order=1,
        blocks=[(0, False, single), (1, False, [([BIAS], [])])],
    )
    words = (WORDS * rng.power(0.3, size=(tokens, 1))).astype(np.uint64) + np.uint64(1)
    bounds = np.append(np.arange(0, tokens, 25), tokens)
    hashes = space.hashes(words)
    keys = np.unique(hashes[:, [WORD, BEFORE]])
    used = min(USED, labels)
    cells = np.sort(rng.integers(0, labels, size=(len(keys), used)), axis=1)
    frozen = FrozenChain(structure)
    _fill(frozen, 0, keys, cells, 5.0 * rng.normal(size=cells.shape))
    pairs = rng.normal(size=(1, labels * labels))
    _fill(frozen, 1, hashes[:1, BIAS], np.arange(labels * labels)[None], pairs)
    asked = Question(space, words, bounds)
    frozen.decode(asked)  # all is met before
    seconds = _times(lambda: frozen.decode(asked), passes)
    return {"ns": 1e9 * median(seconds) / tokens}


def _fill(frozen: FrozenChain, b: int, keys: Any, cells: Any, values: Any) -> None:
    sizes = np.full(len(keys), cells.shape[1], dtype=np.uint32)
    flat = cells.reshape(-1).astype(np.uint32)
    frozen.fill(b, keys, sizes, flat, values.reshape(-1).astype(np.float32))


def _times(ask: Callable[[], Any], passes: int) -> list[float]:
    seconds = []
    for _ in range(passes):
        start = clock()
        ask()
        seconds.append(clock() - start)
    return seconds
