"""No more than a share of good text is rejected, on other text of the same kind too."""

import numpy as np
import pytest
import spacy
from builders.grammaticality import FACTORY, REAL, make_trained
from builders.text import lines
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc, Span
from spacy.training import Example
from typer.testing import CliRunner

from spacy_latperc.cli import latperc_cli
from spacy_latperc.judge.recalibration import choose_judge, cut, recalibrate

# Of words that the judges do not know, and in another order.
ORDER = np.random.default_rng(0).permutation(len(lines())).tolist()
OTHER = [" ".join(lines()[n].split()[::-1]) for n in ORDER]
SHARES = (0.02, 0.1, 0.3)


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=30), st.floats(0, 0.99))
def test_no_more_than_the_share_is_below_the_cut(values, share):
    found = cut(np.array(values), share)
    assert (np.array(values) < found).sum() <= share * len(values)


def docs_of(nlp, texts):
    return [Doc(nlp.vocab, words=text.split()) for text in texts]


def test_sentences_are_rejected_as_asked():
    nlp = make_trained()
    pipe = nlp.get_pipe(FACTORY)
    order = np.argsort(pipe.predict(docs_of(nlp, OTHER[1::2])).found.scores)
    for share in SHARES:
        moved = recalibrate(nlp, FACTORY, docs_of(nlp, OTHER[::2]), share)
        assert moved.judged == "sentences"
        assert moved.count == len(OTHER[::2])
        assert 0 <= share - moved.after <= 0.02
        found = [pipe(doc) for doc in docs_of(nlp, OTHER[1::2])]
        rejected = np.mean([doc.cats["GRAMMATICAL"] < 0.5 for doc in found])
        assert rejected == pytest.approx(share, abs=0.08)
    again = np.argsort(pipe.predict(docs_of(nlp, OTHER[1::2])).found.scores)
    assert again.tolist() == order.tolist()


@pytest.fixture(scope="module")
def detector():
    """It has learned that the second word is wrong."""
    nlp = spacy.blank("en")
    words = ["w[0]", "w[-1]", "w[1]", "suf2[0]"]
    features = {"@misc": "spacy_latperc.Templates.v1", "templates": words}
    nlp.add_pipe("latperc_errors", config={"model": {"features": features}})
    examples = []
    for text in REAL:
        words = text.split()
        reference = Doc(nlp.vocab, words=words)
        reference.spans["errors"] = [Span(reference, 1, 2, "form")]
        examples.append(Example(Doc(nlp.vocab, words=words), reference))
    nlp.initialize(lambda: examples)
    for _ in range(3):
        nlp.update(examples)
    return nlp


def test_tokens_are_flagged_as_asked(detector):
    pipe = detector.get_pipe("latperc_errors")
    for share in SHARES:
        docs = docs_of(detector, OTHER[::2])
        moved = recalibrate(detector, "latperc_errors", docs, share)
        assert moved.judged == "tokens"
        assert moved.after <= share
        docs = [pipe(doc) for doc in docs_of(detector, OTHER[1::2])]
        flagged = sum(len(doc.spans["errors"]) for doc in docs) / sum(map(len, docs))
        assert flagged == pytest.approx(share, abs=0.08)
        written = [len(pipe(x).spans["errors"]) for x in docs_of(detector, OTHER[::2])]
        assert sum(written) / moved.count == pytest.approx(moved.after)


def test_refusals(detector):
    with pytest.raises(ValueError, match="LP082"):
        choose_judge(spacy.blank("en"), None)
    with pytest.raises(ValueError, match=r"LP082.*latperc_errors"):
        choose_judge(detector, "tagger")
    assert choose_judge(detector, None) == "latperc_errors"
    both = spacy.blank("en")
    both.add_pipe("latperc_errors")
    both.add_pipe("latperc_judge")
    assert choose_judge(both, None) == "latperc_judge"
    assert choose_judge(both, "latperc_errors") == "latperc_errors"
    few = docs_of(detector, OTHER[:2])
    with pytest.raises(ValueError, match="LP499"):
        recalibrate(detector, "latperc_errors", few, 0.1)
    with pytest.raises(ValueError, match="LP015"):
        recalibrate(detector, "latperc_errors", few, 1.0)
    nlp = make_trained()
    with pytest.raises(ValueError, match=f"LP498.*'{FACTORY}'"):
        recalibrate(nlp, FACTORY, [], 0.1, bad_share=0.2)


def test_command_saves_what_it_moved(detector, tmp_path):
    detector.to_disk(tmp_path / "model")
    (tmp_path / "good.txt").write_text("\n".join(OTHER), encoding="utf8")

    def run(*arguments):
        given = ["judge", "recalibrate", tmp_path / "model", tmp_path / "good.txt"]
        result = CliRunner().invoke(latperc_cli, [*map(str, [*given, *arguments])])
        return result.exit_code, " ".join(result.output.split())

    code, printed = run("--share", 0.05, "--tokenised", "-o", tmp_path / "moved")
    assert code == 0, printed
    assert "tokens, rejected" in printed
    paths = (tmp_path / name for name in ("model", "moved"))
    old, new = (spacy.load(x).get_pipe("latperc_errors").calibration for x in paths)
    assert old.bias != new.bias
    code, printed = run("--share", 2)
    assert code == 1
    assert "LP015" in printed
