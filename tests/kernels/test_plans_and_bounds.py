"""The search of frozen chains whose transitions are the same at every token: no order
of states, no bounds that leave some out, and no width of vectors changes a prediction.

Its slow twin is the search of a chain in training, which brute force checks in
test_search.py.
"""

from dataclasses import replace

import numpy as np
import pytest
from builders import chains as small
from builders.widths import both_widths
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_latperc.kernels.chains import Chain, Question
from spacy_latperc.schemes.inventory import LabelInventory

SCHEMES = ["IOB1", "IOB2", "IOE2", "O+C"]
SEEDS = st.integers(0, 2**32)


def chunk_rules(scheme, types):
    """The transitions, starts and ends that chunk labels allow."""
    inventory = LabelInventory(scheme, [f"T{n}" for n in range(types)])
    return inventory.transitions, inventory.starts, inventory.ends


def random_rules(rng, labels):
    """Some labels that few may precede, some that many may, some that none may."""
    share = rng.choice([0.02, 0.1, 0.5, 1.0], size=labels)
    transitions = rng.random((labels, labels)) < share
    return transitions, rng.random(labels) < 0.7, rng.random(labels) < 0.7


def decoders_agree(
    rng, rules, *, labels, latent=1, order=1, grain=1 / 8, spread=1.0, kept=1.0
):
    """kept: the share of pairs that score something."""
    form = "label" if latent == 1 else "full"
    sizes = {"labels": labels, "latent": latent, "order": order}
    shape = small.make_shape(form, **sizes, edges=False)
    if rules is not None:
        transitions, starts, ends = rules
        shape = replace(shape, transitions=transitions, starts=starts, ends=ends)
    # Up to four are searched at once; what is left over is fewer.
    lengths = rng.permutation([1, 7, 2, 12, 4, 7, 3])[: rng.integers(1, 8)]
    sentences = [small.random_sentence(rng, int(n)) for n in lengths]
    space = small.make_space()
    structure = small.make_structure(space, shape)
    how = {"steps": labels * labels, "grain": grain, "share": 0.7}
    weights = small.random_weights(rng, shape, sentences, **how)
    # The larger the scores of states beside those of pairs, the more is left out.
    for (b, x), row in weights.items():
        weights[b, x] = row * ((rng.random(row.shape) < kept) if b else spread)
    frozen = small.freeze_weights(structure, weights)
    chain = Chain(space, structure)
    chain.load(frozen, 5)
    attrs, bounds = small.in_a_row(sentences)
    block = space.extract(attrs, bounds, grow=False)
    everything = np.ones((len(attrs), labels), dtype=np.uint8)
    allowed = (rng.random((len(attrs), labels)) < 0.7).astype(np.uint8)
    for mask, twin in ((None, everything), (allowed, allowed)):
        expected = chain.predict(block, twin).tolist()
        for _ in both_widths():
            assert chain.predict(block, mask).tolist() == expected
            asked = Question(space, attrs, bounds, mask)
            assert frozen.decode(asked).tolist() == expected


@pytest.mark.parametrize("scheme", SCHEMES)
@settings(max_examples=10)
@given(SEEDS, st.integers(1, 14), st.sampled_from([1.0, 0.125]))
def test_planned_search_of_chunks(scheme, seed, types, grain):
    rng = np.random.default_rng(seed)
    rules = chunk_rules(scheme, types)
    decoders_agree(rng, rules, labels=len(rules[1]), grain=grain)


@settings(max_examples=40)
@given(SEEDS, st.integers(1, 80), st.sampled_from([0.01, 1.0, 100.0]), st.booleans())
def test_planned_search_under_any_rules(seed, labels, spread, ruled):
    rng = np.random.default_rng(seed)
    rules = random_rules(rng, labels) if ruled else None
    decoders_agree(rng, rules, labels=labels, spread=spread)


# Bounds rule out most of many labels.
@pytest.mark.parametrize("labels", [200, 384, 450, 1030])
@settings(max_examples=4)
@given(
    SEEDS,
    st.sampled_from([1e-6, 0.5, 1.0, 100.0]),
    st.sampled_from([1.0, 1e-7, 1e3]),
    st.sampled_from([0.001, 1.0]),
    st.booleans(),
)
def test_planned_search_of_many_labels(labels, seed, spread, grain, kept, ruled):
    rng = np.random.default_rng(seed)
    rules = random_rules(rng, labels) if ruled else None
    decoders_agree(rng, rules, labels=labels, spread=spread, grain=grain, kept=kept)


@settings(max_examples=10)
@given(SEEDS)
def test_planned_search_of_latent_states(seed):
    rng = np.random.default_rng(seed)
    rules = chunk_rules("O+C", 5)
    decoders_agree(rng, rules, labels=len(rules[1]), latent=2)


@settings(max_examples=6)
@given(
    SEEDS, st.sampled_from([40, 43]), st.sampled_from([0.01, 1.0, 100.0]), st.booleans()
)
def test_bounds_of_triples(seed, labels, spread, ruled):
    rng = np.random.default_rng(seed)
    rules = random_rules(rng, labels) if ruled else None
    decoders_agree(rng, rules, labels=labels, order=2, spread=spread)
