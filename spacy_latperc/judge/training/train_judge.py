"""Training of a judge on raw text.

It counts n-grams, trains a context model, injects errors into sentences that were not
counted, and trains latperc_errors on them. The weights of latperc_judge are then fitted
to other sentences, and the threshold to good sentences that nothing else was fitted to.

Counted sentences cannot be reused: their n-grams are known.

Out-of-domain text has more unknown words and n-grams, and looks worse than it is. With
several texts, each is therefore also scored as out-of-domain text, by models of the
others.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import minibatch

from ...calibration import fit_line, sigmoid
from ...errors import Errors
from ...grammaticality.rng import random_order
from ...pipeline.calibrator import calibrate
from ...text.sentences import Sentences, join
from ..error_detector import LatpercErrors
from ..error_injection.corrupt import Corrupted, Corrupter, CorruptSettings
from ..error_injection.kinds import DEFAULT_SHARES
from ..evidence.context_model import ContextSettings
from ..evidence.lexicon import Lexicon
from ..evidence.ngram_counts import CountSettings
from ..floor import Floor
from ..judge_component import BELOW, LatpercJudge
from ..sentence_features import COLUMNS
from ..sentence_scorer import Joined
from .detector_training import (
    AT_ONCE,
    DETECTOR,
    Group,
    Knowledge,
    detector_config,
    examples_of,
    train_detector,
)
from .junk import KINDS as JUNK
from .junk import in_no_language, make_junk
from .threshold import Floats, choose_cut

JUDGE = "judge"
SHORTEST, LONGEST = 1, 80  # words of a training sentence
LEAST = 200  # sentences
# Learners leave out commas more often than most kinds of words.
USUAL = {**DEFAULT_SHARES, "mark": 0.1}
_CLEAN = 0.25  # the share of training sentences without errors
_HELD_OUT_SHARE = 0.05  # the share of a text that the threshold is chosen on
_JOINED_SHARE = 0.15  # that the weights of features are fitted to
_LEARNED_SHARE = 0.15  # that the detector is trained on
_FEW = 10_000  # training sentences: of fewer, several versions with errors are made
_MOST_VERSIONS = 5
# For each counted word, and for each sentence that errors are injected into.
_SECONDS, _MEGABYTES = (4e-6, 1e-3), (2e-5, 1e-2)
_CALIBRATED = 2_000  # sentences that probabilities of tokens are fitted to
_ABOVE = 0.45  # of the lost share, above the floor, which rejects the rest elsewhere
_JUNK = 2  # sentences with errors, for one of which there is junk, too
_KINDS = len(JUNK) + 1  # of junk, with words of no language

Told = Callable[[str], None]


@dataclass(frozen=True)
class JudgeSettings:
    """The settings of training.

    Attributes:
        sentences: The number of sentences that the detector learns from. With several
            texts, half of them are scored by models of the other texts.
        joined: The number of sentences that the weights of features are fitted to.
        held_out: The largest number of sentences of each text that the threshold is
            chosen on.
        epochs: The number of epochs of the detector.
        counting: The settings of the n-gram table.
        contexts: The settings of the context model.
        share: The share of good sentences that may fall below the threshold, averaged
            over the texts.
        seed: The same text and seed give the same judge.
    """

    sentences: int = 20_000
    joined: int = 16_000
    held_out: int = 8_000
    epochs: int = 4
    counting: CountSettings = CountSettings(order=4, megabytes=25.0)
    contexts: ContextSettings = ContextSettings()
    share: float = 0.05
    seed: int = 0


@dataclass(frozen=True)
class Parts:
    """The sentences of each text by their purpose.

    Attributes:
        counted: Sentences for the n-gram counts and the context model.
        learned: Other sentences, to train the detector on.
        out_of_domain: Counted sentences, to train the detector on with models of the
            other texts.
        joined: Other sentences, to fit the weights of features to.
        unseen: Other sentences, to choose the threshold on.
    """

    counted: list[Sentences]
    learned: list[Sentences]
    out_of_domain: list[Sentences]
    joined: list[Sentences]
    unseen: list[Sentences]


def split_text(texts: Sequence[Sentences], settings: JudgeSettings) -> Parts:
    """Split texts into parts for counting, learning and fitting. The square root of the
    size of a text counts, so that a large text does not drown the others.

    Args:
        texts: The texts, over one vocabulary.
        settings: The sizes of the parts.
    """
    fitting = [
        np.flatnonzero((text.lengths >= SHORTEST) & (text.lengths <= LONGEST))
        for text in texts
    ]
    found = sum(map(len, fitting))
    if found < LEAST:
        raise ValueError(Errors.LP784.format(n=found, least=LEAST))
    weights = np.sqrt([len(rows) for rows in fitting])
    weights /= weights.sum()
    half = settings.sentences // min(len(texts), 2)
    parts = Parts([], [], [], [], [])
    for number, (text, rows) in enumerate(zip(texts, fitting, strict=True)):
        order = rows[random_order(len(rows), settings.seed, 21, number)]
        weight = weights[number]
        wanted = settings.held_out, weight * half, weight * settings.joined
        shares = _HELD_OUT_SHARE, _LEARNED_SHARE, _JOINED_SHARE
        counts = [min(len(rows) * x, n) for x, n in zip(shares, wanted, strict=True)]
        ends = np.cumsum(np.floor(counts).astype(np.int64)).tolist()
        parts.unseen.append(text.take(np.sort(order[: ends[0]])))
        parts.learned.append(text.take(order[ends[0] : ends[1]]))
        parts.joined.append(text.take(order[ends[1] : ends[2]]))
        out_of_domain = int(weights[number] * half) if len(texts) > 1 else 0
        parts.out_of_domain.append(text.take(order[ends[2] : ends[2] + out_of_domain]))
        kept = np.ones(len(text), dtype=bool)
        kept[order[: ends[2]]] = False
        parts.counted.append(text.where(kept))
    return parts


def make_judge(
    nlp: Language,
    texts: Sequence[Sentences],
    settings: JudgeSettings,
    folder: Path,
    *,
    good: Sequence[Sentences] = (),
    done: Told = print,
    progress: Callable[[int], None] | None = None,
) -> Parts:
    """Train a judge on raw text.

    Args:
        nlp: A blank pipeline, which the judge is added to.
        texts: The texts, over one vocabulary.
        settings: The settings.
        folder: A folder for temporary files.
        good: Good out-of-domain text, for the threshold.
        done: Called with a message after each step.
        progress: Called with the number of sentences learned from.

    Returns:
        The parts of the texts.
    """
    parts = split_text(texts, settings)
    done(f"training takes {estimate_training(parts)}")
    lexicon = Lexicon(join(texts[0].vocabulary, parts.counted))
    knowledge = Knowledge(
        parts.counted, lexicon, settings.counting, settings.contexts, settings.seed
    )
    sources = {}
    for name, kind, make in (
        ("words", "Ngram", knowledge.count),
        ("contexts", "Context", knowledge.learn_contexts),
    ):
        path = folder / name
        make().to_disk(path)
        block = {"@misc": f"spacy_latperc.{kind}Evidence.v1", "path": str(path)}
        sources[name] = block
        done(f"learned {name} of {sum(map(len, parts.counted)):,} sentences")
    made = CorruptSettings(shares=USUAL, clean=_CLEAN, seed=settings.seed)
    sets = _training_sets(parts, lexicon, made, knowledge.groups)
    done(f"injected errors into {sum(len(x) for _, x in sets):,} sentences")
    nlp.add_pipe("latperc_errors", DETECTOR, config=detector_config(sources))
    judge = nlp.add_pipe("latperc_judge", JUDGE, config={"errors_key": DETECTOR})
    assert isinstance(judge, LatpercJudge)
    detector = train_detector(
        nlp,
        sets,
        knowledge,
        epochs=settings.epochs,
        seed=settings.seed,
        progress=progress,
    )
    done("trained the error detector")
    del sets  # they take much memory
    everything = Corrupter(lexicon, replace(made, clean=0.0, seed=settings.seed + 1))
    with_errors = [list(everything.all_of(text)) for text in parts.joined]
    _calibrate_detector(nlp, [x for some in with_errors for x in some])
    known, out_of_domain = _views(
        nlp, detector, parts, with_errors, knowledge, settings.held_out
    )
    floor = Floor.fit(
        _word_counts(parts.counted),
        [*parts.unseen, *good],
        [view.clean for view in known],
        [view.clean for view in out_of_domain],
    )
    _join(judge, floor, known, out_of_domain)
    found = choose_cut(
        [_log_odds(judge, view.clean) for view in known],
        [_log_odds(judge, view.clean) for view in out_of_domain],
        [_log_odds(judge, _features(nlp, text)) for text in good],
        settings.share * _ABOVE,
    )
    if found is not None:
        judge.threshold = float(sigmoid(np.array(found)))
    done("fitted the weights of features and the threshold")
    return parts


def estimate_training(parts: Parts) -> str:
    """Estimate the time and the memory of training.

    Args:
        parts: The parts of the texts.
    """
    words = sum(len(text.ids) for text in parts.counted)
    sentences = sum(map(len, [*parts.learned, *parts.out_of_domain, *parts.joined]))
    seconds = 5 + words * _SECONDS[0] + sentences * _SECONDS[1]
    megabytes = 200 + words * _MEGABYTES[0] + sentences * _MEGABYTES[1]
    return f"about {seconds:.0f} s and {megabytes:.0f} MB"


def _word_counts(texts: Sequence[Sentences]) -> dict[str, int]:
    """Return the count of each word of some texts over one vocabulary."""
    vocabulary = texts[0].vocabulary
    times = np.zeros(vocabulary.size, dtype=np.int64)
    for text in texts:
        times += np.bincount(text.ids, minlength=vocabulary.size)
    ids = np.flatnonzero(times).astype(np.int32)
    return dict(zip(vocabulary.words_of(ids), times[ids].tolist(), strict=True))


def _training_sets(
    parts: Parts,
    lexicon: Lexicon,
    settings: CorruptSettings,
    groups: Sequence[Group],
) -> list[tuple[Group, list[Corrupted]]]:
    """Inject errors, several times if there are few sentences."""

    def made(texts: Sequence[Sentences], seed: int) -> list[Corrupted]:
        corrupter = Corrupter(lexicon, replace(settings, seed=settings.seed + seed))
        return [x for text in texts for x in corrupter.all_of(text) if x.words]

    few = sum(map(len, parts.learned))
    times = max(1, min(_MOST_VERSIONS, _FEW // max(few, 1)))
    familiar = [x for n in range(times) for x in made(parts.learned, 2 * n)]
    return [
        ((), familiar),
        *((x, made([parts.out_of_domain[n] for n in x], 1)) for x in groups),
    ]


def _calibrate_detector(nlp: Language, made: Sequence[Corrupted]) -> None:
    """Fit probabilities of tokens to as many good as bad sentences."""
    bad = [x for x in made[:: max(1, len(made) // _CALIBRATED)] if x.marks and x.words]
    half = len(bad) // 2
    clean = map(_original, bad[half:])
    calibrate(nlp, DETECTOR, examples_of(nlp, [*bad[:half], *clean]))


def _original(made: Corrupted) -> Corrupted:
    return Corrupted(made.original[0], [], made.original[:1])


@dataclass(frozen=True)
class View:
    """The features of sentences, without their Docs, which would fill the memory.

    Attributes:
        good: Those of sentences without errors.
        wrong: Those of the same sentences with errors.
        junk: Those of junk.
        clean: Those of good text.
    """

    good: Floats
    wrong: Floats
    junk: Floats
    clean: Floats


def _views(
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
    known = [_view(nlp, made[n][::half], good[n]) for n in range(len(made))]
    out_of_domain = []
    for group in knowledge.groups:
        with knowledge.without(group, detector.learner.features.sources):
            detector.feature_cache.clear()
            out_of_domain += [_view(nlp, made[n][1::2], good[n]) for n in group]
    detector.feature_cache.clear()
    return known, out_of_domain


def _view(nlp: Language, made: Sequence[Corrupted], text: Sentences) -> View:
    """Compute the features of sentences with errors, and of good text."""
    bad = [sentence for sentence in made if sentence.marks and sentence.words]
    junk = [_junk(x, n) for n, x in enumerate(bad[::_JUNK])]
    original = [sentence.original[0] for sentence in bad]
    wrong = [sentence.words for sentence in bad]
    return View(*(_features(nlp, x) for x in (original, wrong, junk, text)))


def _junk(made: Corrupted, number: int) -> list[str]:
    """Make junk of a sentence: each kind in turn, and words of no language."""
    words, kind = made.original[0], number % _KINDS
    if kind == len(JUNK):
        return in_no_language(words, number)
    return make_junk(list(JUNK)[kind], [made.words, words])[1]


def _features(nlp: Language, rows: Iterable[Sequence[str]]) -> Floats:
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


def _join(
    judge: LatpercJudge,
    floor: Floor,
    known: Sequence[View],
    out_of_domain: Sequence[View],
) -> None:
    """Fit the weights of the features, and the probabilities of sentences.

    New text looks stranger than what was learned from. So probabilities are fitted to
    the strangest text alone, and to kinds of bad sentences in equal shares: errors and
    each kind of junk. What is below the floor says nothing of the others.
    """
    views = [*known, *out_of_domain]
    good, wrong, junk = (
        np.concatenate([getattr(view, name) for view in views])
        for name in ("good", "wrong", "junk")
    )
    # Preferences are fitted in-domain.
    differences = np.concatenate([view.good - view.wrong for view in known])
    judge.fit(Joined.fit(good, np.concatenate([wrong, junk]), differences), floor)
    view = min(views, key=lambda view: np.median(judge.scores(view.good)))
    bad = np.concatenate([view.wrong[:: _JUNK * _KINDS], view.junk])
    table = np.concatenate([view.good[: len(bad)], bad])
    scores, truth = judge.scores(table), np.arange(len(table)) < len(table) - len(bad)
    above = scores > BELOW
    judge.calibration = fit_line(scores[above], truth[above])


def _log_odds(judge: LatpercJudge, table: Floats) -> Floats:
    """Return the log odds of each sentence to be good, whatever the floor says."""
    assert judge.joined is not None
    return judge.log_odds(judge.joined(table))
