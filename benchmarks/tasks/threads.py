"""The same work by one thread and by two, by turns, on as many cores."""

import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from time import perf_counter, process_time, thread_time
from typing import Any

import spacy
from spacy.tokens import Doc

from spacy_latperc.learners.threads import usable_cores
from spacy_latperc.pipeline.chain_pipe import ChainPipe

from ..corpora import BenchCorpus
from .docs import copies, read_docs

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
        component.learner.best(replace(batch, n_threads=n))

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
