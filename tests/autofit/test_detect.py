"""Formats, columns and languages are detected from small pieces of text."""

import gzip

import pytest
import spacy
from builders.sample import SAMPLE
from project_files import ROOT
from spacy.lookups import Lookups
from spacy.strings import get_string_id

from spacy_latperc.autofit.dataset import read_dataset, sample_words
from spacy_latperc.autofit.detect import (
    detect_columns,
    detect_format,
    detect_language,
    stop_words,
)
from spacy_latperc.knowledge import lookups

SENTENCES = {
    "en": "The book that was on the table is not there any more, and I have seen it",
    "de": "Das Buch, das auf dem Tisch lag, ist nicht mehr da, und ich habe es gesehen",
    "es": "El libro que estaba en la mesa ya no está, y no lo he visto en toda la casa",
    "nl": "Het boek dat op de tafel lag is er niet meer en ik heb het niet gezien",
    "xx": "qwe rtz uio asd fgh jkl yxc vbn",
}


@pytest.mark.parametrize("lang, text", SENTENCES.items())
def test_language_is_detected_by_stop_words(lang, text):
    assert detect_language(text.replace(",", " ,").split())[0] == lang


def test_language_of_nothing():
    assert detect_language([]) == ("xx", 0.0)
    assert len(stop_words()) > 30


@pytest.mark.parametrize(
    "lines, names, separator",
    [
        (["Ada B-PER", "met O", "him O"], ["word", "ent"], None),
        (["Ada\tNNP\tB-PER", "met\tVBD\tO"], ["word", "tag", "ent"], "\t"),
        (
            ["Ada NNP B-NP B-PER", "met VBD B-VP O"],
            ["word", "tag", "chunk", "ent"],
            None,
        ),
        (
            ["Ada NNP B-NP", "met VBD B-VP", "us PRP B-NP"],
            ["word", "tag", "chunk"],
            None,
        ),
        (["1 Ada PROPN", "2 met VERB", "3 us PRON"], ["id", "word", "pos"], None),
        (["Ada PROPN NNP", "met VERB VBD"], ["word", "pos", "tag"], None),
        (["Ada ada NNP x1", "met meet VBD x2", "us we PRP x3"], ["word", "tag"], None),
        (["Ada S-PER", "Eve U-PER", "met O", "us L-X"], ["word", "ent"], None),
        (["B-PER\tAda", "O\tmet"], ["ent", "word"], "\t"),
    ],
)
def test_columns_are_detected(tmp_path, lines, names, separator):
    path = tmp_path / "data.txt"
    sentences = [
        "".join(f"{line.replace(' x', f' x{i}')}\n" for line in lines)
        for i in range(60)
    ]
    path.write_text("\n".join(sentences))
    found = detect_columns(path)
    assert [x for x in found.columns if x != "-"] == names
    assert found.separator == separator


def test_marks_of_documents_are_detected(tmp_path):
    path = tmp_path / "data.iob"
    text = [f"###DOC:{i}\n\nAda B-PER\nmet O\nus O\n\nBob B-PER\n" for i in range(20)]
    path.write_text("\n".join(text))
    data = read_dataset(spacy.blank("en"), path)
    assert detect_columns(path).doc_mark == "###DOC:"
    assert len(data.docs) == 40
    assert len(set(data.keys)) == 1  # all documents have the same first sentence


@pytest.mark.parametrize(
    "name, content, kind",
    [
        ("a.jsonl", '{"text": "x"}', "JSON records"),
        ("a.json", "[]", "JSON records"),
        ("a.txt", '{"text": "x"}', "JSON records"),
        ("a.txt", "[ x\n", "columns"),
        ("a.iob", "x O", "columns"),
        ("a.conllu", "", "CoNLL-U"),
        ("a.spacy", "", ".spacy"),
    ],
)
def test_formats_are_detected(tmp_path, name, content, kind):
    path = tmp_path / name
    path.write_text(content)
    assert detect_format(path) == kind
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress(content.encode()))
    assert detect_format(tmp_path / f"{name}.gz") == kind or name.endswith(".spacy")


@pytest.mark.parametrize(
    "content, error",
    [
        (b"", "LP108"),
        (b"\n\n", "LP108"),
        (b"just some text\nof two lines\n", "LP860"),
        (b"one\nword\na\nline\n", "LP860"),
        (b"caf\xe9 O\n", "LP861"),
    ],
)
def test_other_files_are_refused(tmp_path, content, error):
    path = tmp_path / "data.txt"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=error):
        read_dataset(spacy.blank("en"), path)


@pytest.mark.parametrize(
    "name, annotation",
    [
        ("train.txt", {"ents", "chunks", "tag"}),
        ("train.conllu", {"tag", "pos", "morph", "lemma", "trees"}),
    ],
)
def test_sample_is_read(name, annotation):
    data = read_dataset(spacy.blank("en"), SAMPLE / name)
    assert set(data.annotation) == annotation
    assert detect_language(sample_words([SAMPLE / name]))[0] == "en"


def test_split_depends_on_the_text_of_each_document_alone():
    data = read_dataset(spacy.blank("en"), ROOT / "assets/sample/train.txt")
    train, dev = data.split()
    assert 0.05 < len(dev.docs) / len(data.docs) < 0.15
    assert not {x.text for x in train.docs} & {x.text for x in dev.docs}
    data.docs.reverse()
    data.keys.reverse()
    assert {x.text for x in data.split()[1].docs} == {x.text for x in dev.docs}


def test_empty_tables_of_lookups_are_no_knowledge(monkeypatch):
    tables = Lookups()
    monkeypatch.setattr(lookups, "load_lookups", lambda *_, **__: tables)

    def found():
        lookups.package_table.cache_clear()
        return [x.tolist() for x in lookups.package_table(lookups.CLUSTERS, "nl")]

    assert found() == [[], []]
    tables.add_table(lookups.CLUSTERS)
    assert found() == [[], []]
    tables.get_table(lookups.CLUSTERS).update({"de": 3, "het": 0})
    assert found() == [[get_string_id("de")], [3]]
    lookups.package_table.cache_clear()


@pytest.mark.parametrize("lines", ["1 Ada B-P|2 ran O|3 Ed B-P", "# B-P|ran O|Ed B-P"])
@pytest.mark.parametrize("comment", ["# a b", "#\thttp://x [1]", ""])
def test_comments_are_skipped(tmp_path, lines, comment):
    sentence = lines.replace(" ", "\t").split("|")
    if lines.startswith("#"):  # a token
        comment = comment.replace("\t", " ")
    path = tmp_path / "data.txt"
    path.write_text("\n".join([comment, *sentence, "", comment, *sentence, ""]))
    docs = read_dataset(spacy.blank("xx"), path).docs
    assert [[ent.start for ent in doc.ents] for doc in docs] == [[0, 2]] * 2
