"""Exports of annotation tools, written after their documentation."""

import json

import pytest
import spacy

from spacy_latperc.autofit.dataset import read_dataset
from spacy_latperc.autofit.exports import read_export

TEXT = "Ada Lovelace met Bob in London"
SPANS = [(0, 12, "PERSON"), (17, 20, "PERSON"), (24, 30, "GPE")]
SMILE = "\N{GRINNING FACE} Ada met Bob"

PRODIGY = {
    "text": TEXT,
    "meta": {"source": "x"},
    "_input_hash": 1,
    "tokens": [
        {"text": "Ada", "start": 0, "end": 3, "id": 0, "ws": True},
        {"text": "Lovelace", "start": 4, "end": 12, "id": 1, "ws": True},
        {"text": "met", "start": 13, "end": 16, "id": 2, "ws": True},
        {"text": "Bob", "start": 17, "end": 20, "id": 3, "ws": True},
        {"text": "in", "start": 21, "end": 23, "id": 4, "ws": True},
        {"text": "London", "start": 24, "end": 30, "id": 5, "ws": False},
    ],
    "spans": [
        {"start": s, "end": e, "label": x, "token_start": 0, "token_end": 1}
        for s, e, x in SPANS
    ],
    "answer": "accept",
}
DOCCANO = {"id": 7, "text": TEXT, "label": [list(span) for span in SPANS]}
DOCCANO_RELATIONS = {
    "id": 7,
    "text": TEXT,
    "relations": [],
    "entities": [
        {"id": i, "label": x, "start_offset": s, "end_offset": e}
        for i, (s, e, x) in enumerate(SPANS)
    ],
}
RESULT = [
    {
        "id": "a",
        "from_name": "label",
        "to_name": "text",
        "type": "labels",
        "value": {"start": s, "end": e, "text": TEXT[s:e], "labels": [x]},
    }
    for s, e, x in SPANS
]
LABEL_STUDIO = {
    "id": 1,
    "data": {"text": TEXT},
    "annotations": [{"id": 3, "was_cancelled": False, "result": RESULT}],
}
LABEL_STUDIO_MIN = {"id": 1, "text": TEXT, "label": [x["value"] for x in RESULT]}
SPACY = [TEXT, {"entities": [list(span) for span in SPANS]}]
WORDS = {"tokens": TEXT.split(), "spans": [list(span) for span in SPANS]}
LABELS = ["B-PERSON", "I-PERSON", "O", "S-PERSON", "O", "I-GPE"]
WITH_SPANS = [
    PRODIGY,
    DOCCANO,
    DOCCANO_RELATIONS,
    LABEL_STUDIO,
    LABEL_STUDIO_MIN,
    WORDS,
    {"id": "0", "tokens": TEXT.split(), "ner_tags": LABELS},
    {"tokens": TEXT.split(), "text": TEXT, "labels": LABELS},
]

CHOICE = {
    "text": TEXT,
    "options": [{"id": "good", "text": "Good"}, {"id": "bad", "text": "Bad"}],
    "accept": ["good"],
    "answer": "accept",
}
DOCCANO_CLASS = {"id": 1, "text": TEXT, "label": ["good"]}
LABEL_STUDIO_CHOICE = {
    "data": {"text": TEXT},
    "annotations": [{"result": [{"type": "choices", "value": {"choices": ["good"]}}]}],
}


def read(tmp_path, *records, name="data.jsonl"):
    path = tmp_path / name
    lines = [x if isinstance(x, str) else json.dumps(x) for x in records]
    content = "\n".join(lines) if name.endswith("l") else f"[{','.join(lines)}]"
    path.write_text(content + "\n", encoding="utf8")
    return list(read_export(path))


@pytest.mark.parametrize("record", WITH_SPANS)
@pytest.mark.parametrize("name", ["data.jsonl", "data.json"])
def test_spans_are_read(tmp_path, record, name):
    (found,) = read(tmp_path, record, name=name)
    assert (found.text, found.spans, found.skipped) == (TEXT, SPANS, False)


def test_tuples_of_spacy_are_read(tmp_path):
    (found,) = read(tmp_path, SPACY, name="data.json")
    assert (found.text, found.spans) == (TEXT, SPANS)


@pytest.mark.parametrize("record", [CHOICE, DOCCANO_CLASS, LABEL_STUDIO_CHOICE])
def test_classes_are_read(tmp_path, record):
    (found,) = read(tmp_path, record)
    assert found.spans is None
    assert {label for label, value in found.classes.items() if value} == {"good"}


def test_forms_can_be_mixed_in_a_file(tmp_path):
    found = read(tmp_path, *WITH_SPANS, CHOICE)
    assert [x.spans for x in found] == [SPANS] * len(WITH_SPANS) + [None]


@pytest.mark.parametrize(
    "record",
    [
        {**PRODIGY, "answer": "reject"},
        {**PRODIGY, "answer": "ignore"},
        {"data": {"text": TEXT}, "annotations": []},
        {
            "data": {"text": TEXT},
            "annotations": [{"was_cancelled": True, "result": RESULT}],
        },
    ],
)
def test_records_that_nobody_accepted_are_skipped(tmp_path, record):
    (found,) = read(tmp_path, record)
    assert found.skipped


@pytest.mark.parametrize(
    "given, texts",
    [
        ([[3, 6, "P"], [11, 14, "P"]], True),  # UTF-16, with the text quoted
        ([[2, 5, "P"], [10, 13, "P"]], True),
        ([[2, 5, "P"], [10, 13, "P"]], False),
        ([[3, 6, "P"], [11, 14, "P"]], False),  # one runs over the end
    ],
)
def test_offsets_in_utf16_units_are_converted(tmp_path, given, texts):
    spans = [{"start": s, "end": e, "label": x} for s, e, x in given]
    for span, word in zip(spans, ("Ada", "Bob"), strict=True):
        span.update({"text": word} if texts else {})
    (found,) = read(tmp_path, {"text": SMILE, "spans": spans})
    assert [SMILE[x.start : x.end] for x in found.spans] == ["Ada", "Bob"]
    assert found.moved == (given[0][0] == 3)


def span(**fields):
    return {"text": TEXT, "spans": [{"start": 0, "end": 3, "label": "X", **fields}]}


@pytest.mark.parametrize(
    "record",
    [
        *(
            "",
            "{",
            "[1]",
            '"text"',
            "null",
            "nonsense",
            '{"text": "x"',
            '{"a": \\ud800}',
        ),
        '{"text": "\\ud800"}',
        *(
            {},
            {"txt": TEXT},
            {"text": None},
            {"text": 3},
            {"text": [TEXT]},
            {"data": {}},
        ),
        {"data": {"text": 3}},
        {"data": {"a": "x", "b": "y"}},
        *(span(start=-1), span(end=99), span(start=3), span(start=5), span(start="0")),
        *(span(start=0.5), span(start=None), span(end=True), span(label=None)),
        *(span(label=""), span(label=3), span(label=["A", "B"]), span(label=[])),
        *({"text": TEXT, "spans": [x]} for x in (None, 3, "x", [], [0], [0, 3], {})),
        {"text": TEXT, "entities": [{"start_offset": 0, "label": "X"}]},
        {"text": TEXT, "label": [[0, 3, "X"], "good"]},
        {"text": SMILE, "spans": [[1, 14, "X"], [1, 2, "Y"]]},
        *({"tokens": x} for x in (3, "Ada", [3], [""], [{}], [{"text": ""}], [None])),
        {**CHOICE, "options": "good"},
        {**CHOICE, "accept": "good"},
        {**LABEL_STUDIO, "annotations": {}},
        {**LABEL_STUDIO, "annotations": [{"result": [{}]}]},
        {**LABEL_STUDIO, "annotations": [{"result": [3]}]},
        {**LABEL_STUDIO, "annotations": [{"result": [{"value": {"start": 0}}]}]},
    ],
)
def test_damaged_records_are_refused_with_their_line(tmp_path, record):
    if record == "":
        assert read(tmp_path, record) == []
        return
    with pytest.raises(ValueError, match=r"\[LP470\].*data\.jsonl.*2"):
        read(tmp_path, DOCCANO, record)


ODD = {
    "a BOM": ("\ufeff" + json.dumps(DOCCANO), 3),
    "empty lines": ("\n\n" + json.dumps(DOCCANO) + "\n\n", 3),
    "no spans": (json.dumps({"text": TEXT, "spans": []}), 0),
    "no spans of doccano": (json.dumps({**DOCCANO, "label": []}), 0),
    "white space around": (
        json.dumps({"text": f" {TEXT} ", "spans": [[1, 13, "X"]]}),
        1,
    ),
    "unknown keys": (json.dumps({**DOCCANO, "spam": [1], "_view_id": "ner"}), 3),
    "unsorted spans": (json.dumps({**DOCCANO, "label": DOCCANO["label"][::-1]}), 3),
    "Windows line ends": (json.dumps(DOCCANO) + "\r", 3),
}


@pytest.mark.parametrize("content, n", ODD.values(), ids=ODD)
def test_odd_records_are_read(tmp_path, content, n):
    path = tmp_path / "data.jsonl"
    path.write_bytes(f"{content}\n".encode())
    data = read_dataset(spacy.blank("en"), path)
    assert [len(doc.ents) for doc in data.docs] == [n]
    assert data.docs[0].has_annotation("ENT_IOB")
    assert not data.problems


def problems(tmp_path, spans, align="skip", text=TEXT):
    path = tmp_path / "data.jsonl"
    path.write_text(json.dumps({"text": text, "spans": spans}) + "\n")
    data = read_dataset(spacy.blank("en"), path, align=align)
    (doc,) = data.docs
    return doc, [(x.kind, x.line) for x in data.problems]


@pytest.mark.parametrize(
    "align, ents, missing",
    [
        ("skip", ["London"], ["Ada", "Lovelace"]),
        ("contract", ["Lovelace", "London"], []),
        ("expand", ["Ada Lovelace", "London"], []),
    ],
)
def test_misaligned_spans_are_listed(tmp_path, align, ents, missing):
    doc, found = problems(tmp_path, [[1, 12, "P"], [24, 30, "G"]], align)
    assert [ent.text for ent in doc.ents] == ents
    assert [token.text for token in doc if token.ent_iob_ == ""] == missing
    assert found == ([("misaligned", 1)] if missing else [])


def test_overlapping_and_duplicate_spans_are_listed(tmp_path):
    spans = [[0, 3, "A"], [0, 12, "B"], [0, 12, "B"], [17, 20, "C"]]
    doc, found = problems(tmp_path, spans)
    assert [(ent.text, ent.label_) for ent in doc.ents] == [
        ("Ada Lovelace", "B"),
        ("Bob", "C"),
    ]
    assert sorted(found) == [("duplicate", 1), ("overlapping", 1)]


def test_given_tokens_are_kept(tmp_path):
    record = {**PRODIGY, "text": "Ada-Lovelace", "spans": [[0, 3, "P"]]}
    record["tokens"] = [{"text": x} for x in ("Ada", "-", "Lovelace")]
    path = tmp_path / "data.jsonl"
    path.write_text(json.dumps(record))
    (doc,) = read_dataset(spacy.blank("xx"), path).docs
    assert [token.text for token in doc] == ["Ada", "-", "Lovelace"]
    assert [ent.text for ent in doc.ents] == ["Ada"]
