"""The features of sentences that a judge is fitted to: in-domain, and out-of-domain by
models of the other texts.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from spacy.tokens import Doc
from spacy.util import minibatch
from spacy.vocab import Vocab

from ...text.sentences import Sentences
from ..error_detector import LatpercErrors
from ..error_injection.corrupt import Corrupted
from ..floor import Scored, WordModel
from ..sentence_features import COLUMNS, Floats
from .detector_training import AT_ONCE
from .junk import KINDS as JUNK
from .junk import make_junk
from .text_models import Knowledge
from .text_parts import Parts

JUNK_EVERY = 2  # sentences with errors, for one of which there is junk, too

Read = Callable[[Iterable[Sequence[str]]], Floats]  # reads the features of sentences


@dataclass(frozen=True)
class View:
    """The features of sentences, without their Docs, which would fill the memory.

    Attributes:
        good: Those of sentences without errors.
        wrong: Those of the same sentences with errors.
        junk: Those of junk.
        clean: Those of good text, with the mean costs of its words and letters.
    """

    good: Floats
    wrong: Floats
    junk: Floats
    clean: Scored


def views_of(
    detector: LatpercErrors,
    read: Read,
    parts: Parts,
    made: Sequence[Sequence[Corrupted]],
    knowledge: Knowledge,
    held_out: int,
) -> tuple[list[View], list[View]]:
    """Compute the features of half of each text in-domain, and, with several texts, of
    the other half out-of-domain."""
    half = 2 if knowledge.groups else 1
    # Small texts have no sentence left for the threshold alone.
    good = [
        (unseen if len(unseen) else joined).slice(0, held_out)
        for unseen, joined in zip(parts.unseen, parts.joined, strict=True)
    ]
    model = knowledge.words[()]
    known = [
        view_of(read, x[::half], y, model) for x, y in zip(made, good, strict=True)
    ]
    out_of_domain = []
    for group in knowledge.groups:
        model = knowledge.words[group]
        with knowledge.without(group, detector.learner.features.sources):
            detector.feature_cache.clear()
            out_of_domain += [
                view_of(read, made[n][1::2], good[n], model) for n in group
            ]
    detector.feature_cache.clear()
    return known, out_of_domain


def view_of(
    read: Read, made: Sequence[Corrupted], text: Sentences, model: WordModel
) -> View:
    """Compute the features of sentences with errors, and of good text."""
    bad = [sentence for sentence in made if sentence.marks and sentence.words]
    return View(
        read([sentence.original for sentence in bad]),
        read([sentence.words for sentence in bad]),
        read([_junk(x, n) for n, x in enumerate(bad[::JUNK_EVERY])]),
        scored(read, text, model),
    )


def scored(read: Read, text: Sentences, model: WordModel) -> Scored:
    """Return the features and the costs of words of the sentences of a text."""
    rows = [words for words in text if words]
    return read(rows), model.costs_of(rows)


def _junk(made: Corrupted, number: int) -> list[str]:
    """Make junk of a sentence: each kind in turn."""
    kind = list(JUNK)[number % len(JUNK)]
    return make_junk(kind, [made.words, made.original])[1]


def feature_reader(detector: LatpercErrors, vocab: Vocab) -> Read:
    """Return a function that reads the features of sentences, whose Docs have this
    vocabulary."""

    def read(rows: Iterable[Sequence[str]]) -> Floats:
        tables = [np.zeros((0, len(COLUMNS)))]
        for some in minibatch((words for words in rows if len(words)), AT_ONCE):
            docs = [Doc(vocab, words=list(words)) for words in some]
            found = detector.predict(docs).features
            assert found is not None
            tables.append(found.astype(np.float64))
        return np.concatenate(tables)

    return read
