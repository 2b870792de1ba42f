"""Trees with crossing arcs as trees without, and back."""

import gzip

import pytest
from builders.trees import trees
from hypothesis import given
from hypothesis import strategies as st
from spacy.pipeline._parser_internals import nonproj

from spacy_latperc.parser.projective import deprojectivize, is_projective, projectivize


def is_below(heads, token, top):
    while token != top and heads[token] != token:
        token = heads[token]
    return token == top


def is_projective_by_definition(heads):
    """Every word between a word and its head is below that head."""
    return all(
        is_below(heads, between, head)
        for token, head in enumerate(heads)
        for between in range(min(token, head) + 1, max(token, head))
    )


@given(trees())
def test_projective_as_the_definition_says(heads):
    assert is_projective(heads) == is_projective_by_definition(heads)


@given(trees(), st.data())
def test_projective_arcs_that_are_known_do_not_cross(heads, data):
    """An open head says nothing: what is left is one of the trees' arcs, or not."""
    n = len(heads)
    known = data.draw(st.sets(st.integers(0, n - 1)))
    part = [head if token in known else -1 for token, head in enumerate(heads)]
    arcs = [(t, h if h != t else n) for t, h in enumerate(part) if h >= 0]
    crossing = any(min(a) < min(b) < max(a) < max(b) for a in arcs for b in arcs)
    assert is_projective(part) == (not crossing)
    moved, _ = projectivize(part, [f"r{t}" for t in range(n)])
    assert is_projective(moved)
    assert all(h == -1 for t, h in enumerate(moved) if t not in known)
    if not crossing:
        assert moved == part


@given(trees(), st.data())
def test_projective_trees_are_those_of_spacy(heads, data):
    n = len(heads)
    labels = data.draw(st.lists(st.sampled_from("abc"), min_size=n, max_size=n))
    assert projectivize(heads, labels) == nonproj.projectivize(heads, labels)


@given(trees())
def test_projective_round_trip_where_relations_tell_all(heads):
    labels = [f"r{token}" for token in range(len(heads))]
    moved, decorated = projectivize(heads, labels)
    assert is_projective_by_definition(moved)
    assert deprojectivize(moved, decorated) == (heads, labels)


@given(trees(), st.data())
def test_projective_any_relations_give_a_tree(heads, data):
    """Also those that a parser makes up."""
    names = st.sampled_from(["a", "b", "a||b", "b||a", "a||c", "||", "a||"])
    labels = data.draw(st.lists(names, min_size=len(heads), max_size=len(heads)))
    found, plain = deprojectivize(heads, labels)
    root = next(t for t, head in enumerate(heads) if head == t)
    assert all(is_below(found, token, root) for token in range(len(found)))
    assert [t for t, head in enumerate(found) if head == t] == [root]
    assert plain == [label.partition("||")[0] for label in labels]


@given(trees())
def test_projective_trees_stay_as_they_are(heads):
    labels = ["a"] * len(heads)
    moved, decorated = projectivize(heads, labels)
    assert (moved == heads) == is_projective(heads)
    assert (moved, decorated) == projectivize(moved, decorated)


def test_projective_words_between_two_roots_stay():
    assert not is_projective([0, 1, 0])
    assert projectivize([0, 1, 0], ["a"] * 3) == ([0, 1, 0], ["a"] * 3)


def sentences(path):
    heads, labels = [], []
    for line in gzip.decompress(path.read_bytes()).decode().split("\n"):
        columns = line.split("\t")
        if columns[0].isdecimal():
            head = int(columns[6]) - 1
            heads.append(len(heads) if head < 0 else head)
            labels.append(columns[7])
        elif columns == [""]:
            yield heads, labels
            heads, labels = [], []


@pytest.mark.parametrize(
    "name, crossed, moved, lost",
    [("en_ewt-dev", 31, 36, 1), ("af_afribooms-train", 105, 139, 16)],
)
def test_projective_treebanks_come_back(data, name, crossed, moved, lost):
    found = [0, 0, 0]
    for heads, labels in sentences(data / "ud_trees" / f"{name}.conllu.gz"):
        found[0] += not is_projective(heads)
        projective = projectivize(heads, labels)
        back = deprojectivize(*projective)
        assert back[1] == labels
        found[1] += sum(a != b for a, b in zip(projective[0], heads, strict=True))
        found[2] += sum(a != b for a, b in zip(back[0], heads, strict=True))
    assert found == [crossed, moved, lost]
