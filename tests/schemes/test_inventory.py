"""Label ids: the tables against all short sentences, batches, known chunks."""

from itertools import product

import numpy as np
import pytest
from builders.chunkings import TYPES, all_chunkings, encode, sentences, valid_sequences
from hypothesis import given
from hypothesis import strategies as st

from spacy_latperc.schemes import (
    SCHEMES,
    LabelInventory,
    LabelReader,
    decode,
    get_scheme,
    read_spans,
)

LETTERED = ["O", *(f"{letter}-{type_}" for type_ in TYPES for letter in "BIELSU")]

each_scheme = pytest.mark.parametrize("name", SCHEMES)


@each_scheme
@pytest.mark.parametrize("n", range(5))
def test_inventory_tables_allow_exactly_the_encodings(name, n):
    inventory = LabelInventory(name, TYPES)
    written = {encode(inventory, spans, n) for spans in all_chunkings(n)}
    assert valid_sequences(inventory, n) == written


@each_scheme
def test_inventory_strings_and_tables_agree_on_validity(name):
    inventory = LabelInventory(name, TYPES)
    for n in range(4):
        allowed = valid_sequences(inventory, n)
        for ids in product(range(len(inventory)), repeat=n):
            labels = [inventory.labels[i] for i in ids]
            assert (inventory.scheme.first_invalid(labels) is None) == (ids in allowed)


@each_scheme
def test_inventory_boundary_is_where_chunks_start_or_end(name):
    inventory = LabelInventory(name, TYPES)
    for spans in all_chunkings(4):
        ids = encode(inventory, spans, 4)
        borders = {x for start, end, _ in spans for x in (start, end)}
        for token in range(1, 4):
            assert inventory.boundary[ids[token - 1], ids[token]] == (token in borders)
    rows = zip(inventory.labels, inventory.inside, inventory.type_of, strict=True)
    for label, inside, type_id in rows:
        assert inside == (label != "O")
        assert type_id == (TYPES.index(label[2:]) if inside else -1)


@each_scheme
@given(batch=st.lists(sentences(), max_size=4))
def test_inventory_round_trips_a_batch(name, batch):
    """A batch is encoded like its strings, sentence by sentence."""
    inventory = LabelInventory(name, TYPES)
    offsets = np.cumsum([0, *(n for _, n in batch)])
    spans = [
        (start + offset, end + offset, type_)
        for (chunks, _), offset in zip(batch, offsets.tolist(), strict=False)
        for start, end, type_ in chunks
    ]
    ids = inventory.encode_ids(*columns(spans), offsets[-1], offsets=offsets)
    assert ids.dtype == np.int32
    single = [x for chunks, n in batch for x in encode(inventory, chunks, n)]
    assert ids.tolist() == single
    for chunks, n in batch:
        alone = inventory.encode_ids(*columns(chunks), n).tolist()
        assert tuple(alone) == encode(inventory, chunks, n)
    decoded = [x.tolist() for x in inventory.decode_ids(ids, offsets)]
    assert decoded == columns(spans)


def columns(spans):
    """Starts, ends and type ids."""
    starts, ends, types = zip(*spans, strict=True) if spans else ((), (), ())
    return [list(starts), list(ends), [TYPES.index(x) for x in types]]


def test_inventory_sorts_chunks_and_reads_invalid_ids_leniently():
    inventory = LabelInventory("IOB1", TYPES)
    ids = inventory.encode_ids([1, 0], [3, 1], [0, 0], 3)
    assert [inventory.labels[i] for i in ids] == ["I-A", "B-A", "I-A"]
    inventory = LabelInventory("IOB2", TYPES)
    ids = np.array([inventory.index[x] for x in ("I-A", "I-B-b", "O")], dtype=np.int32)
    decoded = inventory.decode_ids(ids, np.array([0, 3]))
    assert [x.tolist() for x in decoded] == [[0, 1], [1, 2], [0, 1]]


def test_inventory_refuses_what_cannot_be():
    inventory = LabelInventory("IOB2", TYPES)
    for starts, ends, types, code in (
        *(([0, 1], [2, 3], [0, 1], "LP204"), ([2], [4], [0], "LP205")),
        *(
            ([1], [1], [0], "LP205"),
            ([0], [1], [2], "LP207"),
            ([0], [1], [-1], "LP207"),
        ),
    ):
        with pytest.raises(ValueError, match=code):
            inventory.encode_ids(starts, ends, types, 3)
    with pytest.raises(ValueError, match=r"LP207.*'C'.*\['A', 'B-b'\]"):
        inventory.forced_mask([(0, 1, "C")], 2)


@each_scheme
@pytest.mark.parametrize("n", range(1, 5))
def test_inventory_forced_mask_keeps_exactly_the_known_chunks(name, n):
    inventory = LabelInventory(name, TYPES)
    chunkings = {encode(inventory, x, n): x for x in all_chunkings(n)}
    for known in all_chunkings(n):
        mask = inventory.forced_mask(known, n)
        assert mask.dtype == np.uint8
        assert mask.shape == (n, len(inventory))
        inside = valid_sequences(inventory, n, mask)
        assert encode(inventory, known, n) in inside
        for sequence in inside:
            assert set(known) <= set(chunkings[sequence])
        if name not in ("IOB1", "IOE1"):  # the rest is free
            every = {x for x, spans in chunkings.items() if set(known) <= set(spans)}
            assert inside == every


def test_inventory_takes_a_scheme_or_its_name():
    by_name = LabelInventory("o+c", TYPES)
    assert by_name.scheme is LabelInventory(get_scheme("O+C"), TYPES).scheme
    assert len(by_name) == len(by_name.labels) == 1 + 4 * len(TYPES)


@given(
    st.lists(st.lists(st.sampled_from(LETTERED), min_size=1, max_size=6), max_size=4),
    st.sampled_from([0, 100]),
)
def test_inventory_reads_labels_of_any_mix_sentence_by_sentence(sentences, short):
    reader = LabelReader(LETTERED)
    ids = [LETTERED.index(label) for labels in sentences for label in labels]
    offsets = np.cumsum([0, *map(len, sentences)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decode, "SHORT", short)
        starts, ends, types = reader.chunks(np.array(ids, dtype=np.int32), offsets)
    found = zip(starts.tolist(), ends.tolist(), types.tolist(), strict=True)
    expected = [
        (start + at, end + at, type_)
        for labels, at in zip(sentences, offsets.tolist(), strict=False)
        for start, end, type_ in read_spans(labels)
    ]
    assert [(i, j, reader.types[t]) for i, j, t in found] == expected
