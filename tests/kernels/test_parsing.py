"""Incremental parsing: search with and without equal states, learning, dynamic
oracles and limits, against a slow twin."""

import numpy as np
import pytest
from builders.trees import trees
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import parser as twin

from spacy_latperc.kernels.chains import text_hash
from spacy_latperc.kernels.parsing import (
    EXPLORE,
    FACTS,
    METHODS,
    PLACES,
    FrozenParser,
    Parser,
    ParserTemplates,
    lost_heads,
    oracle,
)
from spacy_latperc.parser.projective import is_projective, projectivize

TEMPLATES = [
    *((("s0", 0),), (("b0", 0),), (("s1", 0), ("s0", 0)), (("s0", 0), ("b0", 0))),
    *((("b1", 1), ("b2", 0), ("b3", 1)), (("s2", 0), ("s0", 1)), (("s0.l1", 0),)),
    *((("s0.r1", 0), ("s0.r2", 1)), (("s1.l2", 0), ("s2.r1", 0)), (("b0.l1", 1),)),
    *((("relation[s0.l1]", -1), ("b0", 1)), (("relation[s1.r1]", -1),)),
    *((("relation[b0.l2]", -1),), (("lefts[s0]", -1), ("rights[s0]", -1))),
    *((("lefts[b0]", -1), ("rights[s2]", -1)), (("gap[s0,b0]", -1), ("s0", 1))),
    *((("gap[s1,s0]", -1),), ()),
]

# What templates look at decides which states are equal.
FEW = [
    [(("s0", 0),), (("s1", 0), ("b0", 1))],
    [(("s0", 0), ("b0", 0)), (("relation[s1.r1]", -1), ("s0.l1", 0))],
    [(("s0", 0), ("b0", 0)), (("s0.l2", 1),), (("rights[s1]", -1), ("s0", 1))],
    TEMPLATES,
]


def seeded(looks):
    return text_hash(str(looks)), list(looks)


def make_templates(templates=TEMPLATES):
    programs = [
        (seed, [(FACTS.index(name), column) for name, column in looks])
        for seed, looks in map(seeded, templates)
    ]
    return ParserTemplates(programs, 2)


def random_attrs(rng, n):
    return rng.integers(1, 5, size=(n, 2)).astype(np.uint64)


def random_tree(rng, n, relations):
    """Heads and relations of a projective tree."""
    heads = [int(rng.integers(0, n)) for _ in range(n)]
    order = rng.permutation(n)
    heads[order[0]] = order[0]
    for i in range(1, n):
        heads[order[i]] = int(order[rng.integers(0, i)])
    heads, _ = projectivize(heads, ["x"] * n)
    names = rng.integers(0, relations, size=n).astype(np.int32)
    heads = np.array(heads, dtype=np.int32)
    names[heads == np.arange(n)] = -1
    return heads, names


def random_corpus(rng, sizes, relations=2):
    """Attributes, heads and relations of sentences of these sizes."""
    return [(random_attrs(rng, n), *random_tree(rng, n, relations)) for n in sizes]


def partial_tree(rng, unknown):
    """Attributes that tell all tokens apart, and a tree of which a share is unknown."""
    n = int(rng.integers(2, 7))
    heads, names = random_tree(rng, n, 2)
    open_heads = rng.random(n) < unknown
    heads[open_heads] = names[open_heads] = -1
    return np.arange(2 * n, dtype=np.uint64).reshape(n, 2) + 1, heads, names


def update(parser, attrs, heads, names, method, *, start=0, **settings):
    """Learn a sentence; a tree may start at every token, or at none but the first."""
    n = len(attrs)
    bounds = np.array([[0, n, n]], dtype=np.int64)
    may_start = np.full(n, start, dtype=np.uint8)
    return parser.update(attrs, bounds, may_start, heads, names, method, **settings)


def keeps_known_heads(parser, attrs, heads, **settings):
    n = len(attrs)
    bounds, nowhere = np.array([0, n], dtype=np.int64), np.zeros(n, dtype=np.uint8)
    found, _ = parser.freeze().parse(attrs, bounds, nowhere, **settings)
    return (found == heads)[heads >= 0].all()


def make_twin(templates=TEMPLATES, *, beam=1, method="max"):
    programs = [seeded(looks) for looks in templates]
    return twin.Parser(programs, 2, beam=beam, method=method)


def test_places_and_facts_are_those_of_the_twin():
    state = twin.Configuration(3)
    for place in PLACES:
        assert isinstance(state.token(place), int)
    for fact in FACTS[len(PLACES) :]:
        assert isinstance(state.fact(fact), int)


@given(heads=trees())
def test_oracle_rebuilds_every_tree_without_crossing_arcs(heads):
    heads, _ = projectivize(heads, ["x"] * len(heads))
    relations = [-1 if h == i else i % 3 for i, h in enumerate(heads)]
    given_heads = np.array(heads, dtype=np.int32)
    actions = oracle(given_heads, np.array(relations, dtype=np.int32))
    state = twin.Configuration(len(heads))
    for action in actions:
        assert action in list(state.actions(3, [False] * len(heads)))
        state = state.after(action)
    assert state.heads() == heads
    assert state.relations() == relations


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_derivations_make_every_tree_without_crossing_arcs(n):
    start = twin.Configuration(n)
    made = {tuple(end.heads()) for _, end in twin.derivations(start, 1, [False] * n)}
    every = np.ndindex(*[n] * n)
    assert made == {x for x in every if is_one_tree(x) and is_projective(list(x))}


def is_one_tree(heads):
    top = list(heads)
    for _ in heads:
        top = [heads[t] for t in top]
    root = top[0]
    return all(t == root for t in top) and heads[root] == root


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@settings(max_examples=4)
@given(seed=st.integers(0, 2**32))
def test_a_full_beam_finds_the_best_of_all_derivations(n, seed):
    rng = np.random.default_rng(seed)
    attrs = random_attrs(rng, n)
    relations = 2 if n < 4 else 1
    may_start = rng.integers(0, 2, size=n).astype(np.uint8)
    frozen, score = random_weights(rng, attrs, relations, may_start)
    start = twin.Configuration(n)
    found = list(twin.derivations(start, relations, may_start))
    bounds = np.array([0, n], dtype=np.int64)
    heads, names = frozen.parse(attrs, bounds, may_start, beam=4096)
    reached = [
        score(actions)
        for actions, end in found
        if end.heads() == heads.tolist() and end.relations() == names.tolist()
    ]
    assert max(reached) == max(score(actions) for actions, _ in found)


def random_weights(rng, attrs, relations, may_start):
    """A parser with random whole weights on all features of all states, and the score
    of actions under them."""
    programs = [seeded(looks) for looks in TEMPLATES]
    weights: dict[int, dict[int, float]] = {}

    def cells(state, action):
        for seed, looks in programs:
            feature = twin.feature(state, seed, looks, attrs.tolist())
            row = weights.setdefault(feature, {})
            for cell in {twin.kind_of(action), action}:
                if cell not in row:
                    row[cell] = float(rng.integers(-9, 10))
                yield row[cell]

    def score(actions):
        state, total = twin.Configuration(len(attrs)), 0.0
        for action in actions:
            total += sum(cells(state, action))
            state = state.after(action)
        return total

    start = twin.Configuration(len(attrs))
    for actions, _ in twin.derivations(start, relations, may_start):
        score(actions)
    frozen = FrozenParser(make_templates(), relations=relations)
    fill(frozen, weights)
    return frozen, score


def fill(frozen, weights):
    keys = sorted(weights)
    cells = [sorted(weights[key].items()) for key in keys]
    flat = [cell for row in cells for cell in row]
    frozen.fill(
        np.array(keys, dtype=np.uint64),
        np.array([len(row) for row in cells], dtype=np.uint32),
        np.array([name for name, _ in flat], dtype=np.uint32),
        np.array([value for _, value in flat], dtype=np.float32),
    )


@pytest.mark.parametrize("templates", FEW, ids=["none", "first", "second", "all"])
@settings(max_examples=8)
@given(st.integers(0, 2**32), st.integers(1, 4), st.sampled_from(METHODS))
def test_parser_learns_as_its_twin(templates, seed, beam, method):
    rng = np.random.default_rng(seed)
    how = {"relations": 2, "beam": beam}
    made = make_templates(templates)
    raw, averaged = (Parser(made, average=x, **how) for x in (False, True))
    slow = make_twin(templates, beam=beam, method=method)
    for attrs, heads, names in random_corpus(rng, rng.integers(1, 7, size=3)) * 2:
        wanted = slow.learn(attrs.tolist(), oracle(heads, names))
        for parser in (raw, averaged):
            found = update(parser, attrs, heads, names, method, start=1)
            _, impossible, prefixes, violations = found
            assert not impossible
            assert (prefixes[0], violations[0]) == wanted
    compare(raw, slow.w, 1.0)
    compare(averaged, slow.sum, slow.examples)


def compare(parser, wanted, divisor):
    unit = parser.freeze().unit
    rows = parser.weights().items()
    found = {(key, cell): value for key, row in rows for cell, value in row.items()}
    for cell in {*found, *wanted}:
        expected = wanted.get(cell, 0.0) / divisor
        assert found.get(cell, 0.0) == pytest.approx(expected, abs=unit)


@pytest.mark.parametrize("heads", [[0, 3, 0, 0], [-1, 3, 0, -1]], ids=["whole", "part"])
def test_parser_refuses_a_tree_that_has_crossing_arcs(heads):
    parser = Parser(make_templates(), relations=1)
    attrs = random_attrs(np.random.default_rng(0), 4)
    crossing = np.array(heads, dtype=np.int32)
    names = np.array([-1, 0, 0, 0], dtype=np.int32)
    _, impossible, _, _ = update(parser, attrs, crossing, names, "max")
    assert impossible == [0]
    assert parser.n_rows == 0


@settings(max_examples=40)
@given(seed=st.integers(0, 2**32))
def test_partial_trees_are_learned_until_they_are_kept(seed):
    attrs, heads, names = partial_tree(np.random.default_rng(seed), 0.5)
    parser = Parser(make_templates(), relations=2, average=False, beam=2)
    for _ in range(60):
        loss, impossible, prefixes, _ = update(parser, attrs, heads, names, "max")
        assert not impossible
        if not prefixes.any():
            break
    assert not prefixes.any()
    assert loss == 0
    assert keeps_known_heads(parser, attrs, heads, beam=2)


@pytest.mark.parametrize("follow", [0.0, 1.0])
@settings(max_examples=15)
@given(seed=st.integers(0, 2**32))
def test_parser_explores_as_its_twin(follow, seed):
    rng = np.random.default_rng(seed)
    learned = Parser(make_templates(), relations=2, average=False)
    slow = make_twin()
    for attrs, heads, names in random_corpus(rng, rng.integers(1, 7, size=2)) * 3:

        def lost(actions, heads=heads, names=names):
            return lost_heads(heads, names, np.array(actions, dtype=np.int32))

        gold = heads.tolist(), names.tolist()
        wanted = slow.explore(attrs.tolist(), *gold, lost, follow > 0)
        how = {"start": 1, "follow": follow}
        loss, _, missteps, _ = update(learned, attrs, heads, names, EXPLORE, **how)
        assert loss == missteps[0] == wanted
    compare(learned, slow.w, 1.0)


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32))
def test_exploring_learns_whole_and_partial_trees(seed):
    attrs, heads, names = partial_tree(np.random.default_rng(seed), 0.3)
    parser = Parser(make_templates(), relations=2, average=False, seed=seed)
    for _ in range(40):
        found = update(parser, attrs, heads, names, EXPLORE, follow=0.5)
        loss, impossible, _, _ = found
        assert not impossible
        if not loss:
            break
    assert keeps_known_heads(parser, attrs, heads)


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32))
def test_lost_heads_are_those_that_no_derivation_reaches(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 6))
    heads, names = random_tree(rng, n, 1)
    heads[rng.random(n) < 0.3] = -1
    state = twin.Configuration(n)
    actions: list[int] = []
    anywhere = [True] * n
    for _ in range(int(rng.integers(0, 2 * n))):
        actions.append(int(rng.choice(list(state.actions(1, anywhere)))))
        state = state.after(actions[-1])
    found = lost_heads(heads, names, np.array(actions, dtype=np.int32))
    before = reachable(state, heads)
    for kind in range(4):
        if kind not in state.allowed(anywhere):
            assert found[kind] == -1
            continue
        action = kind if kind in (twin.SHIFT, twin.ROOT) else 3 + kind
        after = reachable(state.after(action), heads)
        assert found[kind] == len(before) - len(after)


def reachable(state, heads):
    """Tokens that get their known head in some derivation."""
    return {
        child
        for _, end in twin.derivations(state, 1, [True] * state.n)
        for child, head in enumerate(end.heads())
        if head == heads[child]
    }


@pytest.mark.parametrize("n", [1, 2, 7, 10_000])
@pytest.mark.parametrize("beam", [1, 3])
def test_every_sentence_gets_exactly_one_tree(beam, n):
    rng = np.random.default_rng(n)
    frozen = rough_weights(rng)
    may_start = (rng.random(n) < 0.3).astype(np.uint8)
    cut = sorted({0, n, *rng.integers(0, n + 1, size=3).tolist()})
    bounds = np.array(cut, dtype=np.int64)
    heads, names = frozen.parse(random_attrs(rng, n), bounds, may_start, beam=beam)
    for first, end in zip(cut[:-1], cut[1:], strict=True):
        check_trees(heads[first:end], may_start[first:end])
    position = np.arange(n) - np.repeat(bounds[:-1], np.diff(bounds))
    assert ((names == -1) == (heads == position)).all()


def check_trees(heads, may_start):
    """Trees side by side, each over the tokens from one start to the next."""
    n = len(heads)
    top = heads.copy()
    for _ in range(max(n, 1).bit_length() + 1):
        top = top[top]
    assert (heads[top] == top).all()
    borders = np.flatnonzero(np.append(True, top[1:] != top[:-1]))
    assert len(borders) == len(np.unique(top))
    assert may_start[borders[1:]].all()


def rough_weights(rng):
    """Random weights on features that occur everywhere."""
    frozen = FrozenParser(make_templates(), relations=3)
    state = twin.Configuration(5)
    attrs = random_attrs(rng, 5).tolist()
    weights = {}
    for _ in range(30):
        for seed, looks in map(seeded, TEMPLATES):
            row = weights.setdefault(twin.feature(state, seed, looks, attrs), {})
            row.update({int(rng.integers(0, 10)): float(rng.normal())})
        if len(state.arcs) == 5:
            state = twin.Configuration(5)
            attrs = random_attrs(rng, 5).tolist()
        state = state.after(int(rng.choice(list(state.actions(3, [True] * 5)))))
    fill(frozen, weights)
    return frozen


def test_batches_and_threads_do_not_matter():
    rng = np.random.default_rng(1)
    frozen = rough_weights(rng)
    attrs = random_attrs(rng, 60)
    may_start = (rng.random(60) < 0.2).astype(np.uint8)
    bounds = np.array([0, 10, 10, 25, 60], dtype=np.int64)
    together = frozen.parse(attrs, bounds, may_start, beam=4)
    for first, end in zip(bounds[:-1], bounds[1:], strict=True):
        alone = frozen.parse(
            attrs[first:end].copy(),
            np.array([0, end - first], dtype=np.int64),
            may_start[first:end].copy(),
            beam=4,
        )
        for one, all_ in zip(alone[:2], together[:2], strict=True):
            assert (one == all_[first:end]).all()
