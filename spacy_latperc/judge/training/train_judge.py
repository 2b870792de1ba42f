"""Training of a judge on raw text.

It counts n-grams, trains a context model, injects errors into sentences that were not
counted, and trains latperc_errors on them. The weights of latperc_judge are then fitted
to other sentences, and the threshold to good sentences that nothing else was fitted to.

Counted sentences cannot be reused, even with leave-one-out: rounded counts minus one
leak the original words.

Out-of-domain text has more unknown words and n-grams, and looks worse than it is. With
several texts, each is therefore also scored as out-of-domain text, by models of the
others.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import minibatch

from ...calibration import fit_line, log_odds, sigmoid
from ...errors import Errors
from ...grammaticality.rng import random_order
from ...pipeline.calibrator import calibrate
from ...text.sentences import Sentences, join
from ..error_detector import LatpercErrors
from ..error_injection.corrupt import Corrupted, Corrupter, CorruptSettings
from ..error_injection.error_files import Pair
from ..error_injection.fitting import fit_shares
from ..error_injection.kinds import DEFAULT_SHARES
from ..error_injection.marks import Mark
from ..error_scorer import token_scores
from ..evidence.context_model import ContextModel, ContextSettings
from ..evidence.lexicon import Lexicon
from ..judge_component import BELOW, LatpercJudge
from ..sentence_features import CONTEXTS, ERRORS, LENGTH, NGRAM
from ..sentence_scorer import Joined
from .detector_training import (
    AT_ONCE,
    DETECTOR,
    LEARNER,
    OutOfDomainModels,
    TrainingSet,
    count_ngrams,
    examples_of,
    features_of,
    mixed,
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
# Kinds that the alignment of originals and corrections does not show.
UNSEEN = {"order": 0.03, "far": 0.01, "halves": 0.02, "cut": 0.02, "repeat": 0.01}
_HELD_OUT_SHARE = 0.05  # the share of a text that the threshold is chosen on
_JOINED_SHARE = 0.15  # that the weights of features are fitted to
_LEARNED_SHARE = 0.15  # that the detector is trained on
_FEW = 20_000  # training sentences: of fewer, several versions with errors are made
_MOST_VERSIONS = 5
_THRESHOLDS = 40
_OTHER_EPOCHS = 1  # epochs of context models of the other texts
_CALIBRATED = 8_000  # sentences that probabilities of tokens are fitted to
_VIEWED = 1_000  # sentences with errors per batch
_JUNK = 2  # sentences with errors, for one of which there is junk, too

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
        megabytes: The largest size of the n-gram table.
        order: The number of words in the longest n-grams.
        contexts: The settings of the context model.
        clean: The share of training sentences without errors.
        share: The share of good sentences that may fall below the threshold, averaged
            over the texts.
        shares: The shares of the kinds of errors; None for the defaults.
        seed: The same text and seed give the same judge.
    """

    sentences: int = 50_000
    joined: int = 24_000
    held_out: int = 8_000
    epochs: int = 4
    megabytes: float = 25.0
    order: int = 4
    contexts: ContextSettings = ContextSettings()
    clean: float = 0.25
    share: float = 0.05
    shares: dict[str, float] | None = None
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

    @property
    def whole(self) -> Sentences:
        """All counted sentences."""
        return join(self.counted[0].vocabulary, self.counted)


@dataclass
class TrainedJudge:
    """A trained judge.

    Attributes:
        nlp: The pipeline.
        parts: The parts of the text.
        corrupter: An injector of the same kinds of errors.
        shares: The shares of the kinds of errors.
    """

    nlp: Language
    parts: Parts
    corrupter: Corrupter
    shares: dict[str, float] = field(default_factory=dict)


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
    pairs: Sequence[Pair] = (),
    good: Sequence[Sentences] = (),
    done: Told = print,
    progress: Callable[[int], None] | None = None,
) -> TrainedJudge:
    """Train a judge on raw text.

    Args:
        nlp: A pipeline without a judge.
        texts: The texts, over one vocabulary.
        settings: The settings.
        folder: A folder for temporary files.
        pairs: Originals and corrections, whose kinds of errors are imitated.
        good: Good out-of-domain text, for the threshold.
        done: Called with a message after each step.
        progress: Called with the number of sentences learned from.
    """
    parts = split_text(texts, settings)
    whole = parts.whole
    several = mixed(parts.counted)
    words = folder / "words.ngrams"
    counts = count_ngrams(several, order=settings.order, megabytes=settings.megabytes)
    counts.to_disk(words)
    sources = {"words": {"@misc": "spacy_latperc.NgramEvidence.v1", "path": str(words)}}
    done(f"counted n-grams of {len(whole):,} sentences")
    lexicon = Lexicon(whole)
    contexts = folder / "words.contexts"
    model = ContextModel.learn(several, lexicon, settings.contexts, settings.seed)
    model.to_disk(contexts)
    sources["contexts"] = {
        "@misc": "spacy_latperc.ContextEvidence.v1",
        "path": str(contexts),
    }
    del whole, several  # a copy of the text each
    done("trained the context model")
    shares = settings.shares or USUAL
    if pairs:
        shares = {**UNSEEN, **fit_shares(pairs, lexicon).shares}
    made = CorruptSettings(shares=shares, clean=settings.clean, seed=settings.seed)
    other_models = OutOfDomainModels(
        parts.counted,
        lexicon,
        order=settings.order,
        megabytes=settings.megabytes,
        contexts=replace(settings.contexts, passes=_OTHER_EPOCHS),
        seed=settings.seed,
    )
    training_set = _training_set(nlp, parts, lexicon, made, other_models)
    done(f"injected errors into {len(training_set):,} sentences")
    _add_components(nlp, sources)
    detector = train_detector(
        nlp, training_set, epochs=settings.epochs, seed=settings.seed, progress=progress
    )
    done("trained the error detector")
    del training_set  # they take much memory
    everything = CorruptSettings(shares=made.shares, seed=settings.seed + 1)
    other = Corrupter(lexicon, everything)
    judge = nlp.get_pipe(JUDGE)
    assert isinstance(judge, LatpercJudge)
    judge.settings.explain = False  # spans are not needed yet
    made_of_each = [list(other.all_of(text)) for text in parts.joined]
    everywhere = [x for some in made_of_each for x in some]
    step = max(1, len(everywhere) // _CALIBRATED)
    _calibrate_detector(nlp, detector, everywhere[::step])
    known, out_of_domain = _calibration_views(
        nlp, detector, parts, made_of_each, other_models, settings
    )
    judge.fit_floor([x.clean for x in known], [x.clean for x in out_of_domain])
    judge.fit_spelling(_word_counts(parts.counted), [*parts.unseen, *good])
    _join(judge, [*known, *out_of_domain])
    found = choose_cut(
        [_log_odds(judge, view.clean) for view in known],
        [_log_odds(judge, view.clean) for view in out_of_domain],
        [_log_odds(judge, _evidence(nlp, text)) for text in good],
        settings.share / 2,  # the floor rejects the other half in text of other kinds
    )
    if found is not None:
        judge.threshold = float(sigmoid(np.array(found)))
    judge.settings.explain = True
    done("fitted the weights of features and the threshold")
    return TrainedJudge(nlp, parts, other, dict(made.shares))


def _word_counts(texts: Sequence[Sentences]) -> dict[str, int]:
    """Return the count of each word of some texts over one vocabulary."""
    vocabulary = texts[0].vocabulary
    times = np.zeros(vocabulary.size, dtype=np.int64)
    for text in texts:
        times += np.bincount(text.ids, minlength=vocabulary.size)
    ids = np.flatnonzero(times).astype(np.int32)
    return dict(zip(vocabulary.words_of(ids), times[ids].tolist(), strict=True))


def _training_set(
    nlp: Language,
    parts: Parts,
    lexicon: Lexicon,
    settings: CorruptSettings,
    other_models: OutOfDomainModels,
) -> TrainingSet:
    """Inject errors, several times if there are few sentences."""
    few = sum(map(len, parts.learned))
    times = max(1, min(_MOST_VERSIONS, _FEW // max(few, 1)))
    ways = [replace(settings, seed=settings.seed + 2 * n) for n in range(times)]

    def made(
        texts: Sequence[Sentences], ways: Sequence[CorruptSettings]
    ) -> list[Corrupted]:
        return [
            sentence
            for way in ways
            for text in texts
            for sentence in Corrupter(lexicon, way).all_of(text)
            if sentence.words
        ]

    apart = [replace(settings, seed=settings.seed + 1)]
    out_of_domain = [made([text], apart) for text in parts.out_of_domain]
    return TrainingSet(nlp, made(parts.learned, ways), out_of_domain, other_models)


def _add_components(nlp: Language, sources: dict[str, Any]) -> None:
    model = {"features": features_of(sources), "learner": LEARNER}
    block = {"model": model, "write_cats": False}
    nlp.add_pipe("latperc_errors", DETECTOR, config=block)
    nlp.add_pipe(
        "latperc_judge",
        JUDGE,
        config={
            "evidence": [NGRAM, CONTEXTS, ERRORS, LENGTH],
            "errors_key": DETECTOR,
            "explain": True,
        },
    )


def _calibrate_detector(
    nlp: Language, detector: LatpercErrors, made: Sequence[Corrupted]
) -> None:
    """Fit probabilities of tokens to as many good as bad sentences."""
    bad = [sentence for sentence in made if sentence.marks and sentence.words]
    half = len(bad) // 2
    clean = [_original(sentence) for sentence in bad[half:]]
    calibrate(nlp, DETECTOR, examples_of(nlp, [*bad[:half], *clean]))
    detector.threshold = _best_threshold(detector, list(examples_of(nlp, bad[:half])))


def _original(made: Corrupted) -> Corrupted:
    return Corrupted(made.original[0], [], made.original[:1])


@dataclass(frozen=True)
class View:
    """The features of sentences, without their Docs, which would fill the memory.

    Attributes:
        table: The features of sentences without errors, of the same sentences with
            errors, and of junk made of them.
        good: A mask of the sentences without errors.
        junk: A mask of the junk.
        pairs: Indices of a sentence without errors and of one that was made from it.
        clean: The features of good text.
    """

    table: Floats
    good: NDArray[np.bool_]
    junk: NDArray[np.bool_]
    pairs: NDArray[np.int64]
    clean: Floats


def _calibration_views(
    nlp: Language,
    detector: LatpercErrors,
    parts: Parts,
    made: Sequence[Sequence[Corrupted]],
    other_models: OutOfDomainModels,
    settings: JudgeSettings,
) -> tuple[list[View], list[View]]:
    """Compute the features of half of each text in-domain, and, with several texts, of
    the other half out-of-domain."""
    half = 2 if other_models.groups else 1
    # Small texts have no sentence left for the threshold alone.
    good = [
        (unseen if len(unseen) else joined).slice(0, settings.held_out)
        for unseen, joined in zip(parts.unseen, parts.joined, strict=True)
    ]
    known = [_view(nlp, made[n][::half], good[n]) for n in range(len(made))]
    out_of_domain: list[View] = []
    sources = detector.learner.features.sources
    for group in other_models.groups:
        with other_models.unknown(group, sources):
            detector.feature_cache.clear()
            for n in group:
                # Preferences are fitted in-domain.
                seen = _view(nlp, made[n][1::2], good[n], compared=False)
                out_of_domain.append(seen)
    detector.feature_cache.clear()
    return known, out_of_domain


def _view(
    nlp: Language,
    made: Sequence[Corrupted],
    text: Sentences,
    *,
    compared: bool = True,
) -> View:
    """Compute the features of sentences.

    Args:
        nlp: The pipeline.
        made: Sentences with errors.
        text: Good sentences.
        compared: True to pair the versions of each sentence.
    """
    detector, judge = nlp.get_pipe(DETECTOR), nlp.get_pipe(JUDGE)
    bad = [sentence for sentence in made if sentence.marks and sentence.words]
    tables, good, junk, pairs = [judge.features([])], [], [], []
    at = 0
    for start in range(0, len(bad), _VIEWED):
        some = bad[start : start + _VIEWED]
        others = [_junk(x, start + n) for n, x in enumerate(some[::_JUNK])]
        examples = examples_of(nlp, [*map(_original, some), *some, *others])
        docs = [example.predicted for example in examples]
        for _ in detector.pipe(docs, batch_size=AT_ONCE):
            pass
        tables.append(judge.features(docs))
        good.append(np.arange(len(docs)) < len(some))
        junk.append(np.arange(len(docs)) >= 2 * len(some))
        if compared:
            pairs += [(at + n, at + n + len(some)) for n in range(len(some))]
        at += len(docs)
    return View(
        np.concatenate(tables),
        np.concatenate([*good, np.zeros(0, dtype=bool)]),
        np.concatenate([*junk, np.zeros(0, dtype=bool)]),
        np.array(pairs, dtype=np.int64).reshape(-1, 2),
        _evidence(nlp, text),
    )


def _junk(made: Corrupted, number: int) -> Corrupted:
    """Make junk of a sentence: each kind in turn, and words of no language."""
    words, kinds = made.original[0], list(JUNK)
    kind = number % (len(kinds) + 1)
    if kind == len(kinds):
        found = in_no_language(words, number)
    else:
        found = make_junk(kinds[kind], [made.words, words])[1]
    return Corrupted(found, [Mark("foreign", 0, len(found), ())], [found])


def _evidence(nlp: Language, text: Sentences) -> Floats:
    """Return the features of sentences."""
    judge = nlp.get_pipe(JUDGE)
    assert isinstance(judge, LatpercJudge)
    tables = [judge.features([])]
    with nlp.select_pipes(disable=[JUDGE]):
        for rows in minibatch(text, _VIEWED):
            docs = (Doc(nlp.vocab, words=list(words)) for words in rows if len(words))
            tables.append(judge.features(list(nlp.pipe(docs, batch_size=AT_ONCE))))
    return np.concatenate(tables)


def _join(judge: LatpercJudge, views: Sequence[View]) -> None:
    """Fit the weights of the features, and the probabilities of sentences: half of
    the bad ones have errors, half are junk that is not below the floor."""
    table = np.concatenate([view.table for view in views])
    good = np.concatenate([view.good for view in views])
    junk = np.concatenate([view.junk for view in views])
    starts = np.cumsum([0, *(len(view.table) for view in views)])
    pairs = np.concatenate(
        [view.pairs + start for view, start in zip(views, starts[:-1], strict=True)]
    )
    joined = Joined.fit(judge.settings.evidence, table, good, pairs)
    judge.cfg["joined"] = joined.to_dict()
    wrong = np.flatnonzero(~good & ~junk)
    used = good | junk
    used[wrong[::_JUNK]] = True
    scores = judge.scores(table)
    used &= scores > BELOW
    judge.calibration = fit_line(scores[used], good[used])


def _best_threshold(detector: LatpercErrors, examples: Sequence[Example]) -> float:
    """The probability of tokens from which F0.5 is highest."""
    real, found = [], []
    for batch in minibatch(examples, AT_ONCE):
        docs = [example.predicted for example in batch]
        prediction = detector.predict(docs)
        assert prediction.scores is not None
        found.append(prediction.scores)
        for example in batch:
            labels = detector.layer.labels(example.reference) or []
            real.append(np.array([label != "ok" for label in labels], dtype=bool))
    truth, given = np.concatenate(real), np.concatenate(found)
    tried = np.linspace(0.02, 0.9, _THRESHOLDS)
    scores = [token_scores(truth, given >= t)[2] for t in tried]
    return round(float(tried[int(np.argmax(scores))]), 3)


def _log_odds(judge: LatpercJudge, table: Floats) -> Floats:
    """Return the log odds of each sentence to be good."""
    return np.asarray(log_odds(judge.probabilities(judge.joined(table))))
