"""Errors that are put in, and their marks."""

import pytest
import spacy
from builders.text import ADJECTIVES, NOUNS, read_lines
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from spacy_latperc.cli import latperc_cli
from spacy_latperc.data.docbin_corpus import docbin_corpus
from spacy_latperc.judge.error_injection.corrupt import (
    Corrupted,
    Corrupter,
    CorruptSettings,
)
from spacy_latperc.judge.error_injection.error_files import MARKS, write_corrupted
from spacy_latperc.judge.error_injection.kinds import DEFAULT_SHARES, KINDS
from spacy_latperc.judge.error_injection.marks import (
    Edit,
    Mark,
    corrupted,
    token_labels,
)
from spacy_latperc.judge.evidence.lexicon import Choices, Lexicon

STEMS = "walk talk jump look call paint play cook help start".split()
SMALL = "the a this that in on at with under near".split()


def rich_lines():
    """Sentences with forms of words, small words and rarer ones."""
    found = []
    for i in range(600):
        stem, other = STEMS[i % 10], STEMS[i // 3 % 10]
        ending = ("s", "ed", "ing", "")[i // 7 % 4]
        noun = NOUNS[i // 5 % 8] + ("s" if i % 3 else "")
        words = [SMALL[i % 4].title(), ADJECTIVES[i % 4], noun, stem + ending]
        words += [SMALL[4 + i % 6], SMALL[i // 2 % 4], other + "er", "and", "it"]
        words += [SMALL[i // 11 % 4], NOUNS[i // 13 % 8] + "y", "."]
        found.append(" ".join(words))
    return found


@pytest.fixture(scope="module")
def rich():
    return read_lines(*rich_lines())


@pytest.fixture(scope="module")
def lexicon(rich):
    return Lexicon(rich, small_words=16)


def corrupter(lexicon, **how):
    shares = how.pop("shares", dict(DEFAULT_SHARES))
    return Corrupter(lexicon, CorruptSettings(shares=shares, **how))


def restored(words, marks):
    """The clean sentence that marks belong to."""
    clean, at = [], 0
    for mark in marks:
        clean += [*words[at : mark.start], *mark.before]
        at = mark.end
    return clean + words[at:]


EDITS = st.tuples(
    st.lists(st.sampled_from("abcd"), max_size=9),
    st.lists(
        st.tuples(
            st.integers(0, 3), st.integers(0, 2), st.lists(st.sampled_from("xy"))
        ),
        max_size=4,
    ),
)


@given(EDITS)
def test_marks_undo_any_edits(given_edits):
    words, gaps = given_edits
    edits, at = [], 0
    for gap, length, new in gaps:
        start = at + gap
        if start + length > len(words):
            break
        edits.append(Edit("some", start, start + length, tuple(new)))
        at = start + length + 1
    made, marks = corrupted(words, edits[::-1])
    assert restored(made, marks) == words
    for mark, edit in zip(marks, edits, strict=True):
        assert tuple(made[mark.start : mark.end]) == edit.words
        assert mark.before == tuple(words[edit.start : edit.end])
    labels = token_labels(len(made), marks)
    assert len(labels) == len(made)
    if made:
        assert bool(marks) == any(labels)


@pytest.mark.parametrize("kind", KINDS)
@given(st.integers(0, 10_000), st.integers(1, 4))
@settings(max_examples=25)
def test_errors_of_every_kind_can_be_undone(kind, lexicon, rich, seed, most):
    make = corrupter(lexicon, shares={kind: 1.0}, seed=seed, most=most)
    number = seed % len(rich)
    words, other = rich.words(number), rich.words((number + 7) % len(rich))
    found = make.one(words, number, other)
    assert restored(found.words, found.marks) == words == found.original
    assert {mark.kind for mark in found.marks} <= {kind}
    assert bool(found.marks) == (found.words != words)
    assert make.one(words, number, other) == found


@pytest.mark.parametrize("kind", KINDS)
def test_errors_of_every_kind_are_made(kind, lexicon, rich):
    make = corrupter(lexicon, shares={kind: 1.0})
    found = list(make.all_of(rich.slice(0, 60)))
    assert sum(bool(x.marks) for x in found) > 40
    assert any(any(x.labels) for x in found)


def test_what_a_kind_does(lexicon, rich):
    words = rich.words(0)
    by_kind = {}
    for kind in KINDS:
        for n in range(200):
            made = corrupter(lexicon, shares={kind: 1}, most=1, seed=n)
            by_kind[kind] = made.one(words, n, rich.words(1))
            if by_kind[kind].marks:
                break
    n = len(words)
    assert len(by_kind["missing"].words) == n - 1
    assert len(by_kind["extra"].words) == len(by_kind["repeat"].words) == n + 1
    for kind in ("order", "far"):
        assert sorted(by_kind[kind].words) == sorted(words)
    assert by_kind["case"].words != words
    assert list(map(str.lower, by_kind["case"].words)) == list(map(str.lower, words))
    assert len(by_kind["cut"].words) < n
    assert by_kind["halves"].original == words
    assert sum(map(bool, by_kind["halves"].labels)) == 1


def test_clean_sentences_and_numbers_of_errors(lexicon, rich):
    make = corrupter(lexicon, clean=0.5, most=3, shares={"small": 1.0})
    found = list(make.all_of(rich))
    clean = sum(not x.marks for x in found)
    assert 0.4 < clean / len(found) < 0.6
    assert {len(x.marks) for x in found if x.marks} == {1, 2, 3}


def test_empty_sentences_stay(lexicon):
    assert corrupter(lexicon).one([], 0) == Corrupted([], [], [])
    short = corrupter(lexicon, shares={"small": 1.0}).one(["."], 0)
    assert short == Corrupted(["."], [], ["."])
    assert Lexicon(read_lines("1 2 3 .", ". .")).small is None
    numbers = Lexicon(read_lines("1 2 3 . 5 6"))
    found = corrupter(numbers, shares={"small": 1, "form": 1})
    assert found.one(["1", "2"], 0).marks == []


def test_lexicon_knows_forms_and_small_words(lexicon):
    assert {"walks", "walked", "walking"} <= set(lexicon.forms["walk"].words)
    assert "walk" not in lexicon.forms["walk"].words
    assert set(lexicon.like["near"].words) & set(SMALL[4:])
    assert lexicon.like["under"].words[0] in SMALL[4:]


@given(st.lists(st.integers(1, 9), min_size=1, max_size=9), st.floats(0, 0.999999))
def test_choices_are_by_weight(weights, chance):
    words = [str(n) for n in range(len(weights))]
    sums = [sum(weights[: n + 1]) / sum(weights) for n in range(len(weights))]
    wanted = next(n for n, end in enumerate(sums) if chance < end or n + 1 == len(sums))
    assert abs(int(Choices(words, weights).pick(chance)) - wanted) <= (
        min(abs(chance - end) for end in sums) < 1e-9
    )


@pytest.fixture
def few(lexicon, rich):
    return list(corrupter(lexicon, clean=0.3).all_of(rich.slice(0, 20)))


def test_spacy_files_have_labels_and_marks(few, tmp_path):
    write_corrupted(few, tmp_path / "out.spacy")
    nlp = spacy.blank("en")
    examples = list(docbin_corpus(tmp_path / "out.spacy")(nlp))
    for example, sentence in zip(examples, few, strict=True):
        doc = example.reference
        assert [token.text for token in doc] == sentence.words
        found = [(span.start, span.label_) for span in doc.spans["errors"]]
        assert found == [(n, x) for n, x in enumerate(sentence.labels) if x]
        marks = [Mark(*mark[:3], tuple(mark[3])) for mark in doc.user_data[MARKS]]
        assert marks == sentence.marks
        assert doc.cats["GRAMMATICAL"] == (not sentence.marks)


def run(*arguments):
    result = CliRunner().invoke(latperc_cli, ["judge", "corrupt", *map(str, arguments)])
    return result.exit_code, " ".join(result.output.split())


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("\n".join(rich_lines()[:200]), encoding="utf8")
    return path


def test_command_writes_the_same_for_the_same_seed(path, tmp_path):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        out = tmp_path / f"{name}.spacy"
        code, printed = run(path, "-o", out, "--seed", seed, "--clean", 0.2)
        assert code == 0, printed
    a, b, c = ((tmp_path / f"{name}.spacy").read_bytes() for name in "abc")
    assert a == b != c


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["-o", "out.txt"], "LP351"),
        (["--shares", "grammar=1"], "LP490"),
        (["--shares", "form=0"], "LP490"),
        (["--shares", "form=x"], "LP490"),
        (["--most", 0], "LP086"),
        (["--clean", 1], "LP015"),
        (["--seed", -1], "LP086"),
    ],
    ids=str,
)
def test_command_refuses(options, code, path, tmp_path):
    out = ["-o", tmp_path / "out.spacy"] if "-o" not in options else []
    failed, printed = run(path, *out, *options)
    assert failed == 1
    assert code in printed
    assert not (tmp_path / "out.spacy").exists()
