"""What tasks of counting do: any text, cut anywhere, has the counts of one machine."""

import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from builders.ray_here import Here
from hypothesis import given
from hypothesis import strategies as st
from project_files import ROOT
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab
from typer.testing import CliRunner

from spacy_latperc.cli import latperc_cli
from spacy_latperc.distributed import counting
from spacy_latperc.distributed.clusters import cluster_texts
from spacy_latperc.distributed.counting import TextCounting, levels_of
from spacy_latperc.distributed.ngrams import count_ngrams, reading_of
from spacy_latperc.distributed.text_pieces import TextReading, cut_text
from spacy_latperc.kernels.text import (
    BEGIN,
    END,
    count_windows,
    merge_windows,
    window_words,
)
from spacy_latperc.knowledge.clustering import ClusterSettings, cluster_words
from spacy_latperc.knowledge.ngram_counts import CountSettings, NgramCounts
from spacy_latperc.text.files import read_sentences

WORDS = st.sampled_from(["a", "b", "The", "the", "walk", "walks", "x1", "x2", "\u00e4"])
LINES = st.lists(st.lists(WORDS, max_size=7), min_size=1, max_size=40)
NUMBERS = st.lists(
    st.lists(st.integers(3, (1 << 25) - 1) | st.integers(3, 6), max_size=8), max_size=20
)


def text_of(sentences):
    ids = np.array([x for row in sentences for x in row], dtype=np.int32)
    bounds = np.cumsum([0, *map(len, sentences)]).astype(np.int64)
    return ids, bounds


@given(NUMBERS, NUMBERS, st.integers(2, 5))
def test_windows_count_what_counting_one_by_one_does(one, other, order):
    runs = [
        count_windows(*text_of(part), words=1 << 25, order=order)
        for part in (one, other)
    ]
    run = merge_windows(runs)
    expected = [Counter() for _ in range(order)]
    following = [{} for _ in range(order)]
    for row in (*one, *other):
        padded = [BEGIN, *row, END]
        for i in range(len(padded)):
            for k in range(1, min(order, len(padded) - i) + 1):
                gram = tuple(padded[i : i + k])
                expected[k - 1][gram] += 1
                if k > 1:
                    following[k - 2].setdefault(gram[:-1], set()).add(gram[-1])
    words = [window_words(run[0], run[1], place) for place in range(order)]
    for k, level in enumerate(levels_of(run, order)):
        columns = [words[i][level.at].tolist() for i in range(k + 1)]
        grams = list(zip(*columns, strict=True))
        assert dict(zip(grams, level.count.tolist(), strict=True)) == expected[k]
        assert grams == sorted(grams)
        follow = [len(following[k].get(gram, ())) for gram in grams]
        assert level.following.tolist() == follow


@given(LINES, st.integers(5, 80), st.integers(40, 4000), st.booleans())
def test_counts_of_pieces_are_those_of_the_whole(lines, piece, range_bytes, folded):
    content = "\n".join(map(" ".join, [["a", "the", "b"], *lines]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text.txt"
        path.write_text(content, encoding="utf8")
        settings = CountSettings(
            order=3, megabytes=0.002, lowercase=folded, digits=folded
        )
        counting = TextCounting(
            Here(), reading_of(settings), piece=piece, range_bytes=range_bytes
        )
        found, _ = count_ngrams(counting, [str(path)], settings)
        expected = NgramCounts.count(read_sentences(path)[0], settings)
        assert found.to_bytes() == expected.to_bytes()


def test_left_words_are_not_counted_on_a_cluster():
    settings = CountSettings(smoothing="kneser-ney")
    counting = TextCounting(Here(), reading_of(settings))
    with pytest.raises(ValueError, match="LP768"):
        count_ngrams(counting, ["none.txt"], settings)


@given(LINES, st.integers(5, 80), st.sampled_from(["both", "left"]))
def test_clusters_of_pieces_are_those_of_the_whole(lines, piece, sides):
    content = "\n".join(map(" ".join, [["a", "the", "b"], *lines]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text.txt"
        path.write_text(content, encoding="utf8")
        settings = ClusterSettings(classes=2, min_count=1, sides=sides, passes=3)
        counting = TextCounting(Here(), TextReading(), piece=piece, range_bytes=200)
        found, _ = cluster_texts(counting, [str(path)], settings)
        expected = cluster_words(read_sentences(path)[0], settings)
        assert found.to_bytes() == expected.to_bytes()


@given(st.lists(st.text("a\n", max_size=9)), st.integers(1, 12))
def test_pieces_have_each_line_once(texts, size):
    content = "".join(texts).encode()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text.txt"
        path.write_bytes(content)
        pieces = cut_text([str(path)], size=size)
        if content:
            assert b"".join(piece.read() for piece in pieces) == content


def refused(match, *paths):
    counter = TextCounting(Here(), TextReading())
    with pytest.raises(ValueError, match=match):
        counter.count([str(path) for path in paths], 2)


def test_text_that_cannot_be_counted_on_a_cluster_is_refused(tmp_path, monkeypatch):
    refused("LP827", "-")
    docs = DocBin()
    docs.add(Doc(Vocab(), words=["a", "b"], tags=["X", "Y"]))
    docs.to_disk(tmp_path / "tagged.spacy")
    refused("LP851", tmp_path / "tagged.spacy")
    plain = tmp_path / "plain.txt"
    plain.write_text("a b c")
    monkeypatch.setattr(counting, "MOST_WORD_NUMBERS", 5)
    refused("LP852", plain)
    with pytest.raises(FileNotFoundError, match="LP101"):
        cut_text([str(tmp_path / "nothing.txt")])


@pytest.mark.parametrize("option", [["--ray"], ["--resume"]])
def test_one_shard_needs_no_cluster(option, tmp_path):
    config = str(ROOT / "configs" / "chunker.cfg")
    done = CliRunner().invoke(
        latperc_cli, ["fit", config, "-o", str(tmp_path), *option]
    )
    assert done.exit_code == 1
    assert "LP847" in done.output
