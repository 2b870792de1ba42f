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
def test_meaning_within_one_scheme_is_itself(scheme):
    for label in SCHEMES[scheme].labels(TYPES):
        assert said_in([label], scheme, scheme) == {label}


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("other", SCHEMES)
def test_meaning_of_all_labels_of_a_type_is_sayable(scheme, other):
    labels = [f"{letter}-A" for letter in SCHEMES[scheme].letters]
    assert said_in(labels, scheme, other) == {
        f"{letter}-A" for letter in SCHEMES[other].letters
    }


@pytest.mark.parametrize(
    "label, expected", [("B-A", {"B-A", "S-A"}), ("I-A", {"I-A", "E-A"}), ("O", {"O"})]
)
def test_meaning_of_coarse_labels_is_several_fine_ones(label, expected):
    assert said_in([label], "IOB2", "O+C") == expected


@pytest.mark.parametrize("scheme, other", [("O+C", "IOB2"), ("IOB2", "IOE2")])
def test_meaning_of_half_a_label_cannot_be_said(scheme, other):
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


# no_chunk_mask ------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["IOB1", "IOE1"])
def test_no_chunk_cannot_be_said_without_border_marks(scheme):
    assert no_chunk_mask(LabelInventory(scheme, TYPES), 0, 1) is None


def forbidden(scheme, type_id, length):
    inventory = LabelInventory(scheme, TYPES)
    token, mask = no_chunk_mask(inventory, type_id, length)
    return token, [inventory.labels[i] for i in mask.nonzero()[0]]


@pytest.mark.parametrize(
    "scheme, length, expected",
    [
        ("O+C", 1, (0, ["S-A"])),
        ("BILOU", 1, (0, ["U-A"])),
        ("O+C", 3, (2, ["E-A"])),
        ("IOE2", 3, (2, ["E-A"])),
        ("IOB2", 3, (0, ["B-A"])),
        ("IOB2", 1, (0, ["B-A"])),
    ],
)
def test_no_chunk_forbids_an_end_or_a_beginning(scheme, length, expected):
    assert forbidden(scheme, 0, length) == expected


def test_no_chunk_of_any_type_forbids_all_types():
    assert forbidden("O+C", None, 1) == (0, ["S-A", "S-B-b"])


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
