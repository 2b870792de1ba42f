"""Scores of lines, by a pipeline in this process or in several.

What goes between processes is text and numbers: Docs would cost more than the scoring.
"""

import gc
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import islice

from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import load_model

from ..components.grammaticality import LatpercGrammaticality
from ..errors import Errors
from .lines import Line

AT_ONCE = 1000
NEW_WORDS = 200_000  # some 100 MB
_AHEAD = 3  # batches that wait, for each process


@dataclass(frozen=True)
class ScoringSettings:
    """model: name or path of a pipeline. component: of the pipeline; its only one by
    default. tokenised: words lie between spaces. processes: how many work."""

    model: str
    component: str | None = None
    tokenised: bool = False
    processes: int = 1


class LineScorer:
    """A pipeline that scores texts, and forgets their words when they are too many.

    It is loaded anew then. In a memory zone it would be less trouble, but there the
    tokenizer of spaCy remembers no word at all, and takes most of the time.
    """

    def __init__(self, settings: ScoringSettings):
        self.settings = settings
        self._load()

    def _load(self) -> None:
        self.nlp = load_model(self.settings.model)
        self.nlp.max_length = 1 << 40  # lines are bounded where they are read
        self.pipe = find_component(self.nlp, self.settings.component)
        self.pipe.explain = self.pipe.chunks = False
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
) -> Iterator[tuple[Line, float]]:
    """The lines with their scores, in order."""
    if settings.processes == 1:
        scorer = LineScorer(settings)
        for batch in _batches(lines):
            yield from zip(batch, scorer([x.text for x in batch]), strict=True)
        return
    with ProcessPoolExecutor(
        settings.processes, initializer=_start, initargs=(settings,)
    ) as pool:
        waiting: deque[tuple[list[Line], Future[list[float]]]] = deque()
        try:
            for batch in _batches(lines):
                waiting.append((batch, pool.submit(_score, [x.text for x in batch])))
                if len(waiting) >= _AHEAD * settings.processes:
                    yield from _first(waiting)
            while waiting:
                yield from _first(waiting)
        except BrokenProcessPool as error:
            raise ValueError(Errors.LP344.format(n=settings.processes)) from error
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


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
    _scorers.append(LineScorer(settings))


def _score(texts: list[str]) -> list[float]:
    return _scorers[0](texts)
