"""The bundled sample keeps its promises."""

import json
from collections import Counter
from pathlib import Path

import pytest
from spacy.vocab import Vocab

from spacy_latperc.data.column_files import read_columns
from spacy_latperc.data.formats import CONLLU
from spacy_latperc.data.label_spans import label_spans
from spacy_latperc.io.docbin import read_docs

COLUMNS = ["word", "tag", "chunk", "ent"]
PARTS = ("train", "dev", "test")
BUNDLED = Path(__file__).parents[2] / "assets" / "sample"

pytestmark = pytest.mark.skipif(
    not BUNDLED.is_dir(), reason="the installed package is tested without its assets"
)


@pytest.fixture(scope="module")
def folder():
    return BUNDLED


@pytest.fixture(scope="module")
def tables(folder):
    return {part: read_columns(folder / f"{part}.txt", COLUMNS) for part in PARTS}


@pytest.mark.parametrize("part", PARTS)
def test_sample_real_and_false_sentences_match(folder, part):
    """They are as long, and only the real ones have gold."""
    lines = (folder / f"grammaticality-{part}.jsonl").read_text().splitlines()
    lengths: dict[bool, Counter[int]] = {False: Counter(), True: Counter()}
    for fields in map(json.loads, lines):
        real = fields["cats"]["GRAMMATICAL"] == 1
        words = len(fields["text"].split())
        assert ("tags" in fields, "chunks" in fields) == (real, real)
        assert len(fields["simple_tags"].split()) == words
        lengths[real][words] += 1
    assert lengths[False] == lengths[True]
    assert sum(lengths[True].values()) > 190


def errors_of(path):
    return [
        ([t.text for t in doc], [(x.start, x.label_) for x in doc.spans["errors"]])
        for doc in read_docs(path, Vocab())
    ]


@pytest.mark.parametrize("part", ["train", "dev"])
def test_sample_half_of_the_sentences_have_errors(folder, part):
    found = errors_of(folder / f"errors-{part}.spacy")
    assert len(found) == {"train": 1000, "dev": 200}[part]
    assert 0.4 < sum(bool(errors) for _, errors in found) / len(found) < 0.6
    assert len({label for _, errors in found for _, label in errors}) > 5


def test_sample_has_the_wanted_sizes_labels_and_unseen_words(tables):
    assert [tables[part].n_sentences for part in PARTS] == [1200, 200, 200]
    for table in tables.values():
        for column in ("chunk", "ent"):
            assert label_spans(table, column).repaired == 0
    chunks = label_spans(tables["dev"], "chunk").types
    assert set(chunks) >= {"NP", "VP", "PP", "ADVP", "ADJP", "SBAR", "PRT"}
    assert set(label_spans(tables["dev"], "ent").types) == {"PER", "LOC", "ORG", "MISC"}
    known = set(tables["train"].columns["word"].strings)
    for part in ("dev", "test"):
        words = tables[part].columns["word"]
        unseen = sum(words.strings[i] not in known for i in words.ids)
        assert 0.08 <= unseen / len(words.ids) <= 0.16


@pytest.mark.parametrize("column, share", [("tag", 0.15), ("ent", 0.05)])
def test_sample_words_are_ambiguous(tables, column, share):
    columns = tables["train"].columns
    words = columns["word"].ids.tolist()
    readings = set(zip(words, columns[column].ids.tolist(), strict=True))
    labels = Counter(word for word, _ in readings)
    assert sum(labels[word] > 1 for word in words) / len(words) > share


def test_sample_sentences_occur_once(folder):
    sentences = []
    for part in PARTS:
        sentences += (folder / f"{part}.txt").read_text().strip().split("\n\n")
    assert len(set(sentences)) == len(sentences) == 1600


# Trees --------------------------------------------------------------------------------


@pytest.mark.parametrize("part", PARTS)
def test_sample_trees_are_of_the_first_sentences(folder, tables, part):
    # Reading checks that they are trees.
    found = CONLLU.read(folder / f"{part}.conllu").table
    assert found.n_sentences == {"train": 600}.get(part, 200)
    for name in ("word", "tag"):
        mine, theirs = found.columns[name], tables[part].columns[name]
        assert [mine.strings[i] for i in mine.ids] == [
            theirs.strings[i] for i in theirs.ids[: found.n_tokens]
        ]
    assert {"UNKNOWN", "_", ""}.isdisjoint(found.columns["lemma"].strings)
