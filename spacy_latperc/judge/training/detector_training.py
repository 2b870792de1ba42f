"""Training of the error detector of a judge: a chain over buckets of n-gram and context
features, and over words.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import minibatch

from ...io.docbin import MADE_FROM
from ...learners.serialization.cutting import tightened
from ...model import set_learner
from ...text.sentences import Sentences, join
from ..error_detector import LatpercErrors
from ..error_injection.corrupt import Corrupted
from ..error_injection.error_files import to_doc
from ..evidence.context_evidence import ContextEvidence
from ..evidence.context_model import ContextModel, ContextSettings
from ..evidence.lexicon import Lexicon
from ..evidence.ngram_counts import CountSettings, NgramCounts
from ..evidence.ngram_evidence import NgramEvidence

DETECTOR = "errors"
AT_ONCE = 256
_BATCH = 64
_GROUPS = 4  # groups of texts, each of which is scored by models of the others
_ENOUGH = 0.2  # the share of all sentences that the others must have for that
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
LEARNER = {
    "@misc": "spacy_latperc.CRF.v1",
    "optimizer": "adagrad",
    "learn_rate": 0.03,
    "l2": 50.0,
}

Known = tuple[NgramCounts, ContextModel]


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


def count_ngrams(text: Sentences, *, order: int, megabytes: float) -> NgramCounts:
    """Count the n-grams of a text.

    Args:
        text: The text.
        order: The number of words in the longest n-grams.
        megabytes: The largest size of the table.
    """
    settings = CountSettings(order=order, megabytes=megabytes)
    return NgramCounts.count(text, settings)


class OutOfDomainModels:
    """Models that make each text out-of-domain: they are trained on the other texts.

    Args:
        texts: The counted sentences of each text.
        lexicon: The words of all texts.
        order: The length of the longest n-grams.
        megabytes: The largest size of the counts.
        contexts: The settings of the context model.
        seed: The seed of the context model.
    """

    def __init__(
        self,
        texts: Sequence[Sentences],
        lexicon: Lexicon,
        *,
        order: int,
        megabytes: float,
        contexts: ContextSettings,
        seed: int,
    ):
        self._texts, self._lexicon = texts, lexicon
        self._order, self._megabytes = order, megabytes
        self._contexts, self._seed = contexts, seed
        self._known: dict[int, Known] = {}

    @property
    def groups(self) -> list[list[int]]:
        """The numbers of the texts that are out-of-domain together, if the others are
        large enough."""
        n = min(len(self._texts), _GROUPS)
        numbers = range(len(self._texts))
        found = [list(numbers[group::n]) for group in range(n)] if n > 1 else []
        enough = _ENOUGH * sum(map(len, self._texts))
        return [x for x in found if sum(map(len, self._others(x))) >= enough]

    def _others(self, group: Sequence[int]) -> list[Sentences]:
        return [text for n, text in enumerate(self._texts) if n not in group]

    def _all_known(self, group: Sequence[int]) -> Known:
        if group[0] not in self._known:
            others = mixed(self._others(group))
            counts = count_ngrams(others, order=self._order, megabytes=self._megabytes)
            model = ContextModel.learn(
                others, self._lexicon, self._contexts, self._seed
            )
            self._known[group[0]] = counts, model
        return self._known[group[0]]

    @contextmanager
    def unknown(
        self, group: Sequence[int], sources: Mapping[str, Any]
    ) -> Iterator[None]:
        """Use models of the other texts in the sources.

        Args:
            group: One of `groups`.
            sources: The sources `words` and `contexts`.
        """
        words, places = sources["words"], sources["contexts"]
        assert isinstance(words, NgramEvidence)
        assert isinstance(places, ContextEvidence)
        before = words.known, places.known

        def know(counts: NgramCounts, model: ContextModel, *, leave_out: bool) -> None:
            words.replace_counts(counts, leave_out=leave_out)
            places.replace_model(model)

        others = self._all_known(group)
        try:
            know(*others, leave_out=False)
            yield
        finally:
            know(*before, leave_out=True)


# The detector -------------------------------------------------------------------------


def features_of(sources: Mapping[str, Any]) -> dict[str, Any]:
    """Return the features block of the detector.

    Args:
        sources: The blocks of `words` and `contexts`.
    """
    return {
        "@misc": "spacy_latperc.Templates.v1",
        "templates": _TEMPLATES,
        "min_count": 2,
        "sources": dict(sources),
    }


def examples_of(nlp: Language, made: Sequence[Corrupted]) -> Iterator[Example]:
    """Yield examples of sentences with errors, annotated by the components before the
    detector.

    Args:
        nlp: The pipeline.
        made: The sentences.
    """
    names = nlp.pipe_names
    before = (
        nlp.pipeline[: names.index(DETECTOR)] if DETECTOR in names else nlp.pipeline
    )
    for batch in minibatch(made, AT_ONCE):
        docs = []
        for sentence in batch:
            doc = Doc(nlp.vocab, words=sentence.words)
            doc.user_data[MADE_FROM] = sentence.original
            docs.append(doc)
        for _, pipe in before:
            docs = list(pipe.pipe(docs))
        for doc, sentence in zip(docs, batch, strict=True):
            yield Example(doc, to_doc(sentence, nlp.vocab))


class TrainingSet:
    """The training data of the detector. Examples are made when they are read, since
    the Docs of 50,000 sentences would take 800 MB.

    Args:
        nlp: The pipeline.
        familiar: Sentences with features that come from all texts.
        out_of_domain: For each text, sentences with features that come from the other
            texts.
        other_models: The models of the other texts.
    """

    def __init__(
        self,
        nlp: Language,
        familiar: list[Corrupted],
        out_of_domain: Sequence[list[Corrupted]],
        other_models: OutOfDomainModels,
    ):
        self._nlp, self._other_models = nlp, other_models
        self._familiar, self._out_of_domain = familiar, out_of_domain

    def __len__(self) -> int:
        return len(self._familiar) + sum(
            len(self._of(group)) for group in self._other_models.groups
        )

    def all(self) -> Iterator[Example]:
        """Yield all examples."""
        yield from examples_of(self._nlp, self._familiar)
        for group in self._other_models.groups:
            yield from examples_of(self._nlp, self._of(group))

    def _of(self, group: Sequence[int]) -> list[Corrupted]:
        return [sentence for n in group for sentence in self._out_of_domain[n]]

    def batches(self, sources: Mapping[str, Any]) -> Iterator[list[Example]]:
        """Yield batches, each while the sources have the models for it.

        Args:
            sources: The sources `words` and `contexts`.
        """
        yield from minibatch(examples_of(self._nlp, self._familiar), AT_ONCE)
        for group in self._other_models.groups:
            with self._other_models.unknown(group, sources):
                examples = examples_of(self._nlp, self._of(group))
                yield from minibatch(examples, AT_ONCE)


def train_detector(
    nlp: Language,
    training_set: TrainingSet,
    *,
    epochs: int,
    seed: int,
    progress: Callable[[int], None] | None,
) -> LatpercErrors:
    """Train the chain.

    Args:
        nlp: The pipeline, with the detector.
        training_set: The training data.
        epochs: The number of epochs.
        seed: The seed of shuffling.
        progress: Called with the number of sentences learned from.
    """
    detector = nlp.get_pipe(DETECTOR)
    assert isinstance(detector, LatpercErrors)
    detector.initialize(training_set.all, nlp=nlp)
    sources = detector.learner.features.sources
    prepared = [
        x for batch in training_set.batches(sources) for x in detector.prepare(batch)
    ]
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
