"""Searches of parsers: equal states, the n best, how sure they are, dynamic oracles;
against slow twins."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernels.test_parsing import (
    TEMPLATES,
    compare,
    every_system,
    make_templates,
    random_attrs,
    random_tree,
    random_weights,
    seeded,
)
from reference import parser as twin

from spacy_latperc.kernels.parsing import EXPLORE, METHODS, Parser, lost_heads, oracle

# What templates look at decides which states are equal.
FEW = [
    [(("s0", 0),), (("s1", 0), ("b0", 1))],
    [(("s0", 0), ("b0", 0)), (("relation[s1.r1]", -1), ("s0.l1", 0))],
    [(("s0", 0), ("b0", 0)), (("s0.l2", 1),), (("rights[s1]", -1), ("s0", 1))],
    TEMPLATES,
]


@every_system
@pytest.mark.parametrize("templates", FEW, ids=["none", "first", "second", "all"])
@settings(max_examples=5)
@given(
    seed=st.integers(0, 2**32), beam=st.integers(1, 4), method=st.sampled_from(METHODS)
)
def test_merging_search_learns_as_its_twin(system, templates, seed, beam, method):
    rng = np.random.default_rng(seed)
    relations = 2
    learned = Parser(
        make_templates(templates),
        relations=relations,
        beam=beam,
        system=system,
        average=False,
    )
    slow = twin.Parser(
        [seeded(looks) for looks in templates],
        relations,
        system=system,
        beam=beam,
        method=method,
    )
    corpus = []
    for n in rng.integers(2, 7, size=2).tolist():
        corpus.append((random_attrs(rng, n), *random_tree(rng, n, relations)))
    for attrs, heads, names in corpus * 2:
        wanted = slow.learn(attrs.tolist(), oracle(heads, names, system))
        _, _, prefixes, violations = learned.update(
            attrs, whole(attrs), anywhere(attrs), heads, names, method
        )
        assert (prefixes[0], violations[0]) == wanted
    compare(learned, slow.w, 1.0)


def whole(attrs):
    n = len(attrs)
    return np.array([[0, n, n]], dtype=np.int64)


def anywhere(attrs):
    return np.ones(len(attrs), dtype=np.uint8)


@every_system
@pytest.mark.parametrize("n", [1, 2, 3, 4])
@settings(max_examples=4)
@given(seed=st.integers(0, 2**32))
def test_a_full_beam_finds_the_best_of_all_trees(system, n, seed):
    rng = np.random.default_rng(seed)
    attrs = random_attrs(rng, n)
    relations = 2 if n < 4 else 1
    may_start = rng.integers(0, 2, size=n).astype(np.uint8)
    frozen, score = random_weights(rng, attrs, system, relations, may_start)
    best: dict[tuple, float] = {}
    start = twin.Configuration(system, n)
    for actions, end in twin.derivations(start, relations, may_start):
        tree = (tuple(end.heads()), tuple(end.relations()))
        best[tree] = max(best.get(tree, -np.inf), score(actions))
    bounds = np.array([0, n], dtype=np.int64)
    heads, names = frozen.parse(attrs, bounds, may_start, beam=4096)
    assert best[tuple(heads.tolist()), tuple(names.tolist())] == max(best.values())


@pytest.mark.parametrize("follow", [0.0, 1.0])
@settings(max_examples=15)
@given(seed=st.integers(0, 2**32))
def test_parser_explores_as_its_twin(follow, seed):
    rng = np.random.default_rng(seed)
    relations = 2
    learned = Parser(make_templates(), relations=relations, average=False)
    slow = twin.Parser(
        [seeded(looks) for looks in TEMPLATES],
        relations,
        system="arc_hybrid",
        beam=1,
        method="max",
    )
    corpus = []
    for n in rng.integers(1, 7, size=2).tolist():
        corpus.append((random_attrs(rng, n), *random_tree(rng, n, relations)))
    for attrs, heads, names in corpus * 3:

        def lost(actions, heads=heads, names=names):
            return lost_heads(heads, names, np.array(actions, dtype=np.int32))

        wanted = slow.explore(
            attrs.tolist(), heads.tolist(), names.tolist(), lost, follow > 0
        )
        loss, _, missteps, _ = learned.update(
            attrs, whole(attrs), anywhere(attrs), heads, names, EXPLORE, follow=follow
        )
        assert loss == missteps[0] == wanted
    compare(learned, slow.w, 1.0)


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32))
def test_exploring_learns_whole_and_partial_trees(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 7))
    heads, names = random_tree(rng, n, 2)
    open_heads = rng.random(n) < 0.3
    heads[open_heads] = names[open_heads] = -1
    attrs = np.arange(2 * n, dtype=np.uint64).reshape(n, 2) + 1
    parser = Parser(make_templates(), relations=2, average=False, seed=seed)
    for _ in range(40):
        loss, impossible, _, _ = parser.update(
            attrs, whole(attrs), 1 - anywhere(attrs), heads, names, EXPLORE, follow=0.5
        )
        assert not impossible
        if not loss:
            break
    found, _ = parser.freeze().parse(
        attrs, np.array([0, n], dtype=np.int64), 1 - anywhere(attrs)
    )
    known = heads >= 0
    assert (found == heads)[known].all()
