"""Encoding and decoding of single sentences in each representation."""

import pytest
from builders.chunkings import TYPES, sentences
from hypothesis import given

from spacy_latperc.schemes import SCHEMES, get_scheme

CHUNKS = [(1, 3), (4, 6), (6, 7), (8, 9), (12, 14), (14, 16)]
TABLE_1 = {
    "IOB1": "O I I O I I B O I O O O I I B I O",
    "IOB2": "O B I O B I B O B O O O B I B I O",
    "IOE1": "O I I O I E I O I O O O I E I I O",
    "IOE2": "O I E O I E E O E O O O I E I E O",
    "O+C": "O B E O B E S O S O O O B E B E O",
}


@pytest.mark.parametrize("name", TABLE_1)
def test_representations_write_the_published_table(name):
    spans = [(start, end, "NP") for start, end in CHUNKS]
    labels = [x if x == "O" else f"{x}-NP" for x in TABLE_1[name].split()]
    assert get_scheme(name).encode(spans, 17) == labels
    assert get_scheme(name).decode(labels) == spans


def test_representations_bilou_is_oc_with_other_letters():
    spans = [(0, 1, "A"), (1, 4, "B")]
    oc = get_scheme("O+C").encode(spans, 4)
    letters = str.maketrans("ES", "LU")
    bilou = [label[0].translate(letters) + label[1:] for label in oc]
    assert get_scheme("BILOU").encode(spans, 4) == bilou


@pytest.mark.parametrize("name", SCHEMES)
@given(sentence=sentences())
def test_representations_round_trip(name, sentence):
    spans, n = sentence
    labels = get_scheme(name).encode(spans, n)
    assert len(labels) == n
    assert get_scheme(name).decode(labels) == spans
    assert get_scheme(name).encode(spans[::-1], n) == labels
    spans = [(0, 2, "B-cell-line"), (2, 3, "B-cell-line")]  # hyphens in types
    assert get_scheme(name).decode(get_scheme(name).encode(spans, 3)) == spans


def test_representations_are_found_by_alias_in_any_case():
    names = {"iobes": "O+C", "o+c": "O+C", "biluo": "BILOU", "bio": "IOB2"}
    assert {alias: get_scheme(alias).name for alias in names} == names
    with pytest.raises(ValueError, match="LP201.*None"):
        get_scheme(None)
    with pytest.raises(ValueError, match=r"LP201.*'IOB3'.*IOB1, IOB2.*IOBES"):
        get_scheme("IOB3")


@pytest.mark.parametrize("name", SCHEMES)
def test_representations_appended_type_appends_labels(name):
    labels = get_scheme(name).labels(TYPES)
    assert labels[0] == "O"
    assert get_scheme(name).labels([*TYPES, "new"])[: len(labels)] == labels


def test_representations_refuse_what_cannot_be():
    scheme = get_scheme("IOB2")
    for types in (["A", "A"], [""]):
        with pytest.raises(ValueError, match="LP206"):
            scheme.labels(types)
    with pytest.raises(ValueError, match=r"LP204.*\(0, 2, 'A'\).*\(1, 3, 'B'\)"):
        scheme.encode([(1, 3, "B"), (0, 2, "A")], 3)
    for start, end in ((1, 1), (-1, 1), (2, 4)):
        message = rf"LP205.*\({start}, {end}, 'A'\).*3 tokens"
        with pytest.raises(ValueError, match=message):
            scheme.encode([(start, end, "A")], 3)
    for label in ("NP", "B-", "X-NP", "b-NP", "B_NP", ""):
        with pytest.raises(ValueError, match=f"LP202.*'{label}'"):
            scheme.decode(["O", label])


@pytest.mark.parametrize(
    "name, labels, position",
    [
        *(("IOB1", "B-A", 0), ("IOB1", "I-A B-B", 1), ("IOB2", "O I-A", 1)),
        *(("IOB2", "B-A I-B", 1), ("IOE1", "I-A E-A O", 1), ("IOE2", "I-A O", 0)),
        *(("O+C", "B-A I-A", 1), ("O+C", "S-A E-A", 1), ("O+C", "B-A L-A", 1)),
        ("BILOU", "U-A B-A", 1),
    ],
)
def test_representations_invalid_label_is_named(name, labels, position):
    with pytest.raises(ValueError, match=f"LP203.*token {position} ") as error:
        get_scheme(name).decode(labels.split())
    assert f"'{labels.split()[position]}'" in str(error.value)
    assert name in str(error.value)
