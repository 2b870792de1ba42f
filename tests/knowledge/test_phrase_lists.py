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
from spacy_latperc.knowledge.folding import Folding
from spacy_latperc.knowledge.gazetteer import gazetteer

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


def test_phrases_of_the_config_and_of_several_files_are_joined(tmp_path):
    first = write_lines(tmp_path / "a.txt", "Ulm", "Bonn")
    second = write_lines(tmp_path / "b.txt", "Bonn", "Kiel")
    made = fitted(paths=first + second, phrases=["Kiel", "New York"])
    assert len(made) == 4


def test_patterns_of_an_entity_ruler(tmp_path):
    path = tmp_path / "patterns.jsonl"
    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("entity_ruler")
    patterns = ["Acme Corp", [{"LOWER": "new"}, {"TEXT": "York"}], [{"ORTH": "Ulm"}]]
    ruler.add_patterns([{"label": "X", "pattern": x, "id": "1"} for x in patterns])
    ruler.to_disk(path)
    made = fitted(paths=[str(path)])
    assert len(made) == 3
    assert ["acme", "corp"] in made
    assert ["New", "York"] in made
    assert ["Ulm"] in made


def test_patterns_of_some_labels(tmp_path):
    paths = write_patterns(tmp_path / "a.jsonl", "Acme", "Bmce")
    paths += write_patterns(tmp_path / "b.jsonl", "Ulm", label="GPE")
    assert len(fitted(paths=paths)) == 3
    assert len(fitted(paths=paths, labels=["GPE"])) == 1
    with pytest.raises(ValueError, match="LP730"):
        fitted(paths=paths, labels=["PERSON"])


@pytest.mark.parametrize(
    ("pattern", "code"),
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
def test_patterns_that_are_no_words_are_refused(pattern, code, tmp_path):
    paths = write_patterns(tmp_path / "list.jsonl", "Acme", pattern)
    with pytest.raises(ValueError, match=rf"{code}\] Line 2 of '.*list.jsonl'"):
        fitted(paths=paths)


def test_half_of_a_surrogate_pair_is_refused(tmp_path):
    paths = write_patterns(tmp_path / "list.jsonl", "Acme", "Ulm \ud800")
    with pytest.raises(ValueError, match=r"LP470\] .*list.jsonl: line 2"):
        fitted(paths=paths)


def test_patterns_in_lower_case_need_folding(tmp_path):
    paths = write_patterns(tmp_path / "list.jsonl", [{"LOWER": "acme"}])
    assert ["Acme"] in fitted(paths=paths)
    with pytest.raises(ValueError, match="LP737"):
        fitted(paths=paths, fold_case=False)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"Ulm\n\xff\xfeBonn\n", "LP102"),
        (b"Ulm\nBonn\t12\n", "LP733. Line 2"),
        (b"Ulm\n\n\nBo\0nn\n", "LP733. Line 4"),
        (b"Ulm\n" + b"a " * 1001 + b"\n", "LP732. Line 2 .* 1001 words"),
        (b"Ulm\n" + b"[" * 100_000 + b"\n", "LP732. Line 2 .* 100000 characters"),
        (b"", "LP730"),
        (b"\n  \n", "LP730"),
        (b"PK\x03\x04", "LP564"),
    ],
)
def test_files_that_are_no_list_are_refused(data, message, tmp_path):
    path = tmp_path / "list.txt"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=message):
        fitted(paths=[str(path)])


def test_lines_of_patterns_that_are_no_json_are_refused(tmp_path):
    paths = write_lines(tmp_path / "list.jsonl", "Acme")
    with pytest.raises(ValueError, match="LP470.*line 1"):
        fitted(paths=paths)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="LP101"):
        fitted(paths=[str(tmp_path / "list.txt")])


@pytest.mark.parametrize(
    "settings",
    [
        {"phrases": "Ulm"},
        {"phrases": ["Ulm", 5]},
        {"phrases": {"Ulm": 1}},
        {"paths": "list.txt"},
        {"labels": [None]},
        {"fold_case": "yes"},
        {"fold_accents": 1},
        {"phrases": ["Ulm", " "]},
        {"phrases": ["Ulm", "5 $"]},
    ],
)
def test_settings_of_a_wrong_kind_are_refused(settings):
    with pytest.raises(ValueError, match="LP590|LP590|LP745"):
        gazetteer(**settings)


def test_a_gazetteer_that_is_given_nothing():
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


def test_the_log_says_how_large_it_is(caplog):
    with caplog.at_level(logging.INFO, logger="spacy.latperc"):
        fitted(phrases=["Ulm"])
    assert "The gazetteer 'list' has 1 phrases, in 0.0 MB of memory." in caplog.text


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
    ("first", "second", "case", "accents"),
    [
        ("Ulm", "ULM", True, False),
        ("Straße", "STRASSE", True, False),
        ("Ωσ", "ως", True, False),
        ("Malaga", "Málaga", False, True),
        ("MALAGA", "málaga", True, True),
        ("İzmir", "izmir", True, True),
        ("Mála\u0301ga".replace("á", "á"), "Mála\u0301ga", False, False),
        ("\u00e9", "e\u0301", False, False),
    ],
)
def test_what_counts_as_the_same(first, second, case, accents):
    folding = Folding(case, accents)
    assert folding.hash(first) == folding.hash(second)


@given(
    st.lists(st.text("aZ9-\xc9\xdf\u0130\u01f0\u0149\xb5\u03c3\u0301", max_size=5)),
    st.booleans(),
    st.booleans(),
)
def test_hashes_of_words_are_those_of_folded_ones(words, case, accents):
    folding = Folding(case, accents)
    hashes = WordHashes(folding.hash, folded=folding.characters())
    found = hashes.of(np.arange(len(words), dtype=np.uint64), words.__getitem__)
    assert found.tolist() == [folding.hash(word) for word in words]


def test_what_does_not():
    assert Folding(False, True).hash("Ulm") != Folding(False, True).hash("ulm")
    assert Folding(True, False).hash("Malaga") != Folding(True, False).hash("Málaga")
