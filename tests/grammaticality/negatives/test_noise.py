"""One thing wrong in a real sentence."""

import numpy as np
import pytest
from builders.text import read_lines
from hypothesis import given
from hypothesis import strategies as st

from spacy_latperc.grammaticality.negatives.noise import (
    KINDS,
    Noise,
    fill_with_noise,
    read_shares,
)
from spacy_latperc.text.sentences import Sentences

IDS = st.lists(st.integers(3, 9), min_size=1, max_size=8)
CHANCE = st.floats(0, 1, exclude_max=True)


@given(st.sampled_from(sorted(KINDS)), IDS, CHANCE, CHANCE)
def test_noise_changes_one_thing(kind, source, where, which):
    source = np.asarray(source, np.int32)
    tags = source % 2
    pool = np.arange(3, 10, dtype=np.int32)
    noise = Noise(pool, {t: pool[pool % 2 == t] for t in (0, 1)})
    made = noise.make(kind, source, tags, np.asarray([where, which]))
    if made is None:
        return
    assert len(made) == len(source) - KINDS[kind] > 0
    if kind == "swap":
        assert sorted(made) == sorted(source)
        assert (made != source).sum() == 2
    elif KINDS[kind] == 0:
        changed = np.flatnonzero(made != source)
        assert len(changed) == 1
        if kind == "tag":
            assert made[changed[0]] % 2 == source[changed[0]] % 2
    else:
        long, short = (source, made) if kind == "deletion" else (made, source)
        assert any(np.array_equal(np.delete(long, i), short) for i in range(len(long)))


def test_noise_puts_in_frequent_words_more_often():
    noise = Noise.of(read_lines("a a a b"))
    source = np.asarray([9], np.int32)
    chances = np.linspace(0, 1, 400, endpoint=False)
    made = [
        noise.make("substitution", source, None, np.asarray([0, c])) for c in chances
    ]
    assert sum(ids[0] == 3 for ids in made) == 300


def test_noise_fills_places_with_sentences_of_their_length():
    sources = read_lines("a b c", "c b a d", "d a b c")
    lengths = np.asarray([3, 3, 4])
    found, places = fill_with_noise(
        sources,
        Noise.of(sources),
        "deletion",
        lengths,
        seeds=(1,),
        accept=lambda s: np.ones(len(s), bool),
    )
    assert sorted(places.tolist()) == [0, 1]  # nothing has five words
    assert found.lengths.tolist() == [3, 3]


def test_noise_tries_again_what_was_refused():
    sources = read_lines("a b c d e f")
    found, places = fill_with_noise(
        sources,
        Noise.of(sources),
        "swap",
        np.asarray([6]),
        seeds=(2,),
        accept=lambda s: s.ids[s.bounds[:-1]] == 4,  # only the first two swapped
    )
    assert list(found) == [["b", "a", "c", "d", "e", "f"]]
    assert places.tolist() == [0]


def test_noise_by_tag_wants_tags():
    sources = read_lines("a b")
    with pytest.raises(ValueError, match="LP414"):
        Noise.of(sources).make("tag", sources.ids, None, np.zeros(2))


def test_noise_groups_words_by_tag():
    plain = read_lines("a b c a")
    tagged = Sentences(
        plain.vocabulary, plain.ids, plain.bounds, np.asarray([5, 7, 5, 7], np.int32)
    )
    by_tag = Noise.of(tagged).by_tag
    assert {tag: sorted(ids.tolist()) for tag, ids in by_tag.items()} == {
        5: [3, 5],
        7: [3, 4],
    }


def test_noise_shares_are_read():
    assert read_shares(" swap=0.25, tag=0.5 ") == {"swap": 0.25, "tag": 0.5}
    assert read_shares("") == {}


@pytest.mark.parametrize("text", ["swap", "swap=x", "swap=-1", "jump=0.1", "swap=2"])
def test_noise_shares_that_cannot_be_read(text):
    with pytest.raises(ValueError, match="LP412"):
        read_shares(text)


def test_noise_shares_above_one():
    with pytest.raises(ValueError, match="LP413"):
        read_shares("swap=0.6,tag=0.6")
