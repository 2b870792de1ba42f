"""n-gram models in the ARPA format: against the twin, KenLM, and damaged."""

import math
import random

import numpy as np
import pytest
from builders.text import lines, read_lines, text
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.arpa import Arpa

from spacy_latperc.grammaticality.ngrams.ngram_model import NgramModel

TEXTS = st.lists(
    st.lists(st.sampled_from("abcd"), min_size=3, max_size=6), min_size=1, max_size=8
)
ASKED = [["a", "b", "c"], ["d"], ["zebra", "a", "zebra", "b"], [], list("abcdabcd")]


def scores(model, sentences):
    return model.score_sentences(sentences) / math.log(10)


@given(TEXTS, st.integers(2, 5), st.sampled_from([1, 2]))
@settings(max_examples=30)
def test_arpa_says_what_the_model_says(tmp_path_factory, sentences, order, rarest):
    path = tmp_path_factory.mktemp("arpa") / "model"
    least = [1] * (order - 1) + [rarest]
    text = read_lines(*map(" ".join, sentences))
    model = NgramModel.train(text, order=order, min_counts=least)
    if not min(model.table.sizes):
        return
    model.to_disk(path)
    twin = Arpa(path.read_text(encoding="utf8"))
    for sentence in [*sentences, *ASKED]:
        wanted = scores(model, [sentence])[0]
        assert math.isclose(twin.score(sentence), wanted, abs_tol=1e-5)


def test_arpa_samples_and_bytes_are_the_same_each_time(tmp_path):
    for name in ("one", "two"):
        NgramModel.train(text()).to_disk(tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    model = NgramModel.train(text())
    sentences, _ = model.sample(200, seed=1)
    backwards = scores(model, [words[::-1] for words in sentences])
    assert np.mean(scores(model, sentences)) > np.mean(backwards)


@pytest.mark.parametrize("word", ["<s>", "</s>", "<unk>"])
def test_arpa_refuses_words_that_mean_something_else(tmp_path, word):
    model = NgramModel.train(read_lines(f"a {word} b"))
    with pytest.raises(ValueError, match="LP408"):
        model.to_disk(tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_kenlm_reads_our_model_and_says_the_same(tmp_path):
    kenlm = pytest.importorskip("kenlm", reason="KenLM is not installed")
    path = tmp_path / "model.arpa"
    ours = NgramModel.train(text(), order=5, min_counts=[1, 1, 1, 1, 2])
    ours.to_disk(path)
    theirs = kenlm.Model(str(path))
    assert theirs.order == 5
    shuffle = random.Random(1)
    asked = [line.split() for line in lines()]
    while len(asked) < 1000:
        words = [*shuffle.choice(asked), "zebra"]
        asked.append(shuffle.sample(words, len(words)))
    wanted = [theirs.score(" ".join(words)) for words in asked]
    assert np.allclose(scores(ours, asked), wanted, rtol=0, atol=1e-4)
