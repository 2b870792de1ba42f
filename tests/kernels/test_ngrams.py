"""n-gram models against their slow twin, by hand, and sampled."""

from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import ngrams as reference

from spacy_latperc.kernels.text import BEGIN, END, UNKNOWN, NgramTable, Vocabulary

SMALL = ["the cat sat", "the dog sat", "a cat ran", "the cat ran off", "a dog"]
TEXTS = st.lists(
    st.lists(st.sampled_from("abcd"), min_size=1, max_size=6), min_size=1, max_size=8
)


def count(lines, order=3, least=None):
    vocabulary = Vocabulary()
    ids, bounds, _ = vocabulary.read("\n".join(lines).encode("utf8"))
    table = NgramTable.count(
        ids, bounds, words=vocabulary.size, order=order, least=least or [1] * order
    )
    return vocabulary, table


def numbers(vocabulary, words):
    marks = {reference.BEGIN: BEGIN, reference.END: END, reference.UNKNOWN: UNKNOWN}
    found = [marks[x] if x in marks else vocabulary.find(x) for x in words]
    return np.asarray(found, dtype=np.int32)


def histories(words, order):
    """Short histories: all of them, those that never occur too."""
    found = [(), (reference.BEGIN,)]
    shorter = found
    for _ in range(min(order - 1, 2)):
        shorter = [(*h, w) for h in shorter for w in [*words, reference.UNKNOWN]]
        found = found + shorter
    return found


@settings(max_examples=40)
@given(TEXTS, st.integers(2, 5), st.sampled_from([1, 2]))
def test_ngrams_probabilities_are_those_of_the_twin(text, order, rarest):
    least = [1] * (order - 1) + [rarest]
    vocabulary, table = count([" ".join(s) for s in text], order, least)
    twin = reference.Ngrams(text, order, least)
    if table is None:
        assert max(map(len, text)) + 2 < order
        return
    assert np.allclose(table.discounts, twin.discounts, atol=1e-12)
    for history in histories(twin.words, order)[:40]:
        p = table.distribution(numbers(vocabulary, history))
        wanted = [twin.probability(history, word) for word in twin.events]
        assert np.allclose(p[numbers(vocabulary, twin.events)], wanted, atol=1e-12)


@settings(max_examples=60)
@given(TEXTS, st.integers(2, 5), st.lists(st.integers(1, 3), min_size=5, max_size=5))
def test_ngrams_sum_to_one_after_every_history(text, order, least):
    least = sorted(least[:order])
    vocabulary, table = count([" ".join(s) for s in text], order, least)
    if table is None:
        return
    words = [vocabulary.word(i) for i in range(3, vocabulary.size)]
    for history in histories(words, order):
        p = table.distribution(numbers(vocabulary, history))
        assert p.min() >= 0
        assert p[BEGIN] == 0
        assert abs(p.sum() - 1) < 1e-9


def test_ngrams_kneser_ney_by_hand():
    # Bigrams "^a ab b$ ^a ac c$ ^b b$": b$ and ^a twice; ab, ac, c$, ^b once.
    # Left neighbours: a 1 (^), b 2 (a, ^), c 1 (a), $ 2 (b, c): 6 in all.
    vocabulary, table = count(["a b", "a c", "b"], 2)
    two = 4 / (4 + 2 * 2)
    one = 2 / (2 + 2 * 2)
    assert np.allclose(table.discounts, [one, two])
    rest = 4 * one / 6
    b_alone = (2 - one) / 6 + rest / 5  # five events: a, b, c, end, unknown
    found = table.probability(numbers(vocabulary, []), vocabulary.find("b"))
    assert np.isclose(found, b_alone)
    # After a: b once, c once, so both discounts of two go to the shorter context.
    wanted = (1 - two) / 2 + (2 * two / 2) * b_alone
    found = table.probability(numbers(vocabulary, ["a"]), vocabulary.find("b"))
    assert np.isclose(found, wanted)
    # After "cat": sat once, which is dropped, and ran twice, which is discounted.
    vocabulary, table = count(SMALL, 2, [1, 2])
    sat = vocabulary.find("sat")
    alone = table.probability(numbers(vocabulary, []), sat)
    found = table.probability(numbers(vocabulary, ["cat"]), sat)
    assert np.isclose(found, (1 + table.discounts[1]) / 3 * alone)


def test_ngrams_score_is_the_sum_of_the_logarithms():
    text = [line.split() for line in SMALL]
    vocabulary, table = count(SMALL, 3)
    twin = reference.Ngrams(text, 3, [1, 1, 1])
    ids, bounds, _ = vocabulary.read(b"the cat ran\nthe the\na zebra\n", grow=False)
    asked = ("the cat ran", "the the", f"a {reference.UNKNOWN}")
    wanted = [twin.score(sentence.split()) for sentence in asked]
    assert np.allclose(table.score(ids, bounds), wanted)
    p = table.probability(numbers(vocabulary, [reference.BEGIN]), END)
    found = table.score(np.zeros(0, np.int32), np.asarray([0, 0]))
    assert np.isclose(found[0], log(p))


def chi_square(observed, expected):
    """Compute how far counts are from their expectation, in standard deviations."""
    seen = expected > 0
    assert observed[~seen].sum() == 0
    chi = ((observed[seen] - expected[seen]) ** 2 / expected[seen]).sum()
    free = seen.sum() - 1
    return (chi - free) / np.sqrt(2 * free)


@pytest.mark.parametrize("order", [2, 3, 5])
@pytest.mark.parametrize("history", [[], ["the"], ["the", "cat"], ["dog", "cat"]])
def test_ngrams_draws_words_as_often_as_they_are_probable(order, history):
    vocabulary, table = count(SMALL, order)
    words = numbers(vocabulary, history)
    again, _ = NgramTable.from_levels(levels_of(table))
    for made in (table, again):
        observed = np.bincount(made.draw(words, 40_000, 7), minlength=vocabulary.size)
        assert chi_square(observed, 40_000 * table.distribution(words)) < 4


def test_ngrams_samples_sentences_as_often_as_they_are_probable():
    # Of known words, and of three at most: all of these are listed and scored.
    vocabulary, table = count(["a b", "a", "b a b", "b b"], 3)
    short = [(x,) for x in "ab"]
    short += [(*s, x) for s in short for x in "ab"]
    short += [(*s, x) for s in short if len(s) == 2 for x in "ab"]
    lines = "\n".join(" ".join(s) for s in short)
    ids, bounds, _ = vocabulary.read(lines.encode("utf8"), grow=False)
    p = np.exp(table.score(ids, bounds))
    ids, bounds, _ = table.sample(30_000, 3, longest=3)
    found = dict.fromkeys(short, 0)
    for start, end in zip(bounds, bounds[1:], strict=False):
        found[tuple(vocabulary.words_of(ids[start:end]))] += 1
    expected = 30_000 * p / p.sum()
    assert chi_square(np.asarray(list(found.values())), expected) < 4


def test_ngrams_same_seed_same_sentences_in_any_portions():
    _, table = count(SMALL)
    ids, bounds, drawn = table.sample(50, 11)
    first, second = table.sample(20, 11), table.sample(30, 11, first=20)
    assert np.array_equal(ids, np.concatenate([first[0], second[0]]))
    assert np.array_equal(np.diff(bounds)[20:], np.diff(second[1]))
    assert drawn == first[2] + second[2]
    assert not np.array_equal(ids, table.sample(50, 12)[0])
    _, bounds, _ = table.sample(200, 1, shortest=2, longest=3)
    assert set(np.diff(bounds).tolist()) == {2, 3}
    _, table = count(["a b"], 3)
    _, bounds, drawn = table.sample(5, 1, shortest=200, attempts=100)
    assert bounds.tolist() == [0]
    assert drawn == 100


def levels_of(table):
    """The n-grams of a table with their probabilities, as it is made of these."""
    rows, levels = np.zeros((1, 0), dtype=np.int32), []
    for number in range(1, table.order + 1):
        word, begin, rest = table.level(number)
        contexts = np.repeat(np.arange(len(begin) - 1), np.diff(begin))
        rows = np.column_stack([rows[contexts], word])
        levels.append((rows, table.last_words(rows), rest if number > 1 else rest * 0))
    return levels


@given(TEXTS, st.integers(2, 5), st.lists(st.integers(1, 3), min_size=5, max_size=5))
@settings(max_examples=40)
def test_ngrams_come_back_from_their_probabilities(text, order, least):
    least = sorted(least[:order])
    vocabulary, table = count([" ".join(s) for s in text], order, least)
    if table is None or not min(table.sizes):
        return
    again, _ = NgramTable.from_levels(levels_of(table))
    assert again.interpolated
    assert again.sizes == table.sizes
    words = [vocabulary.word(i) for i in range(3, vocabulary.size)]
    for history in histories(words, order):
        before = numbers(vocabulary, history)
        wanted = table.distribution(before)
        assert np.allclose(again.distribution(before), wanted, rtol=1e-4, atol=1e-15)


def test_ngrams_that_repeat_or_lack_a_context_are_found():
    _, table = count(SMALL, 3)
    whole = levels_of(table)
    rows, p, rests = whole[2]
    twice = np.concatenate([rows[:1], rows])
    again = [*whole[:2], (twice, np.concatenate([p[:1], p]), rests)]
    assert NgramTable.from_levels(again) == (None, (2, 1))
    strange = np.concatenate([rows, [[table.words - 1] * 3]]).astype(np.int32)
    lacking = [*whole[:2], (strange, np.concatenate([p, p[:1]]), rests)]
    assert NgramTable.from_levels(lacking) == (None, (2, len(rows)))


@given(st.data())
def test_ngrams_refuse_or_survive_any_levels(data):
    # One number is changed: it is refused, or whatever it does stays inside.
    vocabulary, table = count(SMALL, 3)
    levels = [[array.copy() for array in level] for level in levels_of(table)]
    array = data.draw(st.sampled_from([x for level in levels for x in level]))
    at = data.draw(st.integers(0, array.size - 1))
    if array.dtype == np.int32:
        array.ravel()[at] = data.draw(st.integers(-(2**31), 2**31 - 1))
    else:
        array[at] = data.draw(st.floats())
    try:
        broken, _ = NgramTable.from_levels(levels)
    except (ValueError, IndexError):
        return
    if broken is not None:
        broken.sample(20, 1, attempts=20)
        words = numbers(vocabulary, ["the"])
        assert len(broken.distribution(words)) == vocabulary.size


def test_ngrams_none_where_the_text_is_too_short():
    assert count(["a b"], 5)[1] is None
    assert count(["a b"], 4)[1] is not None
    assert count([], 2)[1] is None
    vocabulary, table = count(["x y " * 50_000], 3)
    p = table.distribution(numbers(vocabulary, ["x", "y"]))
    assert p.argmax() == vocabulary.find("x")


def test_ngrams_refuse_words_and_bounds_outside():
    _, table = count(SMALL)
    for call, more in {"distribution": (), "probability": (4,), "draw": (1, 1)}.items():
        with pytest.raises(IndexError):
            getattr(table, call)(np.asarray([99], np.int32), *more)
    with pytest.raises(IndexError):
        table.score(np.asarray([3], np.int32), np.asarray([0, 2]))
