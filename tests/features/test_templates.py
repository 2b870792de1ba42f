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

COLUMNS = {
    "word": "ORTH",
    "lower": "LOWER",
    "norm": "NORM",
    "shape": "SHAPE",
    "tag": "TAG",
    "pos": "POS",
    "morph": "MORPH",
    "lemma": "LEMMA",
    "dep": "DEP",
    "cluster": "CLUSTER",
    "ent": "ent",
    "chunk": "spans:chunks",
    "is_digit": "IS_DIGIT",
    "is_title": "IS_TITLE",
    "like_num": "LIKE_NUM",
    "like_url": "LIKE_URL",
    "_.name": "_.name",
    "_.a.b": "_.a.b",
    "spans.key": "spans:key",
}
ALIASES = {
    "w": "word",
    "t": "tag",
    "p": "pos",
    "o": "orth",
    "c": "chunk",
    "e": "ent",
    "prefix3": "pre3",
    "suffix2": "suf2",
}


def only_attribute(text):
    (part,) = parse_template(text).parts
    return part.attribute


@pytest.mark.parametrize("name", COLUMNS)
def test_templates_attribute_is_read_from_its_column(name):
    assert only_attribute(f"{name}[0]").column == COLUMNS[name]


@pytest.mark.parametrize("alias", ALIASES)
def test_templates_alias_says_the_same(alias):
    assert parse_template(f"{alias}[-1]") == parse_template(f"{ALIASES[alias]}[-1]")
    assert str(parse_template(f"{alias}[-1]")) == f"{ALIASES[alias]}[-1]"


@pytest.mark.parametrize("affix", ["prefix", "suffix"])
@pytest.mark.parametrize("length", range(1, MAX_AFFIX + 1))
def test_templates_affix_has_its_length(affix, length):
    attribute = only_attribute(f"{affix[:3]}{length}[0]")
    assert (attribute.affix, attribute.length) == (affix, length)
    assert attribute.column is None


def test_templates_orthography_is_a_function_of_the_word():
    attribute = only_attribute("orth[0]")
    assert attribute.column is None
    assert attribute.function is not None
    assert attribute.function("Xa") == "title"


@pytest.mark.parametrize("offset", range(-MAX_OFFSET, MAX_OFFSET + 1))
def test_templates_offset(offset):
    (part,) = parse_template(f"w[{offset}]").parts
    assert part.offset == offset


def test_templates_conjunction_keeps_its_order():
    template = parse_template("t[-1]|w[0]|suf2[1]")
    assert [str(part) for part in template.parts] == ["tag[-1]", "word[0]", "suf2[1]"]


def test_templates_bias_has_no_parts():
    assert parse_template("bias") == Template("state", ())


@pytest.mark.parametrize("kind", ["state", "edge", "tri"])
@pytest.mark.parametrize("body", ["bias", "w[0]", "w[0]|t[1]"])
def test_templates_prefix_says_the_history(kind, body):
    template = parse_template(f"{kind}:{body}")
    assert template.kind == kind
    assert template.parts == parse_template(body).parts


def test_templates_name_holds_prefix_and_observation():
    template = parse_template("edge:w[-1]|t[0]")
    assert str(template) == "edge:word[-1]|tag[0]"
    assert template.observation == "word[-1]|tag[0]"


@pytest.mark.parametrize(
    "text",
    [" w[0]|t[1]", "w [ 0 ] | t [ +1 ]", "state: w[0] |t[1] ", "word[00]|tag[1]"],
)
def test_templates_spaces_and_signs_do_not_matter(text):
    assert parse_template(text) == parse_template("w[0]|t[1]")


def test_templates_spans_key_may_hold_a_colon():
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


@pytest.mark.parametrize(
    ("code", "text"), [(code, text) for code, texts in WRONG.items() for text in texts]
)
def test_templates_refuse_and_name_the_place(code, text):
    with pytest.raises(ValueError) as error:
        parse_template(text)
    assert f"[{code}]" in str(error.value)
    assert f"template '{text}'" in str(error.value)


@pytest.mark.parametrize(
    ("text", "near"),
    [("wrd[0]", "word"), ("shap[1]", "shape"), ("is_digt[0]", "is_digit")],
)
def test_templates_unknown_attribute_suggests_near_names(text, near):
    with pytest.raises(ValueError, match=rf"Did you mean .*'{near}'"):
        parse_template(text)


def test_templates_bad_part_is_named():
    with pytest.raises(
        ValueError, match="Cannot read 't0' in template 'w\\[0\\]\\|t0'"
    ):
        parse_template("w[0]|t0")


@pytest.mark.parametrize(
    "texts",
    [["w[0]", "t[0]", "w[0]"], ["w[1]", "word[+1]"], ["edge:bias", "edge: bias"]],
)
def test_templates_said_twice_are_refused(texts):
    with pytest.raises(ValueError) as error:
        parse_templates(texts)
    assert "[LP006]" in str(error.value)
    assert f"'{texts[-1]}'" in str(error.value)


def test_templates_with_other_histories_are_others():
    assert (
        len(parse_templates(["w[0]", "edge:w[0]", "tri:w[0]", "bias", "edge:bias"]))
        == 5
    )


def test_templates_empty_list_is_refused():
    with pytest.raises(ValueError, match=r"\[LP007\]"):
        parse_templates([])
