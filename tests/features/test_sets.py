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


def names_of(features: FeatureSet):
    return {str(template) for template in features.templates}


def test_sets_have_what_they_are_named_for():
    found = names_of(paper_features("slides_pos"))
    assert observations("word", [(i,) for i in range(-2, 3)]) <= found
    assert {f"{kind}{n}[0]" for kind in ("pre", "suf") for n in range(1, 5)} <= found
    rich = names_of(sets.rich_chunking())
    assert TABLES["base_chunking"][1] < rich and len(rich) == 37
    assert "tag[0]" not in names_of(sets.ner())
    assert "tag[0]" in names_of(sets.ner(tags=True))
    names = names_of(sets.grammaticality())
    assert len(names) == 20
    assert {"word[-2]", "tag[2]", "word[-1]|word[0]", "tag[0]|tag[1]|tag[2]"} <= names
    words = names_of(sets.grammaticality(tags=False))
    assert words == {name for name in names if not name.startswith("tag")}


@pytest.mark.parametrize("make", NAMED)
def test_sets_are_made_without_arguments_and_take_the_common_settings(make):
    features = make()
    assert features.templates
    assert features.latent_form in ("tied", "full")
    assert set(features.latent_templates) <= {str(t) for t in features.templates}
    features = make(min_count=3, latent_form="tied", latent_templates=["w[0]"])
    assert (features.min_count, features.latent_form) == (3, "tied")
    assert features.latent_templates == ("word[0]",)
    if "edges" in inspect.signature(make).parameters:
        assert not make(edges=False).of_kind("edge")
        assert make(edges=True).of_kind("edge")
    with pytest.raises(ValueError, match=r"\[LP010\].*'lemma\[5\]'"):
        make(latent_templates=["lemma[5]"])


def test_sets_custom_templates_are_those_given():
    features = custom_templates(["w[0]", "edge:bias"])
    assert [str(x) for x in features.templates] == ["word[0]", "edge:bias"]
    assert features.latent_templates == ()
    latent = ["w[1]", "edge:tag[0]"]
    features = custom_templates(["word[+1]", "edge:t[0]"], latent_templates=latent)
    assert features.latent_templates == ("word[1]", "edge:tag[0]")
    for settings, message in (
        ({"min_count": 0}, r"\[LP086\] min_count must.*not 0"),
        ({"min_count": -1}, r"\[LP086\] min_count must.*not -1"),
        ({"latent_form": "fulll"}, r"\[LP085\].*tied.*'fulll'"),
    ):
        with pytest.raises(ValueError, match=message):
            custom_templates(["w[0]"], **settings)
