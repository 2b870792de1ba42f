"""The counts of the real corpora, where they are at hand."""

import numpy as np
import pytest

from spacy_latperc.data.column_files import read_columns
from spacy_latperc.data.label_spans import label_spans

CONLL2000 = (["word", "tag", "chunk"], {})
CONLL2002 = (["word", "tag", "ent"], {"separator": " "})
JNLPBA = (["word", "ent"], {"separator": "\t", "doc_mark": "###MEDLINE:"})
WNUT17 = (["word", "ent"], {"separator": "\t"})

LABELLED = [
    ("conll2000/train.txt.gz", CONLL2000, 8936, 211727, 106978),
    ("conll2000/test.txt", CONLL2000, 2012, 47377, 23852),
    ("conll2002/esp.train.gz", CONLL2002, 8323, 264715, 18798),
    ("conll2002/esp.testa", CONLL2002, 1915, 52923, 4352),
    ("conll2002/esp.testb", CONLL2002, 1517, 51533, 3559),
    ("conll2002/ned.train.gz", CONLL2002, 15806, 202644, 13344),
    ("conll2002/ned.testa", CONLL2002, 2895, 37687, 2616),
    ("conll2002/ned.testb", CONLL2002, 5195, 68875, 3941),
    ("jnlpba/train.iob2.gz", JNLPBA, 18546, 492551, 51301),
    ("jnlpba/dev_last200.iob2", JNLPBA, 1739, 47461, 4551),
    ("jnlpba/test.iob2", JNLPBA, 3856, 101039, 8662),
    ("wnut17/train.conll", WNUT17, 3394, 62730, 1975),
    ("wnut17/dev.conll", WNUT17, 1009, 15733, 836),
    ("wnut17/test.conll", WNUT17, 1287, 23394, 1079),
]


DOCUMENTS = {"jnlpba/train.iob2.gz": 2000, "jnlpba/test.iob2": 404}


@pytest.mark.parametrize("name, kind, sentences, tokens, spans", LABELLED)
def test_real_corpora_have_their_counts(data, name, kind, sentences, tokens, spans):
    columns, settings = kind
    table = read_columns(data / name, columns, **settings)
    found = label_spans(table, columns[-1], scheme="auto", repair=True)
    assert (table.n_sentences, table.n_tokens) == (sentences, tokens)
    assert (found.scheme, len(found.starts)) == ("IOB2", spans)
    assert table.n_documents == DOCUMENTS.get(name, table.n_documents)


@pytest.mark.parametrize(
    "name, sentences, words, tags",
    [
        ("ud_ewt/train.tsv.gz", 12544, 204577, 49),
        ("ud_ewt/dev.tsv", 2001, 25147, 49),
        ("ud_ewt/test.tsv", 2077, 25094, 48),
    ],
)
def test_real_corpora_of_tags_have_their_counts(data, name, sentences, words, tags):
    columns = ["id", "word", "pos", "tag", "space"]
    table = read_columns(data / name, columns, separator="\t", comment="# sent_id")
    assert (table.n_sentences, table.n_tokens) == (sentences, words)
    assert len(table.columns["tag"].strings) == tags
    assert len(table.columns["pos"].strings) == 17


def test_real_corpora_have_noun_phrases_and_little_memory(data):
    table = read_columns(data / "conll2000" / "train.txt.gz", CONLL2000[0])
    assert len(label_spans(table, "chunk", keep_types=["NP"]).starts) == 55081
    arrays = [table.sentence_offsets, *(x.ids for x in table.columns.values())]
    assert sum(x.nbytes for x in arrays) <= 16 * table.n_tokens
    assert np.all(np.diff(table.sentence_offsets) > 0)
