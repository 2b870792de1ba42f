"""Scoring texts in this process or in several.

Processes exchange text and numbers, since sending Docs would take longer than scoring.
"""

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice
from typing import Any

from spacy.language import Language

from ...errors import Errors
from ...io.user_code import UserCode, import_again, imported_code
from ...text.reader import Text
from .filter_scores import AT_ONCE, LineScorer, ScoringSettings, Verdict

_AHEAD = 3  # waiting batches for each process


class Scorers:
    """A scorer in this process, or several processes with a scorer each, which end with
    the block.
    """

    def __init__(
        self,
        settings: ScoringSettings,
        nlp: Language | None = None,
        load: Callable[[], Language] | None = None,
    ):
        self.settings = settings
        self._pipeline = nlp, load
        self._scorer: LineScorer | None = None
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> "Scorers":
        if self.settings.processes == 1:
            self._scorer = LineScorer(self.settings, *self._pipeline)
        else:
            self._pool = ProcessPoolExecutor(
                self.settings.processes,
                initializer=_start,
                initargs=(self.settings, imported_code()),
            )
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            # Wait: a pool that closes its pipes while the interpreter ends prints a
            # traceback.
            self._pool.shutdown(cancel_futures=True)

    def scored(
        self, items: Iterable[Text]
    ) -> Generator[tuple[Text, Verdict], None, None]:
        """Yield the items with their verdicts, in order."""
        if self._scorer is not None:
            for batch in _batches(items):
                yield from zip(batch, self._scorer(_texts(batch)), strict=True)
            return
        assert self._pool is not None, "outside the block"
        waiting: deque[tuple[list[Text], Future[list[Verdict]]]] = deque()
        try:
            for batch in _batches(items):
                with _without_interrupts():  # inherited by new processes
                    waiting.append((batch, self._pool.submit(_score, _texts(batch))))
                if len(waiting) >= _AHEAD * self.settings.processes:
                    yield from _first(waiting)
            while waiting:
                yield from _first(waiting)
        except BrokenProcessPool as error:
            n = self.settings.processes
            raise ValueError(Errors.LP344.format(n=n)) from error
        finally:
            for _, future in waiting:
                future.cancel()


def _texts(batch: Sequence[Any]) -> list[str]:
    return [item.text for item in batch]


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Block Ctrl-C, which the process that reads and writes handles for all."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _first(
    waiting: deque[tuple[list[Text], Future[list[Verdict]]]],
) -> Iterator[tuple[Text, Verdict]]:
    batch, verdicts = waiting.popleft()
    yield from zip(batch, verdicts.result(), strict=True)


def _batches(items: Iterable[Text]) -> Iterator[list[Text]]:
    items = iter(items)
    while batch := list(islice(items, AT_ONCE)):
        yield batch


# In a process of the pool -------------------------------------------------------------

_scorers: list[LineScorer] = []


def _start(settings: ScoringSettings, code: list[UserCode]) -> None:
    import_again(code)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _scorers.append(LineScorer(settings))


def _end_with_parent() -> None:
    """Exit with the parent. Otherwise a process would wait forever for work from a
    parent that was killed."""
    if parent := multiprocessing.parent_process():
        parent.join()
        os._exit(1)


def _score(texts: list[str]) -> list[Verdict]:
    return _scorers[0](texts)
