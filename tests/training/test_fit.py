"""`fit`: what `spacy train` makes of the same config, scores and card included."""

import gc
import json
import signal

import pytest
import spacy
from builders.sample import few_sentences
from project_files import ROOT
from spacy.cli.train import train as spacy_train
from spacy.util import load_config
from typer.testing import CliRunner

from spacy_latperc.cli import latperc_cli
from spacy_latperc.distributed.shard_workers import RayWorkers
from spacy_latperc.io.process_memory import rare_collections
from spacy_latperc.training.fit import fit, fit_and_save

CONFIG = ROOT / "configs" / "chunker.cfg"
SMALL = few_sentences(100, 50, epochs=3, every=5)


def config(**more):
    return load_config(CONFIG, overrides={**SMALL, **more})


def run(output, *options):
    settings = [x for key, value in SMALL.items() for x in (f"--{key}", str(value))]
    arguments = ["fit", str(CONFIG), "-o", str(output), *settings, *options]
    return CliRunner().invoke(latperc_cli, arguments)


def model_of(folder):
    return (folder / "chunker" / "model").read_bytes()


def meta_of(folder):
    return json.loads((folder / "meta.json").read_text())


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"training.patience": 4, "training.eval_frequency": 2},
        {"training.max_steps": 7},
        {"training.max_epochs": 0, "training.max_steps": 17},
        {
            "training.max_epochs": 0,
            "training.patience": 6,
            "training.eval_frequency": 2,
        },
        {"training.max_epochs": -1, "training.max_steps": 13},
    ],
)
def test_fit_is_spacy_train(tmp_path, more):
    fit_and_save(config(**more), tmp_path / "ours", quiet=True)
    spacy_train(CONFIG, tmp_path / "theirs", overrides={**SMALL, **more})
    for name in ("model-best", "model-last"):
        ours, theirs = tmp_path / "ours" / name, tmp_path / "theirs" / name
        assert model_of(ours) == model_of(theirs)
        scores = meta_of(ours)["performance"]
        assert scores["chunks_f"] > 0.5
        assert scores == meta_of(theirs)["performance"]


def test_fit_refuses_a_training_without_an_end(tmp_path):
    endless = {"training.max_epochs": 0, "training.max_steps": 0}
    with pytest.raises(ValueError, match=r"LP042.*max_steps or patience can end it"):
        fit_and_save(config(**endless, **{"training.patience": 0}), tmp_path / "out")
    patient = config(**endless, **{"training.patience": 4})
    with pytest.raises(ValueError, match=r"LP042.*max_steps can end it"):
        fit_and_save(patient, tmp_path / "out", evaluate=False)
    with pytest.raises(ValueError, match=r"LP042.*workers need a number of epochs"):
        fit(patient, workers=RayWorkers(2))


def test_fit_shows_the_scores_or_is_quiet(tmp_path):
    result = run(tmp_path / "out")
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert [line for line in lines if "CHUNKS_F" in line]
    assert [line for line in lines if line.split()[:2] == ["1", "5"]]
    output = run(tmp_path / "quiet", "-q").output
    assert "Saved the best pipeline" in output and "CHUNKS_F" not in output


def test_fit_without_evaluation_has_the_same_model_and_an_old_model_best(tmp_path):
    assert run(tmp_path / "scored", "-q").exit_code == 0
    result = run(tmp_path / "plain", "--no-evaluation")
    assert "Epoch 3/3  100 examples" in result.output
    last = tmp_path / "plain" / "model-last"
    assert model_of(last) == model_of(tmp_path / "scored" / "model-last")
    assert [path.name for path in last.parent.iterdir()] == ["model-last"]
    with pytest.warns(UserWarning, match="LP930.*model-best"):
        fit_and_save(config(), tmp_path / "scored", evaluate=False, quiet=True)


def test_fit_refuses_corpora_and_folders(tmp_path):
    (tmp_path / "dev").mkdir()
    (tmp_path / "model-last").mkdir()
    (tmp_path / "model-last" / "thesis.tex").touch()
    for options, code in (
        (("--paths.dev", str(tmp_path / "dev")), "LP115"),  # before training
        (("-o", str(tmp_path)), "LP331"),
    ):
        result = run(tmp_path / "out", *options)
        assert (result.exit_code, code in result.output) == (1, True)
        assert "CHUNKS_F" not in result.output
    assert (tmp_path / "model-last" / "thesis.tex").exists()


def test_fit_that_fails_leaves_the_last_results(tmp_path, monkeypatch):
    run(tmp_path, "-q")
    before = [model_of(tmp_path / name) for name in ("model-best", "model-last")]

    def fail(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("spacy.training.loop.update_meta", fail)
    result = run(tmp_path, "--training.max_epochs", "1")
    assert "LP560" in result.output
    assert "LP560" in run(tmp_path / "new", "--training.max_epochs", "1").output
    after = [model_of(tmp_path / name) for name in ("model-best", "model-last")]
    assert after == before
    assert len(list(tmp_path.iterdir())) == 2


def test_fit_that_is_interrupted_saves_what_it_learned(tmp_path):
    def interrupt(_, where):
        if where["step"] == 7:
            signal.raise_signal(signal.SIGINT)

    spacy.registry.callbacks.register("latperc_tests.Interrupt.v1", func=interrupt_at)
    interrupt_at.wanted = interrupt
    settings = config()
    settings["training"]["before_update"] = {"@callbacks": "latperc_tests.Interrupt.v1"}
    with pytest.raises(KeyboardInterrupt):
        fit_and_save(settings, tmp_path, quiet=True)
    for name in ("model-best", "model-last"):
        assert spacy.load(tmp_path / name).pipe_names == ["chunker"]


def interrupt_at():
    return interrupt_at.wanted


def test_fit_leaves_the_garbage_collector_as_it_was():
    before = gc.get_threshold()
    with rare_collections():
        assert gc.get_threshold() > before
    with pytest.raises(KeyError), rare_collections():
        raise KeyError
    assert gc.get_threshold() == before
    gc.set_threshold(0)
    try:
        with rare_collections():
            assert gc.get_threshold()[0] == 0
    finally:
        gc.set_threshold(*before)
