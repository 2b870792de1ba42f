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

# As other programs write: no interpolation, no mark of unknown words, an n-gram whose
# end is not there, spaces in place of tabs.
FOREIGN = """
\\data\\
ngram 1=4
ngram 2=3
ngram 3=1

\\1-grams:
-99 <s> -0.4
-1.0 </s>
-0.5\ta\t-0.2
-0.6\tb

\\2-grams:
-0.3\t<s> a\t-0.1
-2.5\ta b
-0.2\tb </s>

\\3-grams:
-0.1\t<s> a a

\\end\\
"""


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
    again = NgramModel.from_disk(path)
    for sentence in [*sentences, *ASKED]:
        wanted = scores(model, [sentence])[0]
        assert math.isclose(twin.score(sentence), wanted, abs_tol=1e-5)
        assert math.isclose(scores(again, [sentence])[0], wanted, abs_tol=1e-5)


def test_arpa_of_other_programs_is_read(tmp_path):
    (tmp_path / "foreign").write_text(FOREIGN)
    model, twin = NgramModel.from_disk(tmp_path / "foreign"), Arpa(FOREIGN)
    for sentence in (["a", "b"], ["b", "a", "a"], ["a", "a", "b"], []):
        found = scores(model, [sentence])[0]
        assert math.isclose(found, twin.score(sentence), rel_tol=1e-9)
    assert scores(model, [["c"]])[0] < -99  # a word of which the file says nothing
    with pytest.raises(ValueError, match="LP409"):
        model.sample(1)


def test_arpa_samples_and_bytes_are_the_same_each_time(tmp_path):
    for name in ("one", "two"):
        NgramModel.train(text()).to_disk(tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    model, again = (NgramModel.from_disk(tmp_path / name) for name in ("one", "two"))
    sentences, _ = model.sample(200, seed=1)
    backwards = scores(model, [words[::-1] for words in sentences])
    assert np.mean(scores(model, sentences)) > np.mean(backwards)
    assert list(again.sample(200, seed=1)[0]) == list(sentences)


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("\\data\\", "data", FOREIGN.count("\n")),
        ("ngram 2=3", "ngram 2=three", 4),
        ("ngram 2=3", "ngram 2=4", 17),
        ("ngram 2=3\nngram 3=1\n", "", 4),
        ("-0.5\ta", "0.5\ta", 10),
        ("-0.5\ta\t-0.2", "-0.5\ta\tinf", 10),
        ("-0.5\ta", "nan\ta", 10),
        ("-0.6\tb", "-0.6", 11),
        ("-0.6\tb", "-0.6\t\udcff", 11),
        ("-2.5\ta b", "-2.5\ta c", 15),
        ("-2.5\ta b", "-2.5\t<s> a", 15),
        ("-0.1\t<s> a a", "-0.1\tb a a", 19),
        ("\\3-grams:", "\\4-grams:", 18),
        ("\\end\\", "", 21),
        ("\\3-grams:\n-0.1\t<s> a a\n\n\\end\\\n", "", 17),
    ],
)
def test_arpa_damage_is_refused_by_line(tmp_path, old, new, line):
    path = tmp_path / "bad"
    content = FOREIGN.replace(old, new, 1)
    path.write_bytes(content.encode("utf8", "surrogateescape"))
    with pytest.raises(ValueError, match=rf"LP407.*bad: line {line}:"):
        NgramModel.from_disk(path)


def test_arpa_cut_off_anywhere_is_refused(tmp_path):
    for size in range(len(FOREIGN) - len("\\end\\\n")):
        (tmp_path / "cut").write_text(FOREIGN[:size])
        with pytest.raises(ValueError, match="LP407"):
            NgramModel.from_disk(tmp_path / "cut")


@pytest.mark.parametrize("word", ["<s>", "</s>", "<unk>"])
def test_arpa_refuses_words_that_mean_something_else(tmp_path, word):
    model = NgramModel.train(read_lines(f"a {word} b"))
    with pytest.raises(ValueError, match="LP408"):
        model.to_disk(tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_kenlm_reads_our_model_and_says_the_same(tmp_path):
    kenlm = pytest.importorskip("kenlm", reason="KenLM is not installed")
    path = tmp_path / "model.arpa"
    NgramModel.train(text(), order=5, min_counts=[1, 1, 1, 1, 2]).to_disk(path)
    theirs, ours = kenlm.Model(str(path)), NgramModel.from_disk(path)
    assert theirs.order == 5
    shuffle = random.Random(1)
    asked = [line.split() for line in lines()]
    while len(asked) < 1000:
        words = [*shuffle.choice(asked), "zebra"]
        asked.append(shuffle.sample(words, len(words)))
    wanted = [theirs.score(" ".join(words)) for words in asked]
    assert np.allclose(scores(ours, asked), wanted, rtol=0, atol=1e-4)
