"""The features of sentences that a judge is fitted to: in-domain, and out-of-domain by
models of the other texts.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import minibatch

from ...text.sentences import Sentences
from ..error_detector import LatpercErrors
from ..error_injection.corrupt import Corrupted
from ..floor import Scored, Spelling
from ..sentence_features import COLUMNS, Floats
from .detector_training import AT_ONCE, DETECTOR, Knowledge
from .junk import KINDS as JUNK
from .junk import in_no_language, make_junk
from .text_parts import Parts

JUNK_EVERY = 2  # sentences with errors, for one of which there is junk, too
JUNK_KINDS = len(JUNK) + 1  # with words of no language


@dataclass(frozen=True)
class View:
    """The features of sentences, without their Docs, which would fill the memory.

    Attributes:
        good: Those of sentences without errors.
        wrong: Those of the same sentences with errors.
        junk: Those of junk.
        clean: Those of good text.
        costs: The highest cost of the spelling of a word in its sentences.
    """

    good: Floats
    wrong: Floats
    junk: Floats
    clean: Floats
    costs: Floats


def views_of(
    nlp: Language,
    detector: LatpercErrors,
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
    spellings = knowledge.spellings
    known = [
        view_of(nlp, made[n][::half], good[n], spellings[()]) for n in range(len(made))
    ]
    out_of_domain = []
    for group in knowledge.groups:
        with knowledge.without(group, detector.learner.features.sources):
            detector.feature_cache.clear()
            out_of_domain += [
                view_of(nlp, made[n][1::2], good[n], spellings[group]) for n in group
            ]
    detector.feature_cache.clear()
    return known, out_of_domain


def view_of(
    nlp: Language, made: Sequence[Corrupted], text: Sentences, spelling: Spelling
) -> View:
    """Compute the features of sentences with errors, and of good text."""
    bad = [sentence for sentence in made if sentence.marks and sentence.words]
    junk = [_junk(x, n) for n, x in enumerate(bad[::JUNK_EVERY])]
    original = [sentence.original[0] for sentence in bad]
    wrong = [sentence.words for sentence in bad]
    good, errors, others = (_features_of(nlp, x) for x in (original, wrong, junk))
    return View(good, errors, others, *scored(nlp, text, spelling))


def scored(nlp: Language, text: Sentences, spelling: Spelling) -> Scored:
    """Return the features and the highest costs of words of the sentences of a text."""
    rows = [words for words in text if words]
    return _features_of(nlp, rows), spelling.worst_of(rows)


def _junk(made: Corrupted, number: int) -> list[str]:
    """Make junk of a sentence: each kind in turn, and words of no language."""
    words, kind = made.original[0], number % JUNK_KINDS
    if kind == len(JUNK):
        return in_no_language(words, number)
    return make_junk(list(JUNK)[kind], [made.words, words])[1]


def _features_of(nlp: Language, rows: Iterable[Sequence[str]]) -> Floats:
    """Return the features of sentences."""
    detector = nlp.get_pipe(DETECTOR)
    assert isinstance(detector, LatpercErrors)
    tables = [np.zeros((0, len(COLUMNS)))]
    for some in minibatch((words for words in rows if len(words)), AT_ONCE):
        docs = [Doc(nlp.vocab, words=list(words)) for words in some]
        found = detector.predict(docs).features
        assert found is not None
        tables.append(found.astype(np.float64))
    return np.concatenate(tables)
