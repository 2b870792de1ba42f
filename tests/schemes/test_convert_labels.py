"""Label sets of one representation in the labels of another; what is no chunk."""

import pytest
from builders.chunkings import TYPES, sentences
from hypothesis import given
from hypothesis import strategies as st

from spacy_latperc.schemes import SCHEMES, LabelInventory, meaning_mask, no_chunk_mask
from spacy_latperc.schemes.decode import read_spans


def said_in(labels, scheme, other):
    inventory = LabelInventory(other, TYPES)
    mask = meaning_mask(labels, SCHEMES[scheme], inventory)
    return None if mask is None else {inventory.labels[i] for i in mask.nonzero()[0]}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_meaning_of_labels_in_other_schemes(scheme):
    for label in SCHEMES[scheme].labels(TYPES):
        assert said_in([label], scheme, scheme) == {label}
    labels = [f"{letter}-A" for letter in SCHEMES[scheme].letters]
    for other in SCHEMES:
        whole = {f"{letter}-A" for letter in SCHEMES[other].letters}
        assert said_in(labels, scheme, other) == whole


def test_meaning_of_coarse_labels_is_several_fine_ones():
    for labels in ({"B-A", "S-A"}, {"I-A", "E-A"}, {"O"}):
        assert said_in([min(labels - {"E-A"})], "IOB2", "O+C") == labels
    for scheme, other in (("O+C", "IOB2"), ("IOB2", "IOE2")):  # half a label
        assert said_in(["B-A"], scheme, other) is None


@given(st.sampled_from([*SCHEMES]), st.sampled_from([*SCHEMES]), st.data())
def test_meaning_keeps_the_gold_label(scheme, other, data):
    """A set that has the gold label has it in every other representation too."""
    spans, n = data.draw(sentences())
    gold = SCHEMES[scheme].encode(spans, n)
    wanted = SCHEMES[other].encode(spans, n)
    choices = SCHEMES[scheme].labels(TYPES)
    for label, expected in zip(gold, wanted, strict=True):
        more = data.draw(st.lists(st.sampled_from(choices), max_size=4))
        found = said_in([label, *more], scheme, other)
        assert found is None or expected in found


def forbidden(scheme, type_id, length):
    inventory = LabelInventory(scheme, TYPES)
    token, mask = no_chunk_mask(inventory, type_id, length)
    return token, [inventory.labels[i] for i in mask.nonzero()[0]]


@pytest.mark.parametrize(
    "scheme, length, expected",
    [
        *(("O+C", 1, (0, ["S-A"])), ("O+C", 3, (2, ["E-A"]))),
        *(("BILOU", 1, (0, ["U-A"])), ("IOE2", 3, (2, ["E-A"]))),
        *(("IOB2", 3, (0, ["B-A"])), ("IOB2", 1, (0, ["B-A"]))),
    ],
)
def test_no_chunk_forbids_an_end_or_a_beginning(scheme, length, expected):
    assert forbidden(scheme, 0, length) == expected
    assert forbidden("O+C", None, 1) == (0, ["S-A", "S-B-b"])
    for scheme in ("IOB1", "IOE1"):  # it cannot be said without border marks
        assert no_chunk_mask(LabelInventory(scheme, TYPES), 0, 1) is None


@given(st.sampled_from(["IOB2", "IOE2", "O+C", "BILOU"]), st.data())
def test_no_chunk_excludes_every_sequence_with_the_chunk(scheme, data):
    spans, n = data.draw(sentences())
    labels = SCHEMES[scheme].encode(spans, n)
    for start, end, type_ in read_spans(labels):
        token, names = forbidden(scheme, list(TYPES).index(type_), end - start)
        assert labels[start + token] in names


@given(st.sampled_from(["O+C", "BILOU"]), st.data())
def test_no_chunk_of_one_token_excludes_nothing_else(scheme, data):
    spans, n = data.draw(sentences())
    labels = SCHEMES[scheme].encode(spans, n)
    _, names = forbidden(scheme, 0, 1)
    for token, label in enumerate(labels):
        assert (label in names) == ((token, token + 1, "A") in spans)
