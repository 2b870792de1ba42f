"""The layout of feature sets in rows, and the rows that are summed together."""

from functools import partial

import pytest

from spacy_latperc.features import sets
from spacy_latperc.features.sets import custom_templates
from spacy_latperc.features.templates import parse_template
from spacy_latperc.kernels.chains import COMPUTED, PREFIX, SUFFIX
from spacy_latperc.learners.blocks import group_parts, key_of, plan_blocks

NAMED = [partial(sets.paper_features, name) for name in sets.PAPERS]
NAMED += [sets.rich_chunking, sets.tagging, sets.ner]


def layout(*templates, latent=1, order=1, **settings):
    """(kind, latent rows?, observations) of each block."""
    features = custom_templates(list(templates), **settings)
    layout = plan_blocks(features, latent=latent, order=order).layout
    return [(kind, is_latent, names) for kind, is_latent, names in layout]


WORDS = [(0, "word[0]"), (1, "bias")]
LAYOUTS = {
    "label rows and transitions": (["w[0]"], {}, WORDS),
    "order 0": (["w[0]"], {"order": 0}, WORDS[:1]),
    "order 2": (["w[0]"], {"order": 2}, [*WORDS, (2, "bias")]),
    "a transition that is named": (["w[0]", "edge:bias"], {}, WORDS),
    "histories have their own rows": (
        ["w[0]", "edge:w[0]", "edge:t[1]", "tri:t[1]"],
        {"order": 2},
        [(0, "word[0]"), (1, "bias tag[1] word[0]"), (2, "bias tag[1]")],
    ),
    "one latent state, full": (["w[0]"], {"latent_form": "full"}, WORDS),
}


@pytest.mark.parametrize("what", LAYOUTS)
def test_blocks_of_plain_chains(what):
    templates, settings, expected = LAYOUTS[what]
    found = [(kind, False, names.split()) for kind, names in expected]
    assert layout(*templates, **settings) == found


def test_blocks_full_form_keeps_all_rows_per_latent_state():
    blocks = layout("w[0]", "t[0]", latent=3, latent_form="full")
    assert blocks == [(0, True, ["tag[0]", "word[0]"]), (1, True, ["bias"])]


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        (None, [(0, ["tag[0]", "word[0]"]), (1, ["bias", "tag[0]"])]),
        (["t[0]", "edge:t[0]"], [(0, ["tag[0]"]), (1, ["bias", "tag[0]"])]),
        (["edge:t[0]"], [(1, ["bias", "tag[0]"])]),
    ],
)
def test_blocks_tied_form_has_latent_rows_of_the_named_templates(named, expected):
    settings = {"latent_templates": named} if named else {}
    blocks = layout("w[0]", "t[0]", "edge:t[0]", latent=2, **settings)
    assert [is_latent for _, is_latent, _ in blocks[:2]] == [False, False]
    assert blocks[2:] == [(kind, True, names) for kind, names in expected]


def test_blocks_columns_observations_and_sources():
    features = custom_templates(["w[0]", "edge:w[0]", "tri:w[0]", "w[0]|t[0]"])
    plan = plan_blocks(features, latent=2, order=2)
    assert plan.observations == ["word[0]", "word[0]|tag[0]", "bias"]
    features = custom_templates(["t[0]", "suf3[0]", "w[0]", "p[1]", "t[1]"])
    plan = plan_blocks(features, latent=1, order=1)
    assert plan.columns == ["ORTH", "SENT_START", "TAG", "POS"]
    features = custom_templates(["pre2[0]", "suf3[0]", "orth[0]", "t[0]"])
    plan = plan_blocks(features, latent=1, order=0)
    found = dict(zip(plan.attributes, plan.sources, strict=True))
    assert found["pre2"][:3] == ("lexical", PREFIX, 2)
    assert found["suf3"][:3] == ("lexical", SUFFIX, 3)
    assert found["orth"][:2] == ("lexical", COMPUTED)
    assert found["tag"] == ("column", plan.columns.index("TAG"))


def test_blocks_seeds_follow_from_the_names_alone():
    one = plan_blocks(custom_templates(["w[0]", "t[0]"]), latent=1, order=1)
    other = plan_blocks(custom_templates(["t[0]", "w[0]"]), latent=3, order=2)
    seeds = []
    for plan in (one, other):
        pairs = zip(plan.observations, plan.programs, strict=True)
        seeds.append({name: seed for name, (seed, _) in pairs})
    assert seeds[0].items() <= seeds[1].items()


def state_parts(features):
    return {x.observation: x.parts for x in features.of_kind("state")}


@pytest.mark.parametrize("make", NAMED)
def test_groups_depend_on_nothing_but_their_key(make):
    # Every part is in the key, or is a function of the word, which is.
    parts = state_parts(make())
    groups = group_parts(parts)
    assert sorted(name for group in groups for name in group) == sorted(parts)
    for group in groups:
        key = set(key_of([parts[name] for name in group]))
        words = {part.offset for part in key if part.attribute.name == "word"}
        for name in group:
            for part in parts[name]:
                of_the_word = part.attribute.column is None and part.offset in words
                assert part in key or of_the_word


def test_groups_of_one_word_form_and_of_shorter_ngrams_inside_longer_ones():
    names = ["w[0]", "suf2[0]", "shape[0]", "w[1]"]
    parts = {name: parse_template(name).parts for name in names}
    assert group_parts(parts) == [["w[0]", "suf2[0]", "shape[0]"], ["w[1]"]]
    key = key_of([parts[name] for name in names[:3]])
    assert [str(part) for part in key] == ["word[0]", "shape[0]"]
    names = ["t[0]", "t[-1]|t[0]", "t[-1]|t[0]|t[1]", "t[2]", "w[0]|t[0]"]
    parts = {name: parse_template(name).parts for name in names}
    assert sorted(group_parts(parts)) == [names[:3], ["t[2]"], ["w[0]|t[0]"]]
