"""Training of the error detector of a judge: a chain over buckets of n-gram and context
features, and over words.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import minibatch

from ...learners.serialization.cutting import tightened
from ...text.sentences import Sentences, join
from ..error_detector import LatpercErrors
from ..error_injection.corrupt import Corrupted
from ..error_injection.error_files import to_doc
from ..evidence.context_model import ContextModel
from ..evidence.lexicon import Lexicon
from ..evidence.ngram_counts import NgramCounts
from ..floor import Spelling
from .text_parts import JudgeSettings

DETECTOR = "errors"
AT_ONCE = 256
_BATCH = 64
_GROUPS = 4  # groups of texts, each of which is scored by models of the others
_ENOUGH = 0.2  # the share of all sentences that the others must have for that
_PASSES, _OTHER_PASSES = 3, 1  # of the context models of all, and of other texts
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
    """Counts and context models in files, and models of spelling: of all texts, and
    those that make each text out-of-domain, of the other texts.

    Args:
        texts: The counted sentences of each text.
        lexicon: The words of all texts.
        settings: The settings of the training.
        folder: The folder of the files.
        done: Called with a message after each step.

    Attributes:
        groups: Numbers of texts that are out-of-domain together.
        spellings: The models of spelling of all texts but those of a group.
    """

    def __init__(
        self,
        texts: Sequence[Sentences],
        lexicon: Lexicon,
        settings: JudgeSettings,
        folder: Path,
        done: Callable[[str], None],
    ):
        self._lexicon, self._settings = lexicon, settings
        self._folder, self._done = folder, done
        self.groups: list[Group] = []
        self.spellings: dict[Group, Spelling] = {}
        self._learn((), texts)
        # Of texts that are out-of-domain together, if the others are large enough.
        n = min(len(texts), _GROUPS)
        enough = _ENOUGH * sum(map(len, texts))
        for first in range(n if n > 1 else 0):
            group = range(len(texts))[first::n]
            others = [text for n, text in enumerate(texts) if n not in group]
            if sum(map(len, others)) >= enough:
                self.groups.append(group)
                self._learn(group, others)

    def _learn(self, group: Group, texts: Sequence[Sentences]) -> None:
        self.spellings[group] = Spelling.learn(_word_counts(texts))
        text, settings = mixed(texts), self._settings
        words, contexts = self._files(group)
        NgramCounts.count(text, settings.counting).to_disk(words)
        passes = _OTHER_PASSES if group else _PASSES
        how = {"passes": passes, "seed": settings.seed}
        ContextModel.learn(text, self._lexicon, **how).to_disk(contexts)
        self._done(f"learned n-grams and contexts of {len(text):,} sentences")

    def _files(self, group: Group) -> tuple[Path, Path]:
        """Return the files of the models of all texts but some."""
        name = str(group[0]) if group else "all"
        return self._folder / f"{name}.ngrams", self._folder / f"{name}.contexts"

    @property
    def sources(self) -> dict[str, dict[str, str]]:
        """The blocks of the sources `words` and `contexts`."""
        words, contexts = map(str, self._files(()))
        return {
            "words": {"@misc": "spacy_latperc.NgramEvidence.v1", "path": words},
            "contexts": {"@misc": "spacy_latperc.ContextEvidence.v1", "path": contexts},
        }

    @contextmanager
    def without(self, group: Group, sources: Mapping[str, Any]) -> Iterator[None]:
        """Use models of the other texts in the sources.

        Args:
            group: One of `groups`; empty for the models of all texts.
            sources: The sources `words` and `contexts`.
        """
        both = sources["words"], sources["contexts"]
        before = [source.known for source in both]
        try:
            for source, path in zip(both, self._files(group), strict=True):
                source.replace(source.tables_class.from_disk(path))
            yield
        finally:
            for source, tables in zip(both, before, strict=True):
                source.replace(tables)


def _word_counts(texts: Sequence[Sentences]) -> dict[str, int]:
    """Return the count of each word of some texts over one vocabulary."""
    vocabulary = texts[0].vocabulary
    times = np.zeros(vocabulary.size, dtype=np.int64)
    for text in texts:
        times += np.bincount(text.ids, minlength=vocabulary.size)
    ids = np.flatnonzero(times).astype(np.int32)
    return dict(zip(vocabulary.words_of(ids), times[ids].tolist(), strict=True))


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
    rounded = detector.learner.to_bytes(bits=16)
    detector.model.shims[0].from_bytes(tightened(rounded))
    detector.feature_cache.clear()
    return detector
