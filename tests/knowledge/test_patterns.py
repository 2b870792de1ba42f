"""Regular expressions as attributes of tokens."""

import pytest
import spacy
from builders.pipelines import QUICK_LEARNER, make_examples
from spacy.tokens import Doc
from thinc.api import Config

from spacy_latperc.features.sources import Givens
from spacy_latperc.knowledge.functions import patterns

VOCAB = spacy.blank("xx").vocab


def number_of(source, word):
    return source.attribute("").of_form(word)


def test_the_whole_word_must_match_and_dollar_signs_are_refused():
    source = patterns([r"\d+", r"[A-Z]\w*", r"\w+"])
    words = ["12", "Ulm", "ulm", "12a", "-", ""]
    assert [number_of(source, word) for word in words] == ["1", "2", "3", "3", "", ""]
    config = Config().from_str('[a]\nb = "x$"', interpolate=False)
    saved = Config().from_str(config.to_str(), interpolate=False)
    assert saved["a"]["b"] == "x$$"
    with pytest.raises(ValueError, match=r"LP745. patterns: pattern 2, .*x24"):
        patterns(["a", r"a\$"])
    assert number_of(patterns([r"\x24\d+"]), "$5") == "1"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["a", "("], "LP740. patterns: pattern 2, .*position 0"),
        (["a", "ab["], "LP740. patterns: pattern 2, .*position 2"),
        (["a", "a{5,2}"], "LP740. patterns: pattern 2, .*position"),
        (["a", "*"], "LP740. patterns: pattern 2, .*0"),
        ([], "LP590"),
        ("a+", "LP590"),
        ([5], "LP590"),
    ],
)
def test_bad_expressions_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        patterns(given)


def add_ner(nlp, expressions):
    block = {"@misc": "spacy_latperc.Patterns.v1", "patterns": expressions}
    features = {
        "@misc": "spacy_latperc.Templates.v1",
        "templates": ["re.money[0]", "re.money[-1]|re.money[0]"],
        "sources": {"money": block},
    }
    model = {"features": features, "learner": QUICK_LEARNER}
    return nlp.add_pipe("latperc_ner", name="ner", config={"model": model})


def test_components_learn_from_patterns_and_carry_them(tmp_path):
    nlp = spacy.blank("xx")
    ner = add_ner(nlp, ["London|Paris|Rome|Ulm"])
    examples = make_examples(nlp)
    nlp.initialize(lambda: examples)
    for _ in range(10):
        nlp.update(examples)

    def answers(nlp):
        words = "Then Grace Hopper saw Ulm".split()
        return [ent.text for ent in nlp(Doc(nlp.vocab, words=words)).ents]

    expected = ["Ulm"]
    assert answers(nlp) == expected
    nlp.to_disk(tmp_path / "model")
    other = spacy.load(tmp_path / "model")
    assert answers(other) == expected
    assert other.get_pipe("ner").to_bytes(exclude=["vocab"]) == ner.to_bytes(
        exclude=["vocab"]
    )
    config = nlp.config.copy()
    block = config["components"]["ner"]["model"]["features"]["sources"]["money"]
    block["patterns"] = ["other"]
    other = spacy.util.load_model_from_config(config, auto_fill=True)
    with pytest.raises(ValueError, match="LP026"):
        other.from_bytes(nlp.to_bytes())


def test_there_is_nothing_to_learn_or_to_save():
    source = patterns(["a"])
    source.fit(Givens("money"))
    assert (source.to_bytes(), source.nbytes) == (b"", 0)
    source.from_bytes(b"")
    with pytest.raises(ValueError, match="nothing"):
        source.from_bytes(b"x")
    assert source.blank().settings() == source.settings()
    with pytest.raises(ValueError, match="LP709"):
        source.attribute("2")
