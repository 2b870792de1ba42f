"""Random lattices of every order and latent form, small enough to score every path."""

import itertools

import numpy as np
from numpy.typing import NDArray
from reference.chain import Shape, Weights

from builders import chains as small
from builders.values import token_values
from spacy_latperc.kernels.chains import Chain, Question

MOST_PATHS = 3000
SHAPES = [
    (order, latent, form)
    for order, latent, form in itertools.product(range(3), (1, 2, 3), small.FORMS)
    if latent > 1 or form == "label"
]
Case = tuple[Shape, list[NDArray[np.uint64]], Weights]


def random_rules(rng: np.random.Generator, labels: int) -> dict[str, NDArray[np.bool_]]:
    """Forbidden transitions, starts and ends; each may be missing."""
    tables = {"transitions": (labels, labels), "starts": labels, "ends": labels}
    return {
        name: rng.random(size) < 0.7
        for name, size in tables.items()
        if rng.random() < 0.7
    }


def random_given(rng, shape, tokens):
    """Scores from outside, of labels or of states: multiples of 1 / 8."""
    width = shape.labels if rng.integers(2) else shape.states
    return (rng.integers(-40, 41, size=(tokens, width)) / 8).astype(np.float32)


def random_case(rng, order, latent, form, *, rules=False, listed=False, steps):
    """A shape, sentences, and weights for them: many steps make no ties.

    rules: forbid some transitions, starts and ends.
    listed: some attributes are lists of values.
    """
    labels = int(rng.integers(1, 4 if latent < 3 else 3))
    shape = Shape(
        labels,
        latent,
        order,
        small.make_blocks(form, order, edges=bool(rng.integers(2))),
        boundaries=bool(rng.integers(2)),
        **(random_rules(rng, labels) if rules else {}),
    )
    longest = int(np.log(MOST_PATHS) / np.log(max(shape.states, 3)))
    lengths = rng.integers(0, longest + 1, size=rng.integers(1, 5))
    sentences = [small.random_sentence(rng, n, listed=listed) for n in lengths]
    weights = small.random_weights(rng, shape, sentences, steps=steps, grain=1 / 8)
    return shape, sentences, weights


def both_decoders(
    shape, sentences, weights, allowed=None, *, beam=0, group_size=1
) -> tuple[list[int], list[int]]:
    """Labels from frozen rows, and from rows that learn and have not yet changed."""
    space = small.make_space()
    values = token_values(space, sentences)
    group_size = group_size if values is None else 1
    structure = small.make_structure(space, shape, group_size=group_size, beam=beam)
    frozen = small.freeze_weights(structure, weights)
    attrs, bounds = small.in_a_row(sentences)
    asked = Question(space, attrs, bounds, allowed, values=values)
    chain = Chain(space, structure)
    chain.load(frozen, 5)
    block = space.extract(attrs, bounds, grow=False, values=values)
    return frozen.decode(asked).tolist(), chain.predict(block, allowed).tolist()
