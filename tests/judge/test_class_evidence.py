"""N-grams of word classes: the counts of a text whose words are classes."""

import numpy as np
import pytest
import spacy
from builders.text import text
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc

from spacy_latperc.features.sources import Givens, Tokens
from spacy_latperc.io.docbin import MADE_FROM
from spacy_latperc.judge.evidence.class_evidence import class_ngram_evidence
from spacy_latperc.judge.evidence.ngram_counts import CountSettings, NgramCounts
from spacy_latperc.judge.evidence.word_classes import WordClasses, read_word_classes
from spacy_latperc.kernels.text import Vocabulary
from spacy_latperc.knowledge.clustering import ClusterSettings, cluster_words


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Clusters of a text, and the counts of its classes."""
    folder = tmp_path_factory.mktemp("classes")
    clusters = cluster_words(text(), ClusterSettings(classes=6))
    (folder / "clusters.txt").write_bytes(clusters.to_bytes())
    classes = read_word_classes(folder / "clusters.txt")
    counts = NgramCounts.count(
        text().renamed(classes.fold, Vocabulary()), CountSettings()
    )
    counts.to_disk(folder / "classes.ngrams")
    return folder


@pytest.fixture
def source(files):
    made = class_ngram_evidence(files / "classes.ngrams", files / "clusters.txt")
    made.fit(Givens("classes"))
    return made


def columns(source, docs, name="left"):
    words = np.concatenate([doc.to_array("ORTH") for doc in docs])
    offsets = np.cumsum([0, *map(len, docs)])
    strings = docs[0].vocab.strings
    tokens = Tokens(docs, words, offsets, strings.__getitem__)
    return source.attribute(name).of_docs(tokens)


def doc_of(line, made_from=None):
    doc = Doc(spacy.blank("en").vocab, words=line.split())
    if made_from is not None:
        doc.user_data[MADE_FROM] = [made_from.split()]
    return doc


def test_class_evidence_knows_words_it_never_saw_together(source):
    known = columns(source, [doc_of("The dog sees the tree .", "other words")])
    fresh = columns(source, [doc_of("The cat hears the house .", "other words")])
    order = columns(source, [doc_of("dog The the sees . tree", "other words")])
    assert fresh.sum() >= known.sum() - 2
    assert order.sum() < known.sum()


def test_class_evidence_leaves_a_sentence_out(files, source):
    line = next(" ".join(words) for words in text())
    itself = columns(source, [doc_of(line)], "pair")
    counted = class_ngram_evidence(
        files / "classes.ngrams", files / "clusters.txt", leave_out=False
    )
    counted.fit(Givens("classes"))
    assert (itself <= columns(counted, [doc_of(line)], "pair")).all()


def test_class_evidence_comes_back_from_its_bytes(source):
    data = source.to_bytes()
    other = source.blank()
    assert other.to_bytes() == b""
    other.from_bytes(data)
    docs = [doc_of("The old dog finds a zebra .")]
    assert (columns(other, docs) == columns(source, docs)).all()
    assert other.to_bytes() == data
    with pytest.raises(ValueError, match="LP"):
        other.from_bytes(data[: len(data) // 2])


def test_class_evidence_refuses_counts_of_words(files, source):
    data = NgramCounts.from_disk(files / "classes.ngrams").to_bytes()
    with pytest.raises(ValueError, match="LP025"):
        source.blank().from_bytes(data)


@given(
    st.dictionaries(
        st.text("abcAB1é", min_size=1, max_size=4),
        st.sampled_from(["00", "01", "1"]),
        min_size=1,
    ),
    st.text("abcAB1é", min_size=1, max_size=4),
)
def test_word_classes_are_those_of_the_dict(classes, word):
    made = WordClasses.of(classes)
    again = WordClasses.read(made.arrays())
    names = sorted(set(classes.values()))
    found = classes.get(word, classes.get(word.lower()))
    folded = again.fold(word)
    if found is not None:
        assert folded == f"<{names.index(found)}>"
    else:
        assert folded.endswith(f"{word[-2:].lower()}>") and folded[1] in "aA"


def test_word_classes_refuse_disorder():
    made = WordClasses.of({"a": "0", "b": "1"}).arrays()
    with pytest.raises(ValueError, match="disorder"):
        WordClasses.read({**made, "class_words": made["class_words"][::-1]})
