"""Plain sentences from archives and column files."""

import zipfile

from tools.corpora.raw_text import biomedical, english


def test_english_sentences_are_those_of_texts_without_marks(tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a/README.txt", "Not this one.")
        archive.writestr("a/b.py", "Nor this one.")
        archive.writestr("a/one.txt", "It is here[u]. It\nis there.\n\nIt is here.")
        archive.writestr("a/pos/cv000.x", "no stop\nat the end")
        archive.writestr("a/two.xml", "<p>It is <b>bold</b>.</p>")
    lines = english([path]).decode().splitlines()
    assert lines == [
        *("It is here .", "It is there .", "no stop", "at the end", "It is bold .")
    ]


def test_biomedical_sentences_are_words_without_labels(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text("IL-2\tB-X\nbinds\tO\n\nIt\tO\n\nIL-2\tO\nbinds\tO\n")
    assert biomedical([path, path]) == b"IL-2 binds\nIt\n"
