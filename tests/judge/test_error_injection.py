"""Errors that are put in, their marks, and the shares that are found again."""

import json

import pytest
import spacy
from builders.text import ADJECTIVES, NOUNS, read_lines
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc, DocBin
from typer.testing import CliRunner

from spacy_latperc.cli import latperc_cli
from spacy_latperc.data.corpus import docbin_corpus
from spacy_latperc.io.docbin import MADE_FROM
from spacy_latperc.judge.error_injection import corrupt, error_files, fitting, marks
from spacy_latperc.judge.error_injection.kinds import DEFAULT_SHARES, KINDS
from spacy_latperc.judge.error_injection.marks import Mark
from spacy_latperc.judge.evidence.lexicon import Choices, Lexicon
from spacy_latperc.text.sentences import Sentences

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
    return corrupt.Corrupter(lexicon, corrupt.CorruptSettings(shares=shares, **how))


def restored(words, marks):
    """The clean sentence that marks belong to."""
    clean, at = [], 0
    for mark in marks:
        clean += [*words[at : mark.start], *mark.before]
        at = mark.end
    return clean + words[at:]


WORDS = st.lists(st.sampled_from("abcd"), max_size=9)
NEW = st.lists(st.sampled_from("xy"))
GAPS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), NEW), max_size=4)


@given(WORDS, GAPS)
def test_marks_undo_any_edits(words, gaps):
    edits, at = [], 0
    for gap, length, new in gaps:
        start = at + gap
        if start + length > len(words):
            break
        edits.append(marks.Edit("some", start, start + length, tuple(new)))
        at = start + length + 1
    made, found = marks.corrupted(words, edits[::-1])
    assert restored(made, found) == words
    for mark, edit in zip(found, edits, strict=True):
        assert tuple(made[mark.start : mark.end]) == edit.words
        assert mark.before == tuple(words[edit.start : edit.end])
    labels = marks.token_labels(len(made), found)
    assert len(labels) == len(made)
    if made:
        assert bool(found) == any(labels)


@pytest.mark.parametrize("kind", KINDS)
@given(st.integers(0, 10_000), st.integers(1, 4))
@settings(max_examples=25)
def test_errors_of_every_kind_can_be_undone(kind, lexicon, rich, seed, most):
    make = corrupter(lexicon, shares={kind: 1.0}, seed=seed, most=most)
    number = seed % len(rich)
    words, other = rich.words(number), rich.words((number + 7) % len(rich))
    found = make.one(words, number, other)
    assert restored(found.words, found.marks) == words == found.original[0]
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
    assert by_kind["halves"].original == [words, rich.words(1)]
    assert sum(map(bool, by_kind["halves"].labels)) == 1


def test_clean_sentences_and_numbers_of_errors(lexicon, rich):
    make = corrupter(lexicon, clean=0.5, most=3, shares={"small": 1.0})
    found = list(make.all_of(rich))
    clean = sum(not x.marks for x in found)
    assert 0.4 < clean / len(found) < 0.6
    assert {len(x.marks) for x in found if x.marks} == {1, 2, 3}


def test_empty_sentences_stay(lexicon):
    assert corrupter(lexicon).one([], 0) == corrupt.Corrupted([], [], [[]])
    short = corrupter(lexicon, shares={"small": 1.0}).one(["."], 0)
    assert short == corrupt.Corrupted(["."], [], [["."]])
    assert Lexicon(read_lines("1 2 3 .", ". .")).small is None
    numbers = Lexicon(read_lines("1 2 3 . 5 6"))
    found = corrupter(numbers, shares={"small": 1, "form": 1})
    assert found.one(["1", "2"], 0).marks == []


def test_lexicon_knows_forms_and_small_words(lexicon):
    assert {"walks", "walked", "walking"} <= set(lexicon.forms["walk"].words)
    assert "walk" not in lexicon.forms["walk"].words
    assert set(lexicon.like["near"].words) & set(SMALL[4:])
    assert lexicon.like["under"].words[0] in SMALL[4:]


def test_tags_tell_forms_of_words():
    lines = rich_lines()
    plain = read_lines(*lines)
    # As if all forms in -ed had the tag of those in -ing.
    tag = {"ing": 1, "ed": 1, "s": 2}
    words = [w for line in lines for w in line.split()]
    tags = [next((t for end, t in tag.items() if w.endswith(end)), 0) for w in words]
    tagged = Sentences(plain.vocabulary, plain.ids, plain.bounds, plain.ids * 0 + tags)
    found = Lexicon(tagged, small_words=16).forms["walk"].words
    assert {"walks", "walked"} <= set(found)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=9), st.floats(0, 0.999999))
def test_choices_are_by_weight(weights, chance):
    words = [str(n) for n in range(len(weights))]
    sums = [sum(weights[: n + 1]) / sum(weights) for n in range(len(weights))]
    wanted = next(n for n, end in enumerate(sums) if chance < end or n + 1 == len(sums))
    assert abs(int(Choices(words, weights).pick(chance)) - wanted) <= (
        min(abs(chance - end) for end in sums) < 1e-9
    )


@given(*[st.lists(st.sampled_from("abc"), max_size=7)] * 2)
def test_alignment_explains_every_difference(clean, wrong):
    made, at = [], 0
    for i, end, j, stop in fitting.align(clean, wrong):
        made += [*clean[at:i], *wrong[j:stop]]
        at = end
    assert made + clean[at:] == wrong
    assert bool(fitting.align(clean, wrong)) == (clean != wrong)
    assert len(fitting.align(clean, wrong)) <= max(len(clean), len(wrong))


def test_edits_have_kinds(lexicon):
    clean = "The old dog walked under the house .".split()

    for wrong, kind in {
        "The old dog walked under the house .": None,
        "The old dog walks under the house .": "form",
        "The old dog walked near the house .": "small",
        "The old dog walked under house .": "missing",
        "The old dog it walked under the house .": "extra",
        "The old old dog walked under the house .": "repeat",
        "The dog old walked under the house .": "order",
        "The old dog walked under the huose .": "spelling",
        "the old dog walked under the house .": "case",
    }.items():
        found = fitting.edits_of(clean, wrong.split(), lexicon)
        assert [edit.kind for edit in found] == ([kind] if kind else [])


def test_fitted_shares_are_those_that_errors_were_made_with(lexicon, rich):
    shares = (0.25, 0.2, 0.15, 0.1, 0.05, 0.05, 0.1, 0.05, 0.05)
    wanted = dict(zip(fitting.FITTED, shares, strict=True))
    found = list(corrupter(lexicon, shares=wanted, most=2).all_of(rich))
    found += corrupter(lexicon, shares=wanted, seed=1).all_of(rich)
    pairs = [(x.words, x.original[0]) for x in found]
    fit = fitting.fit_shares(pairs, lexicon)
    for kind, share in wanted.items():
        assert fit.shares[kind] == pytest.approx(share, abs=0.05), kind
    assert fit.other < 0.02 * fit.errors
    assert 1.0 <= fit.per_sentence <= 2.5


@pytest.fixture
def few(lexicon, rich):
    return list(corrupter(lexicon, clean=0.3).all_of(rich.slice(0, 20)))


def test_jsonl_has_all_of_it(few, tmp_path):
    error_files.write_corrupted(few, tmp_path / "out.jsonl")
    rows = [json.loads(x) for x in (tmp_path / "out.jsonl").read_text().splitlines()]
    for row, sentence in zip(rows, few, strict=True):
        found = [Mark(*x.values()) for x in row["errors"]]
        assert row["words"] == sentence.words
        assert restored(row["words"], found) == sentence.original[0]


def test_spacy_files_have_labels_and_marks(few, tmp_path):
    error_files.write_corrupted(few, tmp_path / "out.spacy")
    nlp = spacy.blank("en")
    examples = list(docbin_corpus(tmp_path / "out.spacy")(nlp))
    for example, sentence in zip(examples, few, strict=True):
        doc = example.reference
        assert [token.text for token in doc] == sentence.words
        found = [(span.start, span.label_) for span in doc.spans["errors"]]
        assert found == [(n, x) for n, x in enumerate(sentence.labels) if x]
        written = doc.user_data[error_files.MARKS]
        assert [Mark(*x[:3], tuple(x[3])) for x in written] == sentence.marks
        assert doc.cats["GRAMMATICAL"] == (not sentence.marks)
        made_from = example.predicted.user_data[MADE_FROM]
        assert [list(words) for words in made_from] == sentence.original


def test_pairs_are_read_and_bad_ones_are_named(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_bytes(b"a b\ta c\n\nd\te f\r\n")
    pairs = [(["a", "b"], ["a", "c"]), (["d"], ["e", "f"])]
    assert error_files.read_pairs(path) == pairs
    for content, code in ((b"a b\n", "LP785"), (b"\n", "LP496"), (b"a\t\xff", "LP340")):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=code):
            error_files.read_pairs(path)


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
        for suffix in ("jsonl", "spacy"):
            out = tmp_path / f"{name}.{suffix}"
            code, printed = run(path, "-o", out, "--seed", seed, "--clean", 0.2)
            assert code == 0, printed
    for suffix in ("jsonl", "spacy"):
        a, b, c = ((tmp_path / f"{name}.{suffix}").read_bytes() for name in "abc")
        assert a == b != c


def test_command_fits_shares(path, tmp_path):
    pairs = tmp_path / "pairs.tsv"
    clean = rich_lines()[:30]
    wrong = [line.replace(" and it ", " it and ") for line in clean]
    rows = [f"{w}\t{c}" for w, c in zip(wrong, clean, strict=True)]
    pairs.write_text("\n".join(rows), encoding="utf8")
    out = tmp_path / "out.jsonl"
    code, printed = run(path, "-o", out, "--fit", pairs)
    assert code == 0, printed
    assert "--shares order=1.000" in printed
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert {mark["kind"] for row in rows for mark in row["errors"]} == {"order"}
    assert len(rows) == 200


def test_command_reads_tags_of_one_spacy_file(tmp_path):
    nlp = spacy.blank("en")
    words = [line.split() for line in rich_lines()[:50]]
    docs = [Doc(nlp.vocab, words=w, tags=["X"] * len(w)) for w in words]
    DocBin(docs=docs).to_disk(tmp_path / "text.spacy")
    again = tmp_path / "text.spacy"
    for texts in ([again], [again, again]):
        code, printed = run(*texts, "-o", tmp_path / "out.jsonl")
        assert code == 0, printed


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["-o", "out.txt"], "LP351"),
        *((["--shares", x], "LP490") for x in ("grammar=1", "form=0", "form=x")),
        *(
            (["--most", 0], "LP086"),
            (["--clean", 1], "LP015"),
            (["--seed", -1], "LP086"),
        ),
    ],
    ids=str,
)
def test_command_refuses(options, code, path, tmp_path):
    out = ["-o", tmp_path / "out.jsonl"] if "-o" not in options else []
    failed, printed = run(path, *out, *options)
    assert failed == 1
    assert code in printed
    assert not (tmp_path / "out.jsonl").exists()
