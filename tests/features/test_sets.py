"""The named sets against the tables that they are taken from."""

import inspect
from functools import partial

import pytest

from spacy_latperc.features import sets
from spacy_latperc.features.sets import FeatureSet, custom_templates, paper_features

NAMED = [
    *(partial(sets.paper_features, name) for name in sets.PAPERS),
    sets.rich_chunking,
    sets.tagging,
    sets.ner,
]

# Of 000, Table 3; offsets of words, then of tags.
TABLE_3_WORDS = [(-2,), (-1,), (0,), (1,), (2,), (-1, 0), (0, 1)]
TABLE_3_TAGS = [
    *[(-1,), (0,), (1,)],
    *[(-2, -1), (-1, 0), (0, 1), (1, 2)],
    *[(-2, -1, 0), (-1, 0, 1), (0, 1, 2)],
]
# Table 1 has these beside: tags at both ends of the window, and orthography.
TABLE_1_TAGS = [(-2,), (2,), *TABLE_3_TAGS]
TABLE_1_ORTHS = [*[(i,) for i in range(-2, 3)], (-2, -1), (-1, 0), (0, 1), (1, 2)]
# The chunking slide of 003.
SLIDE_WORDS = [*[(i,) for i in range(-2, 3)], (-2, -1), (-1, 0), (0, 1), (1, 2)]


def observations(name, offsets):
    return {"|".join(f"{name}[{i}]" for i in group) for group in offsets}


def of_kind(features: FeatureSet, kind):
    return {template.observation for template in features.of_kind(kind)}


# By set: how many templates its table has, and which.
WORDS_OF_TABLES = observations("word", TABLE_3_WORDS)


TABLES = {
    "np_chunking": (17, WORDS_OF_TABLES | observations("tag", TABLE_3_TAGS)),
    "bio_ner": (
        28,
        WORDS_OF_TABLES
        | observations("tag", TABLE_1_TAGS)
        | observations("orth", TABLE_1_ORTHS),
    ),
    "slides_chunking": (
        21,
        observations("word", SLIDE_WORDS) | observations("tag", TABLE_1_TAGS),
    ),
    "base_chunking": (19, WORDS_OF_TABLES | observations("tag", TABLE_1_TAGS)),
}


@pytest.mark.parametrize("name", TABLES)
def test_sets_of_papers_are_their_tables(name):
    size, table = TABLES[name]
    assert len(table) == size
    assert of_kind(paper_features(name), "state") == table
    if name in ("np_chunking", "bio_ner"):
        features = paper_features(name, edges=True, tri=True)
        for kind in ("state", "edge", "tri"):
            assert of_kind(features, kind) == table


def test_sets_slides_pos_sees_word_spelling_and_neighbours():
    found = {str(template) for template in paper_features("slides_pos").templates}
    assert observations("word", [(i,) for i in range(-2, 3)]) <= found
    assert {f"{kind}{n}[0]" for kind in ("pre", "suf") for n in range(1, 5)} <= found


def test_sets_rich_chunking_has_the_base():
    rich = {str(template) for template in sets.rich_chunking().templates}
    assert TABLES["base_chunking"][1] < rich
    assert len(rich) == 37


@pytest.mark.parametrize("make", NAMED)
def test_sets_are_made_without_arguments(make):
    features = make()
    assert features.templates
    assert features.latent_form in ("tied", "full")
    assert set(features.latent_templates) <= {str(t) for t in features.templates}


@pytest.mark.parametrize("make", NAMED)
def test_sets_take_the_common_settings(make):
    features = make(min_count=3, latent_form="tied", latent_templates=["w[0]"])
    assert (features.min_count, features.latent_form) == (3, "tied")
    assert features.latent_templates == ("word[0]",)


@pytest.mark.parametrize(
    "make", [make for make in NAMED if "edges" in inspect.signature(make).parameters]
)
def test_sets_edges_can_be_turned_on_and_off(make):
    assert not make(edges=False).of_kind("edge")
    assert make(edges=True).of_kind("edge")


def test_sets_ner_with_tags_has_tags():
    assert "tag[0]" not in {str(t) for t in sets.ner().templates}
    assert "tag[0]" in {str(t) for t in sets.ner(tags=True).templates}


def test_sets_custom_templates_are_those_given():
    features = custom_templates(["w[0]", "edge:bias"])
    assert [str(template) for template in features.templates] == [
        "word[0]",
        "edge:bias",
    ]
    assert features.latent_templates == ()


def test_sets_latent_templates_may_be_spelled_otherwise():
    features = custom_templates(
        ["word[+1]", "edge:t[0]"], latent_templates=["w[1]", "edge:tag[0]"]
    )
    assert features.latent_templates == ("word[1]", "edge:tag[0]")


@pytest.mark.parametrize("min_count", [0, -1])
def test_sets_refuse_a_cut_off_below_one(min_count):
    with pytest.raises(ValueError, match=rf"\[LP086\] min_count must.*not {min_count}"):
        custom_templates(["w[0]"], min_count=min_count)


def test_sets_refuse_an_unknown_latent_form():
    with pytest.raises(ValueError, match=r"\[LP085\].*tied.*'fulll'"):
        custom_templates(["w[0]"], latent_form="fulll")


@pytest.mark.parametrize("make", NAMED)
def test_sets_refuse_latent_rows_of_a_missing_template_too(make):
    with pytest.raises(ValueError, match=r"\[LP010\].*'lemma\[5\]'"):
        make(latent_templates=["lemma[5]"])


def test_sets_grammaticality_has_the_ngrams_of_the_paper():
    names = {str(template) for template in sets.grammaticality().templates}
    assert len(names) == 20
    assert {"word[-2]", "tag[2]", "word[-1]|word[0]", "tag[0]|tag[1]|tag[2]"} <= names
    words = {str(template) for template in sets.grammaticality(tags=False).templates}
    assert words == {name for name in names if not name.startswith("tag")}
