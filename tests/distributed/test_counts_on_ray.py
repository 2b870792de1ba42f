"""Counting on a cluster: the same files as on one machine, byte for byte."""

import gzip
import random

import pytest
from typer.testing import CliRunner

from spacy_latperc.cli import latperc_cli
from spacy_latperc.distributed.counting import TextCounting
from spacy_latperc.distributed.ngrams import count_ngrams, reading_of
from spacy_latperc.knowledge.ngram_counts import CountSettings, NgramCounts
from spacy_latperc.text.files import read_sentences

pytestmark = pytest.mark.ray


def make_text(path, sentences, seed=0, words=60):
    rng = random.Random(seed)
    names = [
        f"{rng.choice('abcdeABC')}{rng.choice(['ing', 'ed', 's', ''])}{i % 7}"
        for i in range(words)
    ] + ["the", "of", "walk", "walks", "talk", "talks"]
    weights = [1 / (i + 1) for i in range(len(names))]
    lines = [
        " ".join(rng.choices(names, weights, k=rng.randrange(1, 9)))
        for _ in range(sentences)
    ]
    lines[3] = ""
    path.write_text("\ufeff" + "\n".join(lines) + "\n", encoding="utf8")
    return path


@pytest.mark.parametrize(
    "settings",
    [
        CountSettings(megabytes=0.02),
        CountSettings(order=2, lowercase=True, digits=True, sentences=False),
        CountSettings(order=3, megabytes=1.0, smoothing="none"),
    ],
    ids=["small table", "pairs, folded", "all"],
)
def test_counts_on_a_cluster_are_those_of_one_machine(settings, ray_nodes, tmp_path):
    import ray

    text = make_text(tmp_path / "text.txt", 700)
    counting = TextCounting(ray, reading_of(settings), piece=5000, range_bytes=20_000)
    found, counted = count_ngrams(counting, [str(text)], settings)
    expected = NgramCounts.count(read_sentences(text)[0], settings)
    assert len(counted.runs) > 2
    assert found.to_bytes() == expected.to_bytes()


def run(*arguments):
    return CliRunner().invoke(latperc_cli, [str(x) for x in arguments])


def test_commands_count_on_a_cluster(ray_nodes, tmp_path):
    plain = make_text(tmp_path / "one.txt", 300)
    packed = tmp_path / "two.txt.gz"
    packed.write_bytes(
        gzip.compress(make_text(tmp_path / "two.txt", 200, seed=1).read_bytes())
    )
    lines = [
        f'{{"text": "{line}"}}'
        for line in plain.read_text("utf-8-sig").split("\n")
        if line
    ]
    json = tmp_path / "three.jsonl"
    json.write_text("\n".join(lines[:50]) + "\n")
    texts = [plain, packed, json]
    for command, options in (
        ("ngrams", ["--megabytes", 0.05]),
        ("cluster", ["--classes", 8, "--min-count", 2, "--digits"]),
        ("cluster", ["--classes", 8, "--sides", "left", "--lowercase"]),
    ):
        files = []
        for name, address in (("here", []), ("there", ["--ray", ray_nodes.address])):
            output = tmp_path / name
            done = run(command, *texts, "-o", output, *options, *address)
            assert done.exit_code == 0, done.output
            files.append(output.read_bytes())
        assert files[0] == files[1], command


@pytest.mark.parametrize(
    ("content", "error"),
    [(b"good\n" * 3000 + b"b\xffd\n", "LP403.*3001"), (b"\n\n", "LP405")],
)
def test_text_that_cannot_be_read_is_named(content, error, ray_nodes, tmp_path):
    import ray

    text = tmp_path / "text.txt"
    text.write_bytes(content)
    counting = TextCounting(ray, reading_of(CountSettings()), piece=4000)
    with pytest.raises(ValueError, match=error):
        count_ngrams(counting, [str(text)], CountSettings())
