"""`spacy latperc judge negatives` as a command."""

import gzip

import pytest
import spacy
from builders.text import lines
from spacy.tokens import DocBin
from typer.testing import CliRunner

from spacy_latperc.cli import latperc_cli
from spacy_latperc.grammaticality.ngrams.ngram_model import NgramModel


@pytest.fixture
def run(tmp_path):
    """Run the command on the toy text. RETURNS: exit code, what it printed."""
    text = tmp_path / "text.txt.gz"
    text.write_bytes(gzip.compress("\n".join(lines()).encode("utf8")))

    def run(*options, text=str(text), output="out.spacy", **how):
        arguments = ["judge", "negatives", text, str(tmp_path / output)]
        arguments += map(str, options)
        result = CliRunner().invoke(latperc_cli, arguments, **how)
        return result.exit_code, " ".join(result.output.split())

    return run


def docs_of(path):
    return list(DocBin().from_disk(path).get_docs(spacy.blank("en").vocab))


def test_negatives_command_writes_and_reads_what_it_wrote(run, tmp_path):
    code, printed = run("-n", 100, "--save-model", tmp_path / "lm")
    assert code == 0, printed
    assert "out-train.spacy" in printed.replace(" ", "")
    assert len(docs_of(tmp_path / "out-train.spacy")) == 160
    assert len(docs_of(tmp_path / "out-dev.spacy")) == 20
    assert NgramModel.from_disk(tmp_path / "lm").order == 3
    run("-n", 200, "--split", 1)
    code, printed = run(text=str(tmp_path / "out.spacy"), output="b.spacy")
    assert code == 0, printed


def test_negatives_command_reads_standard_input(run, tmp_path):
    text = "\n".join([*lines(), "", "with\x01control ."])
    code, printed = run("-n", 50, "--split", 1, text="-", input=text)
    assert code == 0, printed
    assert "Empty lines left out: 1" in printed
    assert "1 line(s) have control characters" in printed
    assert "GRAMMATICAL" in docs_of(tmp_path / "out.spacy")[0].cats


@pytest.mark.parametrize(
    "options, message",
    [
        (("--construction", "x"), "LP085"),
        (("--split", "x"), "LP423"),
        (("--split", "0"), "LP416"),
        (("--seed", 2**63), "LP086"),
        (("--split", "nan"), "LP416"),
        (("--split", "inf,1"), "LP416"),
        (("--save-model", "/"), "LP561"),
        (("--save-model", "/dev/null/model"), "LP"),
        ((), "LP561"),  # a folder has the name of one of its files
    ],
)
def test_negatives_command_bad_options(run, tmp_path, monkeypatch, options, message):
    """Refused before the text is read."""
    monkeypatch.setattr("spacy_latperc.cli.raw_text.read_sentences", None)
    if not options:
        (tmp_path / "out-dev.spacy").mkdir()
    code, printed = run("-n", 40, *options)
    assert (code, message in printed) == (1, True), printed
    assert not [x for x in tmp_path.glob("*.spacy") if x.is_file()]


def test_negatives_command_makes_its_folders_and_refuses_other_formats(run, tmp_path):
    for output in ("out.spacy", "missing/below/out.spacy"):
        more = ("-n", 40, "--save-model", tmp_path / "a" / "b" / "lm")
        code, printed = run(*more, output=output)
        assert code == 0, printed
    code, printed = run(output="out.txt")
    assert (code, "LP351" in printed) == (1, True)


@pytest.mark.parametrize(
    "data, message",
    [
        (b"", "LP405"),
        (b"good line .\nbad \xff line .\n", "line 2 is not UTF-8"),
        (b"a\n", "LP418"),
        (b"no no no no no\n", "LP419"),
    ],
)
def test_negatives_command_bad_text(run, tmp_path, data, message):
    (tmp_path / "bad.txt").write_bytes(data)
    code, printed = run(text=str(tmp_path / "bad.txt"))
    assert code == 1
    assert message in printed


def test_negatives_command_survives_a_line_of_one_hundred_thousand_words(run, tmp_path):
    text = "\n".join([*lines(), "word " * 100_000, "Word"])
    (tmp_path / "long.txt").write_text(text)
    code, printed = run("-n", 30, text=str(tmp_path / "long.txt"))
    assert code == 0, printed
    assert "too short or too long 2" in printed
