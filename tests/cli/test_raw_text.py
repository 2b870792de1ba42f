"""Commands that read raw text name the line that is no text, and leave nothing."""

import json

import pytest
from builders.pipelines import make_trained
from typer.testing import CliRunner

from spacy_latperc.cli import latperc_cli
from spacy_latperc.io.lines import MOST_BYTES

GOOD = "They see . They walk ."  # two sentences of one line
LONG = b"a" * (MOST_BYTES + 1)
BAD = {
    "plain": [(b"caf\xe9", "LP403"), (b"a\0b", "LP403"), (LONG, "LP340")],
    "jsonl": [
        (rb'{"text": "\ud800"}', "LP470"),
        (rb'{"text": "\u0000"}', "LP470"),
        (b'{"text": "caf\xe9"}', "LP470"),
        (b'{"text": "' + LONG + b'"}', "LP470"),
    ],
}
COMMANDS = {
    "knowledge ngrams": ["-o", "out.latperc"],
    "knowledge clusters": ["-o", "out"],
    "knowledge contexts": ["-o", "out.latperc"],
    "judge corrupt": ["-o", "out.spacy"],
    "judge negatives": ["out.spacy"],
    "judge train": ["-o", "out"],  # which splits lines into sentences
    "judge train --sentences": ["-o", "out"],
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("kind", BAD)
def test_raw_text_names_the_bad_line(command, kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = "in.jsonl" if kind == "jsonl" else "in.txt"
    good = json.dumps({"text": GOOD}) if kind == "jsonl" else GOOD
    for line, code in BAD[kind]:
        before = f"{good}\n\n{good}\n".encode()
        (tmp_path / name).write_bytes(before + line + f"\n{good}\n".encode())
        arguments = [*command.split(), name, *COMMANDS[command]]
        result = CliRunner().invoke(latperc_cli, arguments)
        assert result.exit_code == 1
        assert f"[{code}]" in result.output and "line 4" in result.output, line[:20]
        assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("line", [b"caf\xe9", b"a\x07b", LONG])
def test_annotate_names_the_bad_line_of_a_text(line, tmp_path):
    make_trained("latperc_tagger").to_disk(tmp_path / "model")
    path = tmp_path / "in.txt"
    path.write_bytes(GOOD.encode() + b"\n\n" + line + b"\n")
    command = ["annotate", str(tmp_path / "model"), "-f", str(path)]
    result = CliRunner().invoke(latperc_cli, command)
    assert result.exit_code == 1
    assert "[LP340]" in result.output and "line 3" in result.output
