"""Phrases in a text, against every phrase tried at every place."""

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import gazetteer as reference

from spacy_latperc.kernels.text import Phrases, WordHashes

PLACES = "OBIES"
TOKENS = st.integers(0, 3)  # few, so that phrases overlap
PHRASES = st.lists(st.lists(TOKENS, min_size=1, max_size=5), max_size=12)
TEXTS = st.lists(st.lists(TOKENS, max_size=20), max_size=3)


def laid_out(sequences):
    tokens = [token for sequence in sequences for token in sequence]
    bounds = np.cumsum([0, *map(len, sequences)])
    return np.asarray(tokens, dtype=np.uint64), np.asarray(bounds, dtype=np.int64)


def one(phrase):
    return np.asarray(phrase, dtype=np.uint64)


def letters(places):
    return [PLACES[place] for place in places]


def expected(docs, phrases):
    return [place for doc in docs for place in reference.places(doc, phrases)]


def same_bytes(first, second):
    pairs = zip(first.to_arrays(), second.to_arrays(), strict=True)
    return all(x.tobytes() == y.tobytes() for x, y in pairs)


@given(PHRASES, TEXTS)
def test_matches_are_those_of_the_twin(phrases, docs):
    known = Phrases()
    new = known.add(*laid_out(phrases))
    different = {tuple(phrase) for phrase in phrases}
    assert new == len(known) == len(different)
    assert known.nodes == reference.nodes(different)
    assert letters(known.match(*laid_out(docs))) == expected(docs, different)


@given(st.lists(st.tuples(st.booleans(), st.lists(TOKENS, max_size=4))), TEXTS)
def test_any_order_of_adding_and_removing(steps, docs):
    known, twin = Phrases(), set()
    for adding, phrase in steps:
        change = known.add if adding else known.remove
        there = tuple(phrase) in twin
        changed = change(*laid_out([phrase]))
        assert changed == (bool(phrase) and there != adding)
        if phrase:
            (twin.add if adding else twin.discard)(tuple(phrase))
        assert (one(phrase) in known) == (tuple(phrase) in twin)
    assert len(known) == len(twin)
    assert known.nodes == reference.nodes(twin)
    assert letters(known.match(*laid_out(docs))) == expected(docs, twin)
    fresh = Phrases()
    fresh.add(*laid_out(sorted(twin)))
    assert same_bytes(known, fresh)


def test_a_table_that_grows_and_shrinks():
    """Slots are moved thousands of times, also around the end of the table."""
    random = np.random.default_rng(0)
    lengths = random.integers(1, 4, 4000)
    phrases = {tuple(random.integers(0, 50, length)) for length in lengths}
    listed = sorted(phrases)
    known = Phrases()
    known.add(*laid_out(listed))
    gone, left = listed[::2], listed[1::2]
    assert known.remove(*laid_out(gone)) == len(gone)
    assert len(known) == len(left)
    assert known.nodes == reference.nodes(left)
    assert all(one(phrase) in known for phrase in left)
    assert not any(one(phrase) in known for phrase in gone)
    known.remove(*laid_out(left))
    assert (len(known), known.nodes) == (0, 0)


@given(PHRASES, TEXTS)
def test_arrays_and_back(phrases, docs):
    known = Phrases()
    known.add(*laid_out(phrases))
    again = Phrases.from_arrays(*known.to_arrays())
    assert (len(again), again.nodes) == (len(known), known.nodes)
    assert same_bytes(again, known)
    assert letters(again.match(*laid_out(docs))) == expected(docs, phrases)
    assert again.remove(*laid_out(phrases)) == len(known)
    assert again.nodes == 0


def test_arrays_that_are_no_set():
    for names, counts in (
        ([5], [2, 2]),  # lengths differ
        *(([5, 5], [3, 3]), ([6, 5], [3, 3])),
        ([5], [1]),  # no phrase passes through
        ([5, 6], [3, 6]),  # more pass through than there are
    ):
        names, counts = np.asarray(names, np.uint64), np.asarray(counts, np.uint32)
        with pytest.raises(ValueError, match="no set of phrases"):
            Phrases.from_arrays(names, counts)


def test_damage_that_cannot_be_seen_does_no_harm():
    """A node on the way is missing: the phrase is not found, and can be added."""
    known = Phrases()
    known.add(*laid_out([[1, 2, 3], [4]]))
    names, counts = known.to_arrays()
    for gone in range(len(names)):
        kept = np.arange(len(names)) != gone
        damaged = Phrases.from_arrays(names[kept], counts[kept])
        damaged.remove(*laid_out([[1, 2, 3], [4]]))
        damaged.match(*laid_out([[1, 2, 3, 4]]))
        damaged.add(*laid_out([[1, 2, 3], [4]]))
        assert letters(damaged.match(*laid_out([[1, 2, 3, 4]]))) == list("BIES")

    known, tokens = Phrases(), np.arange(3, dtype=np.uint64)
    for bounds in ([0, 4], [-1, 2], [2, 1], [0, 2, 1]):
        for call in (known.add, known.remove, known.match):
            with pytest.raises(IndexError, match="LP504"):
                call(tokens, np.asarray(bounds, dtype=np.int64))
    assert len(known) == 0


def test_threads_match_while_one_changes():
    """Each Doc is matched as it was before a change or after."""
    known, doc = Phrases(), laid_out([[1, 2, 3] * 200])
    allowed = {"BIE" * 200, "O" * 600}
    phrase = laid_out([[1, 2, 3]])
    seen, stop = set(), threading.Event()

    def look():
        while not stop.is_set():
            seen.add("".join(letters(known.match(*doc))))

    threads = [threading.Thread(target=look) for _ in range(2)]
    for thread in threads:
        thread.start()
    for number in range(2000):
        (known.remove if number % 2 else known.add)(*phrase)
        known.add(*laid_out([[7, number]]))  # the table grows meanwhile
    stop.set()
    for thread in threads:
        thread.join()
    assert seen <= allowed
    assert len(known) == 2000


def test_a_function_is_called_once_for_each_type():
    asked = []

    def length(text):
        asked.append(text)
        return len(text)

    texts = {7: "a", 8: "bb", 9: ""}
    hashes = WordHashes(length)
    words = one([7, 8, 7, 9, 8])
    assert hashes.of(words, texts.__getitem__).tolist() == [1, 2, 1, 0, 2]
    assert hashes.of(words, texts.__getitem__).tolist() == [1, 2, 1, 0, 2]
    assert asked == ["a", "bb", ""]
    hashes.forget()
    assert hashes.size == 0
    hashes.of(words, texts.__getitem__)
    assert len(asked) == 6
    assert len(asked) == 6
    hashes = WordHashes(int, limit=3)
    words = one(np.arange(10) + 1)
    assert hashes.of(words, str).tolist() == words.tolist()
    assert hashes.size <= 3


def test_a_function_that_fails_leaves_nothing_behind():
    hashes = WordHashes(int)
    with pytest.raises(ValueError, match="invalid literal"):
        hashes.of(one([1, 2]), {1: "1", 2: "x"}.__getitem__)
    with pytest.raises(OverflowError):
        hashes.of(one([3]), lambda word: "-1")
    assert hashes.size == 1
    assert hashes.of(one([1, 2]), {1: "5", 2: "6"}.__getitem__).tolist() == [1, 6]


def test_a_function_that_asks_again_for_the_same_word():
    hashes = WordHashes(lambda text: 5)

    def ask(word, deep=[]):  # noqa: B006
        if len(deep) < 3:
            deep.append(word)
            hashes.of(one([word]), ask)
        return "x"

    assert hashes.of(one([4]), ask).tolist() == [5]
    assert hashes.size == 1
