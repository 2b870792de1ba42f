"""Scoring texts with a pipeline in this process."""

import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from spacy.language import Language
from spacy.tokens import Doc

from ...errors import Errors
from ...grammaticality.annotations import sentence_scores, token_contribution
from ...grammaticality.sentence_pipe import SentencePipe
from ...io.pipelines import load_pipeline, pipeline_from_bytes
from ...io.process_memory import rare_collections
from ..judge_component import LatpercJudge
from .ngram_scorer import ngram_pipeline

AT_ONCE = 1000
NEW_WORDS = 200_000  # some 100 MB
MOST_REASONS = 5  # bad sentences of a document


class Verdict(NamedTuple):
    """The score of a text.

    Args:
        score: The probability that the text is grammatical; for a document, the share
            of its sentences that are good.
        reasons: The words that lower the score most; for a document, its bad sentences.
            Empty unless requested.
        problem: The error if the pipeline fails on the text.
    """

    score: float
    reasons: tuple[str, ...] = ()
    problem: str = ""


@dataclass(frozen=True)
class ScoringSettings:
    """The settings of scoring.

    Args:
        model: The name or path of a pipeline, or its bytes.
        tokenised: True if words are separated by spaces.
        processes: The number of processes.
        documents: True if each text has several sentences. Its score is the share of
            good ones.
        threshold: The lowest probability of a good sentence; by default the threshold
            of the component.
        reasons: True if verdicts have reasons.
        bad_share: The share of bad sentences that a judge assumes; by default its own.
    """

    model: str | bytes
    tokenised: bool = False
    processes: int = 1
    documents: bool = False
    threshold: float | None = None
    reasons: bool = False
    bad_share: float | None = None


class LineScorer:
    """A pipeline that scores texts. It is loaded again when its vocabulary has grown
    too large. A memory zone would be simpler, but spaCy's tokenizer caches no words in
    one and takes most of the time.

    Args:
        settings: The settings of scoring.
        nlp: The pipeline, if it is loaded already. Its settings are changed.
        load: Loads the pipeline, in place of the model of the settings.
    """

    def __init__(
        self,
        settings: ScoringSettings,
        nlp: Language | None = None,
        load: Callable[[], Language] | None = None,
    ):
        self.settings = settings
        self._load = load or partial(load_scorer, settings.model, settings.bad_share)
        self._use(nlp or self._load())

    def _use(self, nlp: Language) -> None:
        self.nlp = nlp
        self.nlp.max_length = 1 << 40  # lines are bounded where they are read
        if hasattr(self.nlp.tokenizer, "max_cache_size"):
            # By default it caches 10,000 pieces of text only.
            self.nlp.tokenizer.max_cache_size = NEW_WORDS
        self.pipe = find_component(self.nlp)
        if self.settings.threshold is not None:
            self.pipe.settings.threshold = self.settings.threshold
        if self.settings.documents and not _finds_sentences(self.nlp, self.pipe):
            self.nlp.add_pipe("sentencizer", first=True)
        self.most_words = len(self.nlp.vocab.strings) + NEW_WORDS

    def __call__(self, texts: Sequence[str]) -> list[Verdict]:
        """Score some texts."""
        if len(self.nlp.vocab.strings) > self.most_words:
            del self.pipe, self.nlp
            gc.collect()
            self._use(self._load())
        try:
            return self._verdicts(texts)
        except Exception:
            # Find the text that the pipeline fails on.
            return [self._verdict(text) for text in texts]

    def _verdicts(self, texts: Sequence[str]) -> list[Verdict]:
        given = self.settings.tokenised
        # The training text of judges has no tokens of spaces.
        words, vocab = map(str.split, texts), self.nlp.vocab
        docs = (Doc(vocab, words=x) if given else " ".join(x) for x in words)
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
        if key := getattr(self.pipe.settings, "errors_key", None):
            return Verdict(score, tuple(span.text for span in doc.spans.get(key, ())))
        # The classifier of the papers has the share of each token in the score.
        shares = [(token_contribution(token), token.i) for token in doc]
        known = [(share, i) for share, i in shares if share is not None]
        return Verdict(score, (doc[min(known)[1]].text,) if known else ())

    def _of_document(self, doc: Doc) -> Verdict:
        starts, probabilities = sentence_scores(doc)
        bad = [i for i, p in enumerate(probabilities) if p < self.pipe.threshold]
        score = 1 - len(bad) / max(len(probabilities), 1)
        if not self.settings.reasons:
            return Verdict(score)
        bounds = list(pairwise([*starts, len(doc)]))
        shown = (doc[slice(*bounds[i])].text for i in bad[:MOST_REASONS])
        return Verdict(score, tuple(shown))


def load_scorer(model: str | bytes, bad_share: float | None = None) -> Language:
    """Load a pipeline that scores sentences.

    Args:
        model: Its name or path, or its bytes, or an n-gram model: an ARPA file.
        bad_share: The share of bad sentences that its judge assumes.
    """
    if isinstance(model, bytes):
        nlp = pipeline_from_bytes(model)
    else:
        nlp = ngram_pipeline(model) if Path(model).is_file() else load_pipeline(model)
    if bad_share is not None:
        find_component(nlp, LatpercJudge).bad_share = bad_share
    return nlp


def find_component(nlp: Language, kind: type[Any] = SentencePipe) -> Any:
    """Return the component that scores sentences; of several the last, whose categories
    stay on a Doc."""
    found = [pipe for _, pipe in nlp.pipeline if isinstance(pipe, kind)]
    if not found:
        known = ", ".join(nlp.pipe_names) or "none"
        raise ValueError(Errors.LP788.format(known=known))
    return found[-1]


def _finds_sentences(nlp: Language, pipe: SentencePipe) -> bool:
    """Return True if a component before this one splits sentences."""
    names = [name for name, _ in nlp.pipeline]
    before = names[: [p for _, p in nlp.pipeline].index(pipe)]
    written = {x for name in before for x in nlp.get_pipe_meta(name).assigns}
    return bool(written & {"token.is_sent_start", "doc.sents"})
