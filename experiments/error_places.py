"""Whether the spans that cost a sentence most are where it was broken.

    python -m experiments.error_places --noise 0.2

Real sentences get one error each: two neighbours swapped, a token deleted, put in, or
replaced by another word of the text. A span is right if it has a token of that place
(of a gap, the token on either side). Beside the share of sentences with a right span:
the share of their tokens that the spans take, which is what chance would be right
about. Spans are found and chosen as latperc_grammaticality does it, but in every
sentence, also where the classifier accepts it.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from wasabi import msg

from spacy_latperc.features.sets import grammaticality
from spacy_latperc.grammaticality.classifier import LatentClassifier
from spacy_latperc.grammaticality.classifier.online import latent_pa
from spacy_latperc.grammaticality.classifier.removal import Costs, worst_spans
from spacy_latperc.grammaticality.negatives.constructions import find_construction
from spacy_latperc.grammaticality.negatives.make import Settings, make_negatives
from spacy_latperc.learners.base import Batch
from spacy_latperc.text.sentences import from_ids

from .grammaticality_data import Labelled, Material

MODEL_TEXT = 200_000
Words = NDArray[np.int32]
# A broken sentence, and the tokens of the place.
Broken = tuple[Words, range]


def _swap(words: Words, i: int, other: int) -> Broken:
    result = words.copy()
    result[[i, i + 1]] = words[[i + 1, i]]
    return result, range(i, i + 2)


def _delete(words: Words, i: int, other: int) -> Broken:
    return np.delete(words, i), range(i - 1, i + 1)


def _insert(words: Words, i: int, other: int) -> Broken:
    return np.insert(words, i, other).astype(np.int32), range(i, i + 1)


def _replace(words: Words, i: int, other: int) -> Broken:
    result = words.copy()
    result[i] = other
    return result, range(i, i + 1)


ERRORS: dict[str, Callable[[Words, int, int], Broken]] = {
    "swap": _swap,
    "deletion": _delete,
    "insertion": _insert,
    "substitution": _replace,
}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Spans that cost most, and errors")
    parser.add_argument("--n", type=int, default=50_000, help="of each class")
    parser.add_argument(
        "--noise", type=float, default=0.2, help="of the negatives, for each kind"
    )
    parser.add_argument("--negatives", default="kn_m", help="the other negatives")
    parser.add_argument("--passes", type=int, default=8)
    parser.add_argument("--tests", type=int, default=500, help="sentences of each kind")
    parser.add_argument("--longest", type=int, default=3, help="tokens of a span")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    try:
        settings = _settings(options)
        settings.check()
    except ValueError as error:
        parser.error(str(error))
    if min(options.n, options.passes, options.tests, options.longest) < 1:
        parser.error("give 1 or more for --n, --passes, --tests and --longest")
    material = Material()
    classifier = _train(material, settings, options)
    rows = []
    for kind in ERRORS:
        broken, places = _break(material, kind, options.tests, options.seed)
        refused = (classifier.predict(broken).scores <= 0).mean()
        for name, reread in (("read again", True), ("leap", False)):
            batch = classifier.read(broken)
            costs = classifier.span_costs(batch, longest=options.longest, reread=reread)
            bounds = batch.bounds
            for k in (1, 2):
                right, share = _hits(costs, bounds, places, k)
                rows.append(
                    (kind, name, k, f"{right:.1%}", f"{share:.1%}", f"{refused:.1%}")
                )
    header = ("Error", "Costs", "Spans", "Right", "Tokens taken", "Refused")
    msg.table(rows, header=header, divider=True)


def _settings(options: argparse.Namespace) -> Settings:
    return Settings(
        find_construction(options.negatives),
        seed=options.seed,
        shares=(1.0,),
        noise=dict.fromkeys(ERRORS, options.noise) if options.noise else {},
    )


def _train(
    material: Material, settings: Settings, options: argparse.Namespace
) -> LatentClassifier:
    classifier = LatentClassifier(grammaticality(), latent_pa(), hash_bits=18)
    text = material.texts["a.train"]
    made = make_negatives(
        text.slice(0, MODEL_TEXT), settings, positives=text.slice(0, options.n)
    )
    columns = classifier.plan.columns
    train = material.labelled(made.positives, made.negatives, columns)
    classifier.start(len(made.positives), len(made.negatives))
    blocks = classifier.extract(Batch(train.values, train.docs, material.lookup))
    for _ in range(options.passes):
        classifier.update(blocks, train.gold)
    return classifier


def _break(
    material: Material, kind: str, n: int, seed: int
) -> tuple[Batch, list[range]]:
    """Columns of broken sentences, and the places."""
    rng = np.random.default_rng(seed)
    real = material.texts["a.test"].slice(0, n)
    words = material.texts["a.train"].ids
    sentences, places = [], []
    for start, end in zip(real.bounds[:-1], real.bounds[1:], strict=True):
        at = int(rng.integers(1, end - start - 2))
        other = int(words[rng.integers(len(words))])
        sentence, place = ERRORS[kind](real.ids[start:end], at, other)
        sentences.append(sentence)
        places.append(place)
    broken = from_ids(material.vocabulary, sentences)
    columns = LatentClassifier(grammaticality(), latent_pa()).plan.columns
    found: Labelled = material.labelled(broken, broken.slice(0, 1), columns)
    total = len(broken.ids)
    docs = np.array([0, total], dtype=np.int64)
    return Batch(found.values[:total], docs, material.lookup), places


def _hits(
    costs: Costs, bounds: NDArray[np.int64], places: list[range], k: int
) -> tuple[float, float]:
    """The share of sentences with a right span among the k that cost most, and the mean
    share of tokens in them."""
    right, taken = 0, 0.0
    for start, end, place in zip(bounds[:-1], bounds[1:], places, strict=True):
        tokens = {
            i
            for first, last, _ in worst_spans(costs[start:end], k)
            for i in range(first, last)
        }
        right += not tokens.isdisjoint(place)
        taken += len(tokens) / float(end - start)
    return right / len(places), taken / len(places)


if __name__ == "__main__":
    main()
