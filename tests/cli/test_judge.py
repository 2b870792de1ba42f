"""`spacy latperc judge train` and `judge evaluate`: from raw text to a judge."""

import json
import shutil

import pytest
import spacy
from builders.encoders import model_folder
from builders.text import lines
from spacy.tokens import Doc
from typer.testing import CliRunner

from spacy_latperc.cli import latperc_cli

QUICK = ("--tokenised", "--sample", 250, "-q")


def run(*arguments, expect=0):
    result = CliRunner().invoke(latperc_cli, [str(x) for x in arguments])
    assert result.exit_code == expect, result.output
    return result.output


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    path = tmp_path_factory.mktemp("raw") / "text.txt"
    path.write_text("\n".join(lines()) + "\n", encoding="utf8")
    return path


@pytest.fixture(scope="module")
def judge(raw, tmp_path_factory):
    folder = tmp_path_factory.mktemp("judge") / "judge"
    run("judge", "train", raw, "-o", folder, *QUICK)
    return folder


def score(nlp, line):
    return nlp(Doc(nlp.vocab, words=line.split())).cats["GRAMMATICAL"]


def test_judge_prefers_good_sentences_and_shows_wrong_words(judge):
    nlp = spacy.load(judge)
    assert nlp.pipe_names == ["errors", "judge"]
    config = nlp.config["components"]
    for name in ("judge", "errors"):
        assert nlp.get_pipe(name).threshold == config[name]["threshold"] != 0.5
    threshold = nlp.get_pipe("judge").threshold
    good = [score(nlp, line) for line in lines()]
    assert sum(x < threshold for x in good) < 0.3 * len(good)
    better = score(nlp, "The old dog finds the tree .")
    assert better > score(nlp, "The old finds dog the tree .")
    assert better > score(nlp, "tree the . finds dog old The")
    doc = nlp(Doc(nlp.vocab, words="The old dog finds finds the tree the .".split()))
    assert doc.cats["GRAMMATICAL"] < threshold
    spans = doc.spans["errors"]
    assert spans and all(len(span) <= 2 for span in spans)
    assert {span.start for span in spans} & {3, 4, 7, 8}


def test_judge_is_the_same_again_and_remembers_no_path_and_no_words(
    raw, judge, tmp_path
):
    run("judge", "train", raw, "-o", tmp_path / "again", *QUICK)
    for name in ("errors/model", "judge/cfg", "config.cfg"):
        assert (tmp_path / "again" / name).read_bytes() == (judge / name).read_bytes()
    config = (judge / "config.cfg").read_text()
    assert str(raw.parent) not in config and "tmp" not in config
    strings = json.loads((judge / "vocab" / "strings.json").read_text())
    assert "friend" not in strings


def test_judge_reads_an_encoder_and_has_it(raw, tmp_path):
    for name in ("onnx", "onnxruntime", "safetensors", "tokenizers"):
        pytest.importorskip(name)
    run("knowledge", "encoder", model_folder(tmp_path / "bert"), "-o", tmp_path / "x")
    folder = tmp_path / "judge"
    run("judge", "train", raw, "-o", folder, "--encoder", tmp_path / "x", *QUICK)
    shutil.rmtree(tmp_path / "x")
    nlp = spacy.load(folder)
    better = score(nlp, "The old dog finds the tree .")
    assert better > score(nlp, "tree the . finds dog old The")
    assert "encoder" in nlp.get_pipe("errors").learner.features.sources


def test_judge_filters_and_can_be_recalibrated(judge, raw, tmp_path):
    mixed = tmp_path / "mixed.txt"
    good = lines()[0]
    mixed.write_text(f"{good}\nfinds . the the dog The\n", encoding="utf8")
    run("filter", judge, mixed, tmp_path / "kept.txt", "--tokenised", "-q")
    assert (tmp_path / "kept.txt").read_text() == f"{good}\n"
    options = ("--tokenised", "--share", 0.2, "-q")
    run("judge", "recalibrate", judge, raw, "-o", tmp_path / "moved", *options)
    nlp = spacy.load(tmp_path / "moved")
    threshold = nlp.get_pipe("judge").threshold
    rejected = [score(nlp, line) < threshold for line in lines()]
    assert 0.1 < sum(rejected) / len(rejected) <= 0.2


def test_judge_splits_running_text(tmp_path):
    path = tmp_path / "running.txt"
    joined = [" ".join(lines()[n : n + 3]) for n in range(0, len(lines()), 3)]
    path.write_text("\n".join(joined), encoding="utf8")
    output = run("judge", "train", path, "-o", tmp_path / "out", "--sample", 200)
    assert f"read {len(lines())} sentences" in output


def test_judge_refuses_too_little_text_and_a_folder_of_other_things(raw, tmp_path):
    path, mine, target = tmp_path / "short.txt", tmp_path / "mine", tmp_path / "out"
    path.write_text("One two three .\n" * 10, encoding="utf8")
    mine.mkdir()
    (mine / "letters.txt").write_text("mine")
    for source, output, code in ((path, target, "LP784"), (raw, mine, "LP331")):
        said = run("judge", "train", source, "-o", output, *QUICK, expect=1)
        assert code in said
    assert not target.exists()


# judge evaluate -----------------------------------------------------------------------


def figures_of(path):
    """The rows of figures by their set and the name of the figure."""
    rows = json.loads(path.read_text())["rows"]
    return {(row["data"], row["figure"]): row for row in rows}


def test_judge_evaluate_of_files(judge, tmp_path):
    good = lines()[:40]
    pairs, clean = tmp_path / "p.tsv", tmp_path / "clean.txt"
    bad = [" ".join(reversed(line.split())) for line in good]
    pairs.write_text(
        "\n".join(f"{b}\t{g}" for b, g in zip(bad, good, strict=True)), "utf8"
    )
    clean.write_text("\n".join(good), "utf8")
    run("judge", "corrupt", clean, "-o", tmp_path / "marked.spacy", "-q")
    output = run(
        *("judge", "evaluate", judge, "--json", tmp_path / "1.json", "--tokenised"),
        *("--pairs", pairs, "--clean", clean),
        *("--tokens", tmp_path / "marked.spacy", "--wrong", pairs),
    )
    found = figures_of(tmp_path / "1.json")
    assert found["p", "pairs preferred"]["judge"] > 0.95
    assert found["p", "pairs preferred"]["length"] == 0.5
    assert found["clean", ""]["flagged"] < 0.3 < found["shuffled", "AUC"]["flagged"]
    assert found["shuffled", "AUC"]["judge"] > 0.9
    assert found["clean, with errors", "AUC"]["judge"] > 0.6
    assert ("p", "AUC") in found and "pairs preferred" in output
    assert found["marked", "F0.5 of tokens"]["judge"] > 0.3


def test_judge_evaluate_names_bad_lines_and_wants_data(judge, tmp_path):
    path = tmp_path / "bad.tsv"
    path.write_text("\nno tab\n")
    output = run("judge", "evaluate", judge, "--pairs", path, expect=1)
    assert "LP785" in output and "2" in output
    assert "LP786" in run("judge", "evaluate", judge, expect=1)


def test_white_space_is_no_error(judge):
    nlp = spacy.load(judge)
    nlp.add_pipe("sentencizer", first=True)
    plain = nlp("The old dog finds the the tree . The dog sleeps .")
    spaced = nlp(" The old  dog finds\n\nthe the \n tree .\n The dog sleeps .  \n")
    assert len(spaced) > len(plain)
    assert spaced.cats == pytest.approx(plain.cats)
    assert spaced._.preference == pytest.approx(plain._.preference)
    found = [" ".join(span.text.split()) for span in spaced.spans["errors"]]
    assert found == [span.text for span in plain.spans["errors"]]
    wrong = spaced.spans["errors"].attrs["tokens"]
    words = [token.i for token in spaced if not token.is_space]
    assert wrong[words].tolist() == plain.spans["errors"].attrs["tokens"].tolist()
    assert not wrong[[token.i for token in spaced if token.is_space]].any()
    scores = [sent._.grammaticality for sent in spaced.sents]
    known = [score for score in scores if score is not None]
    assert known == pytest.approx([sent._.grammaticality for sent in plain.sents])


def test_white_space_alone_is_no_sentence(judge):
    nlp = spacy.load(judge)
    texts = [" \n ", "The old dog finds the tree .", "", "\n"]
    docs = list(nlp.pipe(texts))
    alone = nlp(texts[1])
    assert docs[1].cats == pytest.approx(alone.cats)
    assert [len(doc.spans["errors"]) for doc in docs[::2]] == [0, 0]
    assert docs[0].cats["GRAMMATICAL"] == docs[2].cats["GRAMMATICAL"]
