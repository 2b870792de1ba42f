"""Frozen rows: filled and exported, taken from rows that learn and given back."""

import numpy as np
import pytest
from builders import chains as small
from hypothesis import given
from hypothesis import strategies as st
from reference.chain import Shape

from spacy_latperc.kernels.chains import (
    SUFFIX,
    Chain,
    FeatureSpace,
    FrozenChain,
    Question,
    Rule,
    Structure,
)

FORMS = [("label", 1), ("full", 2), ("tied", 3)]


def exported(frozen):
    blocks = range(len(frozen.structure.blocks))
    return [[part.tolist() for part in frozen.export(b)] for b in blocks]


def learned_chain(form="tied", latent=2, *, order=1, average=True, **steps):
    rng = np.random.default_rng(3)
    shape = small.make_shape(form, labels=3, latent=latent, order=order)
    chain = small.make_chain(shape, average=average, **steps)
    sentences = [small.random_sentence(rng, 5, values=3) for _ in range(20)]
    gold = rng.integers(0, 3, size=100).astype(np.int32)
    block = small.extract(chain.space, sentences)
    for _ in range(3):
        chain.update([block], gold, Rule.passive_aggressive(0.7))
    return chain, sentences


@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize(("form", "latent"), FORMS)
@given(seed=st.integers(0, 2**32))
def test_frozen_export_gives_back_what_was_filled(form, latent, order, seed):
    rng = np.random.default_rng(seed)
    shape = small.make_shape(form, labels=3, latent=latent, order=order)
    sentences = [small.random_sentence(rng, 4)]
    how = {"steps": 1, "grain": 0.5, "share": 0.5}
    weights = small.random_weights(rng, shape, sentences, **how)
    structure = small.make_structure(small.make_space(), shape)
    first = small.freeze_weights(structure, weights)
    second = FrozenChain(structure)
    for b in range(len(shape.blocks)):
        second.fill(b, *first.export(b))
    assert exported(first) == exported(second)


@pytest.mark.parametrize(("form", "latent"), FORMS)
def test_frozen_rows_keep_their_cells(form, latent):
    # Cells are numbered without padding: by state, or by previous state and state.
    shape = small.make_shape(form, labels=3, latent=latent)
    structure = small.make_structure(small.make_space(), shape)
    for b, (kind, is_latent, _) in enumerate(shape.blocks):
        units = 3 * (latent if is_latent else 1)
        cells = np.arange(units ** (kind + 1), dtype=np.uint32)
        frozen = FrozenChain(structure)
        key, size = np.array([9], np.uint64), np.array([len(cells)], np.uint32)
        frozen.fill(b, key, size, cells, (cells + 1).astype(np.float32))
        assert frozen.export(b)[3].tolist() == (cells + 1).tolist()
        before, previous, state = structure.unpack(b, cells)
        assert ((before * units + previous) * units + state == cells).all()
        assert (state < units).all()
        assert (previous < units).all()


@pytest.mark.parametrize(
    "steps", [{}, {"average": False}, {"l1": 0.5, "epoch_size": 20}]
)
@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize(("form", "latent"), FORMS)
def test_frozen_takes_and_exports_the_averages(form, latent, order, steps):
    chain, _ = learned_chain(form, latent, order=order, **steps)
    frozen = chain.freeze()
    assert exported(chain) == exported(frozen)
    assert any(len(keys) for keys, *_ in exported(chain))
    again = Chain(chain.space, chain.structure)
    again.load(frozen, chain.examples)
    assert again.examples == chain.examples == 60
    averages = small.read_weights(chain, average=True)
    small.assert_same_weights(small.read_weights(again), averages, within=0.0)


def test_frozen_has_no_row_of_zeros_and_does_not_change_when_learning_goes_on():
    chain, sentences = learned_chain()
    frozen = chain.freeze()
    averages = small.nonzero(small.read_weights(chain, average=True))
    expected = [sum(b == block for b, _ in averages) for block in range(4)]
    assert frozen.n_rows == expected
    before = exported(frozen)
    block = small.extract(chain.space, sentences)
    gold = np.zeros(block.n_tokens, dtype=np.int32)
    chain.update([block], gold, Rule.perceptron())
    assert exported(frozen) == before


def test_frozen_loaded_features_are_known_and_frequent_enough():
    space = small.make_space(min_count=5)
    shape = small.make_shape("label", labels=2, order=0)
    structure = small.make_structure(space, shape)
    sentence = np.ones((1, 2), dtype=np.uint64)
    key = int(space.hashes(sentence)[0, small.FIRST])
    chain = Chain(space, structure)
    chain.load(small.freeze_weights(structure, {(0, key): np.array([0.5, 0.0])}), 7)
    block = space.extract(sentence, np.array([0, 1]), grow=False)
    chain.update([block], np.array([1], np.int32), Rule.perceptron())
    assert small.read_weights(chain)[0, key].tolist() == [-0.5, 1.0]


@given(seed=st.integers(0, 2**32), long=st.booleans())
def test_frozen_answers_are_the_same_without_a_matrix_of_attributes(seed, long):
    rng = np.random.default_rng(seed)
    sources = [("lexical", SUFFIX, 1, None), ("column", 1)]
    space = FeatureSpace(small.PROGRAMS, sources)
    structure = small.make_structure(space, small.make_shape("label", labels=3))
    lengths = rng.integers(0, 150 if long else 6, size=5)
    bounds = np.concatenate([[0], np.cumsum(lengths)])
    values = rng.integers(0, 30, size=(bounds[-1], 3)).astype(np.uint64)
    matrix = space.assemble(values, str)
    chain = Chain(space, structure)
    gold = rng.integers(0, 3, size=len(values)).astype(np.int32)
    for _ in range(3):
        chain.update([space.extract(matrix, bounds)], gold, Rule.perceptron())
    frozen = chain.freeze()
    attributes = space.attributes(values, str)
    space.forget_lexemes()  # whoever has attributes goes on to have them
    space.assemble(np.full((40, 3), 7, dtype=np.uint64), str)
    assert attributes.matrix.tolist() == matrix.tolist()
    first, second = (Question(space, x, bounds) for x in (matrix, attributes))
    assert frozen.decode(second).tolist() == frozen.decode(first).tolist()
    both = (frozen.kbest(x, 3) for x in (second, first))
    for found, expected in zip(*both, strict=True):
        assert found.tolist() == expected.tolist()


def test_frozen_answers_alike_when_more_is_met_than_can_be_remembered():
    # Sums of groups of rows are remembered up to a limit: some batches go beyond it.
    labels, tokens = 250, 9000
    rng = np.random.default_rng(7)
    space = small.make_space()
    shape = Shape(labels, 1, 0, [(0, False, [small.FIRST, small.SECOND, small.PAIR])])
    weights = first_weights(space, labels)
    structures = (small.make_structure(space, shape, group_size=n) for n in (1, 3))
    one, other = (small.freeze_weights(x, weights) for x in structures)
    for _ in range(3):
        attrs = rng.integers(0, 2000, size=(tokens, 2)).astype(np.uint64)
        asked = Question(space, attrs, np.arange(0, tokens + 1, 10))
        alone, grouped = (chain.decode(asked) for chain in (one, other))
        assert grouped.tolist() == alone.tolist()
        assert len(set(grouped.tolist())) > 100


def first_weights(space, labels):
    """The attribute decides: one label each."""
    values = np.zeros((2000, 2), dtype=np.uint64)
    values[:, 0] = np.arange(2000)
    keys = space.hashes(values)[:, small.FIRST].tolist()
    return {(0, key): np.eye(labels)[n % labels] for n, key in enumerate(keys)}


GOOD = {"keys": [5, 6], "sizes": [1, 2], "cells": [0, 0, 1], "values": [1.0, 2.0, 3.0]}
BAD = {
    "a feature twice": {"keys": [5, 5]},
    **{f"sizes {x}": {"sizes": x} for x in ([3], [1, 1, 1], [1, 3], [1, 1])},
    "sizes beyond all bounds": {"sizes": [1, 2**32 - 1]},
    "a cell outside its row": {"cells": [0, 0, 3]},
    "a cell in the padding": {"cells": [3, 0, 1]},
    "more cells than values": {"cells": [0, 0, 1, 1]},
    **{f"a weight of {x}": {"values": [1.0, x, 3.0]} for x in (np.nan, np.inf)},
}
TYPES = {"keys": np.uint64, "sizes": np.uint32, "cells": np.uint32}


def fill(**parts):
    shape = small.make_shape("label", labels=3, order=0)
    frozen = FrozenChain(small.make_structure(small.make_space(), shape))
    arrays = [np.array(parts[name], TYPES.get(name, np.float32)) for name in GOOD]
    frozen.fill(0, *arrays)
    return frozen


@pytest.mark.parametrize("what", BAD)
def test_frozen_fill_refuses(what):
    assert exported(fill(**GOOD)) == [list(GOOD.values())]
    with pytest.raises(ValueError):
        fill(**{**GOOD, **BAD[what]})


def test_frozen_and_structures_refuse_what_does_not_fit():
    space, shape = small.make_space(), small.make_shape("label", labels=2)
    structure = small.make_structure(space, shape)
    for other in ({"labels": 2, "order": 2}, {"labels": 20}):
        odd = small.make_structure(space, small.make_shape("label", **other))
        with pytest.raises(ValueError):
            Chain(space, structure).load(FrozenChain(odd), 0)
    other = FeatureSpace([(7, [(0, 0)])], [("column", 0), ("column", 1)])
    attrs, bounds = small.in_a_row([np.ones((3, 2), dtype=np.uint64)])
    with pytest.raises(ValueError):
        FrozenChain(structure).decode(Question(other, attrs, bounds))
    with pytest.raises(ValueError):
        Chain(other, structure)
    sizes = {"labels": 2, "latent": 1, "order": 0}
    for templates in ([-1], [len(small.PROGRAMS)]):
        with pytest.raises(IndexError):
            Structure(space, **sizes, blocks=[(0, False, [(templates, [(0, 0)])])])
    tables = {"transitions": np.ones((3, 2)), "starts": [1], "ends": [1, 1, 1]}
    for name, table in tables.items():
        with pytest.raises(ValueError):
            small.make_structure(space, Shape(2, 1, 1, shape.blocks, **{name: table}))


def test_structure_without_labels_answers_zeros():
    space = small.make_space()
    structure = small.make_structure(space, Shape(0, 1, 1, [(0, False, [small.BIAS])]))
    attrs, bounds = small.in_a_row([np.ones((3, 2), dtype=np.uint64)])
    asked = Question(space, attrs, bounds)
    assert FrozenChain(structure).decode(asked).tolist() == [0, 0, 0]
