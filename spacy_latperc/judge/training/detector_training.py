"""Training of the error detector of a judge: a chain over buckets of n-gram and context
features, and over words.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import minibatch

from ...learners.serialization.cutting import tightened
from ...model import set_learner
from ...text.sentences import Sentences, join
from ..error_detector import LatpercErrors
from ..error_injection.corrupt import Corrupted
from ..error_injection.error_files import to_doc
from ..evidence.context_model import ContextModel, ContextSettings
from ..evidence.lexicon import Lexicon
from ..evidence.ngram_counts import CountSettings, NgramCounts

DETECTOR = "errors"
AT_ONCE = 256
_BATCH = 64
_GROUPS = 4  # groups of texts, each of which is scored by models of the others
_ENOUGH = 0.2  # the share of all sentences that the others must have for that
_OTHER_PASSES = 1  # of context models of the other texts
_MOST_TIMES = 4  # the largest number of copies of a small text
_N, _C = "ng.words", "ctx.contexts"
_TEMPLATES = [
    *(f"{_N}:{x}[{at}]" for x in ("left", "right", "prob") for at in (-1, 0, 1)),
    *(f"{_N}:count[{at}]" for at in (-1, 0, 1)),
    *(f"{_N}:{x}[0]" for x in ("next", "gap", "pair", "middle")),
    f"{_N}:pair[1]",
    f"{_N}:left[0]|{_N}:right[0]",
    f"{_N}:left[0]|{_N}:left[1]",
    f"{_N}:prob[0]|{_N}:prob[1]",
    f"{_N}:prob[1]|{_N}:gap[0]",
    *(f"{_C}:{x}[{at}]" for x in ("fit", "better", "missing") for at in (-1, 0, 1)),
    f"{_C}:fewer[0]",
    f"{_C}:fewer[1]",
    f"{_C}:fit[0]|{_C}:fit[1]",
    f"{_C}:fit[0]|{_C}:better[0]",
    f"{_C}:fit[0]|{_N}:prob[0]",
    f"{_N}:prob[0]|lower[0]",
    f"{_C}:better[0]|lower[0]",
    f"{_C}:missing[0]|lower[0]",
    f"{_C}:fewer[0]|lower[0]",
    *("lower[-1]", "lower[0]", "lower[1]", "suf3[0]", "shape[0]"),
]
# Strong L2: otherwise words are memorised, which says little about other text.
_LEARNER = {
    "@misc": "spacy_latperc.CRF.v1",
    "optimizer": "adagrad",
    "learn_rate": 0.03,
    "l2": 50.0,
}

Group = Sequence[int]  # numbers of texts
Sets = Sequence[tuple[Group, list[Corrupted]]]


def mixed(texts: Sequence[Sentences]) -> Sentences:
    """Join texts, with several copies of small ones. Otherwise their n-grams would be
    too rare to be kept beside those of a large text.

    Args:
        texts: The texts, over one vocabulary.
    """
    largest = max(map(len, texts))
    several = [
        text
        for text in texts
        for _ in range(min(int((largest / max(len(text), 1)) ** 0.5), _MOST_TIMES))
    ]
    return join(texts[0].vocabulary, several)


class Knowledge:
    """Counts and a context model of all texts, and those that make each text
    out-of-domain: of the other texts.

    Args:
        texts: The counted sentences of each text.
        lexicon: The words of all texts.
        counting: The settings of the counts.
        contexts: The settings of the context models.
        seed: The seed of the context models.
    """

    def __init__(
        self,
        texts: Sequence[Sentences],
        lexicon: Lexicon,
        counting: CountSettings,
        contexts: ContextSettings,
        seed: int,
    ):
        self._texts, self._lexicon = texts, lexicon
        self._counting, self._contexts, self._seed = counting, contexts, seed
        self._known: dict[int, tuple[NgramCounts, ContextModel]] = {}
        # Of texts that are out-of-domain together, if the others are large enough.
        n = min(len(texts), _GROUPS)
        self.groups = [
            range(len(texts))[first::n] for first in range(n if n > 1 else 0)
        ]
        enough = _ENOUGH * sum(map(len, texts))
        self.groups = [
            x for x in self.groups if sum(map(len, self._without(x))) >= enough
        ]

    def count(self, group: Group = ()) -> NgramCounts:
        """Count the n-grams of all texts but some."""
        return NgramCounts.count(mixed(self._without(group)), self._counting)

    def learn_contexts(self, group: Group = ()) -> ContextModel:
        """Learn the contexts of all texts but some."""
        passes = _OTHER_PASSES if group else self._contexts.passes
        settings = replace(self._contexts, passes=passes)
        text = mixed(self._without(group))
        return ContextModel.learn(text, self._lexicon, settings, self._seed)

    @contextmanager
    def without(self, group: Group, sources: Mapping[str, Any]) -> Iterator[None]:
        """Use models of the other texts in the sources.

        Args:
            group: One of `groups`; empty to change nothing.
            sources: The sources `words` and `contexts`.
        """
        if not group:
            yield
            return
        if group[0] not in self._known:
            self._known[group[0]] = self.count(group), self.learn_contexts(group)
        words, contexts = sources["words"], sources["contexts"]
        before = words.known, contexts.known
        try:
            words.replace(self._known[group[0]][0])
            contexts.replace(self._known[group[0]][1])
            yield
        finally:
            words.replace(before[0])
            contexts.replace(before[1])

    def _without(self, group: Group) -> list[Sentences]:
        return [text for n, text in enumerate(self._texts) if n not in group]


def detector_config(sources: Mapping[str, Any]) -> dict[str, Any]:
    """Return the config of the detector.

    Args:
        sources: The blocks of `words` and `contexts`.
    """
    features = {
        "@misc": "spacy_latperc.Templates.v1",
        "templates": _TEMPLATES,
        "min_count": 2,
        "sources": dict(sources),
    }
    # F0.5 is highest near this threshold, if probabilities are right and F is 0.5.
    model = {"features": features, "learner": _LEARNER}
    return {"model": model, "threshold": 0.4}


def examples_of(nlp: Language, made: Iterable[Corrupted]) -> Iterator[Example]:
    """Yield examples of sentences with errors.

    Args:
        nlp: The pipeline.
        made: The sentences.
    """
    for sentence in made:
        doc = Doc(nlp.vocab, words=sentence.words)
        yield Example(doc, to_doc(sentence, nlp.vocab))


def train_detector(
    nlp: Language,
    sets: Sets,
    knowledge: Knowledge,
    *,
    epochs: int,
    seed: int,
    progress: Callable[[int], None] | None,
) -> LatpercErrors:
    """Train the chain. Examples are made when they are read, since the Docs of 50,000
    sentences would take 800 MB.

    Args:
        nlp: The pipeline, with the detector.
        sets: Groups of texts, and sentences whose features come from the other texts.
        knowledge: The models of the texts.
        epochs: The number of epochs.
        seed: The seed of shuffling.
        progress: Called with the number of sentences learned from.
    """
    detector = nlp.get_pipe(DETECTOR)
    assert isinstance(detector, LatpercErrors)
    every = [sentence for _, made in sets for sentence in made]
    detector.initialize(lambda: examples_of(nlp, every), nlp=nlp)
    sources = detector.learner.features.sources
    prepared = []
    for group, made in sets:
        with knowledge.without(group, sources):
            for batch in minibatch(examples_of(nlp, made), AT_ONCE):
                prepared += detector.prepare(batch)
    for number in range(epochs):
        random.Random(seed + number).shuffle(prepared)
        for start in range(0, len(prepared), _BATCH):
            batch = prepared[start : start + _BATCH]
            features, gold = zip(*batch, strict=True)
            detector.learn(list(features), np.concatenate(gold))
            if progress:
                progress(len(batch))
    # 16 bits make the model a third as large, without a measurable loss.
    small = detector.learner.blank()
    small.from_bytes(tightened(detector.learner.to_bytes(bits=16)))
    set_learner(detector.model, small)
    detector.feature_cache.clear()
    return detector
