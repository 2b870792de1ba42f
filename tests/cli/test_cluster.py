"""`spacy latperc knowledge clusters` as a command."""

import gzip
import json
import re

import pytest
import spacy
from builders.text import lines
from spacy.tokens import Doc, DocBin
from typer.testing import CliRunner

from spacy_latperc.cli import latperc_cli


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        data = content if isinstance(content, bytes) else content.encode("utf8")
        path.write_bytes(data)
        return path

    return write


@pytest.fixture
def run(tmp_path, write):
    """Run the command on the toy text. RETURNS: exit code, what it printed."""
    text = write("text.txt", "\n".join(lines()))

    def run(*options, texts=(text,), output=tmp_path / "out.tsv", k=6, **how):
        small = ["-o", output, "-k", k, "--min-count", 1]
        arguments = map(str, ["knowledge", "clusters", *texts, *small, *options])
        result = CliRunner().invoke(latperc_cli, list(arguments), **how)
        return result.exit_code, " ".join(result.output.split())

    return run


def words_of(path):
    data = path.read_bytes()
    data = gzip.decompress(data) if path.suffix == ".gz" else data
    return {line.split("\t")[1] for line in data.decode("utf8").splitlines()}


def test_cluster_command_writes_and_shows(run, tmp_path):
    code, printed = run("--show", 6)
    assert code == 0, printed
    rows = (tmp_path / "out.tsv").read_text().splitlines()
    assert len({row.split("\t")[0] for row in rows}) == 6
    assert "dog" in words_of(tmp_path / "out.tsv")
    assert "pass 1 " in printed
    assert "bits a word" in printed
    assert "dog" in printed
    assert "[LP972]" in printed  # so little text may do harm


def test_cluster_command_writes_the_same_bytes_again(run, tmp_path):
    files = []
    for n, options in enumerate([(), (), ("-t", 2), ("--quiet",)]):
        run(*options, output=tmp_path / f"{n}.tsv.gz")
        files.append((tmp_path / f"{n}.tsv.gz").read_bytes())
    assert files == files[:1] * 4
    assert "dog" in words_of(tmp_path / "0.tsv.gz")


def test_cluster_command_reads_every_kind_of_text(run, tmp_path, write):
    doc = Doc(spacy.blank("en").vocab, words=["The", "zebra", "sleeps", "."])
    DocBin(docs=[doc]).to_disk(tmp_path / "a.spacy")
    objects = [{"text": "a lion sleeps"}, {"text": ["a", "tiger", "sleeps"]}]
    texts = [
        tmp_path / "a.spacy",
        write("b.jsonl", "\n".join(map(json.dumps, objects))),
        write("c.txt.gz", gzip.compress(b"a puma sleeps\n")),
        "-",
    ]
    code, printed = run(texts=texts, input="a wolf sleeps", k=3)
    assert code == 0, printed
    animals = {"zebra", "lion", "tiger", "puma", "wolf"}
    assert words_of(tmp_path / "out.tsv") == {"The", "a", "sleeps", ".", *animals}


def test_cluster_command_splits_and_folds_words(run, tmp_path, write):
    path = write("raw.txt", "The dog's toy (from 1987).\n")
    options = ("--lang", "en", "--lowercase", "--digits")
    code, printed = run(*options, texts=[path], k=2)
    assert code == 0, printed
    wanted = {"the", "dog", "'s", "toy", "(", "from", "0000", ")", "."}
    assert words_of(tmp_path / "out.tsv") == wanted


def test_cluster_command_warns_of_control_characters_and_column_files(run, write):
    code, printed = run(texts=[write("a.txt", "a\x01b\n")], k=2)
    assert code == 0 and "1 line(s) have control characters" in printed
    rows = "\n".join(f"word{n % 7} TAG{n % 3}" + "\n" * (n % 5 == 0) for n in range(40))
    columns = write("a.txt", rows)
    assert "[LP973]" in run(texts=[columns])[1]
    assert "[LP973]" not in run()[1]
    # No column file is without empty lines.
    assert "[LP973]" not in run(texts=[write("b.txt", "a b c d\ne f g h\n" * 40)])[1]


@pytest.mark.parametrize(
    ("name", "content", "options", "code"),
    [
        ("empty.txt", "", (), "LP405"),
        ("empty.jsonl", "", (), "LP405"),
        ("one.txt", "word", (), "LP720"),
        ("latin.txt", "M\u00fcller".encode("latin1"), ("--lang", "en"), "LP403"),
        ("a.jsonl", '{"text": "a"}\n\n{"text": 3}\n', (), "LP470.*line 3"),
        ("a.spacy", "no DocBin", (), "LP120"),
        ("a.txt", "a b", ("--lang", "nowhere"), "LP721"),
        ("a.txt", "a b", ("-k", "1"), "LP086"),
    ],
)
def test_cluster_command_names_what_is_wrong(
    run, write, tmp_path, name, content, options, code
):
    exit_code, printed = run(*options, texts=[write(name, content)])
    assert exit_code == 1
    assert re.search(code, printed), printed
    assert not (tmp_path / "out.tsv").exists()


def test_cluster_command_refuses_an_output_that_cannot_be_and_keeps_the_old(
    run, tmp_path, write
):
    (tmp_path / "file").write_text("")
    for output, code in [(tmp_path, "LP561"), (tmp_path / "file" / "x", "LP560")]:
        exit_code, printed = run(output=output)
        assert exit_code == 1
        assert code in printed
        assert "read" not in printed  # at once
    old = write("out.tsv", "old")
    assert run(texts=[write("a.txt", "")])[0] == 1
    assert old.read_text() == "old"
