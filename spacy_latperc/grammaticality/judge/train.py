"""From raw text to a pipeline that judges sentences.

It counts n-grams of words and of word classes, puts errors into some of the sentences,
and trains latperc_errors on them. latperc_grammaticality then joins what these say, on
other sentences. At last a threshold is chosen that good sentences pass, of text that
nothing was learned from.

Text of another kind has more words and n-grams that are unknown, and looks worse than
it is. If there are several texts, each is therefore seen as text of another kind, too:
by counts of the others alone.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import minibatch

from ...calibration import log_odds, sigmoid
from ...errors import Errors
from ...io.docbin import MADE_FROM
from ...kernels.text import Vocabulary
from ...knowledge.class_evidence import ClassNgramEvidence
from ...knowledge.clustering import ClusterSettings, cluster_words
from ...knowledge.lexicon import Lexicon
from ...knowledge.ngram_counts import CountSettings, NgramCounts
from ...knowledge.ngram_evidence import NgramEvidence
from ...knowledge.word_classes import WordClasses, read_word_classes
from ...learners.serialization.cutting import tightened
from ...model import set_learner
from ...pipeline.calibrator import calibrate
from ...text.sentences import Sentences, join
from ..component import LatpercGrammaticality
from ..corruption.corrupt import Corrupted, Corrupter, CorruptSettings
from ..corruption.files import Pair, to_doc
from ..corruption.fitting import fit_shares
from ..corruption.marks import Mark
from ..error_scorer import token_scores
from ..evidence import CLASSES, ERRORS, LENGTH, NGRAM
from ..recalibrate import cut
from ..rng import random_order
from ..token_errors import LatpercErrors
from .junk import in_no_language

JUDGE, DETECTOR = "judge", "errors"
SMOOTHING = "absolute"  # in so little room as good as those of Kneser and Ney
SHORTEST, LONGEST = 3, 80  # words of sentences to learn from
LEAST = 200  # sentences
# Kinds that do not show where originals and corrections are aligned.
UNSEEN = {"order": 0.03, "far": 0.01, "halves": 0.02, "cut": 0.02, "repeat": 0.01}
_AT_ONCE = 256
_BATCH = 64
_HELD_OUT_SHARE = 0.05  # of a text
_THRESHOLDS = 40
_GROUPS = 4  # of texts: each is looked at by what the others know
_STRANGE = 5  # bad sentences, of which one is made again in no language
_MOST_TIMES = 4  # that the sentences of a small text are counted
_ENOUGH = 0.2  # of all sentences, that others must have for that

Told = Callable[[str], None]


@dataclass(frozen=True)
class JudgeSettings:
    """How a judge is made.

    Attributes:
        sentences: How many the detector of errors learns from.
        held_out: How many evidence is joined on, and as many of each text, at most,
            that the threshold is chosen on.
        passes: Of the detector.
        megabytes: Of the counts of n-grams, at most; a third is for word classes.
        order: Words in the longest n-grams.
        classes: How many word classes.
        clean: The share of the sentences without errors.
        share: Of good sentences that may fall below the threshold.
        shares: Of the kinds of errors; None for the usual ones.
        seed: The same text and seed give the same judge.
    """

    sentences: int = 50_000
    held_out: int = 8_000
    passes: int = 2
    megabytes: float = 28.0
    order: int = 4
    classes: int = 256
    clean: float = 0.25
    share: float = 0.05
    shares: dict[str, float] | None = None
    seed: int = 0


@dataclass(frozen=True)
class Parts:
    """The sentences of raw text, by what they are for. All but those of `unseen` are
    counted.

    Attributes:
        counted: Of each text, all that are counted.
        learned: Those that the detector learns from.
        joined: Of each text others, that evidence is joined on.
        unseen: Of each text, some that are not counted.
    """

    counted: list[Sentences]
    learned: Sentences
    joined: list[Sentences]
    unseen: list[Sentences]

    @property
    def whole(self) -> Sentences:
        """All that are counted."""
        return join(self.learned.vocabulary, self.counted)


@dataclass
class Made:
    """What came out.

    Attributes:
        nlp: The pipeline.
        parts: Of the text.
        corrupter: Puts in errors of the same kinds.
        shares: Of the kinds of errors.
    """

    nlp: Language
    parts: Parts
    corrupter: Corrupter
    shares: dict[str, float] = field(default_factory=dict)


def split_text(texts: Sequence[Sentences], settings: JudgeSettings) -> Parts:
    """What each sentence is for. A text takes part by the root of its size, so that a
    large one does not drown the others.

    Args:
        texts: Over one vocabulary.
        settings: How many.
    """
    vocabulary = texts[0].vocabulary
    fitting = [
        np.flatnonzero((text.lengths >= SHORTEST) & (text.lengths <= LONGEST))
        for text in texts
    ]
    found = sum(map(len, fitting))
    if found < LEAST:
        raise ValueError(Errors.LP784.format(n=found, least=LEAST))
    weights = np.sqrt([len(rows) for rows in fitting])
    weights /= weights.sum()
    unseen, learned, joined, rest = [], [], [], []
    for number, (text, rows) in enumerate(zip(texts, fitting, strict=True)):
        order = rows[random_order(len(rows), settings.seed, 21, number)]
        away = min(int(len(rows) * _HELD_OUT_SHARE), settings.held_out)
        left = len(rows) - away
        wanted = [settings.sentences, settings.held_out]
        counts = [int(weights[number] * n) for n in wanted]
        if sum(counts) > left:  # four parts to learn from, one to join on
            counts = [left * 4 // 5, left - left * 4 // 5]
        first, second = away + counts[0], away + sum(counts)
        unseen.append(text.take(np.sort(order[:away])))
        learned.append(text.take(order[away:first]))
        joined.append(text.take(order[first:second]))
        kept = np.ones(len(text), dtype=bool)
        kept[order[:away]] = False
        rest.append(text.where(kept))
    every = join(vocabulary, learned)
    return Parts(
        rest,
        every.take(random_order(len(every), settings.seed, 22)),
        joined,
        unseen,
    )


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
) -> Made:
    """Make a judge of raw text.

    Args:
        nlp: A pipeline without a judge: blank, or with a tagger.
        texts: Over one vocabulary.
        settings: How.
        folder: For files in between.
        pairs: Originals and corrections, whose kinds of errors are imitated.
        good: Good text of other kinds, for the threshold.
        done: Told what has been done.
        progress: Told of sentences learned from.
    """
    parts = split_text(texts, settings)
    whole = parts.whole
    sources = _count(mixed(parts.counted), settings, folder)
    done(f"counted n-grams of {len(whole):,} sentences")
    lexicon = Lexicon(whole)
    shares = settings.shares
    if pairs:
        shares = {**UNSEEN, **fit_shares(pairs, lexicon).shares}
    made = CorruptSettings(clean=settings.clean, seed=settings.seed)
    if shares is not None:
        made = CorruptSettings(shares=shares, clean=settings.clean, seed=settings.seed)
    corrupter = Corrupter(lexicon, made)
    learned = list(corrupter.all_of(parts.learned))
    done(f"put errors into {len(learned):,} sentences")
    _add_components(nlp, sources)
    detector = _train_detector(nlp, learned, settings, progress)
    done("learned to find errors")
    everything = CorruptSettings(shares=made.shares, seed=settings.seed + 1)
    other = Corrupter(lexicon, everything)
    judge = nlp.get_pipe(JUDGE)
    assert isinstance(judge, LatpercGrammaticality)
    judge.settings.explain = False  # nobody reads the spans yet
    made_of_each = [list(other.all_of(text)) for text in parts.joined]
    _calibrate_detector(nlp, detector, [x for some in made_of_each for x in some])
    seen = _see(nlp, detector, parts, made_of_each, settings)
    _join(nlp, judge, [example for view in seen for example in view.examples])
    good_docs = [view.good for view in seen]
    good_docs += [_annotated(nlp, list(text)) for text in good]
    judge.threshold = _threshold(judge, good_docs, settings)
    judge.settings.explain = True
    done("joined the evidence and chose the threshold")
    return Made(nlp, parts, other, dict(made.shares))


def mixed(texts: Sequence[Sentences]) -> Sentences:
    """All texts as one, in which a small one is there several times: else its n-grams
    would be too rare beside those of a large one to be kept.

    Args:
        texts: Over one vocabulary.
    """
    largest = max(map(len, texts))
    several = [
        text
        for text in texts
        for _ in range(min(int((largest / max(len(text), 1)) ** 0.5), _MOST_TIMES))
    ]
    return join(texts[0].vocabulary, several)


def _count(text: Sentences, settings: JudgeSettings, folder: Path) -> dict[str, Any]:
    """Counts and clusters as files, and the sources that read them."""
    clusters = folder / "clusters.txt"
    classes = max(2, min(settings.classes, text.vocabulary.size // 20))
    found = cluster_words(text, ClusterSettings(classes=classes, passes=5))
    clusters.write_bytes(found.to_bytes())
    words, kinds = folder / "words.ngrams", folder / "classes.ngrams"
    counts = _ngrams(text, read_word_classes(clusters), settings)
    for path, ngrams in zip((words, kinds), counts, strict=True):
        ngrams.to_disk(path)
    prefix = "spacy_latperc"
    return {
        "words": {"@misc": f"{prefix}.NgramEvidence.v1", "path": str(words)},
        "classes": {
            "@misc": f"{prefix}.ClassNgramEvidence.v1",
            "path": str(kinds),
            "classes": str(clusters),
        },
        "clusters": {"@misc": f"{prefix}.ClusterFile.v1", "path": str(clusters)},
    }


def _ngrams(
    text: Sentences, classes: WordClasses, settings: JudgeSettings
) -> tuple[NgramCounts, NgramCounts]:
    """Counts of words, and of their classes."""
    counting = CountSettings(
        order=settings.order, smoothing=SMOOTHING, megabytes=0.65 * settings.megabytes
    )
    words = NgramCounts.count(text, counting)
    counting = replace(
        counting, megabytes=0.35 * settings.megabytes, alternatives=False
    )
    of_classes = text.renamed(classes.fold, Vocabulary())
    return words, NgramCounts.count(of_classes, counting)


def _add_components(nlp: Language, sources: dict[str, Any]) -> None:
    tags = any("token.tag" in nlp.get_pipe_meta(x).assigns for x in nlp.pipe_names)
    features = {
        "@misc": "spacy_latperc.ErrorFeatures.v1",
        "tags": tags,
        "min_count": 2,
        "sources": sources,
    }
    model = {"features": features}
    block = {"model": model, "write_cats": False}
    nlp.add_pipe("latperc_errors", DETECTOR, config=block)
    nlp.add_pipe(
        "latperc_grammaticality",
        JUDGE,
        config={
            "evidence": [NGRAM, CLASSES, ERRORS, LENGTH],
            "errors_key": DETECTOR,
            "explain": True,
            "span_length": 2,
            "model": {
                "features": {
                    "@misc": "spacy_latperc.GrammaticalityFeatures.v1",
                    "tags": tags,
                }
            },
        },
    )


def _examples(nlp: Language, made: Sequence[Corrupted]) -> Iterator[Example]:
    """Sentences with errors, annotated by what stands before the detector."""
    before = nlp.pipeline[: nlp.pipe_names.index(DETECTOR)]
    for batch in minibatch(made, _AT_ONCE):
        docs = []
        for sentence in batch:
            doc = Doc(nlp.vocab, words=sentence.words)
            doc.user_data[MADE_FROM] = sentence.original
            docs.append(doc)
        for _, pipe in before:
            docs = list(pipe.pipe(docs))
        for doc, sentence in zip(docs, batch, strict=True):
            yield Example(doc, to_doc(sentence, nlp.vocab))


def _train_detector(
    nlp: Language,
    made: Sequence[Corrupted],
    settings: JudgeSettings,
    progress: Callable[[int], None] | None,
) -> LatpercErrors:
    detector = nlp.get_pipe(DETECTOR)
    assert isinstance(detector, LatpercErrors)
    examples = list(_examples(nlp, [x for x in made if x.words]))
    detector.initialize(lambda: examples, nlp=nlp)
    for number in range(settings.passes):
        random.Random(settings.seed + number).shuffle(examples)
        for start in range(0, len(examples), _BATCH):
            batch = examples[start : start + _BATCH]
            detector.update(batch)
            if progress:
                progress(len(batch))
    # Of 16 bits, coded tightly: nothing that can be measured is lost.
    small = detector.learner.blank()
    small.from_bytes(tightened(detector.learner.to_bytes(bits=16)))
    set_learner(detector.model, small)
    detector.memory.clear()
    return detector


def _calibrate_detector(
    nlp: Language, detector: LatpercErrors, made: Sequence[Corrupted]
) -> None:
    """Fit probabilities of tokens: as many sentences are right as are wrong."""
    bad = [sentence for sentence in made if sentence.marks and sentence.words]
    half = len(bad) // 2
    clean = [_original(sentence) for sentence in bad[half:]]
    calibrate(nlp, DETECTOR, _examples(nlp, [*bad[:half], *clean]))
    detector.threshold = _best_threshold(detector, list(_examples(nlp, bad[:half])))


def _original(made: Corrupted) -> Corrupted:
    return Corrupted(made.original[0], [], made.original[:1])


@dataclass
class View:
    """What some sentences look like to the detector: their Docs have what it says.

    Attributes:
        examples: Sentences without errors, and the same with errors.
        good: Docs of good text.
    """

    examples: list[Example] = field(default_factory=list)
    good: list[Doc] = field(default_factory=list)


def _see(
    nlp: Language,
    detector: LatpercErrors,
    parts: Parts,
    made: Sequence[Sequence[Corrupted]],
    settings: JudgeSettings,
) -> list[View]:
    """Look at each text as at text of the kind that is known, and, if there are
    several, at its other half as at text of another kind."""
    groups = min(len(made), _GROUPS)
    half = 2 if groups > 1 else 1
    # Small texts have none that was not counted.
    good = [
        (unseen if len(unseen) else joined).slice(0, settings.held_out)
        for unseen, joined in zip(parts.unseen, parts.joined, strict=True)
    ]
    numbers = range(len(made))
    views = [_view(nlp, made[n][::half], good[n]) for n in numbers]
    if groups > 1:
        for group in range(groups):
            others = [x for n, x in enumerate(parts.counted) if n % groups != group]
            if sum(map(len, others)) < _ENOUGH * sum(map(len, parts.counted)):
                continue
            with _knowing_only(detector, mixed(others), settings):
                for n in numbers[group::groups]:
                    views.append(_view(nlp, made[n][1::2], good[n]))
                    # Versions are compared by what is known of them.
                    for example in views[-1].examples:
                        example.predicted.user_data.pop(MADE_FROM)
    return views


def _view(nlp: Language, made: Sequence[Corrupted], text: Sentences) -> View:
    bad = [sentence for sentence in made if sentence.marks and sentence.words]
    examples = list(_examples(nlp, [*map(_original, bad), *bad]))
    examples += _examples(nlp, [_strange(x, n) for n, x in enumerate(bad[::_STRANGE])])
    detector = nlp.get_pipe(DETECTOR)
    for _ in detector.pipe(example.predicted for example in examples):
        pass
    return View(examples, _annotated(nlp, list(text)))


def _strange(made: Corrupted, number: int) -> Corrupted:
    """A sentence in no language; it is made of none that could be compared with it."""
    words = in_no_language(made.original[0], number)
    return Corrupted(words, [Mark("foreign", 0, len(words), ())], [words])


def _annotated(nlp: Language, rows: Sequence[Sequence[str]]) -> list[Doc]:
    """Docs as they are when the judge's turn comes."""
    docs = [Doc(nlp.vocab, words=list(words)) for words in rows]
    with nlp.select_pipes(disable=[JUDGE]):
        return list(nlp.pipe(docs, batch_size=_AT_ONCE))


@contextmanager
def _knowing_only(
    detector: LatpercErrors, text: Sentences, settings: JudgeSettings
) -> Iterator[None]:
    """Let the evidence be that of another text, to which all others are strange."""
    sources = detector.learner.features.sources
    words, kinds = sources["words"], sources["classes"]
    assert isinstance(words, NgramEvidence) and isinstance(kinds, ClassNgramEvidence)
    known = text.vocabulary.words_of(np.unique(text.ids))
    whole = words.counts, kinds.counts, kinds.known_classes
    fewer = kinds.known_classes.of_words(known)
    counts = _ngrams(text, fewer, settings)
    try:
        words.replace_counts(counts[0], leave_out=False)
        kinds.known_classes = fewer
        kinds.replace_counts(counts[1], leave_out=False)
        detector.memory.clear()
        yield
    finally:
        words.replace_counts(whole[0], leave_out=True)
        kinds.known_classes = whole[2]
        kinds.replace_counts(whole[1], leave_out=True)
        detector.memory.clear()


def _join(
    nlp: Language, judge: LatpercGrammaticality, examples: Sequence[Example]
) -> None:
    """Fit what each evidence is worth, and probabilities of sentences. Every sentence
    is there twice, without errors and with them."""
    judge.initialize(lambda: [examples[0], examples[-1]], nlp=nlp)
    others = [name for name in nlp.pipe_names if name != JUDGE]
    with nlp.select_pipes(disable=others):  # what they say is in the Docs
        calibrate(nlp, JUDGE, examples)


def _best_threshold(detector: LatpercErrors, examples: Sequence[Example]) -> float:
    """The probability of tokens from which F0.5 is highest."""
    real, found = [], []
    for batch in minibatch(examples, _AT_ONCE):
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


def _threshold(
    judge: LatpercGrammaticality,
    texts: Sequence[Sequence[Doc]],
    settings: JudgeSettings,
) -> float:
    """The probability that all but a share of the good sentences of each text reach."""
    cuts = []
    for docs in texts:
        found = [judge.predict(some).found.scores for some in minibatch(docs, _AT_ONCE)]
        if found:
            scores = judge.probabilities(np.concatenate(found))
            cuts.append(cut(np.asarray(log_odds(scores), np.float64), settings.share))
    return float(sigmoid(np.array(min(cuts)))) if cuts else judge.threshold
