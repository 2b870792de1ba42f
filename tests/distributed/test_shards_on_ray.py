"""Training on shards of a cluster: the bytes of one process, whatever is lost."""

import os
import signal

import numpy as np
import pytest
import spacy
from project_files import ROOT
from spacy.util import load_config
from typer.testing import CliRunner

from spacy_latperc.cli import latperc_cli
from spacy_latperc.distributed import training
from spacy_latperc.distributed.training import RayPasses, RayWorkers
from spacy_latperc.training.fit import fit, fit_and_save
from spacy_latperc.training.shards import LocalWorkers

pytestmark = pytest.mark.ray

SMALL = {
    "corpora.train.limit": 60,
    "corpora.dev.limit": 20,
    "training.max_epochs": 3,
    "paths.train": str(ROOT / "assets" / "sample" / "train.txt"),
    "paths.dev": str(ROOT / "assets" / "sample" / "dev.txt"),
}
LATENT = {
    "latent": 2,
    "learner": {
        "@misc": "spacy_latperc.Perceptron.v1",
        "average": "mavg",
        "restart_every": 2,
    },
}
# What decides how weights step, average and begin, and which learners there are.
KINDS = {
    "chunker": {},
    "latent": {"model": LATENT},
    "penalties": {"model": {"learner": {"@misc": "spacy_latperc.CRF.v1", "l2": 0.01}}},
    "voting": {"scheme": None, "schemes": ["IOB2", "IOE2"]},
    "hmm": {
        "model": {
            "features": {"@misc": "spacy_latperc.HMMFeatures.v1"},
            "learner": {"@misc": "spacy_latperc.HMM.v1"},
        }
    },
}
BATCH = {
    "model": {
        "latent": 2,
        "features": {"@misc": "spacy_latperc.BaseChunkingFeatures.v1"},
        "learner": {"@misc": "spacy_latperc.CRFBatch.v1", "max_iterations": 4},
    }
}


def config(**kinds):
    """A pipeline with a chunker of each kind; one by default."""
    settings = load_config(ROOT / "configs" / "chunker.cfg", overrides=SMALL)
    plain = settings["components"]["chunker"]
    settings["nlp"]["pipeline"] = list(kinds) or ["chunker"]
    for name, changes in kinds.items():
        model = {**plain["model"], **changes.get("model", {})}
        own = {"model": model, "keep_spans": len(kinds) > 1}
        settings["components"][name] = {**plain, **changes, **own}
    return settings


def bytes_of(nlp, name="chunker"):
    return nlp.get_pipe(name).model.to_bytes()


def test_shards_on_a_cluster_learn_what_they_learn_in_a_process(ray_nodes):
    """Three shards, two of them with one worker: the number of workers is nothing."""
    here = fit(config(**KINDS), workers=LocalWorkers(3))
    there = fit(config(**KINDS), workers=RayWorkers(2, 3))
    found = {name: bytes_of(here, name) == bytes_of(there, name) for name in KINDS}
    assert found == dict.fromkeys(KINDS, True)


def test_slopes_of_shards_add_up_to_those_of_a_process(ray_nodes):
    found = []
    for workers in (None, RayWorkers(2, 3)):
        nlp = fit(config(batch=BATCH), workers=workers)
        learner = nlp.get_pipe("batch").learner
        frozen = learner.freeze()
        weights = {}
        for b in range(len(learner.plan.blocks)):
            keys, sizes, cells, values = frozen.export(b)
            places = zip(np.repeat(keys, sizes).tolist(), cells.tolist(), strict=True)
            weights |= dict(zip(((b, *x) for x in places), values, strict=True))
        found.append(weights)
    assert found[0].keys() == found[1].keys()
    for place, value in found[0].items():
        assert found[1][place] == pytest.approx(value, abs=1e-4)


def test_worker_that_is_killed_changes_nothing(ray_nodes, monkeypatch):
    """It has learned, and is gone before what it learned is mixed."""
    expected = bytes_of(fit(config(), workers=LocalWorkers(2)))
    mix, killed = RayPasses._mix, []

    def mix_without_one(passes, turn, learned):
        if turn.number == 2 and not killed:
            killed.append(passes.kept[1].process[1])
            os.kill(killed[0], signal.SIGKILL)
        return mix(passes, turn, learned)

    monkeypatch.setattr(RayPasses, "_mix", mix_without_one)
    found = fit(config(), workers=RayWorkers(2, 2))
    assert killed
    assert bytes_of(found) == expected


def test_training_goes_on_where_it_was_broken_off(ray_nodes, tmp_path, monkeypatch):
    expected = bytes_of(fit(config(), workers=LocalWorkers(2)))
    learn = RayPasses._learn

    def learn_twice(passes, chain):
        if passes._turn == 2:
            raise KeyboardInterrupt
        return learn(passes, chain)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(training.RayPasses, "_learn", learn_twice)
        fit_and_save(
            config(), tmp_path, evaluate=False, quiet=True, workers=RayWorkers(2, 2)
        )
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoint.latperc"]
    # Other workers, in this process: they are no part of what was learned.
    nlp = fit_and_save(
        config(),
        tmp_path,
        evaluate=False,
        quiet=True,
        workers=LocalWorkers(2),
        resume=True,
    )
    assert bytes_of(nlp) == expected
    assert [path.name for path in tmp_path.iterdir()] == ["model-last"]


def test_worker_that_cannot_begin_says_why(ray_nodes):
    @spacy.registry.readers("latperc_tests.OnlyHere.v1")
    def only_here():
        from spacy_latperc.data.corpus import column_corpus

        path = ROOT / "assets" / "sample" / "train.txt"
        return column_corpus(path, "word,tag,chunk", inputs=["tag"])

    settings = config()
    settings["corpora"]["dev"] |= {"columns": "word,tag,chunk", "inputs": []}
    settings["corpora"]["train"] = {"@readers": "latperc_tests.OnlyHere.v1"}
    with pytest.raises(ValueError, match=r"LP843.*OnlyHere"):
        fit(settings, workers=RayWorkers(2, 2))


def test_more_workers_than_cores_are_refused(ray_nodes):
    with pytest.raises(ValueError, match=r"LP846.* 9 .* 4"):
        fit(config(), workers=RayWorkers(9, 9))


def test_command_fits_on_a_cluster(ray_nodes, tmp_path):
    settings = [x for key, value in SMALL.items() for x in (f"--{key}", str(value))]
    given = ["fit", str(ROOT / "configs" / "chunker.cfg"), "--workers", "2", *settings]
    address = ["--ray", ray_nodes.address]
    for name, options in (("there", address), ("here", [])):
        found = CliRunner().invoke(
            latperc_cli, [*given, "-o", str(tmp_path / name), *options]
        )
        assert found.exit_code == 0, found.output
        assert "CHUNKS_F" in found.output
    for name in ("model-best", "model-last"):
        models = [
            (tmp_path / place / name / "chunker" / "model").read_bytes()
            for place in ("here", "there")
        ]
        assert models[0] == models[1]
