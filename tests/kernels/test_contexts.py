"""The context model against its slow twin and the loss itself."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import contexts as slow

from spacy_latperc.kernels.text import (
    FIRST_SYMBOL,
    NOTHING,
    ROW_SIZE,
    learn_contexts,
    read_contexts,
)

SYMBOLS = 9
WAYS = {
    "window": 2,
    "noise_words": 2,
    "alternatives": 2,
    "small_words": 2,
    "gaps": 0.5,
    "rate": 0.1,
    "passes": 2,
    "seed": 3,
}
symbols = st.integers(FIRST_SYMBOL, SYMBOLS - 1)
texts = st.lists(st.lists(symbols, max_size=5), min_size=1, max_size=4)


def words_of(bias, noise, log_noise, lists, small):
    """Make arrays of noise, alternatives and small words."""
    return {
        "bias": np.array(bias, np.float32),
        "noise": np.array(noise, np.int32),
        "log_noise": np.array(log_noise, np.float32),
        "begin": np.cumsum([0, *map(len, lists)]).astype(np.int64),
        "others": np.array([x for row in lists for x in row], np.int32),
        "small": np.array(small, np.int32),
    }


@st.composite
def given_words(draw):
    noise = draw(st.lists(symbols, min_size=1, max_size=6))
    pairs = draw(st.sets(st.tuples(symbols, symbols).filter(lambda x: x[0] < x[1])))
    both = pairs | {(b, a) for a, b in pairs}
    lists = [sorted(b for a, b in both if a == n) for n in range(SYMBOLS)]
    small = draw(st.lists(symbols, max_size=3, unique=True))
    biases = st.floats(-4, 0, width=32)
    bias = draw(st.lists(biases, min_size=SYMBOLS, max_size=SYMBOLS))
    return words_of(bias, noise, np.linspace(-3, 0, SYMBOLS), lists, small)


def arrays(sentences):
    words = np.array([x for row in sentences for x in row], np.int32)
    return words, np.cumsum([0, *map(len, sentences)]).astype(np.int64)


def learned(sentences, words, **ways):
    return learn_contexts(*arrays(sentences), **words, **{**WAYS, **ways})


@settings(max_examples=25, deadline=None)
@given(texts, given_words(), st.integers(0, 99))
def test_models_of_contexts_are_those_of_the_twin(sentences, words, seed):
    ways = {**WAYS, "seed": seed}
    first = learned(sentences, words, **{**ways, "passes": 0})
    rest = [words[x] for x in ("noise", "log_noise", "begin", "others", "small")]
    twin = slow.Learner(first, *rest, ways)
    twin.learn(sentences)
    wanted = twin.input, twin.output, twin.bias
    for mine, other in zip(learned(sentences, words, **ways), wanted, strict=True):
        assert mine == pytest.approx(other, abs=2e-3)


def slopes_of(loss, table):
    """Compute slopes by finite differences."""
    found = np.zeros_like(table)
    for at in np.ndindex(table.shape):
        was = table[at]
        table[at] = was + 1e-4
        above = loss()
        table[at] = was - 1e-4
        found[at] = (above - loss()) / 2e-4
        table[at] = was
    return found


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 99), st.booleans())
def test_steps_go_where_the_loss_falls(seed, gap):
    """One place is learned from: in one step each row moves against the slope of the
    loss of that place."""
    word, other, small = 4, 5, 6
    sentence = [word] if not gap else []
    pairs = {word: [other], other: [word, 7], 7: [other]}
    lists = [pairs.get(n, []) for n in range(SYMBOLS)]
    bias, log_noise = (np.linspace(first, 0, SYMBOLS) for first in (-2, -3))
    words = words_of(bias, [8], log_noise, lists, [small])
    ways = {"rate": 1e-3, "passes": 1, "noise_words": 1, "alternatives": 1}
    ways |= {"small_words": 1, "gaps": float(gap), "seed": seed}
    first = learned([sentence], words, **{**ways, "passes": 0})
    after = learned([sentence], words, **ways)
    tables = tuple(np.array(x, float) for x in first)
    around = slow.beside(sentence, 0, gap, WAYS["window"])
    if gap:
        known, noise, told = NOTHING, None, [(small, 0.0, 0.0)]
    else:
        known, noise, told = word, [8], [(other, 0.0, -np.log(2))]

    def loss():
        return slow.place_loss(tables, around, known, noise, words["log_noise"], told)

    for table, now in zip(tables, after, strict=True):
        slope, moved = slopes_of(loss, table), now.astype(float) - table
        rows = slope.reshape(-1, slope.shape[-1]) if table.ndim > 1 else slope[:, None]
        steps = moved.reshape(rows.shape)
        for row, step in zip(rows, steps, strict=True):
            if not np.abs(row).max() > 1e-5:
                assert np.abs(step).max() < 1e-5
                continue
            like = -(row @ step) / np.linalg.norm(row) / np.linalg.norm(step)
            assert like > 0.999


@settings(max_examples=40, deadline=None)
@given(texts, given_words(), st.integers(0, 99))
def test_what_models_of_contexts_say_is_what_the_twin_says(sentences, words, seed):
    random = np.random.default_rng(seed)
    input = random.integers(-127, 128, (4, SYMBOLS, ROW_SIZE)).astype(np.int8)
    output = random.integers(-127, 128, (SYMBOLS, ROW_SIZE)).astype(np.int8)
    scale = np.full(SYMBOLS, 1e-4, np.float32)
    known = {x: words[x] for x in ("bias", "begin", "others", "small")}
    found = read_contexts(input, output, *arrays(sentences), scale=scale, **known)
    begin, others = words["begin"], words["others"].tolist()
    lists = [others[a:b] for a, b in zip(begin, begin[1:], strict=False)]
    tables = input, output, words["bias"]
    wanted = [
        row
        for sentence in sentences
        for row in slow.read(tables, scale, sentence, lists, words["small"].tolist())
    ]
    for n, name in enumerate(("fit", "better", "missing", "fewer")):
        assert found[name] == pytest.approx([row[n] for row in wanted], abs=1e-3)


WORDS = words_of([0] * SYMBOLS, [3], [0] * SYMBOLS, [[]] * SYMBOLS, [])


@pytest.mark.parametrize(
    ("words", "ways"),
    [
        ({"noise": np.zeros(0, np.int32)}, {}),
        ({"noise": np.array([SYMBOLS], np.int32)}, {}),
        ({"small": np.array([1], np.int32)}, {}),
        ({"begin": np.zeros(SYMBOLS, np.int64)}, {}),
        ({"begin": np.ones(SYMBOLS + 1, np.int64)}, {}),
        ({"log_noise": np.zeros(2, np.float32)}, {}),
        ({}, {"window": 0}),
        ({}, {"gaps": 2.0}),
        ({}, {"seed": -1}),
    ],
)
def test_what_cannot_be_learned_from_is_refused(words, ways):
    with pytest.raises((ValueError, IndexError)):
        learned([[3, 4]], {**WORDS, **words}, **ways)


def test_words_that_the_model_does_not_have_are_refused():
    input = np.zeros((2, SYMBOLS, ROW_SIZE), np.int8)
    output = np.zeros((SYMBOLS, ROW_SIZE), np.int8)
    known = {x: WORDS[x] for x in ("bias", "begin", "others", "small")}
    known["scale"] = np.zeros(SYMBOLS, np.float32)
    for wrong in (0, SYMBOLS):
        with pytest.raises((ValueError, IndexError)):
            read_contexts(input, output, *arrays([[wrong]]), **known)
    for shape in ((3, SYMBOLS, ROW_SIZE), (2, SYMBOLS - 1, ROW_SIZE), (2, SYMBOLS, 8)):
        odd = np.zeros(shape, np.int8)
        with pytest.raises((ValueError, IndexError)):
            read_contexts(odd, output, *arrays([[3]]), **known)
    assert not len(read_contexts(input, output, *arrays([]), **known)["fit"])
