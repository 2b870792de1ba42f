"""Masks that leave no path, against all valid sequences."""

import numpy as np
import pytest
from builders.chunkings import TYPES, valid_sequences
from hypothesis import given
from hypothesis import strategies as st

from spacy_latperc.schemes import SCHEMES, LabelInventory, dead_end


@pytest.mark.parametrize("scheme", SCHEMES)
@given(data=st.data())
def test_dead_ends_are_where_no_sequence_is_left(scheme, data):
    inventory = LabelInventory(scheme, TYPES[:1])
    rows = st.lists(st.booleans(), min_size=len(inventory), max_size=len(inventory))
    allowed = np.array(data.draw(st.lists(rows, min_size=1, max_size=4)), dtype=bool)
    found = dead_end(inventory, allowed)
    assert (found is None) == bool(valid_sequences(inventory, len(allowed), allowed))
    if found is not None:
        token, possible = found
        assert token == len(allowed) - 1 or not (allowed[token] & possible).any()


def test_dead_ends_name_what_the_tokens_before_allow():
    inventory = LabelInventory("O+C", ["A"])
    allowed = np.zeros((2, len(inventory)), dtype=bool)
    allowed[0, inventory.index["B-A"]] = allowed[1, inventory.index["O"]] = True
    token, possible = dead_end(inventory, allowed)
    assert token == 1
    assert [inventory.labels[i] for i in np.flatnonzero(possible)] == ["I-A", "E-A"]
