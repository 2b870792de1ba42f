"""Detection of the representation, and repair of labels that are in none."""

import numpy as np
import pytest
from builders.chunkings import all_chunkings, sentences
from hypothesis import given
from hypothesis import strategies as st

from spacy_latperc.schemes import (
    SCHEMES,
    LabelReader,
    changed_by_repair,
    detect_scheme,
    get_scheme,
    read_spans,
    repair,
)

any_labels = st.lists(
    st.sampled_from(["O", *(f"{x}-{t}" for x in "BIELSU" for t in ("A", "B-b"))])
)


@pytest.mark.parametrize("name", SCHEMES)
@given(sentence=sentences())
def test_repair_leaves_valid_labels_alone(name, sentence):
    labels = get_scheme(name).encode(*sentence)
    assert repair(labels, name) == (labels, 0)


@pytest.mark.parametrize("name", SCHEMES)
@given(labels=any_labels)
def test_repair_makes_any_labels_valid_without_moving_a_chunk(name, labels):
    repaired, changed = repair(labels, name)
    assert get_scheme(name).decode(repaired) == read_spans(labels)
    assert changed == sum(a != b for a, b in zip(labels, repaired, strict=True))


READ = {
    "O I-A I-A": "O B-A I-A",
    "B-A I-B": "B-A B-B",
    "B-A E-A": "B-A I-A",
    "B-A L-A I-A": "B-A I-A B-A",
    "S-A I-A": "B-A B-A",
    "U-A U-A": "B-A B-A",
    "I-A E-A I-A E-A": "B-A I-A B-A I-A",
}


def test_repair_reads_as_the_scoring_script_does():
    for labels, repaired in READ.items():
        assert repair(labels.split(), "IOB2")[0] == repaired.split()
    assert repair(["I-A", "I-A", "O", "B-A"], "IOB2")[1] == 1  # of which one changed


@given(batch=st.lists(any_labels, max_size=4), name=st.sampled_from(list(SCHEMES)))
def test_repair_of_ids_agrees_with_the_strings(batch, name):
    index = {}
    for labels in batch:
        for label in labels:
            index.setdefault(label, len(index))
    reader = LabelReader(list(index))
    flat = [label for labels in batch for label in labels]
    ids = np.array([index[label] for label in flat], dtype=np.int32)
    offsets = np.cumsum([0, *map(len, batch)])
    repaired = [label for labels in batch for label in repair(labels, name)[0]]
    changed = [i for i, label in enumerate(flat) if label != repaired[i]]
    found = changed_by_repair(reader, ids, offsets, get_scheme(name))
    assert found.tolist() == changed
    starts, ends, types = reader.chunks(ids, offsets)
    chunks = [
        (start + offset, end + offset, type_)
        for labels, offset in zip(batch, offsets.tolist(), strict=False)
        for start, end, type_ in read_spans(labels)
    ]
    names = [reader.types[i] for i in types]
    assert list(zip(starts.tolist(), ends.tolist(), names, strict=True)) == chunks


@pytest.mark.parametrize("name", SCHEMES)
def test_repair_detects_each_representation(name):
    scheme = get_scheme(name)
    assert detect_scheme([scheme.encode(x, 4) for x in all_chunkings(4)]) == name


def test_repair_detection_prefers_by_rule_and_bears_a_few_mistakes():
    assert detect_scheme([]) == "IOB2"
    names = {"O": "IOB2", "I-A": "IOB1", "B-A": "IOB2", "E-A": "IOE2", "U-A": "BILOU"}
    for label, name in names.items():
        assert detect_scheme([[label, "O"]]) == name
    good = get_scheme("O+C").encode([(0, 2, "A"), (3, 4, "A")], 4)
    assert detect_scheme([good, good, ["I-A", "O"]]) == "O+C"
    with pytest.raises(ValueError, match="LP202.*'NP'"):
        detect_scheme([["NP"]])
