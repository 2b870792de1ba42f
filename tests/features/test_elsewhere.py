"""Labels of the same word elsewhere: against a count of every pair of tokens."""

from collections import Counter

import numpy as np
import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc, Span

from spacy_latperc.features.attributes import column_reader
from spacy_latperc.features.elsewhere import (
    OUTSIDE,
    majority_elsewhere,
    sentence_numbers,
)
from spacy_latperc.features.templates import parse_template
from spacy_latperc.pipeline.doc_reader import DocReader


def counted(words, labels, sentences, docs, reach):
    found = []
    for i, word in enumerate(words):
        counts = Counter(
            labels[j] or OUTSIDE
            for j, other in enumerate(words)
            if j != i
            and other == word
            and docs[j] == docs[i]
            and (not reach or abs(sentences[j] - sentences[i]) <= reach)
        )
        ranked = sorted(counts, key=lambda label: (-counts[label], label))
        found.append(ranked[0] if ranked else 0)
    return found


LABELS = st.sampled_from([0, 2, 3, 2**64 - 1])
token = st.tuples(st.integers(0, 4), LABELS, st.booleans(), st.booleans())


@given(st.lists(token, max_size=40), st.integers(0, 3))
def test_it_is_the_naive_count(tokens, reach):
    rows = list(zip(*tokens, strict=True)) or [()] * 4
    words, labels = (np.array(row, dtype=np.uint64) for row in rows[:2])
    docs = np.cumsum(np.array(rows[3], dtype=np.int64))
    starts = np.array(rows[2], dtype=np.uint64) | np.array(rows[3], dtype=np.uint64)
    sentences = sentence_numbers(starts)
    found = majority_elsewhere(words, labels, sentences, docs, reach)
    given_lists = (x.tolist() for x in (words, labels, sentences, docs))
    assert found.tolist() == counted(*given_lists, reach)


@pytest.fixture
def doc():
    nlp = spacy.blank("en")
    words = "Roma won . They beat Roma . AS Roma lost . roma ?".split()
    starts = [i in (0, 3, 7, 11) for i in range(len(words))]
    doc = Doc(nlp.vocab, words=words, sent_starts=starts)
    doc.ents = [Span(doc, 0, 1, "ORG"), Span(doc, 5, 6, "LOC"), Span(doc, 7, 9, "ORG")]
    return doc


def read(doc, name):
    return column_reader(parse_template(f"{name}[0]").parts[0].attribute.column)(doc)


def test_words_are_the_same_whatever_their_case_and_reach_is_in_sentences(doc):
    org, loc = (2 * doc.vocab.strings[name] % 2**64 for name in ("ORG", "LOC"))
    around = read(doc, "doc.ent").tolist()
    assert around[11] == org  # ORG twice, at the first word and inside; LOC once
    assert around[0] == min(org, loc, OUTSIDE)  # one of each
    assert around[2] == OUTSIDE  # another full stop
    assert around[1] == 0  # no other "won"
    loc = 2 * doc.vocab.strings["LOC"] % 2**64
    assert read(doc, "near1.ent").tolist()[0] == loc
    assert read(doc, "near1.tag").tolist() == read(doc, "near1.dep").tolist()


def test_a_batch_is_read_doc_by_doc(doc):
    reader = column_reader("elsewhere:1:ent")
    docs = [doc, doc[3:11].as_doc(), doc[:0].as_doc(), doc.copy()]
    assert reader.of_docs(docs).tolist() == [x for d in docs for x in reader(d)]
    read = DocReader(["ORTH", "SENT_START", "elsewhere:1:ent"]).read(docs)
    assert read.values[:, 2].tolist() == reader.of_docs(docs).tolist()


def test_names_are_short_and_what_has_no_labels_is_refused():
    for text, name in (
        ("near30.ent[0]", "near.ent[0]"),
        ("near15.e[-1]|doc.chunk[0]", "near15.ent[-1]|doc.chunk[0]"),
        ("near.spans.a.b[0]", "near.spans.a.b[0]"),
        ("doc._.topic[0]", "doc._.topic[0]"),
    ):
        assert str(parse_template(text)) == name
    for name in ("near.suf3", "doc.orth", "near0.ent", "near.doc.ent"):
        with pytest.raises(ValueError, match="LP77[01]"):
            parse_template(f"{name}[0]")
