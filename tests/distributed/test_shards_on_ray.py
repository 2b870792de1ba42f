"""Training on shards of a cluster of Ray."""

import os
import signal

import numpy as np
import pytest
import spacy
from builders.sample import few_sentences
from project_files import ROOT
from spacy.util import load_config
from typer.testing import CliRunner

from spacy_latperc.cli import latperc_cli
from spacy_latperc.distributed.shard_workers import RayWorkers, ShardedTraining
from spacy_latperc.training.fit import fit, fit_and_save

pytestmark = pytest.mark.ray

SMALL = few_sentences(60, 20, epochs=3)
CRF = {
    "latent": 2,
    "features": {"@misc": "spacy_latperc.PaperFeatures.v1", "name": "base_chunking"},
    "learner": {"@misc": "spacy_latperc.CRFBatch.v1", "max_iterations": 4},
}


def config(**model):
    settings = load_config(ROOT / "configs" / "chunker.cfg", overrides=SMALL)
    settings["components"]["chunker"]["model"] |= model
    return settings


def bytes_of(nlp):
    return nlp.get_pipe("chunker").model.to_bytes()


def weights_of(nlp):
    learner = nlp.get_pipe("chunker").learner
    frozen = learner.freeze()
    weights = {}
    for b in range(len(learner.plan.blocks)):
        keys, sizes, cells, values = frozen.export(b)
        places = zip(np.repeat(keys, sizes).tolist(), cells.tolist(), strict=True)
        weights |= dict(zip(((b, *x) for x in places), values, strict=True))
    return weights


def test_gradients_of_shards_add_up_to_those_of_one_process(ray_nodes):
    for changes in ({}, {"l1": 0.1}):
        settings = config(**{**CRF, "learner": {**CRF["learner"], **changes}})
        alone, shared = (
            weights_of(fit(settings, workers=x)) for x in (None, RayWorkers(3))
        )
        assert alone.keys() == shared.keys()
        for place, value in alone.items():
            assert shared[place] == pytest.approx(value, abs=1e-4)


def test_a_lost_worker_stops_the_run_which_can_be_resumed(
    ray_nodes, tmp_path, monkeypatch
):
    whole = fit(config(), workers=RayWorkers(2))
    learn, killed = ShardedTraining.learn_epoch, []

    def learn_without_one(training, epoch):
        if epoch == 2 and not killed:
            import ray

            def pid(worker):
                return os.getpid()

            actor = training._actors[1]
            killed.append(ray.get(actor.__ray_call__.remote(pid)))
            os.kill(killed[0], signal.SIGKILL)
        return learn(training, epoch)

    monkeypatch.setattr(ShardedTraining, "learn_epoch", learn_without_one)
    how = {"evaluate": False, "quiet": True, "workers": RayWorkers(2)}
    with pytest.raises(ConnectionError, match=r"LP844.*--resume"):
        fit_and_save(config(), tmp_path, **how)
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoint.latperc"]
    found = fit_and_save(config(), tmp_path, resume=True, **how)
    assert bytes_of(found) == bytes_of(whole)
    assert [path.name for path in tmp_path.iterdir()] == ["model-last"]


def test_a_worker_that_cannot_begin_says_why(ray_nodes):
    @spacy.registry.readers("latperc_tests.OnlyHere.v1")
    def only_here():
        from spacy_latperc.data.corpus import column_corpus

        path = ROOT / "assets" / "sample" / "train.txt"
        return column_corpus(path, "word,tag,chunk", inputs=["tag"])

    settings = config()
    settings["corpora"]["dev"] |= {"columns": "word,tag,chunk", "inputs": []}
    settings["corpora"]["train"] = {"@readers": "latperc_tests.OnlyHere.v1"}
    with pytest.raises(ValueError, match=r"LP843.*OnlyHere"):
        fit(settings, workers=RayWorkers(2))


def test_more_workers_than_cores_are_refused(ray_nodes):
    with pytest.raises(ValueError, match=r"LP846.* 9 .* 4"):
        fit(config(), workers=RayWorkers(9))


def test_command_fits_on_a_cluster(ray_nodes, tmp_path):
    settings = [x for key, value in SMALL.items() for x in (f"--{key}", str(value))]
    given = ["fit", str(ROOT / "configs" / "chunker.cfg"), *settings]
    command = [*given, "--workers", "2", "--ray", ray_nodes.address]
    found = CliRunner().invoke(latperc_cli, [*command, "-o", str(tmp_path)])
    assert found.exit_code == 0, found.output
    assert "CHUNKS_F" in found.output
    model = (tmp_path / "model-last" / "chunker" / "model").read_bytes()
    assert model == bytes_of(fit(config(), workers=RayWorkers(2)))
    found = CliRunner().invoke(latperc_cli, [*given, "--resume", "-o", str(tmp_path)])
    assert found.exit_code == 1 and "LP847" in found.output
