"""Commands end with a sentence, not with a traceback."""

import re
import shutil
import warnings
from email.message import Message

import pytest
from project_files import ROOT
from typer.testing import CliRunner

from spacy_latperc.cli import latperc_cli
from spacy_latperc.cli.failures import failures_shown

CONFIG = ROOT / "configs" / "tagger_order0.cfg"
TEST = ROOT / "assets" / "sample" / "test.txt"
TWO = ("--corpora.train.limit", "20", "--training.max_epochs", "1")


def run(*arguments, expect=1):
    result = CliRunner().invoke(latperc_cli, [*map(str, arguments)])
    assert result.exit_code == expect, result.output
    assert expect == 0 or isinstance(result.exception, SystemExit)
    return " ".join(result.output.split())


def unexpected(name):
    """spaCy's message about an unknown setting; that of 3.8.2 differs."""
    return re.compile(
        rf"unexpected argument: '{name}'|-> {name}: extra fields not permitted"
    )


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    output = tmp_path_factory.mktemp("outer") / "new" / "model"
    run("fit", CONFIG, "-o", output, "-q", *TWO, expect=0)
    return output / "model-last"


@pytest.mark.parametrize(
    "code, command",
    [
        ("LP349", ["fit", CONFIG, "-o", "TMP/file", *TWO]),
        ("LP348. No such option", ["fit", CONFIG, "-o", "TMP/out", "--nosuch", "3"]),
        ("LP348. No such option", ["compare", CONFIG, "--nosuch", "3"]),
        ("LP348. Unexpected argument 'x.txt'", ["fit", CONFIG, "x.txt", "-o", "TMP/o"]),
        ("LP101.*: TMP/no", ["compare", CONFIG, *TWO, "--on", "TMP/no"]),
        ("LP101.*: TMP/no", ["compact", "MODEL", "TMP/no"]),
        ("LP340.*line 2", ["annotate", "MODEL", "--file", "TMP/latin.txt"]),
        ("LP574.*some: model-best, model-last", ["evaluate", "ABOVE", TEST]),
        ("LP563", ["compact", "TMP/cut", TEST]),
    ],
)
def test_failures_have_a_code(model, tmp_path, code, command):
    shutil.copytree(model, tmp_path / "cut")
    file = tmp_path / "cut" / "tagger" / "model"
    file.write_bytes(file.read_bytes()[:100])
    (tmp_path / "latin.txt").write_bytes("Gut .\nZwölf .\n".encode("latin-1"))
    (tmp_path / "file").touch()
    places = {"TMP": tmp_path, "MODEL": model, "ABOVE": model.parent}
    words = [re.sub("^(TMP|MODEL|ABOVE)", _place(places), str(x)) for x in command]
    output = run(*words)
    assert re.search(code.replace("TMP", str(tmp_path)), output), output
    assert "Epoch" not in output


def _place(places):
    return lambda found: str(places[found[0]])


def test_compact_reads_a_corpus_and_leaves_out_what_it_is_told_to(model, tmp_path):
    output = tmp_path / "new" / "small"
    run("compact", model, "corpora.train", output, expect=0)
    assert (output / "config.cfg").is_file()
    small = tmp_path / "small"
    output = run("compact", model, TEST, small, "--cut", "0.5", expect=0)
    assert "Left out: 50%" in output


def test_annotate_reads_past_a_byte_order_mark(model, tmp_path):
    (tmp_path / "text.txt").write_bytes("\ufeffShe\n".encode())
    assert "\ufeff" not in run(
        "annotate", model, "--file", tmp_path / "text.txt", expect=0
    )


def test_fit_saves_what_before_to_disk_makes(tmp_path):
    config = tmp_path / "config.cfg"
    text = CONFIG.read_text()
    config.write_text(text.replace("latperc.SaveWhole.v1", "latperc.Calibrate.v1"))
    dev = ("--paths.dev", TEST, "--paths.train", ROOT / "assets/sample/train.txt")
    run("fit", config, "-o", tmp_path / "out", "-q", *TWO, *dev, expect=0)
    saved = tmp_path / "out" / "model-last" / "tagger" / "cfg"
    assert "calibration" in saved.read_text()


@pytest.mark.parametrize(
    "name, old, new",
    [
        ("latent", "latent =", "latnt ="),
        ("spacy_latperc.Viterbi.v1", "Viterbi.v1", "Viterby.v1"),
        ("latperc_tagger", '"latperc_tagger"', '"latperc_taggr"'),
    ],
)
def test_failures_of_a_misspelt_name_say_which_may_be_meant(tmp_path, name, old, new):
    config = tmp_path / "config.cfg"
    config.write_text(CONFIG.read_text().replace(old, new, 1))
    output = run("fit", config, "-o", tmp_path / "out", *TWO[:2])
    assert f"Did you mean '{name}'" in output


def test_fit_warns_of_a_misspelt_setting_of_training(tmp_path):
    config = tmp_path / "config.cfg"
    config.write_text(CONFIG.read_text().replace("max_epochs =", "max_epoch ="))
    with pytest.warns(UserWarning, match="LP931.*'max_epoch'.*mean 'max_epochs'"):
        assert "[LP042]" in run("fit", config, "-o", tmp_path / "out")


def test_failures_link_their_page_where_the_documentation_has_an_address(
    monkeypatch, tmp_path
):
    urls = Message()
    monkeypatch.setattr("spacy_latperc.cli.failures.metadata", lambda name: urls)
    command = ("compare", tmp_path / "no.cfg", "--nosuch", "3")
    assert "http" not in run(*command)
    urls["Project-URL"] = "Source, https://code.example"
    urls["Project-URL"] = "Documentation, https://docs.example/"
    assert run(*command).endswith("https://docs.example/reference/errors.html#lp348")


def test_failures_of_settings_name_the_setting(model, tmp_path):
    shutil.copytree(model, tmp_path / "model")
    config = tmp_path / "model" / "config.cfg"
    text = config.read_text()
    config.write_text(
        text.replace("[components.tagger]\n", "[components.tagger]\nx = 1\n")
    )
    output = run("annotate", tmp_path / "model", "She")
    assert unexpected("x").search(output)
    key = "--components.tagger.model.learner.nosuch"
    output = run("fit", CONFIG, "-o", tmp_path / "out", *TWO, key, "1")
    assert unexpected("nosuch").search(output)


def test_a_warning_with_a_code_is_a_sentence():
    place = (UserWarning, "calibrate.py", 79)
    with failures_shown():
        coded = warnings.formatwarning("[LP915] Too few.", *place)
        other = warnings.formatwarning("Of another package.", *place)
    assert coded == "[LP915] Too few.\n"
    assert other == warnings.formatwarning("Of another package.", *place)
    assert "calibrate.py" in warnings.formatwarning("[LP915] Too few.", *place)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[nlp]", "[nlp", "parsing errors"),
        ("${paths.train}", "${paths.trian}", "paths.trian"),
        ('lang = "en"', 'lang = "en"\nlang = "de"', "already exists"),
        ('lang = "en"', 'lang = "qq"', "[E048] Can't import language qq"),
    ],
)
def test_failures_of_a_config_that_cannot_be_read_say_why(tmp_path, old, new, message):
    config = tmp_path / "config.cfg"
    config.write_text(CONFIG.read_text().replace(old, new, 1))
    assert message in run("fit", config, "-o", tmp_path / "out", *TWO[:2])


@pytest.mark.parametrize(
    "command",
    [
        ["knowledge", "clusters", "text.txt", "-o", "text.txt", "--classes", "2"],
        ["knowledge", "ngrams", "text.txt", "-o", "./text.txt"],
        ["knowledge", "contexts", "text.txt", "-o", "text.txt"],
        ["judge", "corrupt", "text.txt", "-o", "text.spacy"],
        ["filter", "no-model", "text.txt", "text.txt"],
        ["annotate", "no-model", "--file", "a.conllu", "--output", "a.conllu"],
        ["annotate", "no-model", "--file", "a.jsonl", "--output", "a.jsonl"],
        ["convert", "a.conllu", "a.conllu"],
    ],
)
def test_failures_what_is_read_is_not_replaced(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("text.txt", "a.conllu", "a.jsonl"):
        (tmp_path / name).write_text("The text .\n")
    (tmp_path / "text.spacy").symlink_to("text.txt")
    assert "[LP576]" in run(*command)
    assert (tmp_path / "text.txt").read_text() == "The text .\n"
