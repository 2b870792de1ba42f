"""Training on shards: that of one process where there is one, and what is resumed."""

from contextlib import contextmanager
from types import SimpleNamespace

import pytest
import spacy
from builders.pipelines import MEMBERS
from builders.sample import few_sentences
from project_files import ROOT
from spacy.util import load_config

from spacy_latperc.distributed.shard_workers import ShardedTraining, ShardWorker
from spacy_latperc.training.checkpoint import Checkpoint
from spacy_latperc.training.fit import fit, fit_and_save

SMALL = few_sentences(60, 20, epochs=3)


def config(name="chunker", **more):
    overrides = {**SMALL, **more}
    return load_config(ROOT / "configs" / f"{name}.cfg", overrides=overrides)


def model_of(nlp, name="chunker"):
    return nlp.get_pipe(name).model.to_bytes()


class Here:
    """Workers in this process, in the place of actors of Ray."""

    exceptions = SimpleNamespace(
        **dict.fromkeys(("RayActorError", "ObjectLostError", "RayTaskError"), ())
    )

    def __init__(self, workers):
        self.workers = workers

    @staticmethod
    def put(value):
        return value

    get = put

    @contextmanager
    def at_work(self, job):
        actors = [Actor(shard, self.workers) for shard in range(self.workers)]
        yield ShardedTraining(self, actors, job)


class Actor:
    def __init__(self, shard, shards):
        self._worker = ShardWorker(shard, shards)

    def __getattr__(self, name):
        return SimpleNamespace(remote=getattr(self._worker, name))


@pytest.fixture(scope="module")
def whole():
    """A training in two shards that was not stopped."""
    return fit(config(), workers=Here(2))


@pytest.mark.parametrize("name", ["chunker", "members", "ner", "tagger"])
def test_one_shard_is_plain_training(name):
    settings = config("chunker" if name == "members" else name)
    if name == "members":
        settings["components"]["chunker"]["model"]["members"] = MEMBERS
    plain, sharded = (fit(settings, workers=x) for x in (None, Here(1)))
    for pipe in plain.pipe_names:
        assert model_of(sharded, pipe) == model_of(plain, pipe)


def test_every_example_is_learned_and_the_model_is_the_same_again(whole):
    again, other = (fit(config(), workers=Here(n)) for n in (2, 3))
    assert model_of(again) == model_of(whole) != model_of(other)
    learner = other.get_pipe("chunker").learner
    assert learner.examples == 3 * learner.epoch_size


def test_scores_come_after_each_epoch(tmp_path, capsys):
    fit_and_save(config(), tmp_path, workers=Here(2))
    rows = [line.split()[:2] for line in capsys.readouterr().out.splitlines()]
    found = [row for row in rows if row and row[0].isdigit()]
    assert found == [["0", "0"], ["1", "1"], ["2", "2"]]
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["model-best", "model-last"]


def stopped(monkeypatch, folder, settings, *, after, error=KeyboardInterrupt, **how):
    """Break a training off when so many epochs have been saved."""
    save = Checkpoint.save

    def save_and_stop(checkpoint, epochs, learners):
        save(checkpoint, epochs, learners)
        if epochs == after:
            raise error

    with monkeypatch.context() as patch, pytest.raises(error):
        patch.setattr(Checkpoint, "save", save_and_stop)
        fit_and_save(settings, folder, quiet=True, workers=Here(2), **how)
    assert [path.name for path in folder.iterdir()] == ["checkpoint.latperc"]


def resumed(folder, settings, workers=2):
    return fit_and_save(
        settings, folder, quiet=True, workers=Here(workers), resume=True
    )


@pytest.mark.parametrize("epochs", [1, 2, 3])
def test_resumed_training_ends_like_one_that_was_not_stopped(
    epochs, whole, tmp_path, monkeypatch
):
    stopped(monkeypatch, tmp_path, config(), after=epochs, error=MemoryError)
    assert model_of(resumed(tmp_path, config())) == model_of(whole)
    assert model_of(spacy.load(tmp_path / "model-last")) == model_of(whole)
    assert {path.name for path in tmp_path.iterdir()} == {"model-best", "model-last"}


def corpus(folder, start="", words=("dangerous", "dangerous")):
    """The training file of the sample, with something in front of it."""
    text = (ROOT / "assets" / "sample" / "train.txt").read_text(encoding="utf-8")
    path = folder / "train.txt"
    some = "\n\n".join(text.replace(*words).split("\n\n")[:150])
    path.write_text(f"{start}{some}\n", encoding="utf-8")
    return {"paths.train": str(path), "corpora.train.limit": 0}


# A tag in front of all others moves the numbers of their labels.
CHANGES = [
    {"start": "New AAA O O\n\n"},
    {"start": "The DT O O\n\n"},
    {"words": ("dangerous", "other")},
]


def test_training_is_not_resumed_with_another_corpus(tmp_path, monkeypatch):
    out = tmp_path / "out"
    settings = config("tagger", **corpus(tmp_path))
    stopped(monkeypatch, out, settings, after=1)
    before = (out / "checkpoint.latperc").read_bytes()
    for change in CHANGES:
        corpus(tmp_path, **change)
        with pytest.raises(ValueError, match="LP842.*another corpus"):
            resumed(out, settings)
        assert (out / "checkpoint.latperc").read_bytes() == before
    corpus(tmp_path)
    whole = fit(settings, workers=Here(2))
    assert model_of(resumed(out, settings), "tagger") == model_of(whole, "tagger")


def test_training_is_not_resumed_with_other_settings_or_checkpoints(
    whole, tmp_path, monkeypatch
):
    stopped(monkeypatch, tmp_path, config(), after=1)
    other = config(**{"training.max_epochs": 4})
    with pytest.raises(ValueError, match="LP842.*another corpus"):
        resumed(tmp_path, other)
    with pytest.raises(ValueError, match="LP842.*another corpus"):
        resumed(tmp_path, config(), workers=3)
    file = tmp_path / "checkpoint.latperc"
    content = file.read_bytes()
    model = whole.get_pipe("chunker").learner.to_bytes()
    for bad in (b"", content[:-20], content[:50] + b"?" + content[51:], model):
        file.write_bytes(bad)
        with pytest.raises(ValueError, match="LP842(?!.*another corpus)"):
            Checkpoint(file, "").resume([])
