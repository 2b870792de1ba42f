"""Gold codes that are kept as bytes come back as they were."""

import numpy as np
import pytest

from spacy_latperc.training.reading import GoldForm, Stub, _packed_gold, gold_of


def stubs_of(arrays):
    form, packed = _packed_gold(arrays)
    forms = (form,)
    pairs = zip(arrays, packed, strict=True)
    return [Stub(len(x), (), (data,), forms) for x, data in pairs]


@pytest.mark.parametrize(
    ("low", "high", "kind"),
    [
        (-1, 127, "int8"),
        (-128, 3, "int8"),
        (-129, 3, "int16"),
        (0, 128, "int16"),
        (0, 1 << 15, "int32"),
    ],
)
@pytest.mark.parametrize("shape", [(), (3,), (1,)])
def test_gold_takes_few_bytes(low, high, kind, shape):
    rng = np.random.default_rng(0)
    arrays = [rng.integers(low, high + 1, size=(n, *shape)) for n in (4, 0, 7)]
    arrays[0].reshape(-1)[:2] = low, high
    arrays = [array.astype(np.int32) for array in arrays]
    stubs = stubs_of(arrays)
    assert stubs[0].forms[0] == GoldForm(np.dtype(kind), shape)
    found = gold_of(stubs, 0)
    assert found.dtype == np.int32
    assert np.array_equal(found, np.concatenate(arrays))


def test_gold_of_several_forms_is_joined():
    narrow = stubs_of([np.array([1, 2], np.int32)])
    wide = stubs_of([np.array([1000], np.int32), np.array([5], np.int32)])
    assert gold_of([*narrow, *wide], 0).tolist() == [1, 2, 1000, 5]
