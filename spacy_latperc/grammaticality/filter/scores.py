"""Scores of lines, by a pipeline in this process or in several.

What goes between processes is text and numbers: Docs would cost more than the scoring.
"""

import gc
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice

from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import load_model

from ...errors import Errors
from ..component import LatpercGrammaticality
from .lines import Line

AT_ONCE = 1000
NEW_WORDS = 200_000  # some 100 MB
_AHEAD = 3  # batches that wait, for each process


@dataclass(frozen=True)
class ScoringSettings:
    """How lines are scored.

    Args:
        model: Name or path of a pipeline.
        component: Of the pipeline; by default the only one that scores sentences.
        tokenised: Words are separated by spaces.
        processes: How many work.
    """

    model: str
    component: str | None = None
    tokenised: bool = False
    processes: int = 1


class LineScorer:
    """A pipeline that scores texts, and forgets their words when they are too many.

    It is then loaded anew. A memory zone would be simpler, but in one spaCy's tokenizer
    remembers no words at all and takes most of the time.
    """

    def __init__(self, settings: ScoringSettings):
        self.settings = settings
        self._load()

    def _load(self) -> None:
        self.nlp = load_model(self.settings.model)
        self.nlp.max_length = 1 << 40  # lines are bounded where they are read
        self.pipe = find_component(self.nlp, self.settings.component)
        settings = self.pipe.settings
        settings.explain = settings.chunks = False
        self.most_words = len(self.nlp.vocab.strings) + NEW_WORDS

    def __call__(self, texts: Sequence[str]) -> list[float]:
        """How probable it is that each is grammatical."""
        if len(self.nlp.vocab.strings) > self.most_words:
            del self.pipe, self.nlp
            gc.collect()
            self._load()
        label = self.pipe.labels[0]
        given = self.settings.tokenised
        docs = (self._doc(text) for text in texts) if given else texts
        return [doc.cats[label] for doc in self.nlp.pipe(docs, batch_size=AT_ONCE)]

    def _doc(self, text: str) -> Doc:
        return Doc(self.nlp.vocab, words=text.split())


def find_component(nlp: Language, name: str | None) -> LatpercGrammaticality:
    """The component with this name, or the only one that scores sentences."""
    known = {
        found: p for found, p in nlp.pipeline if isinstance(p, LatpercGrammaticality)
    }
    names = ", ".join(known) or "none"
    if name is None and len(known) != 1:
        raise ValueError(Errors.LP341.format(known=names))
    if name is not None and name not in known:
        raise ValueError(Errors.LP341.format(known=names))
    return known[name] if name is not None else next(iter(known.values()))


def scored(
    lines: Iterable[Line], settings: ScoringSettings
) -> Generator[tuple[Line, float], None, None]:
    """The lines with their scores, in order. Processes end when it is closed."""
    if settings.processes == 1:
        scorer = LineScorer(settings)
        for batch in _batches(lines):
            yield from zip(batch, scorer([x.text for x in batch]), strict=True)
        return
    pool = ProcessPoolExecutor(
        settings.processes, initializer=_start, initargs=(settings,)
    )
    waiting: deque[tuple[list[Line], Future[list[float]]]] = deque()
    try:
        for batch in _batches(lines):
            texts = [x.text for x in batch]
            with _without_interrupts():  # a process that begins here gets none either
                waiting.append((batch, pool.submit(_score, texts)))
            if len(waiting) >= _AHEAD * settings.processes:
                yield from _first(waiting)
        while waiting:
            yield from _first(waiting)
    except BrokenProcessPool as error:
        raise ValueError(Errors.LP344.format(n=settings.processes)) from error
    finally:
        # To wait: a pool that is left to itself may be closing its pipes while the
        # interpreter does the same, which ends in a traceback.
        pool.shutdown(cancel_futures=True)


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Ctrl-C is for the process that reads and writes; it ends the others itself."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _first(
    waiting: deque[tuple[list[Line], Future[list[float]]]],
) -> Iterator[tuple[Line, float]]:
    batch, scores = waiting.popleft()
    yield from zip(batch, scores.result(), strict=True)


def _batches(lines: Iterable[Line]) -> Iterator[list[Line]]:
    lines = iter(lines)
    while batch := list(islice(lines, AT_ONCE)):
        yield batch


# In a process of the pool -------------------------------------------------------------

_scorers: list[LineScorer] = []


def _start(settings: ScoringSettings) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _scorers.append(LineScorer(settings))


def _end_with_parent() -> None:
    """Otherwise a process would wait for ever for work from one that was killed."""
    if parent := multiprocessing.parent_process():
        parent.join()
        os._exit(1)


def _score(texts: list[str]) -> list[float]:
    return _scorers[0](texts)
