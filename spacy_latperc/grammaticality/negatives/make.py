"""Pairs of real sentences and negatives that differ only in grammar (MV, 4.1 and 4.3).

MV takes all samples of known words. They give themselves away by length, brackets and
final marks. The matched construction prevents this (surface_checks.py, matching.py).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...errors import Errors
from ...errors.check import check_choice, check_count
from ...text.sentences import Sentences, first_of_each
from ..ngrams.ngram_model import NgramModel
from ..rng import random_order
from .matching import fill_places
from .surface_checks import SurfaceChecks

PARTS = ("train", "dev", "test")
LONGEST_RAW = 200
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Construction:
    """A way to make n-gram negatives.

    Args:
        order: Words in an n-gram.
        min_counts: The lowest counts of n-grams of each length that are kept.
        matched: Take only samples that look like real sentences on the surface, are
            new, and have the length of a positive that still needs a negative.
        vocabulary_of_positives: Take only samples whose words all occur in positives.
    """

    order: int = 3
    min_counts: tuple[int, ...] | None = None
    matched: bool = True
    vocabulary_of_positives: bool = False


CONSTRUCTIONS: dict[str, Construction] = {
    "kn_m": Construction(),
    # SRILM drops trigrams that occur once by default.
    "paper": Construction(
        min_counts=(1, 1, 2), matched=False, vocabulary_of_positives=True
    ),
}


def find_construction(name: str) -> Construction:
    """Look up a construction by name."""
    return CONSTRUCTIONS[check_choice("construction", name, CONSTRUCTIONS)]


@dataclass(frozen=True)
class Settings:
    """The settings of a set of negatives.

    Args:
        construction: The construction of n-gram negatives.
        n: The number of positives, from the start of the text; 0 for all.
        seed: The same seed gives the same sentences.
        shortest: Words of a positive, at least.
        longest: Words of a positive, at most.
        shares: The shares of train, dev and test.
    """

    construction: Construction = field(default_factory=Construction)
    n: int = 0
    seed: int = 0
    shortest: int = 4
    longest: int = 50
    shares: Sequence[float] = (0.8, 0.1, 0.1)

    def check(self) -> None:
        """Refuse impossible settings before a text is read."""
        if not 1 <= self.shortest <= self.longest:
            raise ValueError(
                Errors.LP415.format(
                    what="sentence lengths", low=self.shortest, high=self.longest
                )
            )
        shares = self.shares
        if (
            not 1 <= len(shares) <= len(PARTS)
            or not 0 <= min(shares) <= max(shares) < math.inf
            or sum(shares) <= 0
        ):
            raise ValueError(Errors.LP416.format(shares=list(shares)))
        check_count("seed", self.seed, low=0, high=2**63 - 1)


@dataclass(frozen=True)
class Negatives:
    """Pairs of a positive and a negative with the same number. A pair is in one part,
    and its sentences have the same length if they were matched.

    Args:
        positives: The real sentences.
        negatives: The generated sentences.
        part: The part of each pair, an index into PARTS.
        counts: The numbers of sentences left out, by reason.
        checks: The surface checks that all sentences pass.
    """

    positives: Sentences
    negatives: Sentences
    part: NDArray[np.int64]
    counts: dict[str, int]
    checks: tuple[str, ...]


def make_negatives(
    text: Sentences,
    settings: Settings,
    *,
    positives: Sentences | None = None,
    model: NgramModel | None = None,
    progress: Callable[[int], None] | None = None,
) -> Negatives:
    """Take positives from a text and generate as many negatives.

    Args:
        text: The text of the n-gram model. Samples that are in it are not negatives.
        settings: The settings of the set.
        positives: The real sentences, with the vocabulary of the text; by default the
            text itself.
        model: An n-gram model of the text, if there is one already.
        progress: A callback for the number of negatives made.
    """
    settings.check()
    matched = settings.construction.matched
    real = text if positives is None else positives
    surface = SurfaceChecks.of(real) if matched else SurfaceChecks.nothing(real)
    known = np.unique(np.concatenate([text.hashes(), real.hashes()]))
    real, counts = _choose(real, surface, settings)
    part = _parts(len(real), settings)
    filled = fill_places(
        model or train_model(text, settings.construction),
        real.lengths,
        matched=matched,
        seed=settings.seed,
        accept=_acceptance(real, surface, settings, known),
        shortest=settings.shortest if matched else 1,
        longest=settings.longest if matched else LONGEST_RAW,
        progress=progress,
    )
    counts["n-gram samples drawn"] = filled.drawn
    order = np.argsort(filled.places, kind="stable")
    served = filled.places[order]
    counts["positives without a negative"] = len(real) - len(served)
    if not len(served):
        raise ValueError(Errors.LP419)
    return Negatives(
        positives=real.take(served),
        negatives=filled.sentences.take(order),
        part=part[served],
        counts=counts,
        checks=surface.checks,
    )


def train_model(text: Sentences, construction: Construction) -> NgramModel:
    """Train the n-gram model of a construction."""
    return NgramModel.train(
        text, order=construction.order, min_counts=construction.min_counts
    )


def _choose(
    real: Sentences, surface: SurfaceChecks, settings: Settings
) -> tuple[Sentences, dict[str, int]]:
    """Choose the positives, and count the sentences left out."""
    counts = {"sentences to choose from": len(real)}
    lengths = real.lengths
    fits = (lengths >= settings.shortest) & (lengths <= settings.longest)
    counts["too short or too long"] = int((~fits).sum())
    real = real.where(fits)
    sound = surface.accepts(real)
    counts["unlike the other real ones"] = int((~sound).sum())
    real = real.where(sound)
    first = first_of_each(real.hashes())
    counts["copies"] = len(real) - len(first)
    real = real.take(first[: settings.n or None])
    if not len(real):
        low, high = settings.shortest, settings.longest
        raise ValueError(Errors.LP418.format(shortest=low, longest=high))
    return real, counts


def _parts(n: int, settings: Settings) -> NDArray[np.int64]:
    """Assign a part to each pair at random, with exact shares."""
    shares = np.cumsum(np.asarray(settings.shares, dtype=np.float64))
    ends = np.rint(n * shares / shares[-1]).astype(np.int64)
    part = np.empty(n, dtype=np.int64)
    part[random_order(n, settings.seed, 1)] = np.searchsorted(
        ends, np.arange(n), side="right"
    )
    return part


def _acceptance(
    real: Sentences,
    surface: SurfaceChecks,
    settings: Settings,
    known: NDArray[np.uint64],
) -> Callable[[Sentences], Mask]:
    """Make the filter of sentences that may be negatives."""
    construction = settings.construction
    allowed = np.ones(real.vocabulary.size, dtype=bool)
    if construction.vocabulary_of_positives:
        allowed[:] = False
        allowed[real.ids] = True
    # An unmatched set keeps memorised sentences that are not positives.
    refused = known if construction.matched else np.unique(real.hashes())

    def accept(sentences: Sentences) -> Mask:
        if not len(sentences):
            return np.zeros(0, dtype=bool)
        starts = sentences.bounds[:-1]
        usual = np.logical_and.reduceat(allowed[sentences.ids], starts)
        fresh = ~np.isin(sentences.hashes(), refused)
        return usual & fresh & surface.accepts(sentences)

    return accept
