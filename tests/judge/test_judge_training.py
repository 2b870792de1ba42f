"""The material of a judge: parts of a text, junk, comparisons."""

import numpy as np
import pytest
import spacy
from builders.text import lines, read_lines, text

from experiments.judge import changed_tokens
from spacy_latperc.judge.evidence.ngram_counts import CountSettings, NgramCounts
from spacy_latperc.judge.training import feature_views
from spacy_latperc.judge.training import train_judge as train
from spacy_latperc.judge.training.detector_training import DETECTOR
from spacy_latperc.judge.training.evaluation import preferred
from spacy_latperc.judge.training.evaluation_files import pairs_of
from spacy_latperc.judge.training.junk import KINDS, make_junk
from spacy_latperc.judge.training.text_models import mixed
from spacy_latperc.judge.training.text_parts import (
    JudgeSettings,
    in_the_language,
    split_text,
)

COUNTING = CountSettings(order=4, megabytes=1.0)


def rows(sentences):
    return {" ".join(words) for words in sentences}


def test_split_text_counts_nothing_that_is_held_out():
    parts = split_text([text()], JudgeSettings(sentences=200, held_out=50))
    away = [rows(x[0]) for x in (parts.unseen, parts.learned, parts.joined)]
    assert all(away) and not set.union(*away) & rows(parts.counted[0])
    assert len(set.union(*away)) == sum(map(len, away))
    assert sum(map(len, away)) + len(parts.counted[0]) == len(text())
    assert not len(parts.out_of_domain[0])


def test_passages_in_other_languages_are_left_out():
    words = [f"w{n}" for n in range(200) for _ in range(30)]
    own = [" ".join(words[n : n + 20]) for n in range(0, len(words), 20)]
    foreign = [f"un{n} dos{n} tres{n} w1 oc{n} dix{n} on{n} ." for n in range(20)]
    others = ["un1 dos1 tres1 .", "w1 w2 un1 dos1 tres1 oc1 oc2 .", "1 2 3 4 5 6 7 8"]
    (found,) = in_the_language([read_lines(*own, *foreign, *others)])
    kept = [True] * len(own) + [False] * len(foreign) + [True] * len(others)
    assert found.tolist() == kept


def test_split_text_gives_small_texts_their_part():
    large, small = list(lines()[:220]), list(lines()[220:])
    both = read_lines(*large, *small)
    texts = [both.slice(0, 220), both.slice(220, len(both))]
    parts = split_text(texts, JudgeSettings(sentences=100, held_out=10))
    share = 1.2 * len(parts.out_of_domain[0]) * len(small) / 220
    assert len(parts.out_of_domain[1]) > share
    assert rows(parts.learned[1]) | rows(parts.out_of_domain[1]) <= set(small)
    assert rows(parts.out_of_domain[1]) <= rows(parts.counted[1])
    assert len(parts.unseen) == 2


def test_texts_are_seen_by_what_the_others_know(monkeypatch, tmp_path):
    halves = read_lines(*lines())
    half = len(halves) // 2
    texts = [halves.slice(0, half), halves.slice(half, len(halves))]
    settings = JudgeSettings(sentences=150, held_out=40, epochs=1, counting=COUNTING)
    seen = []

    def view(read, made, good, spelling, look=feature_views.view_of):
        sources = nlp.get_pipe(DETECTOR).learner.features.sources
        counts = sources["words"].tables.to_bytes()
        seen.append((len(made), counts))
        return look(read, made, good, spelling)

    monkeypatch.setattr(feature_views, "view_of", view)
    nlp = spacy.blank("en")
    parts = split_text(texts, settings)
    counted = list(parts.counted)
    train.make_judge(nlp, parts, settings, done=list)
    sources = nlp.get_pipe(DETECTOR).learner.features.sources
    whole = sources["words"].tables.to_bytes()
    assert [x[1] for x in seen[:2]] == [whole] * 2
    for out_of_domain, other in zip(seen[2:], counted[::-1], strict=True):
        counts = NgramCounts.count(other, COUNTING)
        assert out_of_domain[1] == counts.to_bytes()
    # Each sentence with errors is seen once.
    assert [seen[n][0] + seen[n + 2][0] for n in (0, 1)] == [
        len(text) for text in parts.joined
    ]
    assert sources["words"].tables.to_bytes() == whole


def test_large_texts_are_not_seen_by_what_small_ones_know(monkeypatch, tmp_path):
    every = read_lines(*lines())
    few = len(every) // 10
    texts = [every.slice(few, len(every)), every.slice(0, few)]
    settings = JudgeSettings(sentences=150, held_out=80, epochs=1, counting=COUNTING)
    seen = []

    def view(read, made, good, spelling, look=feature_views.view_of):
        seen.append(len(good))
        return look(read, made, good, spelling)

    monkeypatch.setattr(feature_views, "view_of", view)
    parts = split_text(texts, settings)
    train.make_judge(spacy.blank("en"), parts, settings, done=list)
    assert len(seen) == 3


def test_small_texts_are_counted_several_times():
    every = read_lines(*lines()[:230])
    texts = [every.slice(0, 200), every.slice(200, 225), every.slice(225, 230)]
    found = [" ".join(words) for words in mixed(texts)]
    for part, times in zip(texts, (1, 2, 4), strict=True):
        for words in part:
            assert found.count(" ".join(words)) % times == 0
    assert len(found) == 200 + 2 * 25 + 4 * 5
    assert list(mixed(texts[2:])) == list(texts[2])


@pytest.mark.parametrize("kind", KINDS)
def test_make_junk_is_the_same_each_time_and_no_sentence(kind):
    some = [line.split() for line in lines()[:30]]
    junk = make_junk(kind, some)
    assert junk == make_junk(kind, some)
    assert len(junk) == len(some) and all(junk)
    assert sum(a != b for a, b in zip(junk, some, strict=True)) > 20
    if kind.startswith("shuffled"):
        for one, other in zip(junk, some, strict=True):
            assert sorted(one) == sorted(other)


def test_preferred_counts_ties_by_half():
    better, worse = np.array([1.0, 2.0, 3.0, 0.0]), np.array([0.0, 2.0, 4.0, 0.0])
    assert preferred(better, worse) == 0.5
    assert preferred(np.zeros(0), np.zeros(0)) is None


def test_changed_tokens_wants_two_corrections_that_agree():
    words = "he go to the home".split()
    corrections = ["he goes home", "he goes to the home", "he go to the home ."]
    found = changed_tokens(words, [x.split() for x in corrections])
    assert found.tolist() == [0, 1, 0, 0, 0]


def test_pairs_are_read_and_bad_ones_are_named(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_bytes(b"a b\ta c\n\nd\te f\r\nd\td\n")
    assert pairs_of(path) == ([["a", "c"], ["e", "f"]], [["a", "b"], ["d"]])
    for content, code in ((b"a b\n", "LP785"), (b"\n", "LP496"), (b"a\t\xff", "LP340")):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=code):
            pairs_of(path)
