"""Training of a judge on raw text.

It counts n-grams, trains a context model, injects errors into sentences that were not
counted, and trains latperc_errors on them. The weights of latperc_judge are then fitted
to other sentences, and the threshold to good sentences that nothing else was fitted to.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from tempfile import TemporaryDirectory

from spacy import blank
from spacy.language import Language

from ...io.process_memory import rare_collections
from ...text.sentences import Sentences, join
from ..error_injection.corrupt import Corrupted, Corrupter, CorruptSettings
from ..error_injection.kinds import DEFAULT_SHARES
from ..evidence.lexicon import Lexicon
from ..judge_component import LatpercJudge
from .detector_training import (
    DETECTOR,
    calibrate_detector,
    detector_config,
    train_detector,
)
from .feature_views import feature_reader, scored, views_of
from .fit_judge import fit_judge
from .text_models import Group, Knowledge
from .text_parts import JudgeSettings, Parts, estimate_training

JUDGE = "judge"
# Learners leave out commas more often than most kinds of words.
USUAL = {**DEFAULT_SHARES, "mark": 0.1}
_CLEAN = 0.25  # the share of training sentences without errors
_FEW = 10_000  # training sentences: of fewer, several versions with errors are made
_MOST_VERSIONS = 5

Told = Callable[[str], None]


def make_judge(
    nlp: Language,
    parts: Parts,
    settings: JudgeSettings,
    good: Sequence[Sentences] = (),
    done: Told = print,
    progress: Callable[[int], None] | None = None,
) -> Language:
    """Train a judge on raw text.

    Args:
        nlp: A blank pipeline, which the judge is added to.
        parts: The parts of the texts. The counted ones are removed when they have been
            counted, since they take much memory.
        settings: The settings.
        good: Good out-of-domain text, for the threshold.
        done: Called with a message after each step.
        progress: Called with the number of sentences learned from.
    """
    with TemporaryDirectory() as folder, rare_collections():
        _train(nlp, parts, settings, folder, good, done, progress)
    for name, pipe in nlp.pipeline:
        config = nlp.get_pipe_config(name)
        config["threshold"] = pipe.threshold
        # The model contains what it needs of the files.
        features = config.get("model", {}).get("features", {})
        for source in (features.get("sources") or {}).values():
            source["path"] = ""
    return nlp


def _train(
    nlp: Language,
    parts: Parts,
    settings: JudgeSettings,
    folder: str,
    good: Sequence[Sentences],
    done: Told,
    progress: Callable[[int], None] | None,
) -> None:
    done(f"training takes {estimate_training(parts)}")
    lexicon = Lexicon(join(parts.counted[0].vocabulary, parts.counted))
    knowledge = Knowledge(parts.counted, lexicon, settings, folder, done)
    parts.counted.clear()
    made = CorruptSettings(shares=USUAL, clean=_CLEAN, seed=settings.seed)
    sets = _training_sets(parts, lexicon, made, knowledge.groups)
    done(f"injected errors into {sum(len(x) for _, x in sets):,} sentences")
    vocab = blank(nlp.lang).vocab  # so that the pipeline has no words of the text
    config = detector_config(knowledge.sources, settings.encoder)
    nlp.add_pipe("latperc_errors", DETECTOR, config=config)
    judge = nlp.add_pipe("latperc_judge", JUDGE, config={"errors_key": DETECTOR})
    assert isinstance(judge, LatpercJudge)
    detector = train_detector(
        nlp,
        vocab,
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
    calibrate_detector(nlp, vocab, [x for some in with_errors for x in some])
    read = feature_reader(detector, vocab)
    known, out_of_domain = views_of(
        detector, read, parts, with_errors, knowledge, settings.held_out
    )
    words = knowledge.words[()]
    given = [scored(read, text, words) for text in good]
    fit_judge(judge, words, known, out_of_domain, given, settings.share)
    done("fitted the weights of features and the threshold")


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
