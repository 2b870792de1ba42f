"""Small learners and sentences for them, as arrays: no Docs are needed."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from reference.chain import text_hash

from spacy_latperc.features.sets import custom_templates
from spacy_latperc.learners import ChainLearner
from spacy_latperc.learners.base import Batch
from spacy_latperc.learners.learner_settings import viterbi
from spacy_latperc.learners.passive_aggressive import passive_aggressive

TEMPLATES = ("w[0]", "w[-1]|w[0]", "suf1[0]", "t[0]", "edge:t[0]")
WORDS = ("ant", "bee", "cat", "dog", "elk", "fox", "gnu", "hen")
LABELS = ("A", "B", "C")


_STRINGS = {text_hash(word): word for word in WORDS}


@dataclass(frozen=True, eq=False)
class GoldBatch(Batch):
    """Docs as a learner sees them, and their labels."""

    lookup: Callable[[int], str] = _STRINGS.__getitem__
    gold: NDArray[np.int32] = field(kw_only=True)


def make_learner(
    templates=TEMPLATES,
    *,
    learner=None,
    search=None,
    labels=LABELS,
    min_count=1,
    form="tied",
    rules=None,
    **settings,
):
    """A learner with labels, ready to learn. settings: latent, order and seed."""
    features = custom_templates(list(templates), min_count=min_count, latent_form=form)
    given = learner or passive_aggressive(C=0.1), search or viterbi()
    result = ChainLearner(features, *given, **settings)
    result.set_labels(labels, **(rules or {}))
    result.start(20)
    return result


def make_batch(seed, *, docs=20, longest=8, columns=3, noise=0.0):
    """Docs of a few sentences; a label is a function of the word and the word before.

    columns: the word, the sentence start, and others that follow from the word.
    noise: share of labels that are drawn at random instead.
    """
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, longest + 1, size=docs)
    n = int(lengths.sum())
    offsets = np.cumsum([0, *lengths], dtype=np.int64)
    words = rng.integers(0, len(WORDS), size=n)
    starts = rng.random(n) < 0.25
    starts[offsets[:-1][lengths > 0]] = True
    before = np.where(starts, 0, np.roll(words, 1))
    gold = (words + before // 4) % len(LABELS)
    drawn = rng.random(n) < noise
    gold[drawn] = rng.integers(0, len(LABELS), size=n)[drawn]
    values = np.empty((n, columns), dtype=np.uint64)
    values[:, 0] = np.array(list(_STRINGS), dtype=np.uint64)[words]
    values[:, 1] = np.where(starts, np.uint64(1), np.uint64(2**64 - 1))
    for column in range(2, columns):
        values[:, column] = words % column + 1
    return GoldBatch(values, offsets, gold=gold.astype(np.int32))


def train(learner: ChainLearner, batch: GoldBatch, *, passes: int = 5) -> list[float]:
    """RETURNS: the loss of each pass."""
    blocks = learner.extract(batch)
    return [learner.update(blocks, batch.gold)[0] for _ in range(passes)]


def predict(learner: ChainLearner, batch: GoldBatch) -> list[int]:
    return learner.predict(batch).tolist()
