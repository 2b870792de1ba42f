"""Docs without tokens of white space, and the way back."""

import numpy as np
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.attrs import SENT_START
from spacy.tokens import Doc, Span, Token
from spacy.training import Example

from spacy_latperc.judge.spaces import Words, without_spaces_in

WORDS = st.lists(st.sampled_from(["the", "dog", " ", "\n\n", "."]), max_size=8)
nlp = spacy.blank("en")


def sentences(doc):
    return [[t.text for t in sent if not t.is_space] for sent in doc.sents]


@given(st.lists(WORDS, max_size=5), st.data())
@settings(max_examples=120, deadline=None)
def test_words_stay_and_values_come_back(texts, data):
    docs = []
    for words in texts:
        starts = [data.draw(st.booleans()) for _ in words]
        docs.append(Doc(nlp.vocab, words=words, sent_starts=starts))
    found = Words.of(docs)
    tokens = [token for doc in docs for token in doc]
    for doc, seen in zip(docs, found.docs, strict=True):
        assert [t.text for t in seen] == [t.text for t in doc if not t.is_space]
        if len(seen):
            assert sentences(seen) == [words for words in sentences(doc) if words]
    kept = np.array([t.text for doc in found.docs for t in doc], dtype=object)
    spread = found.spread(kept, "")
    assert list(spread) == ["" if t.is_space else t.text for t in tokens]
    starts = [[t.i == 0 or t.is_sent_start is True for t in doc] for doc in found.docs]
    bounds = np.flatnonzero([x for row in starts for x in row])
    per_doc = np.array([sum(row) for row in starts], dtype=np.int64)
    back = found.bounds(np.append(bounds, len(kept)), per_doc).tolist()
    assert back[-1] == len(tokens) and back == sorted(back)
    edges = np.cumsum([0, *map(len, docs)]).tolist()
    wanted = [s for seen in found.docs if len(seen) for s in sentences(seen)]
    pairs = zip(back[:-1], back[1:], strict=True)
    got = [[t.text for t in tokens[a:b] if not t.is_space] for a, b in pairs]
    assert got == wanted
    assert all(edges[d] in back for d, seen in enumerate(found.docs) if len(seen))


def test_docs_without_white_space_are_what_they_were():
    doc = Doc(nlp.vocab, words=["the", "dog"])
    assert Words.of([doc]).docs[0] is doc
    example = Example(doc, doc.copy())
    assert without_spaces_in(example) is example


def test_annotation_stays_on_its_words():
    if not Token.has_extension("kind_of_word"):
        Token.set_extension("kind_of_word", default="")
    words, deps = ["\n", "Ann", " ", "Lee", "sleeps"], "_SP NNP _SP NNP VBZ".split()
    annotation = {
        "tags": deps,
        "lemmas": ["", "Ann", "", "Lee", "sleep"],
        "ents": ["O", "B-PER", "I-PER", "I-PER", "O"],
    }
    starts = [True] + [False] * 4
    doc = Doc(nlp.vocab, words=words, sent_starts=starts, **annotation)
    doc.spans["errors"] = [Span(doc, 1, 4, label="wrong"), Span(doc, 2, 3, label="x")]
    doc[4]._.kind_of_word = "verb"
    doc.user_data["from"] = "there"
    (found,) = Words.of([doc]).docs
    assert [t.tag_ for t in found] == ["NNP", "NNP", "VBZ"]
    assert [t.lemma_ for t in found] == ["Ann", "Lee", "sleep"]
    assert [(e.text, e.label_) for e in found.ents] == [("Ann Lee", "PER")]
    spans = [(span.start, span.end, span.label_) for span in found.spans["errors"]]
    assert spans == [(0, 2, "wrong")]
    assert found[2]._.kind_of_word == "verb" and found.user_data["from"] == "there"
    assert found.to_array(SENT_START)[0] == 1
