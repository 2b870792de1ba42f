"""Clusters of words: files, tables of lookups, what a model keeps of them."""

import logging

import numpy as np
import pytest
import spacy
from builders.pipelines import make_examples
from hypothesis import given
from hypothesis import strategies as st
from spacy.lookups import Lookups
from spacy.vocab import Vocab

from spacy_latperc.features.sources import Givens
from spacy_latperc.kernels import chains
from spacy_latperc.knowledge import lookups as tables
from spacy_latperc.knowledge.clusters import cluster_file
from spacy_latperc.knowledge.lookups import LOG_PROBABILITIES, lookups

BROWN = "0010\tlondon\t90\n0010\tparis\t40\n0011\trome\t2\n1\tthe\t5000\n"
PAIRS = "london\t12\nparis\t12\nthe\t3\n"
COLUMNS = "london\t1\t12\nparis\t1\t13\nthe\t2\t40\n"
WORD2VEC = "london 12\nparis 12\n\nthe 3\n"


def write(path, text):
    path.write_bytes(text.encode("utf8"))
    return path


def fitted(path, **settings):
    source = cluster_file(path, **settings)
    source.fit(Givens("words"))
    return source


def value(source, word, argument=""):
    return source.attribute(argument).of_form(word)


@pytest.fixture
def brown(tmp_path):
    return write(tmp_path / "brown.tsv", BROWN)


def test_classes_of_words_and_prefixes_of_their_paths(brown, tmp_path):
    source = fitted(brown)
    assert value(source, "london") == value(source, "Paris") == "0010"
    assert value(source, "rome", "3") == value(source, "london", "3") == "001"
    assert value(source, "the", "4") == "1"
    assert value(source, "berlin") == value(source, "") == ""
    for text in (PAIRS, WORD2VEC):
        flat = fitted(write(tmp_path / "classes.txt", text), prefixes=[])
        assert value(flat, "London") == value(flat, "paris") == "12"
        assert value(flat, "the") == "3"
    # Clusterings of several sizes.
    source = fitted(write(tmp_path / "classes.txt", COLUMNS), prefixes=[1, 2])
    assert value(source, "london", "1") == value(source, "paris", "1") == "1"
    assert value(source, "london", "2") == "12"
    assert value(source, "berlin", "2") == ""
    assert value(source, "london") == "1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "LP705"),
        ("\n\n", "LP705"),
        ("london\n", r"LP704.*bad.txt, line 1: 'london'.*brown.*pairs.*word2vec"),
        (BROWN + "01\trome\n", r"LP704.*bad.txt, line 5.*brown"),
        (BROWN + "01\trome\tmany\n", r"LP704.*bad.txt, line 5.*brown"),
        (BROWN + "012\trome\t3\n", r"LP704.*line 5"),
        (PAIRS + "\nrome\t3\t4\n", r"LP704.*bad.txt, line 5.*pairs"),
        (PAIRS + "rome\t\n", r"LP704.*line 4"),
        (WORD2VEC + "rome\n", r"LP704.*bad.txt, line 5.*word2vec"),
        (PAIRS + "rome\t\x00\ud800", "LP102"),
    ],
)
def test_bad_files_are_refused(text, message, tmp_path):
    path = tmp_path / "bad.txt"
    path.write_bytes(text.encode("utf8", "surrogatepass"))
    with pytest.raises(ValueError, match=message):
        fitted(path)


def test_bad_settings_and_prefixes_are_refused(brown, tmp_path):
    for settings, code in (
        ({"path": 3}, "LP590"),
        ({"prefixes": "4"}, "LP590"),
        ({"prefixes": [0]}, "LP086"),
        ({"prefixes": [65]}, "LP086"),
    ):
        with pytest.raises(ValueError, match=code):
            cluster_file(**{"path": "clusters.tsv", **settings})
    for argument in ("x", "0", "-1", "65", "4.0"):
        with pytest.raises(ValueError, match="LP706"):
            cluster_file(brown).attribute(argument)
    for text, number in ((PAIRS, "4"), (COLUMNS, "3")):  # which the file has not
        source = cluster_file(write(tmp_path / "classes.txt", text))
        source.attribute(number)
        with pytest.raises(ValueError, match="LP707"):
            source.fit(Givens("words"))


def test_bytes_bring_everything_back(brown):
    source = fitted(brown)
    twin = source.blank()
    assert twin.nbytes < 20
    twin.from_bytes(source.to_bytes())
    assert twin.to_bytes() == source.to_bytes()
    for word in ("london", "Rome", "berlin", "the"):
        assert value(twin, word) == value(source, word)


def with_source(**source):
    """A recogniser whose templates read a source."""
    nlp = spacy.blank("en")
    features = {"@misc": "spacy_latperc.NERFeatures.v1", "sources": {"words": source}}
    nlp.add_pipe("latperc_ner", config={"model": {"features": features}})
    return nlp


def source_of(nlp, folder):
    """The source once the pipeline is saved and loaded."""
    nlp.to_disk(folder)
    learner = spacy.load(folder).get_pipe("latperc_ner").learner
    return learner.features.sources["words"]


def test_component_learns_clusters_and_needs_the_file_no_more(brown, tmp_path, caplog):
    nlp = with_source(**{"@misc": "spacy_latperc.ClusterFile.v1"}, path=str(brown))
    with caplog.at_level(logging.INFO, logger="spacy.latperc"):
        nlp.initialize(lambda: make_examples(nlp))
    assert any("words" in text and "MB" in text for text in caplog.messages)
    brown.unlink()
    source = source_of(nlp, tmp_path / "model")
    assert value(source, "London", "3") == "001"
    nlp = with_source(**{"@misc": "spacy_latperc.ClusterFile.v1"}, path=str(brown))
    with pytest.raises(FileNotFoundError, match="LP101"):  # not before
        nlp.initialize(lambda: make_examples(nlp))


# Lookups ------------------------------------------------------------------------------

# The lowest bit of a number is the first of a path.
CLUSTERS = {"London": 0b0100, "Rome": 0b1100, "the": 1, "zzz": 0}
FREQUENCIES = {"the": -3.2, "London": -11.9, "Rome": -12.1, "zzz": -19.5}


def vocab_with_tables(lang="xx"):
    lookups = Lookups()
    lookups.add_table("lexeme_cluster", CLUSTERS)
    lookups.add_table(LOG_PROBABILITIES, FREQUENCIES)
    vocab = Vocab(vectors_name="none", lookups=lookups)
    vocab.lex_attr_getters[spacy.attrs.LANG] = lambda _: lang
    return vocab


def test_lookup_clusters_have_paths():
    source = lookups()
    source.fit(Givens("words", vocab=vocab_with_tables()))
    assert value(source, "London", "4") == "0010"
    assert value(source, "ROME", "4") == "0011"
    assert value(source, "the", "4") == "1000"
    assert value(source, "zzz") == ""  # 0: it is in no cluster
    assert len({value(source, word) for word in CLUSTERS}) == 4
    twin = source.blank()
    twin.from_bytes(source.to_bytes())
    assert value(twin, "London") == value(source, "London")


def test_lookup_frequencies_are_steps_of_the_logarithm(monkeypatch):
    monkeypatch.setattr(tables, "MOST_WORDS", 3)
    source = lookups(LOG_PROBABILITIES)
    source.fit(Givens("words", vocab=vocab_with_tables()))
    words = ("the", "The", "London", "Rome", "zzz", "berlin")
    assert [value(source, word) for word in words] == ["3", "3", "11", "12", "", ""]
    twin = source.blank()
    twin.from_bytes(source.to_bytes())
    assert value(twin, "London") == "11"


@pytest.mark.parametrize("table", ["lexeme_cluster", LOG_PROBABILITIES])
def test_missing_tables_are_an_error_that_says_how_to_get_them(table):
    with pytest.raises(ValueError, match=r"LP710.*words.*pip install"):
        lookups(table).fit(Givens("words", vocab=Vocab()))
    with pytest.raises(ValueError, match=r"LP710.*vo"):
        lookups(table, lang="vo").fit(Givens("words", vocab=vocab_with_tables()))


@pytest.mark.parametrize("table", ["lexeme_cluster", LOG_PROBABILITIES])
def test_bad_settings_of_lookups_are_refused(table):
    for setting in ({"lang": 3}, {"optional": 2}):
        with pytest.raises(ValueError, match="LP590|LP086"):
            lookups(table, **setting)
    with pytest.raises(ValueError, match="LP709"):
        lookups(LOG_PROBABILITIES).attribute("2")


def test_tables_of_lookups_do_not_stay_in_the_pipeline(tmp_path):
    nlp = with_source(**{"@misc": "spacy_latperc.Lookups.v1"})
    nlp.vocab.lookups.add_table("lexeme_cluster", CLUSTERS)
    nlp.initialize(lambda: make_examples(nlp))
    nlp.vocab.lookups.remove_table("lexeme_cluster")
    assert value(source_of(nlp, tmp_path / "model"), "London", "4") == "0010"


# What is found of a word once --------------------------------------------------------


WORDS = st.lists(st.text("aAbB1-#@\xc9", min_size=0, max_size=4), max_size=30)
CLUSTERED = {"a": "0101", "ab": "0111", "B": "11", "a-b": "10", "\xe9": "00", "0": "1"}


@given(words=WORDS, several=st.booleans())
def test_parts_are_those_of_each_attribute_by_itself(words, several):
    source = cluster_file("nowhere", prefixes=[])
    source.know_classes(
        (
            (chains.text_hash(word), (path, f"x{path}") if several else (path,))
            for word, path in CLUSTERED.items()
        ),
        "a test",
    )
    first, second, third = (source.attribute(x).of_form for x in ("", "1", "2"))
    functions = [first, second, lambda word: str(len(word)), third]
    lexical = [("lexical", chains.COMPUTED, 0, function) for function in functions]
    space = chains.FeatureSpace([], [("column", 0), *lexical])
    numbers = np.arange(len(words), dtype=np.uint64)[:, None]
    for _ in range(2):
        found = space.assemble(numbers, lambda number: words[number])
        for i, word in enumerate(words):
            assert found[i, 1:].tolist() == [
                chains.text_hash(f(word)) for f in functions
            ]
        space.forget_lexemes()


LETTERS = st.text("aBz09-#@\xc9\xdf\u0130\u01c6wWhtp.:/ \u03c0\n\\", max_size=6)


@given(
    keys=st.lists(st.integers(0, 2**64 - 1), unique=True, max_size=60).map(sorted),
    others=st.lists(st.integers(0, 2**64 - 1), max_size=10),
)
def test_sorted_keys_are_found_where_they_stand(keys, others):
    places = chains.SortedKeys(np.array(keys, dtype=np.uint64))
    for i, key in enumerate(keys):
        assert places.find(key) == i
        others += [key - 1 if key else 0, min(key + 1, 2**64 - 1)]
    for key in others:
        assert places.find(key) == (keys.index(key) if key in keys else -1)
