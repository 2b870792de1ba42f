"""Small chains of every shape with known weights, for the tests of kernels."""

import numpy as np
from numpy.typing import NDArray
from reference.chain import END, START, Hashes, Shape, Weights, bag_of, feature_hashes
from reference.values import feature_bags

from builders.values import lists_of, random_lists, token_values
from spacy_latperc.kernels.chains import Chain, FeatureSpace, FrozenChain, Structure

# Observations over two attributes; the first has no parts.
BIAS, FIRST, SECOND, PAIR, NEXT = range(5)
PROGRAMS = [(101, []), (202, [(0, 0)]), (303, [(1, 0)]), (404, [(0, -1), (0, 0)])]
PROGRAMS.append((505, [(1, 1)]))
COLUMNS = 2
FORMS = ("label", "full", "tied")

_EVERYWHERE = [[BIAS, FIRST, SECOND, PAIR], [NEXT, BIAS, FIRST], [BIAS, SECOND]]
_NAMED = [[FIRST, NEXT], [BIAS, FIRST], [SECOND, BIAS]]


def make_space(min_count: int = 1) -> FeatureSpace:
    sources = [("column", number) for number in range(COLUMNS)]
    return FeatureSpace(PROGRAMS, sources, min_count=min_count)


def make_blocks(form, order, *, edges=True):
    """Rows per label, rows per latent state, or both.

    edges: conjoin observations with longer histories, and not only the bias.
    """
    kinds = range(order + 1)

    def blocks(is_latent, templates):
        every = [templates[k] if k == 0 or edges else [BIAS] for k in kinds]
        return [(k, is_latent, every[k]) for k in kinds]

    named = blocks(True, _NAMED) if form == "tied" else []
    return blocks(form == "full", _EVERYWHERE) + named


def make_shape(form, *, labels, latent=1, order=1, edges=True, boundaries=True):
    blocks = make_blocks(form, order, edges=edges)
    return Shape(labels, latent, order, blocks, boundaries=boundaries)


def make_groups(kind, templates, size):
    """State rows are summed in groups of this size; with what the sums depend on."""
    size = size if kind == 0 else 1
    groups = [list(templates[at : at + size]) for at in range(0, len(templates), size)]
    return [
        (group, sorted({part for template in group for part in PROGRAMS[template][1]}))
        for group in groups
    ]


def make_structure(space, shape, *, group_size=1, beam=0):
    blocks = [
        (kind, is_latent, make_groups(kind, templates, group_size))
        for kind, is_latent, templates in shape.blocks
    ]
    names = "labels latent order transitions starts ends boundaries".split()
    settings = {name: getattr(shape, name) for name in names}
    return Structure(space, blocks=blocks, **settings, beam=beam)


def random_sentence(rng, n, *, values=2, listed=False):
    """Attributes of n tokens, with few values, so that features repeat.

    listed: some of them are lists of values.
    """
    attrs = rng.integers(1, values + 1, size=(n, COLUMNS)).astype(np.uint64)
    return random_lists(rng, attrs, values=values) if listed else attrs


def hashes_of(attrs: NDArray[np.uint64]) -> Hashes:
    lists = lists_of(attrs)
    if lists:
        return feature_bags(PROGRAMS, attrs, lists)
    return feature_hashes(PROGRAMS, attrs)


def random_weights(rng, shape, sentences, *, steps, grain, share=0.8):
    """Rows for a share of the features of the sentences: multiples of `grain`, at most
    `steps` of them. Few steps make ties, many make none."""
    weights: Weights = {}
    for b, (_, _, templates) in enumerate(shape.blocks):
        keys = {
            key
            for attrs in sentences
            for row in hashes_of(attrs)
            for template in templates
            for key, _ in bag_of(row[template])
        }
        if b in shape.boundary_blocks:
            keys |= {START, END}
        for key in sorted(keys):
            if rng.random() < share:
                row = rng.integers(-steps, steps + 1, size=shape.row_shape(b))
                weights[b, key] = row * grain
    return weights


def freeze_weights(structure: Structure, weights: Weights) -> FrozenChain:
    """A chain that answers with these weights."""
    frozen = FrozenChain(structure)
    for b in range(len(structure.blocks)):
        rows = {key: row for (block, key), row in weights.items() if block == b}
        cells = [np.flatnonzero(row) for row in rows.values()]
        values = [
            row.reshape(-1)[at] for row, at in zip(rows.values(), cells, strict=True)
        ]
        frozen.fill(
            b,
            np.array(list(rows), dtype=np.uint64),
            np.array([len(at) for at in cells], dtype=np.uint32),
            np.concatenate([[], *cells]).astype(np.uint32),
            np.concatenate([[], *values]).astype(np.float32),
        )
    return frozen


def make_chain(shape, weights=None, *, min_count=1, group_size=1, beam=0, **settings):
    """A chain with a space of its own that begins with these weights."""
    space = make_space(min_count)
    structure = make_structure(space, shape, group_size=group_size, beam=beam)
    chain = Chain(space, structure, **settings)
    if weights is not None:
        chain.load(freeze_weights(structure, weights), 0)
    return chain


def dense_weights(rng, shape, sentences):
    """Weights of all features of the sentences, so many that there are no ties."""
    return random_weights(rng, shape, sentences, steps=1 << 16, grain=2**-16, share=1.0)


def read_weights(chain: Chain, *, average: bool = False) -> Weights:
    """The rows of a chain that learns, without those that are zero."""
    return {
        (b, key): row.astype(np.float64)
        for b in range(len(chain.structure.blocks))
        for key, row in chain.weights(b, average=average).items()
        if row.any()
    }


def nonzero(weights: Weights) -> Weights:
    return {name: row for name, row in weights.items() if row.any()}


def largest_gap(found: Weights, expected: Weights) -> float:
    """The largest difference of two weights; a row that is missing is zero."""
    return max(
        (
            float(np.abs(found.get(name, 0.0) - expected.get(name, 0.0)).max())
            for name in found.keys() | expected.keys()
        ),
        default=0.0,
    )


def assert_same_weights(found: Weights, expected: Weights, *, within: float) -> None:
    assert largest_gap(found, expected) <= within


def extract(space, sentences, *, count=False):
    """The features of several sentences in one block."""
    values = token_values(space, sentences)
    return space.extract(*in_a_row(sentences), count=count, values=values)


def in_a_row(sentences):
    """Attributes of all tokens, and where the sentences begin."""
    bounds = np.cumsum([0, *map(len, sentences)], dtype=np.int64)
    return np.concatenate([np.empty((0, COLUMNS), np.uint64), *sentences]), bounds
