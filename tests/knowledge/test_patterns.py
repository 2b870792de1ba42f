"""Regular expressions as attributes of tokens."""

import re

import numpy as np
import pytest
import spacy
from builders.pipelines import QUICK_LEARNER, make_examples
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc
from thinc.api import Config

from spacy_latperc.features.sources import Givens, Tokens
from spacy_latperc.knowledge.patterns import patterns

VOCAB = spacy.blank("xx").vocab


def values(source, *docs):
    offsets = np.cumsum([0, *map(len, docs)])
    words = np.asarray([token.orth for doc in docs for token in doc], dtype=np.uint64)
    tokens = Tokens(docs, words, offsets, VOCAB.strings.__getitem__)
    return source.attribute("").of_docs(tokens).tolist()


def make_doc(words, spaces):
    return Doc(VOCAB, words=words, spaces=spaces)


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


# The slow twin: every token, asked whether a character of the match is in it.


def twin(expressions, doc):
    found = [0] * len(doc)
    for number, expression in enumerate(expressions):
        for match in re.finditer(expression, doc.text):
            inside = set(range(match.start(), match.end()))
            touched = [
                token.i
                for token in doc
                if inside & set(range(token.idx, token.idx + len(token)))
            ]
            if not touched or any(found[i] for i in touched):
                continue
            places = [1, *[2] * (len(touched) - 2), 3] if len(touched) > 1 else [4]
            for i, place in zip(touched, places, strict=True):
                found[i] = 8 * number + place
    return found


EXPRESSIONS = st.lists(
    st.sampled_from(["a", "a b", "b+", "(ab)*", " ", "a|b", "c.*a", r"\Z", "ba? ?b"]),
    min_size=1,
    max_size=4,
)
DOCS = st.lists(
    st.tuples(st.sampled_from(["a", "b", "c", "ab", "bab", " "]), st.booleans()),
    max_size=10,
)


@given(EXPRESSIONS, st.lists(DOCS, max_size=3))
@settings(deadline=None)
def test_matches_of_the_text_are_those_of_the_twin(expressions, texts):
    docs = [
        make_doc(*zip(*text, strict=True)) if text else make_doc([], [])
        for text in texts
    ]
    expected = [value for doc in docs for value in twin(expressions, doc)]
    assert values(patterns(expressions, match="text"), *docs) == expected


def test_a_match_may_begin_and_end_within_tokens_and_the_first_wins():
    doc = make_doc(["costs", "$5.00", "USD", "."], [True, True, False, False])
    source = patterns([r"\d+\.\d+ US"], match="text")
    assert values(source, doc) == [0, 1, 3, 0]
    doc = make_doc(["a", "b", "c"], [True, True, False])
    source = patterns(["b c", "a b", "a"], match="text")
    assert values(source, doc) == [20, 1, 3]


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
    with pytest.raises(ValueError, match="LP085"):
        patterns(["a"], match="word")


def add_ner(nlp, expressions, match):
    block = {"@misc": "spacy_latperc.Patterns.v1", "patterns": expressions}
    features = {
        "@misc": "spacy_latperc.Templates.v1",
        "templates": ["re.money[0]", "re.money[-1]|re.money[0]"],
        "sources": {"money": {**block, "match": match}},
    }
    model = {"features": features, "learner": QUICK_LEARNER}
    return nlp.add_pipe("latperc_ner", name="ner", config={"model": model})


@pytest.mark.parametrize("match", ["token", "text"])
def test_components_learn_from_patterns_and_carry_them(match, tmp_path):
    nlp = spacy.blank("xx")
    cities, people = "London|Paris|Rome|Ulm", "[A-Z][a-z]+ (Lovelace|Turing|Hopper)"
    ner = add_ner(nlp, [cities] if match == "token" else [people, cities], match)
    examples = make_examples(nlp)
    nlp.initialize(lambda: examples)
    for _ in range(10):
        nlp.update(examples)

    def answers(nlp):
        words = "Then Grace Hopper saw Ulm".split()
        return [ent.text for ent in nlp(Doc(nlp.vocab, words=words)).ents]

    expected = ["Grace Hopper", "Ulm"] if match == "text" else ["Ulm"]
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
