"""Forward-backward against all paths: orders, masks, latent states, wide ranges."""

import itertools
from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.sums import Lattice, log_sum, marginal, probabilities

from spacy_latperc.kernels.likelihood import ArraySums

# What float marginals may be off by, and double ones.
CLOSE = {False: 2e-5, True: 1e-11}
KINDS = list(itertools.product(range(3), (1, 2), (False, True)))


def summed(lattice, **settings):
    names = {"e": "emissions"}
    given = {names.get(name, name): value for name, value in asdict(lattice).items()}
    return ArraySums(**given, **settings)


def random_lattice(rng, order, latent=1, *, size=2.0, longest=5, rules=False):
    labels = int(rng.integers(1, 4))
    S = labels * latent
    n = int(rng.integers(1, min(longest, int(np.log(800) / np.log(max(S, 2)))) + 1))
    each = bool(rng.integers(2))
    e = rng.normal(size=(n, S)) * size
    tables = {}
    for kind, name in ((1, "pairs"), (2, "triples")):
        if order >= kind:
            shape = (n, *(S,) * (kind + 1)) if each and n > 1 else (S,) * (kind + 1)
            tables[name] = rng.normal(size=shape) * size
    if rules:
        e[rng.random(e.shape) < 0.25] = -np.inf
        if order and rng.random() < 0.7:
            tables["transitions"] = rng.random((labels, labels)) < 0.7
        for name in ("starts", "ends"):
            if rng.random() < 0.5:
                tables[name] = rng.random(labels) < 0.8
    return Lattice(e, latent=latent, **tables)


def assert_right(lattice, sums, *, temperature=1.0, within):
    scores = lattice.scores()
    expected = log_sum(scores / temperature)
    if expected == -np.inf:
        assert sums.log_z == -np.inf
        return
    assert sums.log_z == pytest.approx(expected, rel=within, abs=within)
    p = probabilities(scores, temperature=temperature)
    n = len(lattice.e)
    states = sums.states()
    for i in range(n):
        np.testing.assert_allclose(states[i], marginal(p, i), atol=within)
    pairs = [marginal(p, i - 1, i) for i in range(1, n)]
    for i in range(1, n):
        np.testing.assert_allclose(sums.edges(i), pairs[i - 1], atol=within)
    np.testing.assert_allclose(sums.edges(), sum(pairs), atol=n * within)
    if lattice.triples is None:
        return
    triples = [marginal(p, i - 2, i - 1, i) for i in range(2, n)]
    for i in range(2, n):
        np.testing.assert_allclose(sums.triples(i), triples[i - 2], atol=within)
    if n > 2:
        np.testing.assert_allclose(sums.triples(), sum(triples), atol=n * within)


@pytest.mark.parametrize(("order", "latent", "wide"), KINDS)
@settings(max_examples=15)
@given(seed=st.integers(0, 2**32), rules=st.booleans())
def test_sums_are_those_over_all_paths(order, latent, wide, seed, rules):
    rng = np.random.default_rng(seed)
    lattice = random_lattice(rng, order, latent, rules=rules)
    assert_right(lattice, summed(lattice, wide=wide), within=CLOSE[wide])


@pytest.mark.parametrize(("order", "latent", "wide"), KINDS)
@pytest.mark.parametrize("size", [30.0, 1000.0, 1e5])
@settings(max_examples=5)
@given(seed=st.integers(0, 2**32), rules=st.booleans())
def test_sums_of_huge_scores_are_right(order, latent, wide, size, seed, rules):
    # Dyadic scores, so that float holds them exactly.
    rng = np.random.default_rng(seed)
    lattice = random_lattice(rng, order, latent, size=size, rules=rules, longest=4)
    parts = {
        name: np.round(value * 8) / 8
        for name in ("e", "pairs", "triples")
        if (value := getattr(lattice, name)) is not None
    }
    lattice = replace(lattice, **parts)
    assert_right(lattice, summed(lattice, wide=wide), within=1e-4)


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("order", [1, 2])
def test_sums_of_a_path_that_both_ends_speak_against_are_right(order, wide):
    # No single score is beyond the range, but the path falls out of it step by step at
    # both ends, and wins by what lies between: neither direction alone sees it.
    scale = 8.0 if wide else 1.0
    e = np.zeros((40, 2))
    e[:4, 1] = e[-4:, 1] = -30.0 * scale
    pairs = np.array([[-20.0 * scale, 0.0], [0.0, 0.0]])
    triples = np.zeros((2, 2, 2)) if order == 2 else None
    apart = np.eye(2, dtype=bool)
    sums = ArraySums(e, pairs, triples, transitions=apart, wide=wide)
    assert sums.fallbacks == 1
    assert sums.log_z == pytest.approx(-240.0 * scale)
    np.testing.assert_allclose(sums.states()[:, 1], 1.0)


@pytest.mark.parametrize("order", [1, 2])
def test_sums_take_logarithms_when_no_scale_is_wide_enough(order):
    e = np.zeros((3, 2))
    pairs = np.array([[0.0, -5000.0], [-5000.0, 0.0]])
    e[0, 0] = e[2, 1] = 1e4
    triples = np.zeros((2, 2, 2)) if order == 2 else None
    sums = ArraySums(e, pairs, triples, wide=True)
    assert sums.fallbacks == 1
    assert sums.log_z == pytest.approx(15000.0 + np.log(2.0))
    np.testing.assert_allclose(sums.states(), [[1, 0], [0.5, 0.5], [0, 1]], atol=1e-12)
    np.testing.assert_allclose(sums.edges(), [[0.5, 1.0], [0.0, 0.5]], atol=1e-12)


@pytest.mark.parametrize("order", [0, 1, 2])
def test_sums_of_ordinary_scores_need_no_wider_arithmetic(order):
    rng = np.random.default_rng(order)
    for _ in range(50):
        lattice = random_lattice(rng, order, size=3.0, rules=True)
        assert summed(lattice).fallbacks == 0


# Labels at which rows of each strip of vector lanes are full or just begun.
@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("labels", [3, 4, 5, 8, 9, 16, 23, 24, 25, 33, 47, 48, 49, 57])
def test_sums_over_many_labels_are_those_over_all_paths(labels, wide):
    rng = np.random.default_rng(labels)
    e = rng.normal(size=(3, labels))
    pairs = rng.normal(size=(labels, labels))
    scores = (
        e[0][:, None, None] + (pairs + e[1])[:, :, None] + (pairs + e[2])[None, :, :]
    )
    p = probabilities(scores)
    sums = ArraySums(e, pairs, wide=wide)
    assert sums.log_z == pytest.approx(log_sum(scores), rel=1e-6)
    for i in range(3):
        np.testing.assert_allclose(sums.states()[i], marginal(p, i), atol=CLOSE[wide])
    expected = marginal(p, 0, 1) + marginal(p, 1, 2)
    np.testing.assert_allclose(sums.edges(), expected, atol=CLOSE[wide])


@pytest.mark.parametrize("order", [0, 1, 2])
@settings(max_examples=15)
@given(seed=st.integers(0, 2**32), rules=st.booleans())
def test_sums_marginals_sum_to_one(order, seed, rules):
    rng = np.random.default_rng(seed)
    lattice = random_lattice(rng, order, size=10.0, rules=rules)
    sums = summed(lattice)
    if sums.log_z > -np.inf:
        np.testing.assert_allclose(sums.states().sum(axis=1), 1.0, atol=1e-5)
        np.testing.assert_allclose(sums.edges().sum(), len(lattice.e) - 1, atol=1e-4)


@pytest.mark.parametrize("order", [0, 1, 2])
def test_sums_marginals_are_the_gradient_of_log_z(order):
    rng = np.random.default_rng(order)
    lattice = random_lattice(rng, order, latent=2)
    while len(lattice.e) < 3:
        lattice = random_lattice(rng, order, latent=2)
    step = 1e-5
    sums = summed(lattice, wide=True)

    def slope(name, cell):
        ends = []
        for sign in (1, -1):
            table = getattr(lattice, name).copy()
            table[cell] += sign * step
            ends.append(summed(replace(lattice, **{name: table}), wide=True).log_z)
        return (ends[0] - ends[1]) / (2 * step)

    states = sums.states()
    for cell in np.ndindex(states.shape):
        assert slope("e", cell) == pytest.approx(states[cell], abs=1e-8)
    tables = [("pairs", lattice.pairs, sums.edges)]
    if order == 2:
        tables.append(("triples", lattice.triples, sums.triples))
    for name, table, answer in tables[:order]:
        each = table.shape[0] == len(lattice.e) and table.ndim > (2 + (name != "pairs"))
        expected = answer(2) if each else answer()
        for cell in np.ndindex(expected.shape):
            found = slope(name, (2, *cell) if each else cell)
            assert found == pytest.approx(expected[cell], abs=1e-8)


@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize("temperature", [0.25, 3.0])
def test_sums_temperature_divides_every_score(order, temperature):
    rng = np.random.default_rng(order)
    for _ in range(10):
        lattice = random_lattice(rng, order, rules=True)
        sums = summed(lattice, temperature=temperature)
        assert_right(lattice, sums, temperature=temperature, within=5e-5)


@pytest.mark.parametrize("order", [1, 2])
def test_sums_held_transitions_give_the_same(order):
    rng = np.random.default_rng(order)
    lattice = random_lattice(rng, order)
    while len(lattice.e) < 3:
        lattice = random_lattice(rng, order)
    fresh, held = summed(lattice), summed(lattice, hold=True)
    for temperature in (1.0, 1.0, 2.0, 2.0, 1.0):
        fresh.run(temperature=temperature)
        held.run(temperature=temperature)
        assert held.log_z == fresh.log_z
        assert (held.states() == fresh.states()).all()
        assert (held.edges() == fresh.edges()).all()


@pytest.mark.parametrize("order", [0, 1, 2])
def test_sums_of_nothing_are_zero(order):
    pairs = np.zeros((2, 2)) if order else None
    triples = np.zeros((2, 2, 2)) if order == 2 else None
    sums = ArraySums(np.zeros((0, 2)), pairs, triples)
    assert sums.log_z == 0.0
    assert sums.states().shape == (0, 2)
    assert not sums.edges().any()


@pytest.mark.parametrize(
    ("emissions", "message"),
    [
        ([], r"LP502.*shape \(0,\).*\[tokens, states\]"),
        ([1.0, 2.0], r"LP502.*shape \(2,\)"),
        (3.0, r"LP502.*shape \(\)"),
        ([[1.0, float("nan")]], "LP505.*nan"),
    ],
)
def test_sums_refuse_what_is_no_table_of_scores(emissions, message):
    with pytest.raises(ValueError, match=message):
        ArraySums(emissions, np.zeros((2, 2)))


@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_sums_without_a_path_are_minus_infinity(order, n):
    pairs = np.zeros((2, 2)) if order else None
    triples = np.zeros((2, 2, 2)) if order == 2 else None
    e = np.zeros((n, 2))
    e[n // 2] = -np.inf
    assert ArraySums(e, pairs, triples).log_z == -np.inf
    nothing = np.zeros(2, dtype=bool)
    for rules in ({"starts": nothing}, {"ends": nothing}):
        assert ArraySums(np.zeros((n, 2)), pairs, triples, **rules).log_z == -np.inf


def pidgin(sentence):
    """Ke's notes on sequence labelling, section 2: D, N and V emit "can" and "the"."""
    with np.errstate(divide="ignore"):
        initial = np.log([0.8, 0.0, 0.2])
        following = np.log([[0.0, 1.0, 0.0], [0.2, 0.2, 0.6], [0.8, 0.0, 0.2]])
        emission = np.log([[0.0, 1.0], [1.0, 0.0], [1.0, 0.0]])
    e = np.array([emission[:, int(word == "the")] for word in sentence.split()])
    e[0] += initial
    return ArraySums(e, following)


def test_sums_are_the_forward_scores_of_the_pidgin_example():
    # Section 3, "can the can": Z of each prefix is the sum of its forward scores.
    for prefix, expected in (("can", 0.2), ("can the", 0.16), ("can the can", 0.16)):
        assert np.exp(pidgin(prefix).log_z) == pytest.approx(expected)
    states = pidgin("can the can").states()
    np.testing.assert_allclose(states, [[0, 0, 1], [1, 0, 0], [0, 1, 0]], atol=1e-7)


def test_sums_share_out_the_ambiguous_word_of_the_pidgin_example():
    sums = pidgin("the can can")
    assert np.exp(sums.log_z) == pytest.approx(0.8 * 0.2 + 0.8 * 0.6)
    np.testing.assert_allclose(sums.states()[2], [0.0, 0.25, 0.75], atol=1e-7)


@pytest.mark.parametrize("wide", [False, True])
def test_sums_repeated_stay_the_same(wide):
    rng = np.random.default_rng(1)
    sums = ArraySums(rng.normal(size=(4, 3)), rng.normal(size=(3, 3)), wide=wide)
    states = sums.states()
    sums.repeat(3, edges=True)
    assert (sums.states() == states).all()
