"""The same work by one thread and by two, by turns, on as many cores."""

import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from time import perf_counter, process_time, thread_time
from typing import Any

import numpy as np
import spacy
from spacy.tokens import Doc

from spacy_latperc.learners.batch.shares import SharedObjective
from spacy_latperc.learners.mixing import Examples, Mixing
from spacy_latperc.learners.threads import usable_cores
from spacy_latperc.pipeline.chain import ChainPipe

from ..corpora import BenchCorpus
from .docs import copies, read_docs, read_examples
from .pipelines import COMPONENTS

COPIES = 4  # of the test corpus in one batch of the kernel


def predict(
    *, corpus: BenchCorpus, model: str, inputs: list[str], passes: int
) -> dict[str, Any]:
    """How many times faster two threads are than one: the search alone, and from ready
    Docs to annotated ones."""
    use_all_cores()
    nlp = spacy.load(model)
    component: ChainPipe = nlp.get_pipe("component")
    docs = read_docs(nlp, corpus, inputs=inputs)
    batch = component.learner.read(component.reader.read(docs * COPIES))

    def search(n: int) -> None:
        component.learner.best(batch.for_threads(n))

    def annotate(n: int, ready: list[Doc]) -> None:
        component.n_threads = n
        for _ in nlp.pipe(ready):
            pass

    searches = _Times(3 * passes, lambda n: partial(search, n))
    pipes = _Times(passes, lambda n: partial(annotate, n, copies(docs)))
    return {
        "cores": usable_cores(),
        "search": searches.gain,
        "search_work": searches.work_gain,
        "pipe": pipes.gain,
        "pipe_work": pipes.work_gain,
    }


def learn(
    *,
    corpus: BenchCorpus,
    kind: str,
    epochs: int,
    passes: int,
    limit: int = 0,
    dealt: bool = False,
) -> dict[str, Any]:
    """How much sooner two shards have made their passes than one chain.

    dealt: as `fit --workers 2` has it, and not the setting `shards`.
    """
    use_all_cores()
    nlp = spacy.blank("en")
    settings = dict(COMPONENTS[kind])
    component: ChainPipe = nlp.add_pipe(settings.pop("factory"), config=settings)
    examples = read_examples(nlp, corpus, limit=limit)
    nlp.initialize(lambda: examples)
    blocks, codes = zip(*component.prepare(examples), strict=True)
    gold = np.concatenate(codes)
    learner = component.learner
    whole = Examples()
    whole.add(blocks, gold)
    parts = whole.deal(2)

    def prepare(n: int) -> Callable[[], None]:
        shards = 1 if dealt else n
        learner.settings = replace(learner.settings, shards=shards)
        learner.start(learner.pass_size, keep_features=True)
        return train_dealt if dealt and n > 1 else train

    def train() -> None:
        for _ in range(epochs):
            learner.update(list(blocks), gold)

    def train_dealt() -> None:
        for _ in range(epochs):
            learner.learn_pass(parts, mixing=Mixing())

    times = _Times(max(passes // 3, 1), prepare)
    return {"learn": times.gain, "learn_work": times.work_gain}


def slope(
    *, corpus: BenchCorpus, kind: str, epochs: int, limit: int, passes: int
) -> dict[str, Any]:
    """How much sooner the objective of a batch CRF is evaluated in two parts."""
    use_all_cores()
    nlp = spacy.blank("en")
    settings = dict(COMPONENTS[kind])
    settings["model"] = {
        **settings["model"],
        "learner": {"@misc": "spacy_latperc.CRFBatch.v1"},
    }
    component: ChainPipe = nlp.add_pipe(settings.pop("factory"), config=settings)
    examples = read_examples(nlp, corpus, limit=limit)
    nlp.initialize(lambda: examples)
    blocks, codes = zip(*component.prepare(examples), strict=True)
    chain = component.learner.freeze()
    given = (component.learner.space, chain.structure, list(blocks))
    gold = np.concatenate(codes)
    parts = {n: SharedObjective(n, *given, gold) for n in (1, 2)}
    w, found = np.zeros(parts[1].n_pairs), np.empty(parts[1].n_pairs)
    times = _Times(epochs, lambda n: lambda: parts[n].evaluate(w, found) and None)
    return {"slope": times.gain, "slope_work": times.work_gain}


class _Times:
    """The same work by one thread and by two, by turns.

    times: of each.
    prepare: gives the work for a number of threads.

    gain: how much sooner two are done, by the least wall times. On a machine with other
        work it says little.
    work_gain: how much less the busier of two threads has to do, by the least CPU
        times. It is the gain where each has a core.
    """

    def __init__(self, times: int, prepare: Callable[[int], Callable[[], None]]):
        walls: dict[int, list[float]] = {1: [], 2: []}
        works: dict[int, list[float]] = {1: [], 2: []}
        prepare(2)()
        for turn in range(2 * times):
            n = 1 + turn % 2
            work = prepare(n)
            wall, own, all_threads = perf_counter(), thread_time(), process_time()
            work()
            walls[n].append(perf_counter() - wall)
            own, all_threads = thread_time() - own, process_time() - all_threads
            works[n].append(max(own, all_threads - own))
        self.gain = min(walls[1]) / min(walls[2])
        self.work_gain = min(works[1]) / min(works[2])


def use_all_cores() -> None:
    """The bench ties its processes to one core."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, range(os.cpu_count() or 1))
