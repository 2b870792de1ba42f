"""Every config of configs/: valid, complete, and it trains as it is."""

import re
from pathlib import Path

import pytest
import spacy
import srsly
from builders.sample import SAMPLE, sample_paths
from project_files import ROOT
from spacy.cli import app
from spacy.cli.debug_config import debug_config
from spacy.cli.init_config import fill_config
from spacy.cli.train import train
from spacy.util import load_config, load_model_from_config
from typer.testing import CliRunner

from spacy_latperc.training.fit import fit_and_save

# It requires the path of a trained tagger.
TAGGED = ROOT / "configs" / "grammaticality-tagged.cfg"
CONFIGS = sorted(path for path in (ROOT / "configs").glob("*.cfg") if path != TAGGED)
PATHS = sample_paths()
SENTENCES = sample_paths("grammaticality-train.jsonl", "grammaticality-dev.jsonl")
TREES = sample_paths("train.conllu", "dev.conllu")
ERRORS = sample_paths("errors-train.spacy", "errors-dev.spacy")
SHORT = {"training.max_epochs": 2, "training.eval_frequency": 7}
FEW = {
    **PATHS,
    "corpora.train.limit": 60,
    "corpora.dev.limit": 20,
    "training.max_epochs": 1,
    "training.max_steps": 2,
}
MINIMAL = """
[nlp]
lang = "en"
pipeline = ["tagger"]
[components]
[components.tagger]
factory = "latperc_tagger"
[corpora]
[corpora.train]
@readers = "spacy_latperc.ColumnCorpus.v1"
path = ${paths.train}
columns = ["word", "tag"]
[corpora.dev]
@readers = "spacy_latperc.ColumnCorpus.v1"
path = ${paths.dev}
columns = ["word", "tag"]
"""

# The config of the paper has its algorithm.
pytestmark = pytest.mark.filterwarnings("ignore:.LP921")
every_config = pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)


@every_config
def test_configs_pass_debug_config(path, capsys):
    debug_config(path, show_funcs=True, show_vars=True)
    assert "Config is valid" in capsys.readouterr().out


@every_config
def test_configs_are_complete_for_spacy(path, tmp_path):
    # spaCy fills in only what a component or a reader of ours leaves out.
    _, filled = fill_config(tmp_path / "filled.cfg", path)
    assert filled == load_config(tmp_path / "filled.cfg")
    written = load_config(path)
    for section in ("paths", "system", "nlp", "initialize"):
        assert filled[section] == written[section]
    for section in ("training", "components", "corpora"):
        assert filled[section].keys() == written[section].keys()
    scores = filled["training"].pop("score_weights")
    del written["training"]["score_weights"]
    assert filled["training"] == written["training"]
    assert sum(value or 0 for value in scores.values()) == pytest.approx(1, abs=0.02)


def config_blocks():
    """The configs that the quick start has the reader write, by name."""
    text = (ROOT / "docs" / "quickstart.md").read_text(encoding="utf-8")
    return dict(re.findall(r'```ini title="(\w+\.cfg)"\n(.*?)```', text, re.DOTALL))


@pytest.mark.parametrize("name", config_blocks())
def test_quickstart_configs_train_with_spacy_once_filled(tmp_path, name):
    few = {
        "corpora.train.path": str(SAMPLE / "train.txt"),
        "corpora.dev.path": str(SAMPLE / "dev.txt"),
        "training.max_steps": 2,
        "training.eval_frequency": 1,
    }
    path, filled = tmp_path / name, tmp_path / "filled.cfg"
    path.write_text(config_blocks()[name])
    fill_config(filled, path, silent=True)
    train(filled, tmp_path / "theirs", overrides=few)
    fit_and_save(load_config(path, overrides=few), tmp_path / "ours", quiet=True)
    component = Path(name).stem
    ours, theirs = (
        tmp_path / x / "model-last" / component / "model" for x in ("ours", "theirs")
    )
    assert ours.read_bytes() == theirs.read_bytes()


def test_configs_of_the_project_are_complete_and_read_what_comes_before():
    """spaCy trains those of configs/ as they are; others would need fill-config."""
    text = (ROOT / "project.yml").read_text(encoding="utf-8")
    trained = set(re.findall(r"spacy train (\S+)", text))
    known = {f"configs/{path.name}" for path in CONFIGS}
    assert trained - known == {"configs/${vars.chunker}.cfg"}
    # Otherwise the later components would learn from gold, or from nothing.
    config = load_config(ROOT / "configs" / "pipeline.cfg")
    assert config["training"]["annotating_components"] == ["tagger", "chunker"]
    templates = config["components"]["ner"]["model"]["features"]["templates"]
    assert {"tag[0]", "chunk[0]"} <= set(templates)
    assert not any("inputs" in corpus for corpus in config["corpora"].values())


def save_tagger(tagger, folder):
    nlp = spacy.blank("en")
    pipe = nlp.add_pipe(tagger, name="tagger")
    words = ["a", "cat", "sits"]
    doc = spacy.tokens.Doc(nlp.vocab, words=words, tags=["D", "N", "V"])
    examples = [spacy.training.Example(doc.copy(), doc)]
    nlp.initialize(lambda: examples)
    nlp.update(examples)
    nlp.to_disk(folder)
    return pipe


def test_grammaticality_config_with_a_tagger_trains_on_written_negatives(tmp_path):
    pipe = save_tagger("latperc_tagger", tmp_path / "tagger")
    overrides = {"paths.tagger": str(tmp_path / "tagger"), **SHORT}
    for name in ("train", "dev"):
        docs = []
        for line in srsly.read_jsonl(SENTENCES[f"paths.{name}"]):
            words = line["text"].split()
            starts = [i == 0 for i in range(len(words))]
            docs.append(spacy.tokens.Doc(pipe.vocab, words=words, sent_starts=starts))
            docs[-1].cats = line["cats"]
        overrides[f"paths.{name}"] = str(tmp_path / f"{name}.spacy")
        spacy.tokens.DocBin(docs=docs[:200]).to_disk(tmp_path / f"{name}.spacy")
    debug_config(TAGGED, overrides=overrides)
    config = load_config(TAGGED, overrides=overrides)
    fit_and_save(config, tmp_path / "ours", quiet=True)
    train(TAGGED, tmp_path / "theirs", overrides=overrides)
    ours, theirs = (
        tmp_path / x / "model-last" / "grammaticality" / "model"
        for x in ("ours", "theirs")
    )
    assert ours.read_bytes() == theirs.read_bytes()
    loaded = spacy.load(tmp_path / "ours" / "model-last").get_pipe("tagger")
    assert loaded.model.to_bytes() == pipe.model.to_bytes()


def train_behind_a_tagger(tmp_path, tagger="latperc_tagger", frozen=("tagger",)):
    """The grammaticality config, with tags from a tagger in place of given ones."""
    pipe = save_tagger(tagger, tmp_path / "tagger")
    config = load_config(ROOT / "configs" / "grammaticality.cfg")
    config["nlp"]["pipeline"] = ["tagger", "grammaticality"]
    config["components"]["tagger"] = {"source": str(tmp_path / "tagger")}
    config["corpora"]["train"]["inputs"] = []
    config["training"]["frozen_components"] = list(frozen)
    config["training"]["annotating_components"] = ["tagger"]
    config.to_disk(tmp_path / "config.cfg")
    few = {"training.max_epochs": 1, "training.max_steps": 60}
    train(tmp_path / "config.cfg", tmp_path / "out", overrides={**SENTENCES, **few})
    return pipe, spacy.load(tmp_path / "out" / "model-best")


@pytest.mark.parametrize("tagger", ["latperc_tagger", "tagger"])
def test_grammaticality_config_trains_behind_a_frozen_tagger(tmp_path, tagger):
    """It used to die when it was first saved, since two components can be calibrated;
    and the tagger was half of its score."""
    _, nlp = train_behind_a_tagger(tmp_path, tagger)
    assert nlp.get_pipe("grammaticality").calibration.temperature != 1
    weights = nlp.config["training"]["score_weights"]
    counted = {name for name, weight in weights.items() if weight}
    assert counted == {"grammaticality_acc", "grammaticality_auc"}


def test_grammaticality_config_names_the_setting_where_two_are_trained(tmp_path):
    with pytest.raises(ValueError, match=r"LP476.*before_to_disk\] component"):
        train_behind_a_tagger(tmp_path, frozen=())


@every_config
def test_configs_name_no_other_place(path):
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"[\"'](/|~|\.\./|[A-Z]:)", text)
    named = re.findall(r'^(?:train|dev) = "(.*)"', text, re.M)
    assert [ROOT / name for name in named] == [Path(x) for x in _paths(path).values()]


@every_config
def test_configs_train_two_steps(path, tmp_path):
    overrides = {**FEW, **_paths(path)}
    if path.stem.startswith(("grammaticality", "errors")):
        overrides["corpora.dev.limit"] = 100  # for a calibration
    if "corpus" in load_config(path)["corpora"]["train"]:  # the reader of the examples
        overrides["corpora.train.corpus.limit"] = overrides.pop("corpora.train.limit")
    train(path, tmp_path, overrides=overrides)
    nlp = spacy.load(tmp_path / "model-last")
    doc = nlp(nlp.make_doc("The old houses") if _needs_no_tags(path) else _tagged(nlp))
    assert len(doc) == 3
    assert (tmp_path / "model-best" / "config.cfg").exists()


def _paths(path: Path) -> dict[str, str]:
    if path.stem.startswith("parser"):
        return TREES
    if path.stem == "errors":
        return ERRORS
    return SENTENCES if path.stem.startswith("grammaticality") else PATHS


def _needs_no_tags(path: Path) -> bool:
    return "inputs" not in load_config(path)["corpora"]["train"]


def _tagged(nlp: spacy.Language) -> spacy.tokens.Doc:
    words = ["The", "old", "houses"]
    return spacy.tokens.Doc(nlp.vocab, words=words, tags=["DT", "JJ", "NNS"])


@pytest.mark.parametrize(
    "name, score, least",
    [
        ("tagger", "tagger_acc", 0.96),
        ("tagger_beam", "tagger_acc", 0.96),
        ("chunker", "chunks_f", 0.97),
        ("ner", "ents_f", 0.9),
        ("grammaticality", "grammaticality_acc", 0.64),
        ("errors", "errors_auc", 0.58),
        ("grammaticality-multiview", "grammaticality_auc", 0.7),
    ],
)
def test_configs_train_on_the_sample_as_they_are(
    name, score, least, tmp_path, monkeypatch
):
    # The demo of the project does so with pipeline.cfg and grammaticality-pipeline.cfg.
    monkeypatch.chdir(ROOT)
    config = load_config(ROOT / "configs" / f"{name}.cfg")
    fit_and_save(config, tmp_path, quiet=True)
    nlp = spacy.load(tmp_path / "model-best")
    assert nlp.meta["performance"][score] > least


@pytest.mark.parametrize("name", ["tagger", "chunker", "ner"])
def test_configs_have_the_features_that_are_the_default(name):
    nlp = load_model_from_config(load_config(ROOT / "configs" / f"{name}.cfg"))
    default = spacy.blank("en")
    default.add_pipe(f"latperc_{name}", name=name)
    for block in ("features", "search"):
        mine, theirs = (x.get_pipe_config(name)["model"][block] for x in (nlp, default))
        assert mine["@misc"] == theirs["@misc"]


def test_configs_of_ten_settings_can_be_filled_and_trained(tmp_path):
    (tmp_path / "base.cfg").write_text(MINIMAL)
    filled = tmp_path / "filled.cfg"
    fill_config(filled, tmp_path / "base.cfg")
    debug_config(filled, overrides=PATHS)
    train(filled, tmp_path / "model", overrides=FEW)
    assert spacy.load(tmp_path / "model" / "model-last")("A house")[0].tag_


@pytest.mark.parametrize(
    "setting, value, names",
    [
        ("components.chunker.model.lattent", "3", ["chunker.model", "lattent"]),
        ("components.chunker.model.latent", "two", ["chunker.model", "latent", "two"]),
        ("components.chunker.model.order", "3", ["LP086", "order must", "not 3"]),
        ("components.chunker.model.learner.averag", "x", ["learner", "averag"]),
        ("components.chunker.model.features.@misc", "Rich.v1", ["E893", "Rich.v1"]),
        ("components.chunker.scheme", "IOB3", ["LP201", "IOB3", "IOB2"]),
        ("corpora.train.colums", "word", ["train", "colums"]),
        ("corpora.train.columns", "word,tg", ["LP105", "tg"]),
        ("corpora.train.part", "dev", ["LP085", "dev"]),
    ],
)
def test_configs_typo_is_named(setting, value, names):
    config = ROOT / "configs" / "chunker.cfg"
    arguments = ["debug", "config", str(config), f"--{setting}", value]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code != 0
    printed = f"{result.output} {result.exception}"
    assert [name for name in names if name not in printed] == []


def test_configs_typo_in_a_template_and_missing_data_are_named(tmp_path):
    text = (ROOT / "configs" / "latent.cfg").read_text(encoding="utf-8")
    path = tmp_path / "typo.cfg"
    path.write_text(text.replace('"w[0]|w[1]"', '"w[0]|wrod[1]"'), encoding="utf-8")
    with pytest.raises(ValueError, match=r"LP001.*'wrod' in template 'w\[0\]\|wrod"):
        debug_config(path)
    with pytest.raises(FileNotFoundError, match="LP101.*nowhere.txt"):
        train(
            ROOT / "configs" / "tagger.cfg",
            tmp_path,
            overrides={**PATHS, "paths.train": "nowhere.txt"},
        )
