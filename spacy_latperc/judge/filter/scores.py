"""Verdicts on texts, by a pipeline in this process or in several.

What goes between processes is text and numbers: Docs would cost more than the scoring.
"""

import gc
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice, pairwise

from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import load_model

from ...errors import Errors
from ...grammaticality.annotations import WORST, sentence_scores
from ...grammaticality.sentence_pipe import SentencePipe
from ...io.pipelines import choose_component
from ...io.process_memory import rare_collections
from ...io.user_code import UserCode, import_again, imported_code
from ...text.reader import HasText, Text
from .verdicts import Verdict

AT_ONCE = 1000
NEW_WORDS = 200_000  # some 100 MB
MOST_REASONS = 5  # bad sentences of a document
_AHEAD = 3  # batches that wait, for each process


@dataclass(frozen=True)
class ScoringSettings:
    """How texts are scored.

    Args:
        model: Name or path of a pipeline.
        component: Of the pipeline; by default the only one that scores sentences.
        tokenised: Words are separated by spaces.
        processes: How many work.
        documents: Each text is a document of several sentences, and its score is the
            share of them that are good.
        threshold: The least probability of a good sentence; by default that of the
            component.
        reasons: Whether verdicts say what speaks against a text.
    """

    model: str
    component: str | None = None
    tokenised: bool = False
    processes: int = 1
    documents: bool = False
    threshold: float | None = None
    reasons: bool = False


class LineScorer:
    """A pipeline that scores texts, and forgets their words when they are too many.

    It is then loaded anew. A memory zone would be simpler, but in one spaCy's tokenizer
    remembers no words at all and takes most of the time.

    Args:
        settings: How texts are scored.
        load: What loads the pipeline, in place of the model of the settings.
    """

    def __init__(
        self, settings: ScoringSettings, load: Callable[[], Language] | None = None
    ):
        self.settings = settings
        self._load_pipeline = load or partial(load_model, settings.model)
        self._load()

    def _load(self) -> None:
        self.nlp = self._load_pipeline()
        self.nlp.max_length = 1 << 40  # lines are bounded where they are read
        if hasattr(self.nlp.tokenizer, "max_cache_size"):
            # It remembers 10,000 pieces of text, and splits all others again and again.
            self.nlp.tokenizer.max_cache_size = NEW_WORDS
        self.pipe = find_component(self.nlp, self.settings.component)
        settings = self.pipe.settings
        if hasattr(settings, "chunks"):
            settings.chunks = False
        settings.explain = self.settings.reasons and not self.settings.documents
        if self.settings.threshold is not None:
            settings.threshold = self.settings.threshold
        if self.settings.documents and not _finds_sentences(self.nlp, self.pipe):
            self.nlp.add_pipe("sentencizer", first=True)
        self.most_words = len(self.nlp.vocab.strings) + NEW_WORDS

    def __call__(self, texts: Sequence[str]) -> list[Verdict]:
        """What is found of each text."""
        if len(self.nlp.vocab.strings) > self.most_words:
            del self.pipe, self.nlp
            gc.collect()
            self._load()
        try:
            return self._verdicts(texts)
        except Exception:
            # Some text is at fault: which one, is seen by asking one by one.
            return [self._verdict(text) for text in texts]

    def _verdicts(self, texts: Sequence[str]) -> list[Verdict]:
        given = self.settings.tokenised
        # Text that judges learn from has no tokens of spaces.
        docs = (self._doc(x) if given else " ".join(x.split()) for x in texts)
        verdict = self._of_document if self.settings.documents else self._of_sentence
        with rare_collections():
            return [verdict(doc) for doc in self.nlp.pipe(docs, batch_size=AT_ONCE)]

    def _verdict(self, text: str) -> Verdict:
        try:
            return self._verdicts([text])[0]
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
            return Verdict(0.0, problem=f"cannot be scored ({said})")

    def _of_sentence(self, doc: Doc) -> Verdict:
        score = doc.cats[self.pipe.labels[0]]
        if not self.settings.reasons or score >= self.pipe.threshold:
            return Verdict(score)
        return Verdict(score, tuple(span.text for span in doc.spans[WORST]))

    def _of_document(self, doc: Doc) -> Verdict:
        starts, probabilities = sentence_scores(doc)
        bad = [i for i, p in enumerate(probabilities) if p < self.pipe.threshold]
        score = 1 - len(bad) / max(len(probabilities), 1)
        if not self.settings.reasons:
            return Verdict(score)
        bounds = list(pairwise([*starts, len(doc)]))
        shown = (doc[slice(*bounds[i])].text for i in bad[:MOST_REASONS])
        return Verdict(score, tuple(shown))

    def _doc(self, text: str) -> Doc:
        return Doc(self.nlp.vocab, words=text.split())


def find_component(nlp: Language, name: str | None) -> SentencePipe:
    """The component with this name, or the only one that scores sentences."""
    chosen, known = choose_component(
        nlp, name, lambda pipe: isinstance(pipe, SentencePipe)
    )
    if chosen is None:
        raise ValueError(
            Errors.LP082.format(action="use (latperc_grammaticality)", known=known)
        )
    return nlp.get_pipe(chosen)


def _finds_sentences(nlp: Language, pipe: SentencePipe) -> bool:
    """Whether a component before this one says where sentences begin."""
    names = [name for name, _ in nlp.pipeline]
    before = names[: [p for _, p in nlp.pipeline].index(pipe)]
    written = {x for name in before for x in nlp.get_pipe_meta(name).assigns}
    return bool(written & {"token.is_sent_start", "doc.sents"})


class Scorers:
    """One scorer, or several processes with one each, that end with the block.

    Args:
        settings: How texts are scored.
        load: Loads the pipeline for a single process, in place of the model of the
            settings.
    """

    def __init__(
        self, settings: ScoringSettings, load: Callable[[], Language] | None = None
    ):
        self.settings = settings
        self._load = load
        self._scorer: LineScorer | None = None
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> "Scorers":
        if self.settings.processes == 1:
            self._scorer = LineScorer(self.settings, self._load)
        else:
            self._pool = ProcessPoolExecutor(
                self.settings.processes,
                initializer=_start,
                initargs=(self.settings, imported_code()),
            )
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            # To wait: a pool that is left to itself may be closing its pipes while the
            # interpreter does the same, which ends in a traceback.
            self._pool.shutdown(cancel_futures=True)

    def scored(
        self, items: Iterable[Text]
    ) -> Generator[tuple[Text, Verdict], None, None]:
        """The items with their verdicts, in order."""
        if self._scorer is not None:
            for batch in _batches(items):
                yield from zip(batch, self._scorer(_texts(batch)), strict=True)
            return
        assert self._pool is not None, "outside the block"
        waiting: deque[tuple[list[Text], Future[list[Verdict]]]] = deque()
        try:
            for batch in _batches(items):
                with _without_interrupts():  # nor shall a process that begins here
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


def _texts(batch: Sequence[HasText]) -> list[str]:
    return [item.text for item in batch]


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
    """Otherwise a process would wait for ever for work from one that was killed."""
    if parent := multiprocessing.parent_process():
        parent.join()
        os._exit(1)


def _score(texts: list[str]) -> list[Verdict]:
    return _scorers[0](texts)
