"""Model bytes: exact, and refused with a code when anything about them is wrong."""

import copy
import itertools
import json
import pickle
import struct
import zlib

import numpy as np
import pytest
from builders.learners import LABELS, make_batch, make_learner, predict, train
from hypothesis import given
from hypothesis import strategies as st

from spacy_latperc.io import model_file
from spacy_latperc.learners.perceptron import perceptron
from spacy_latperc.learners.serialization.cutting import tightened

TEMPLATES = ("w[0]", "w[-1]|w[0]", "suf1[0]", "t[0]")
RULES = {
    "transitions": np.array([[1, 1, 0], [1, 1, 1], [1, 1, 1]], dtype=bool),
    "starts": np.array([1, 1, 0], dtype=bool),
    "ends": np.array([1, 0, 1], dtype=bool),
}
SHAPES = list(itertools.product((1, 2), (0, 1, 2), ("tied", "full")))


def trained(**settings):
    learner = make_learner(TEMPLATES, **settings)
    train(learner, make_batch(1, noise=0.2), passes=3)
    return learner


@pytest.fixture(scope="module")
def small():
    """The bytes of a small model."""
    return trained(latent=2, rules=RULES).to_bytes()


def empty(**settings):
    return make_learner(TEMPLATES, **{"latent": 2, **settings})


def refused(*codes):
    return pytest.raises(ValueError, match=rf"\[({'|'.join(codes)})\]")


@pytest.mark.parametrize("rules", [None, RULES])
@pytest.mark.parametrize(("latent", "order", "form"), SHAPES)
def test_storage_round_trip_is_exact(latent, order, form, rules):
    settings = {"latent": latent, "order": order, "form": form}
    learner = trained(**settings, rules=rules)
    data = learner.to_bytes()
    loaded = make_learner(TEMPLATES, **settings, labels=["Z"]).from_bytes(data)
    other = make_batch(2, docs=60)
    assert predict(loaded, other) == predict(learner, other)
    assert loaded.labels == learner.labels
    assert loaded.to_bytes() == data
    loaded.set_labels(LABELS, **(rules or {}))  # bytes are made anew
    assert loaded.to_bytes() == data


COPIES = {
    "bytes": lambda learner: empty().from_bytes(learner.to_bytes()),
    "pickle": lambda learner: pickle.loads(pickle.dumps(learner)),
    "deepcopy": copy.deepcopy,
}


@pytest.mark.parametrize("copied", COPIES)
def test_storage_copy_goes_on_like_a_restart_from_the_average(copied):
    learner = trained(latent=2)
    clone = COPIES[copied](learner)
    assert clone.examples == learner.examples
    assert clone.epoch_size == learner.epoch_size
    learner.set_labels(LABELS)  # the same restart
    for one in (learner, clone):
        train(one, make_batch(3, noise=0.2), passes=2)
    assert clone.to_bytes() == learner.to_bytes()


def test_storage_keeps_a_learner_that_has_seen_nothing_and_no_rows_of_zeros():
    fresh = make_learner(TEMPLATES)
    loaded = make_learner(TEMPLATES, labels=["Z"]).from_bytes(fresh.to_bytes())
    for learner in (fresh, loaded):
        train(learner, make_batch(6))
    assert loaded.to_bytes() == fresh.to_bytes()
    learner = make_learner(TEMPLATES, learner=perceptron(average="none"))
    train(learner, make_batch(7), passes=30)
    _, arrays = model_file.unpack(learner.to_bytes())
    assert (arrays["0.sizes"] > 0).all()
    assert (arrays["0.values"] != 0).all()
    short = empty().to_bytes(bits=16)
    assert set(predict(empty().from_bytes(short), make_batch(9))) == {0}


@pytest.mark.parametrize(("latent", "order", "form"), SHAPES)
def test_storage_sixteen_bits_are_close(latent, order, form):
    settings = {"latent": latent, "order": order, "form": form}
    learner = trained(**settings)
    exact, short = learner.to_bytes(), learner.to_bytes(bits=16)
    assert len(short) < len(exact)
    blank = (make_learner(TEMPLATES, **settings) for _ in range(2))
    wide, narrow = (x.from_bytes(y) for x, y in zip(blank, (exact, short), strict=True))
    other = make_batch(8, docs=300)
    same = np.array(predict(wide, other)) == np.array(predict(narrow, other))
    assert same.mean() > 0.99
    assert narrow.to_bytes() == short


def test_storage_refuses_every_flipped_byte(small):
    learner = empty()
    before = learner.to_bytes()
    for at in range(0, len(small), 97):
        for bits in (0x01, 0xFF):
            damaged = bytearray(small)
            damaged[at] ^= bits
            with refused("LP020", "LP021", "LP022"):
                learner.from_bytes(bytes(damaged))
    assert learner.to_bytes() == before


def test_storage_refuses_what_is_cut_short_or_foreign(small):
    for size in [*range(24), *range(24, len(small), 101), len(small) - 1]:
        with refused("LP020", "LP021"):
            empty().from_bytes(small[:size])
    for data in (b"", b"LATPERC", b"PK\x03\x04", pickle.dumps({"a": 1})):
        with refused("LP020"):
            empty().from_bytes(data)


def test_storage_refuses_a_newer_version_and_another_kind(small):
    newer = bytearray(small)
    struct.pack_into("<I", newer, 8, model_file.TIGHT_VERSION + 1)
    with refused("LP022") as error:
        empty().from_bytes(bytes(newer))
    assert f"format {model_file.TIGHT_VERSION + 1}" in str(error.value)
    header, arrays = model_file.unpack(small)
    with refused("LP025") as error:
        empty().from_bytes(model_file.pack({**header, "kind": "classifier"}, arrays))
    assert "'classifier'" in str(error.value)


OTHERS = [
    *(("latent", {"latent": 3}), ("order", {"order": 2}), ("blocks", {"form": "full"})),
    *(("templates", {"templates": x}) for x in (TEMPLATES[:-1], TEMPLATES[::-1])),
    ("templates", {"templates": ("w[0]",)}),
]


@pytest.mark.parametrize(("name", "settings"), OTHERS, ids=str)
def test_storage_refuses_a_model_of_another_shape(small, name, settings):
    with refused("LP026") as error:
        other = {"templates": TEMPLATES, "latent": 2, **settings}
        make_learner(**other).from_bytes(small)
    assert f"{name} is" in str(error.value)


def without(name):
    def change(header, arrays):
        (header if name in header else arrays).pop(name)

    return change


def replaced(name, value):
    def change(header, arrays):
        if name in arrays:
            arrays[name] = value(arrays[name]) if callable(value) else np.array(value)
        else:
            header[name] = value

    return change


CHANGES = {
    "a header without labels": without("labels"),
    "a header without examples": without("examples"),
    "a header without a random state": without("random_state"),
    "labels that are a number": replaced("labels", 3),
    "labels that are numbers": replaced("labels", [1, 2, 3]),
    "a label twice": replaced("labels", ["A", "B", "A"]),
    "fewer labels than the rows have": replaced("labels", ["A"]),
    "examples that are no number": replaced("examples", "many"),
    "fewer than no examples": replaced("examples", -1),
    "more examples than can be counted": replaced("examples", 2**70),
    "a pass size that is no number": replaced("pass_size", None),
    "a random state out of range": replaced("random_state", 2**64),
    "rows without cells": without("0.cells"),
    "rows without values": without("0.values"),
    "rows without keys": without("0.keys"),
    "a feature twice": replaced("0.keys", lambda x: np.full_like(x, 7)),
    "cells outside the rows": replaced("0.cells", lambda x: x + np.uint8(200)),
    "a weight that is no number": replaced("0.values", lambda x: x * np.float32("nan")),
    "infinite weights": replaced("0.values", lambda x: x * np.float32("inf")),
    "weights whose sums overflow": replaced("0.values", lambda x: x * 0 + 1e38),
    "sizes that do not fit": replaced("0.sizes", lambda x: x + np.uint8(1)),
    "sizes that are no whole numbers": replaced("0.sizes", lambda x: x / np.float32(3)),
    "cells that are below zero": replaced("0.cells", lambda x: x.astype(np.int16) - 1),
    "keys of another type": replaced("0.keys", lambda x: x.astype(np.float32)),
    "values of another type": replaced("0.values", lambda x: x.astype(np.int64)),
    "a table instead of keys": replaced("0.keys", lambda x: x.reshape(1, -1)),
    "rules over other labels": replaced("starts", lambda x: x[:0]),
    "rules of another type": replaced("starts", lambda x: x.astype(np.float32)),
}


@pytest.mark.parametrize("what", CHANGES)
def test_storage_refuses_bad_contents(small, what):
    header, arrays = model_file.unpack(small)
    CHANGES[what](header, arrays)
    learner = trained(latent=2)
    before, labels = learner.to_bytes(), learner.labels
    with refused("LP023"):
        learner.from_bytes(model_file.pack(header, arrays))
    assert (learner.to_bytes(), learner.labels) == (before, labels)
    train(learner, make_batch(10), passes=1)


def resealed(body):
    return body + struct.pack("<I", zlib.crc32(body))


def test_storage_pack_and_unpack_keep_every_type():
    names = "uint8 uint16 uint32 uint64 int16 int32 int64 float32".split()
    arrays = {name: np.arange(6).astype(name).reshape(2, 3) for name in names}
    arrays["none"] = np.empty((0, 3), np.uint8)
    given = {"kind": "x", "text": "\xe9"}
    header, found = model_file.unpack(model_file.pack(given, arrays))
    assert header == given
    for name, array in arrays.items():
        assert found[name].dtype == array.dtype
        assert found[name].tolist() == array.tolist()
        assert found[name].shape == array.shape
    arrays = {"a": np.ones(3, np.uint8), "b": np.ones(5, np.uint64)}
    for size in range(8):  # to where kernels can read
        _, found = model_file.unpack(model_file.pack({"kind": "x" * size}, arrays))
        assert all(array.flags.aligned for array in found.values())


NUMBERS = {
    name: st.lists(st.integers(np.iinfo(name).min, np.iinfo(name).max), max_size=20)
    for name in ("uint8", "uint16", "uint64", "int16", "int64")
}


@given(data=st.data())
def test_tight_files_hold_what_was_put_in(data):
    arrays, rising = {"none": np.empty((0, 3), np.uint16)}, ["none"]
    for name, numbers in NUMBERS.items():
        arrays[name] = np.array(data.draw(numbers), name)
        if name[0] == "u" and data.draw(st.booleans()):
            rising.append(name)
    arrays["table"] = np.arange(6, dtype=np.float32).reshape(2, 3)
    packed = model_file.pack_tight({"kind": "x"}, arrays, rising)
    header, found = model_file.unpack(packed)
    assert header == {"kind": "x"}
    for name, array in arrays.items():
        assert found[name].dtype == array.dtype
        assert found[name].flags.aligned
        assert np.array_equal(found[name], array)
    assert found.keys() == arrays.keys()


def test_tight_files_take_at_most_eight_times_their_size():
    arrays = {"x": np.zeros(1_000_000, np.uint8)}
    packed = model_file.pack_tight({}, arrays)
    assert 125_000 <= len(packed) < 130_000
    assert not model_file.unpack(packed)[1]["x"].any()
    _, length = struct.unpack_from("<II", packed, 8)
    bomb = zlib.compress(bytes(1_000_000))
    text = packed[16 : 16 + length].decode()
    stored = len(packed) - 20 - length
    text = text.replace(str(stored), str(len(bomb))).encode()
    start = struct.pack("<II", model_file.TIGHT_VERSION, len(text))
    with refused("LP023"):
        model_file.unpack(resealed(model_file.MAGIC + start + text + bomb))


@pytest.fixture(scope="module")
def tight(small):
    return tightened(small)


@pytest.mark.parametrize("change", [-1, 1, "3", None, 2**70])
@pytest.mark.parametrize("place", [2, 3, 4])
def test_tight_files_refuse_a_listing_that_lies(tight, place, change):
    _, length = struct.unpack_from("<II", tight, 8)
    header = json.loads(tight[16 : 16 + length])
    entry = header["arrays"][-1]
    if place == 2:
        entry[2] = [change]
    elif isinstance(change, int) and place == 3:
        entry[3] += change
    else:
        entry[place] = change
    text = json.dumps(header).encode()
    start = struct.pack("<II", model_file.TIGHT_VERSION, len(text))
    body = model_file.MAGIC + start + text + tight[16 + length : -4]
    with refused("LP021", "LP023"):
        empty().from_bytes(resealed(body))


def test_tight_files_answer_as_others_do(small, tight):
    batch = make_batch(12, docs=6)
    loaded, plain = (empty().from_bytes(x) for x in (tight, small))
    assert predict(loaded, batch) == predict(plain, batch)
    assert loaded.to_bytes() == tightened(tight) == tight
