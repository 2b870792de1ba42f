"""The template language: what can be said, and what the messages say when it cannot."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_latperc.features.attributes import MAX_AFFIX
from spacy_latperc.features.templates import (
    MAX_OFFSET,
    Template,
    parse_template,
    parse_templates,
)

NAMES = "lower norm shape tag pos morph lemma dep is_digit is_title like_num"
COLUMNS = {name: name.upper() for name in [*NAMES.split(), "like_url"]}
COLUMNS |= {"word": "ORTH", "ent": "ent", "chunk": "spans:chunks"}
COLUMNS |= {"_.name": "_.name", "_.a.b": "_.a.b", "spans.key": "spans:key"}
ALIASES = {"w": "word", "t": "tag", "p": "pos", "o": "orth", "c": "chunk", "e": "ent"}
ALIASES |= {"prefix3": "pre3", "suffix2": "suf2"}


def only_attribute(text):
    (part,) = parse_template(text).parts
    return part.attribute


def test_templates_attributes_are_read_from_their_columns_or_made_of_the_word():
    for name, column in COLUMNS.items():
        assert only_attribute(f"{name}[0]").column == column
    for alias, name in ALIASES.items():
        assert parse_template(f"{alias}[-1]") == parse_template(f"{name}[-1]")
        assert str(parse_template(f"{alias}[-1]")) == f"{name}[-1]"
    for affix in ("prefix", "suffix"):
        for length in range(1, MAX_AFFIX + 1):
            attribute = only_attribute(f"{affix[:3]}{length}[0]")
            assert (attribute.affix, attribute.length) == (affix, length)
            assert attribute.column is None
    attribute = only_attribute("orth[0]")
    assert attribute.column is None
    assert attribute.function is not None and attribute.function("Xa") == "title"
    for offset in range(-MAX_OFFSET, MAX_OFFSET + 1):
        (part,) = parse_template(f"w[{offset}]").parts
        assert part.offset == offset


def test_templates_have_a_history_and_parts_in_order():
    template = parse_template("t[-1]|w[0]|suf2[1]")
    assert [str(part) for part in template.parts] == ["tag[-1]", "word[0]", "suf2[1]"]
    assert parse_template("bias") == Template("state", ())
    for kind in ("state", "edge", "tri"):
        for body in ("bias", "w[0]", "w[0]|t[1]"):
            template = parse_template(f"{kind}:{body}")
            assert template.kind == kind
            assert template.parts == parse_template(body).parts
    template = parse_template("edge:w[-1]|t[0]")
    assert str(template) == "edge:word[-1]|tag[0]"
    assert template.observation == "word[-1]|tag[0]"


def test_templates_spaces_and_signs_do_not_matter():
    for text in (
        " w[0]|t[1]",
        "w [ 0 ] | t [ +1 ]",
        "state: w[0] |t[1] ",
        "word[00]|t[1]",
    ):
        assert parse_template(text) == parse_template("w[0]|t[1]")
    assert only_attribute("state:spans.my:key[0]").column == "spans:my:key"


names = st.sampled_from([*COLUMNS, "orth", "pre1", "suf5"])
parts = st.lists(st.tuples(names, st.integers(-MAX_OFFSET, MAX_OFFSET)), min_size=1)


@given(parts, st.sampled_from(["", "edge:", "tri:"]))
def test_templates_are_read_back_from_their_names(parts, prefix):
    text = prefix + "|".join(f"{name}[{offset}]" for name, offset in parts)
    template = parse_template(text)
    assert str(template) == text
    assert parse_template(str(template)) == template


# Messages -----------------------------------------------------------------------------

WRONG = {
    "LP001": r"wrd[0] W[0] _.[0] spans.[0] suf[0] pre-1[0] suf²[0]".split(),
    "LP002": ["suf0[0]", "pre6[0]", "suffix12[0]"],
    "LP003": ["egde:w[0]", ":w[0]", "edge tri:w[0]", "Edge:w[0]", "b:bias"],
    "LP004": [
        *("w w[] w[x] w[0 w[0]] w[1.5] w[0]| |w[0] w[0]||t[0] bias[0]".split()),
        *("w[0]|bias[0] bias|w[0] edge: [0]".split()),
        *("", "  ", "w[0] t[0]"),
    ],
    "LP005": ["w[6]", "w[-6]", "t[0]|w[99]", "edge:w[-10]"],
}


@pytest.mark.parametrize("code", WRONG)
def test_templates_refuse_and_name_the_place(code):
    for text in WRONG[code]:
        with pytest.raises(ValueError) as error:
            parse_template(text)
        assert f"[{code}]" in str(error.value)
        assert f"template '{text}'" in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("wrd[0]", "Did you mean .*'word'"),
        ("shap[1]", "Did you mean .*'shape'"),
        ("is_digt[0]", "Did you mean .*'is_digit'"),
        ("w[0]|t0", "Cannot read 't0' in template 'w\\[0\\]\\|t0'"),
    ],
)
def test_templates_suggest_near_names_and_name_the_part(text, message):
    with pytest.raises(ValueError, match=message):
        parse_template(text)


def test_templates_said_twice_and_no_templates_are_refused():
    for texts in (
        ["w[0]", "t[0]", "w[0]"],
        ["w[1]", "word[+1]"],
        ["edge:bias", "edge: bias"],
    ):
        with pytest.raises(ValueError) as error:
            parse_templates(texts)
        assert "[LP006]" in str(error.value)
        assert f"'{texts[-1]}'" in str(error.value)
    other_histories = ["w[0]", "edge:w[0]", "tri:w[0]", "bias", "edge:bias"]
    assert len(parse_templates(other_histories)) == 5
    with pytest.raises(ValueError, match=r"\[LP007\]"):
        parse_templates([])
