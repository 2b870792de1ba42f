"""Look-ups that templates share change no answer.

The slow twin is the search of rows that learn, which looks every feature up.
"""

import numpy as np
from builders.widths import both_widths
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_latperc.kernels.chains import (
    Chain,
    FeatureSpace,
    FrozenChain,
    Question,
    Structure,
)

COLUMNS = 3


def shifted(pattern, shift):
    return [(column, offset + shift) for column, offset in pattern]


@st.composite
def structures(draw):
    """Templates that are shifts of a few patterns, in groups of one or of several."""
    programs, groups = [], []
    for _ in range(draw(st.integers(1, 3))):
        part = st.tuples(st.integers(0, COLUMNS - 1), st.integers(0, 2))
        pattern = draw(st.lists(part, min_size=1, max_size=3, unique=True))
        shifts = draw(st.lists(st.integers(-3, 3), min_size=1, max_size=4, unique=True))
        for shift in shifts:
            key = shifted(pattern, shift)
            parts = [key[:size] for size in range(1, draw(st.integers(1, 3)) + 1)]
            first = len(programs)
            programs += [(1000 + first + n, each) for n, each in enumerate(parts)]
            if len(parts) == 1:
                key = parts[0]
            groups.append((list(range(first, len(programs))), sorted(set(key))))
    return [*programs, (7, [])], groups


@settings(max_examples=60)
@given(
    structures(),
    st.sampled_from([2, 5, 9, 130]),
    st.integers(0, 2**32),
    st.sampled_from([2, 40]),
    st.sampled_from([1, 3, 64]),
)
def test_row_finder_finds_what_each_template_would(made, labels, seed, values, bits):
    rng = np.random.default_rng(seed)
    programs, groups = made
    sources = [("column", column) for column in range(COLUMNS)]
    space = FeatureSpace(programs, sources, bits=bits)  # few bits: 0 is a key
    bias = len(programs) - 1
    blocks = [(0, False, groups), (1, False, [([bias], [])])]
    chain_of = Structure(space, labels=labels, latent=1, order=1, blocks=blocks)
    lengths = (1, 3, 70, 5, 140)
    shapes = [(n, COLUMNS) for n in lengths]
    sentences = [rng.integers(1, values + 1, size=x).astype(np.uint64) for x in shapes]
    attrs = np.concatenate(sentences)
    bounds = np.cumsum([0, *map(len, sentences)])
    keys = np.unique(space.hashes(attrs)[:, :bias])
    keys = keys[rng.random(len(keys)) < 0.6]  # others were never seen
    frozen = FrozenChain(chain_of)
    sizes = np.full(len(keys), labels, dtype=np.uint32)
    cells = np.tile(np.arange(labels, dtype=np.uint32), len(keys))
    weights = rng.normal(size=len(cells)).astype(np.float32)
    frozen.fill(0, keys, sizes, cells, weights)
    chain = Chain(space, chain_of)
    chain.load(frozen, 5)
    block = space.extract(attrs, bounds, grow=False)
    expected = chain.predict(block).tolist()
    for _ in both_widths():
        for _ in range(2):  # anew, and remembered
            assert frozen.decode(Question(space, attrs, bounds)).tolist() == expected
