"""`fit` with configs that spaCy wrote, or that need spaCy's own loop."""

import pytest
from project_files import ROOT
from spacy.cli.init_config import fill_config, init_config, save_config
from spacy.cli.train import train as spacy_train
from spacy.util import load_config

from spacy_latperc.data.conversion import convert
from spacy_latperc.distributed.shard_workers import RayWorkers
from spacy_latperc.training.fit import fit, fit_and_save

SAMPLE = ROOT / "assets" / "sample"
JSONL = "spacy_latperc.JsonlCorpus.v1"
SCORES = {
    "latperc_tagger": "tag_acc",
    "latperc_chunker": "chunks_f",
    "latperc_ner": "ents_f",
    "latperc_errors": "errors_f05",
    "latperc_grammaticality": "grammaticality_acc",
    "latperc_parser": "dep_las",
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The files for training and development, by factory."""
    folder = tmp_path_factory.mktemp("sample")
    columns = ["word", "tag", "chunk", "ent"]
    for name in ("train", "dev"):
        for end in ("txt", "conllu"):
            some = (SAMPLE / f"{name}.{end}").read_text().split("\n\n")[:80]
            (folder / f"{name}.{end}").write_text("\n\n".join(some) + "\n\n")
        convert(folder / f"{name}.txt", folder / f"{name}.spacy", columns=columns)
        convert(folder / f"{name}.conllu", folder / f"{name}-trees.spacy")

    def both(pattern):
        return [pattern.format(name) for name in ("train", "dev")]

    plain = both(f"{folder}/{{}}.spacy")
    return {
        **{f"latperc_{name}": plain for name in ("tagger", "chunker", "ner")},
        "latperc_errors": both(f"{SAMPLE}/errors-{{}}.spacy"),
        "latperc_grammaticality": both(f"{SAMPLE}/grammaticality-{{}}.jsonl"),
        "latperc_parser": both(f"{folder}/{{}}-trees.spacy"),
    }


def overrides(paths, **more):
    train, dev = paths
    settings = {"paths.train": train, "paths.dev": dev, "training.max_steps": 6}
    settings["training.eval_frequency"] = 3
    for name, path, limit in (("train", train, 60), ("dev", dev, 20)):
        if train.endswith(".jsonl"):
            reader = {"@readers": JSONL, "path": path, "limit": limit}
            settings[f"corpora.{name}"] = reader
        else:
            settings[f"corpora.{name}.limit"] = limit
    return settings | more


def models_of(folder):
    found = {path.parent.name: path for path in folder.glob("*/model")}
    return {name: path.read_bytes() for name, path in found.items() if path.is_file()}


def written(folder, *pipeline):
    path = folder / "config.cfg"
    config = init_config(pipeline=list(pipeline))
    save_config(config, path, is_stdout=False, silent=True)
    return path


# The readers of spaCy do not give tags to those who read them.
@pytest.mark.filterwarnings("ignore:.*LP911")
@pytest.mark.parametrize("factory", SCORES)
def test_fit_takes_what_init_config_writes(tmp_path, files, factory):
    path, settings = written(tmp_path, factory), overrides(files[factory])
    config = load_config(path, overrides=settings)
    assert config["training"]["max_epochs"] == 0
    nlp = fit_and_save(config, tmp_path / "ours", quiet=True)
    spacy_train(path, tmp_path / "theirs", overrides=settings)
    assert SCORES[factory] in nlp.meta["performance"]
    for name in ("model-best", "model-last"):
        ours = models_of(tmp_path / "ours" / name)
        assert ours and ours == models_of(tmp_path / "theirs" / name)


# The readers of spaCy do not give tags to those who read them.
@pytest.mark.filterwarnings("ignore:.*LP911")
@pytest.mark.parametrize("factory", SCORES)
def test_fit_takes_what_fill_config_writes(tmp_path, files, factory):
    base, path = tmp_path / "base.cfg", tmp_path / "config.cfg"
    base.write_text(
        f'[nlp]\nlang = "en"\npipeline = ["x"]\n[components]\n[components.x]\n'
        f'factory = "{factory}"\n[training]\ntrain_corpus = "corpora.train"\n'
    )
    fill_config(path, base, silent=True)
    few = {"training.max_steps": 1, "training.eval_frequency": 1}
    config = load_config(path, overrides=overrides(files[factory], **few))
    nlp = fit_and_save(config, tmp_path / "ours", quiet=True)
    assert SCORES[factory] in nlp.meta["performance"]


def both(tmp_path, config, settings):
    fit_and_save(load_config(config, overrides=settings), tmp_path / "ours", quiet=True)
    spacy_train(config, tmp_path / "theirs", overrides=settings)
    return [models_of(tmp_path / x / "model-last") for x in ("ours", "theirs")]


def test_fit_reads_a_corpus_with_an_augmenter_as_spacy_does(tmp_path, files):
    path = written(tmp_path, "latperc_ner")
    augmenter = {"@augmenters": "spacy.lower_case.v1", "level": 0.5}
    for epochs in (0, -1):
        settings = overrides(files["latperc_ner"], **{"training.max_epochs": epochs})
        settings["corpora.train.augmenter"] = augmenter
        ours, theirs = both(tmp_path / str(epochs), path, settings)
        assert ours == theirs


def test_fit_trains_components_of_spacy_too(tmp_path, files):
    path = written(tmp_path, "tok2vec", "tagger", "latperc_ner")
    settings = overrides(files["latperc_ner"])
    ours, theirs = both(tmp_path, path, settings)
    assert ours.keys() == {"tok2vec", "tagger", "latperc_ner"}
    assert ours == theirs
    config = load_config(path, overrides={**settings, "training.max_epochs": 1})
    with pytest.raises(ValueError, match="LP040.*'tok2vec'"):
        fit(config, workers=RayWorkers(2))


def test_fit_lets_components_annotate_for_those_behind_them(tmp_path, files):
    path = written(tmp_path, "latperc_tagger", "latperc_chunker")
    settings = overrides(files["latperc_ner"])
    settings["training.annotating_components"] = ["latperc_tagger"]
    ours, theirs = both(tmp_path, path, settings)
    assert ours.keys() == {"latperc_tagger", "latperc_chunker"}
    assert ours == theirs
