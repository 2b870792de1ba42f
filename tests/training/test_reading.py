"""Gold codes of examples, as `fit` keeps them."""

import numpy as np
import pytest

from spacy_latperc.training.reading import Stub, gold_of


@pytest.mark.parametrize("shape", [(), (3,)])
def test_gold_of_examples_is_joined(shape):
    arrays = [np.full((n, *shape), n * 1000, dtype=np.int32) for n in (2, 0, 3)]
    stubs = [Stub(len(x), (), (x.tobytes(),), (shape,)) for x in arrays]
    found = gold_of(stubs, 0)
    assert found.dtype == np.int32 and found.flags.writeable
    assert np.array_equal(found, np.concatenate(arrays))
