"""Files of phrases, and what is no phrase."""

import gzip
import json
import logging

import numpy as np
import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from reference import gazetteer as reference

from spacy_latperc.features.sources import Givens
from spacy_latperc.kernels.text import WordHashes
from spacy_latperc.knowledge.gazetteer import Folding, gazetteer

TOKENIZER = spacy.blank("en").tokenizer


def tokenize(text):
    return [token.text for token in TOKENIZER(text)]


def fitted(**settings):
    made = gazetteer(**settings)
    made.fit(Givens("list", tokenize=tokenize))
    return made


def write_lines(path, *lines):
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf8")
    return [str(path)]


def write_patterns(path, *patterns, label="ORG"):
    lines = [json.dumps({"label": label, "pattern": pattern}) for pattern in patterns]
    return write_lines(path, *lines)


@pytest.mark.parametrize(
    ("name", "content", "count", "known"),
    [
        (
            "list.txt",
            "New York\n\nU.S.\n  San   Jose\u00a0Mart \nnew york\n",
            3,
            ["NEW York", "u.s.", "San Jose Mart"],
        ),
        ("list.txt.gz", "\ufeffUlm\r\nBonn\r\n", 2, ["ulm", "bonn"]),
        ("list.txt", " ".join(f"w{n}" for n in range(1000)), 1, []),
    ],
)
def test_a_phrase_a_line(tmp_path, name, content, count, known):
    """Packed files, too, with a mark and the line ends of Windows."""
    path = tmp_path / name
    data = content.encode()
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    made = fitted(paths=[str(path)])
    assert len(made) == count
    assert all(phrase.split() in made for phrase in known or [content])
    assert ["San"] not in made


def test_phrases_of_the_config_and_of_several_files_are_joined(tmp_path, caplog):
    first = write_lines(tmp_path / "a.txt", "Ulm", "Bonn")
    second = write_lines(tmp_path / "b.txt", "Bonn", "Kiel")
    with caplog.at_level(logging.INFO, logger="spacy.latperc"):
        made = fitted(paths=first + second, phrases=["Kiel", "New York"])
    assert len(made) == 4
    assert "The gazetteer 'list' has 4 phrases, in 0.0 MB of memory." in caplog.text


def test_patterns_of_an_entity_ruler_of_some_labels(tmp_path):
    path = tmp_path / "patterns.jsonl"
    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("entity_ruler")
    patterns = ["Acme Corp", [{"LOWER": "new"}, {"TEXT": "York"}], [{"ORTH": "Ulm"}]]
    ruler.add_patterns([{"label": "X", "pattern": x, "id": "1"} for x in patterns])
    ruler.to_disk(path)
    made = fitted(paths=[str(path)])
    assert len(made) == 3
    for phrase in (["acme", "corp"], ["New", "York"], ["Ulm"]):
        assert phrase in made
    paths = [str(path), *write_patterns(tmp_path / "b.jsonl", "Bonn", label="GPE")]
    assert len(fitted(paths=paths)) == 4
    assert len(fitted(paths=paths, labels=["GPE"])) == 1
    with pytest.raises(ValueError, match="LP730"):
        fitted(paths=paths, labels=["PERSON"])


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ([{"LOWER": "a"}, {"IS_DIGIT": True}], "LP736"),
        ([{"LOWER": "a", "OP": "+"}], "LP736"),
        ([{"TEXT": {"REGEX": "a+"}}], "LP736"),
        ([{"TEXT": 5}], "LP736"),
        ([{}], "LP736"),
        (["Acme"], "LP736"),
        ([], "LP732"),
        ("", "LP732"),
        (" ", "LP732"),
        (None, "LP735"),
        ({"LOWER": "a"}, "LP735"),
    ],
)
def test_patterns_that_are_no_words_are_refused(pattern, message, tmp_path):
    paths = write_patterns(tmp_path / "list.jsonl", "Acme", pattern)
    with pytest.raises(ValueError, match=rf"{message}\] Line 2 of '.*list.jsonl'"):
        fitted(paths=paths)


def test_patterns_in_lower_case_need_folding(tmp_path):
    paths = write_patterns(tmp_path / "list.jsonl", [{"LOWER": "acme"}])
    assert ["Acme"] in fitted(paths=paths)
    with pytest.raises(ValueError, match="LP737"):
        fitted(paths=paths, fold_case=False)


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("list.txt", b"Ulm\n\xff\xfeBonn\n", "LP102"),
        ("list.txt", b"Ulm\nBonn\t12\n", "LP733. Line 2"),
        ("list.txt", b"Ulm\n\n\nBo\0nn\n", "LP733. Line 4"),
        ("list.txt", b"Ulm\n" + b"a " * 1001, "LP732. Line 2 .* 1001 words"),
        ("list.txt", b"Ulm\n" + b"[" * 100_000, "LP732. Line 2 .* 100000 characters"),
        ("list.txt", b"", "LP730"),
        ("list.txt", b"\n  \n", "LP730"),
        ("list.txt", b"PK\x03\x04", "LP564"),
        ("list.jsonl", b"Acme\n", "LP470.*line 1"),
        ("list.jsonl", b'{"pattern": "\\ud800"}', "LP470.*line 1"),
        ("list.txt", None, "LP101"),
    ],
)
def test_files_that_are_no_list_are_refused(name, data, message, tmp_path):
    path = tmp_path / name
    if data is not None:
        path.write_bytes(data)
    with pytest.raises((ValueError, FileNotFoundError), match=message):
        fitted(paths=[str(path)])


def test_settings_of_a_wrong_kind_and_no_phrases_are_refused():
    for settings in (
        {"phrases": "Ulm"},
        {"phrases": ["Ulm", 5]},
        {"phrases": {"Ulm": 1}},
        {"paths": "list.txt"},
        {"labels": [None]},
        {"fold_case": "yes"},
        {"fold_accents": 1},
        {"phrases": ["Ulm", " "]},
        {"phrases": ["Ulm", "5 $"]},
    ):
        with pytest.raises(ValueError, match="LP590|LP745"):
            gazetteer(**settings)
    with pytest.raises(ValueError, match="LP730.*'list'"):
        fitted()
    with pytest.raises(ValueError, match="LP731.*'list'"):
        gazetteer(phrases=["Ulm"]).fit(Givens("list"))


def test_a_fit_that_fails_forgets_nothing(tmp_path):
    paths = write_lines(tmp_path / "list.txt", "Ulm")
    made = fitted(paths=paths)
    write_lines(tmp_path / "list.txt", "Bonn", "a\tb")
    with pytest.raises(ValueError, match="LP733"):
        made.fit(Givens("list", tokenize=tokenize))
    assert ["Ulm"] in made


def test_the_vocabulary_does_not_grow_by_the_list(tmp_path):
    nlp = spacy.blank("en")
    nlp("Ulm is a town")
    before = set(nlp.vocab.strings)
    words = [f"word{n}" for n in range(100)]

    def split(text):
        return [token.text for token in nlp.make_doc(text)]

    made = gazetteer(paths=write_lines(tmp_path / "list.txt", *words, "Ulm"))
    made.fit(Givens("list", vocab=nlp.vocab, tokenize=split))
    assert len(made) == 101
    assert set(nlp.vocab.strings) == before
    with nlp.vocab.memory_zone():
        made.fit(Givens("list", vocab=nlp.vocab, tokenize=split))
    assert len(made) == 101


# Folding ------------------------------------------------------------------------------

WORDS = st.text(
    st.one_of(
        st.characters(categories=["L", "M", "N", "P"]),
        st.sampled_from("aAéÉßẞıİñΣσς\u0301\u0327\u0130"),
    ),
    max_size=8,
)


@given(WORDS, st.booleans(), st.booleans())
def test_folding_is_that_of_the_twin(word, case, accents):
    folded = Folding(case, accents).fold(word)
    assert folded == reference.fold(word, case=case, accents=accents)


@pytest.mark.parametrize(
    ("first", "second", "case", "accents", "same"),
    [
        ("Ulm", "ULM", True, False, True),
        ("Straße", "STRASSE", True, False, True),
        ("Ωσ", "ως", True, False, True),
        ("Malaga", "Málaga", False, True, True),
        ("MALAGA", "málaga", True, True, True),
        ("İzmir", "izmir", True, True, True),
        ("\u00e9", "e\u0301", False, False, True),
        ("Ulm", "ulm", False, True, False),
        ("Malaga", "Málaga", True, False, False),
    ],
)
def test_what_counts_as_the_same(first, second, case, accents, same):
    folding = Folding(case, accents)
    assert (folding.hash(first) == folding.hash(second)) is same


@given(
    st.lists(st.text("aZ9-\xc9\xdf\u0130\u01f0\u0149\xb5\u03c3\u0301", max_size=5)),
    st.booleans(),
    st.booleans(),
)
def test_hashes_of_words_are_those_of_folded_ones(words, case, accents):
    folding = Folding(case, accents)
    hashes = WordHashes(folding.hash)
    found = hashes.of(np.arange(len(words), dtype=np.uint64), words.__getitem__)
    assert found.tolist() == [folding.hash(word) for word in words]
