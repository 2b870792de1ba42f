"""Small latent classifiers and sentences of two classes for them, as arrays."""

import numpy as np
from numpy.typing import NDArray

from builders.learners import GoldBatch, make_batch
from spacy_latperc.features.sets import custom_templates
from spacy_latperc.grammaticality.classifier import LatentClassifier
from spacy_latperc.grammaticality.classifier.online import latent_pa

TEMPLATES = ("w[-1]", "w[0]", "w[-1]|w[0]")
TYPES = ("NP", "VP")
FIVE = ("IOB2", "IOB1", "IOE1", "IOE2", "O+C")


def make_classifier(
    settings=None,
    *,
    templates=TEMPLATES,
    schemes=("IOB2",),
    types=TYPES,
    min_count=1,
    combine="add",
    **options,
):
    return LatentClassifier(
        custom_templates(list(templates), min_count=min_count),
        settings or latent_pa(variant="PA"),
        schemes=schemes,
        types=types,
        combine=combine,
        **options,
    )


def make_sentences(seed: int, *, docs: int = 20) -> tuple[GoldBatch, NDArray[np.int8]]:
    """Docs, and a class for each of their sentences: equal ones have the same."""
    batch = make_batch(seed, docs=docs)
    bounds = batch.bounds
    words = (batch.values[:, 0] >> np.uint64(20)).astype(np.int64)
    gold = np.where(np.add.reduceat(words, bounds[:-1]) % 2, 1, -1).astype(np.int8)
    return batch, gold


def begin(classifier, batch, gold):
    """RETURNS: the features, to learn from."""
    classifier.start(int((gold > 0).sum()), int((gold < 0).sum()))
    return classifier.extract(batch)


def trained(settings=None, *, passes=3, **options):
    classifier = make_classifier(settings, **options)
    batch, gold = make_sentences(1)
    blocks = begin(classifier, batch, gold)
    for _ in range(passes):
        classifier.update(blocks, gold)
    return classifier, batch, gold
