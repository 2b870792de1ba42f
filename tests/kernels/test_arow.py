"""AROW against the twin: weights and variances."""

import numpy as np
import pytest
from builders import chains as small
from reference.chain import Shape
from reference.rules import Arow
from reference.side_by_side import SHAPES, learn_one, random_corpus

from spacy_latperc.kernels.chains import Rule

NEAR = 1e-4


def start_chain(shape, weights, **settings):
    return small.make_chain(shape, weights, step="variances", **settings)


def read_variances(chain, shape):
    """Of the cells that changed."""
    found = {}
    for b in range(len(shape.blocks)):
        keys, sizes, cells, planes = chain.state(b)
        names = np.repeat(keys, sizes).tolist()
        places = zip(*np.unravel_index(cells, shape.row_shape(b)), strict=True)
        for key, place, value in zip(names, places, planes["g"], strict=True):
            if value:
                found[b, key, tuple(map(int, place))] = 1.0 - float(value)
    return found


@pytest.mark.parametrize("listed", [False, True])
@pytest.mark.parametrize("r", [0.25, 4.0])
@pytest.mark.parametrize(("order", "latent", "form"), SHAPES)
def test_arow_equals_twin(order, latent, form, r, listed):
    rng = np.random.default_rng(31)
    shape = small.make_shape(form, labels=2, latent=latent, order=order)
    corpus = random_corpus(rng, 2, sentences=6, unknown=0.2, listed=listed)
    start = small.dense_weights(rng, shape, [x for x, _ in corpus])
    chain = start_chain(shape, start)
    twin = Arow(shape, r, start)
    for sentence, gold in corpus * 3:
        loss, impossible = learn_one(chain, sentence, gold, Rule.arow(r))
        assert impossible == []
        wanted = twin.learn(small.hashes_of(sentence), gold.tolist())
        assert loss == pytest.approx(wanted, abs=NEAR)
        small.assert_same_weights(small.read_weights(chain), twin.weights, within=NEAR)
    found = read_variances(chain, shape)
    assert found == pytest.approx(twin.variances, abs=NEAR)


def test_arow_trusts_what_it_saw_often():
    # The same example with both labels in turn: changes get smaller.
    shape = Shape(2, 1, 0, [(0, False, [small.FIRST])])
    chain = start_chain(shape, {}, average=False)
    sentence = np.ones((1, 2), np.uint64)
    sizes = []
    before = np.zeros(2)
    for n in range(200):
        learn_one(chain, sentence, np.array([n % 2], np.int32), Rule.arow(1.0))
        (row,) = chain.weights(0).values()
        sizes.append(np.abs(row - before).max())
        before = row
    assert sizes[-1] < 0.05 * sizes[2]
    assert min(read_variances(chain, shape).values()) > 0


def test_arow_variances_never_reach_zero():
    shape = Shape(2, 1, 0, [(0, False, [small.FIRST])])
    chain = start_chain(shape, {})
    sentence = np.ones((1, 2), np.uint64)
    for n in range(300):
        gold = np.array([n % 2], np.int32)
        learn_one(chain, sentence, gold, Rule.arow(1e-9))
    assert min(read_variances(chain, shape).values()) > 0
    assert all(np.isfinite(row).all() for row in small.read_weights(chain).values())


def test_arow_average_is_the_mean_of_the_weights():
    rng = np.random.default_rng(37)
    shape = small.make_shape("label", labels=2)
    chain = start_chain(shape, {})
    total = {}
    for sentence, gold in random_corpus(rng, 2, sentences=9):
        learn_one(chain, sentence, gold, Rule.arow())
        for name, row in small.read_weights(chain).items():
            total[name] = total.get(name, 0.0) + row / 9
    average = small.read_weights(chain, average=True)
    small.assert_same_weights(average, total, within=1e-5)


def test_arow_goes_on_from_its_state():
    rng = np.random.default_rng(41)
    shape = small.make_shape("label", labels=2)
    corpus = random_corpus(rng, 2, sentences=6)
    chain = start_chain(shape, {})
    for sentence, gold in corpus:
        learn_one(chain, sentence, gold, Rule.arow())
    other = small.make_chain(shape, step="variances")
    for b in range(len(shape.blocks)):
        other.restore(b, *chain.state(b))
    other.set_progress(chain.examples, chain.clock)
    for sentence, gold in corpus:
        for each in (chain, other):
            learn_one(each, sentence, gold, Rule.arow())
    one, two = (small.read_weights(each) for each in (chain, other))
    small.assert_same_weights(one, two, within=0.0)
    plain, (sentence, gold) = small.make_chain(shape), corpus[0]
    with pytest.raises(ValueError, match="variances"):
        learn_one(plain, sentence, gold, Rule.arow())
