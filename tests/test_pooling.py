"""Probabilities of other models against slow twins."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_latperc.pipeline.outside import LEAST, log_table
from spacy_latperc.schemes import LabelInventory, shared_meaning
from spacy_latperc.schemes.representations import SCHEMES

TYPES = ["A", "B"]


@pytest.mark.parametrize("scheme", SCHEMES)
@given(seed=st.integers(0, 10_000))
def test_pooling_every_label_means_one_of_its_own(scheme, seed):
    """Whatever chunks a sentence has: the label of each token in a representation may
    stand for its label in O+C."""
    rng = np.random.default_rng(seed)
    own, joint = LabelInventory(scheme, TYPES), LabelInventory("O+C", TYPES)
    says = shared_meaning(own.labels, scheme, joint)
    edges = np.sort(rng.choice(13, size=2 * int(rng.integers(1, 5)), replace=False))
    starts, ends = edges[::2], edges[1::2]
    types = rng.integers(0, 2, size=len(starts))
    bounds = np.array([0, 13])
    mine = own.encode_ids(starts, ends, types, 13, offsets=bounds)
    theirs = joint.encode_ids(starts, ends, types, 13, offsets=bounds)
    assert says[mine, theirs].all()
    assert (says.any(axis=0)).all() and (says.any(axis=1)).all()


@given(st.integers(0, 10_000))
def test_pooling_tables_equal_twin(seed):
    rng = np.random.default_rng(seed)
    own, joint = LabelInventory("IOB2", TYPES), LabelInventory("O+C", TYPES)
    says = shared_meaning(own.labels, "IOB2", joint)
    given_ = rng.dirichlet(np.full(len(own), 0.2), size=3)
    given_[1] = np.nan
    table = log_table(given_, says)
    for token, label in np.ndindex(*table.shape):
        p = sum(given_[token, i] for i in range(len(own)) if says[i, label])
        slow = 0.0 if token == 1 else math.log(min(max(p, LEAST), 1.0))
        assert table[token, label] == pytest.approx(slow, abs=1e-9)
