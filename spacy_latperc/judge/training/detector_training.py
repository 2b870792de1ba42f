"""Training of the error detector of a judge: a chain over buckets of n-gram and context
features, and over words.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import minibatch
from spacy.vocab import Vocab

from ...io.process_memory import trim_memory
from ...learners.serialization.cutting import tightened
from ...pipeline.calibrator import calibrate
from ..error_detector import LatpercErrors
from ..error_injection.corrupt import Corrupted
from ..error_injection.error_files import to_doc
from .text_models import Group, Knowledge

DETECTOR = "errors"
AT_ONCE = 256
_CALIBRATED = 2_000  # sentences that probabilities of tokens are fitted to
_BATCH = 64
_N, _C = "ng.words", "ctx.contexts"
_WORDS = ["lower[-1]", "lower[0]", "lower[1]", "suf3[0]", "shape[0]"]
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
    *_WORDS,
]
# Strong L2: otherwise words are memorised, which says little about other text.
_LEARNER = {
    "@misc": "spacy_latperc.CRF.v1",
    "optimizer": "adagrad",
    "learn_rate": 0.03,
    "l2": 50.0,
}

Sets = Sequence[tuple[Group, list[Corrupted]]]


def detector_config(sources: Mapping[str, Any], encoder: Path | None) -> dict[str, Any]:
    """Return the config of the detector."""
    sources, templates = dict(sources), list(_TEMPLATES)
    if encoder:
        templates.append("vec.encoder[0]")
        block = {"path": str(encoder), "length": 6.0, "embed": True}
        sources["encoder"] = {"@misc": "spacy_latperc.Encoder.v1", **block}
    features = {
        "@misc": "spacy_latperc.Templates.v1",
        "templates": templates,
        "min_count": 2,
        "sources": sources,
    }
    # F0.5 is highest near this threshold, if probabilities are right and F is 0.5.
    model = {"features": features, "learner": _LEARNER}
    return {"model": model, "threshold": 0.4}


def examples_of(vocab: Vocab, made: Iterable[Corrupted]) -> Iterator[Example]:
    """Yield examples of sentences with errors."""
    for sentence in made:
        yield Example(Doc(vocab, words=sentence.words), to_doc(sentence, vocab))


def train_detector(
    nlp: Language,
    vocab: Vocab,
    sets: Sets,
    knowledge: Knowledge,
    *,
    epochs: int,
    seed: int,
    progress: Callable[[int], None] | None,
) -> LatpercErrors:
    """Train the chain. Examples are made when they are read, since the Docs of 50,000
    sentences would take 800 MB.
    """
    detector = nlp.get_pipe(DETECTOR)
    assert isinstance(detector, LatpercErrors)
    every = [sentence for _, made in sets for sentence in made]
    detector.initialize(lambda: examples_of(vocab, every), nlp=nlp)
    sources = detector.learner.features.sources
    prepared = []
    for group, made in sets:
        with knowledge.without(group, sources):
            for batch in minibatch(examples_of(vocab, made), AT_ONCE):
                prepared += detector.prepare(batch)
    for number in range(epochs):
        random.Random(seed + number).shuffle(prepared)
        for start in range(0, len(prepared), _BATCH):
            batch = prepared[start : start + _BATCH]
            features, gold = zip(*batch, strict=True)
            detector.learn(list(features), np.concatenate(gold))
            if progress:
                progress(len(batch))
    del prepared, batch
    detector.feature_cache.clear()
    trim_memory()
    # 16 bits make the model a third as large, without a measurable loss.
    rounded = detector.learner.to_bytes(bits=16)
    detector.model.shims[0].from_bytes(tightened(rounded))
    return detector


def calibrate_detector(nlp: Language, vocab: Vocab, made: Sequence[Corrupted]) -> None:
    """Fit probabilities of tokens to as many good as bad sentences."""
    bad = [x for x in made[:: max(1, len(made) // _CALIBRATED)] if x.marks and x.words]
    half = len(bad) // 2
    clean = [x._replace(words=x.original, marks=[]) for x in bad[half:]]
    calibrate(nlp, DETECTOR, examples_of(vocab, [*bad[:half], *clean]))
