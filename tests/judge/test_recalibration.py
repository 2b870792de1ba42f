"""No more than a share of good text is rejected, on other text of the same kind too."""

import numpy as np
import pytest
import spacy
from builders.text import lines
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc
from typer.testing import CliRunner

from spacy_latperc.api import train_judge
from spacy_latperc.cli import latperc_cli
from spacy_latperc.judge.recalibration import cut, find_judge, recalibrate

# Of words that the judges do not know, and in another order.
ORDER = np.random.default_rng(0).permutation(len(lines())).tolist()
OTHER = [" ".join(lines()[n].split()[::-1]) for n in ORDER]


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=30), st.floats(0, 0.99))
def test_no_more_than_the_share_is_below_the_cut(values, share):
    found = cut(np.array(values), share)
    assert (np.array(values) < found).sum() <= share * len(values)


def docs_of(nlp, texts):
    return [Doc(nlp.vocab, words=text.split()) for text in texts]


@pytest.fixture(scope="module")
def nlp():
    return train_judge(lines(), tokenised=True, sample=200)


def test_sentences_are_rejected_as_asked(nlp):
    before = nlp.get_pipe("judge").threshold
    for share in (0.02, 0.1, 0.3):
        n, was, now = recalibrate(nlp, docs_of(nlp, OTHER[::2]), share)
        assert n == len(OTHER[::2]) and was >= 0
        assert 0 <= share - now <= 0.02
        docs = [nlp(doc) for doc in docs_of(nlp, OTHER[1::2])]
        threshold = nlp.get_pipe("judge").threshold
        rejected = np.mean([doc.cats["GRAMMATICAL"] < threshold for doc in docs])
        assert rejected == pytest.approx(share, abs=0.1)
    nlp.get_pipe("judge").threshold = before


def test_refusals(nlp):
    with pytest.raises(ValueError, match="LP788"):
        find_judge(spacy.blank("en"))
    assert find_judge(nlp) is nlp.get_pipe("judge")
    few = docs_of(nlp, OTHER[:2])
    with pytest.raises(ValueError, match="LP499"):
        recalibrate(nlp, few, 0.1)
    with pytest.raises(ValueError, match="LP015"):
        recalibrate(nlp, few, 1.0)


def test_command_saves_what_it_moved(nlp, tmp_path):
    nlp.to_disk(tmp_path / "model")
    (tmp_path / "good.txt").write_text("\n".join(OTHER), encoding="utf8")

    def run(*arguments):
        given = ["judge", "recalibrate", tmp_path / "model", tmp_path / "good.txt"]
        result = CliRunner().invoke(latperc_cli, [*map(str, [*given, *arguments])])
        return result.exit_code, " ".join(result.output.split())

    options = "--share", 0.05, "--bad-share", 0.2, "--tokenised"
    code, printed = run(*options, "-o", tmp_path / "moved")
    assert code == 0, printed
    assert "sentences, rejected" in printed and "4.9 % now" in printed
    moved = spacy.load(tmp_path / "moved").get_pipe("judge")
    assert moved.bad_share == 0.2
    assert moved.threshold != nlp.get_pipe("judge").threshold
    code, printed = run("--share", 2)
    assert code == 1
    assert "LP015" in printed
