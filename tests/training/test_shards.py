"""Shards of a corpus that are dealt out once, in one process."""

import numpy as np
import pytest
import spacy
from builders.learners import make_batch, make_learner
from project_files import ROOT
from spacy.util import load_config

from spacy_latperc.kernels.chains import Deltas, meet_shard, mixed, take_mixed
from spacy_latperc.learners.mixing import Examples, Mixing, Shard, random_states
from spacy_latperc.learners.passive_aggressive import passive_aggressive
from spacy_latperc.learners.perceptron import perceptron
from spacy_latperc.training.checkpoint import Checkpoint
from spacy_latperc.training.fit import fit, fit_and_save
from spacy_latperc.training.shards import LocalWorkers

SMALL = {
    "corpora.train.limit": 60,
    "corpora.dev.limit": 20,
    "training.max_epochs": 3,
    "paths.train": str(ROOT / "assets" / "sample" / "train.txt"),
    "paths.dev": str(ROOT / "assets" / "sample" / "dev.txt"),
}


def config(**more):
    return load_config(ROOT / "configs" / "chunker.cfg", overrides={**SMALL, **more})


def model_of(nlp):
    return nlp.get_pipe("chunker").model.to_bytes()


def started(shards=1):
    batch = make_batch(23, docs=30, noise=0.2)
    learner = make_learner(learner=passive_aggressive(shards=shards))
    learner.start(len(batch.bounds) - 1)
    blocks = learner.extract(batch)
    golds = np.split(batch.gold, np.cumsum([block.n_tokens for block in blocks])[:-1])
    examples = Examples()
    for block, gold in zip(blocks, golds, strict=True):
        examples.add([block], gold)
    return learner, examples


def test_passes_of_parts_are_those_of_the_setting():
    """The same parts, whoever cuts them."""
    by_setting, examples = started(shards=3)
    by_hand, others = started()
    for _ in range(3):
        by_setting.update(examples.blocks, examples.codes)
        by_hand.learn_pass(others.cut(3))
    assert by_hand.to_bytes() == by_setting.to_bytes()


@pytest.mark.parametrize("parts", [1, 2, 5])
def test_weights_that_are_mixed_by_ranges_are_those_of_one_process(parts):
    """As on a cluster: each range alone, and then all of them are taken."""
    learner, examples = started()
    shared = learner.shared_weights()
    twin, others = started()
    settings = learner.pass_settings(0, examples.sentences)
    for _ in range(3):
        chains = [learner.make_shard(noise=False, pulled=False) for _ in range(3)]
        shards = [Shard(chain, shared) for chain in chains]
        *states, after = random_states(shared.random_state, 3)
        for shard, part, state in zip(shards, examples.cut(3), states, strict=True):
            shard.learn(part, settings, state)
        for shard in shards:
            meet_shard(shared, shard.chain)
        deltas = [shard.deltas(shared) for shard in shards]
        before = learner.shared_weights().weights(0)
        values = []
        for part in range(parts):
            of_part = [x.arrays(shared, part=part, parts=parts) for x in deltas]
            found = mixed(shared, [Deltas.from_arrays(shared, x) for x in of_part])
            values.append(found.arrays(shared))
        now = shared.weights(0)  # nothing has changed yet
        assert all((now[key] == before[key]).all() for key in before)
        for arrays in values:
            take_mixed(shared, Deltas.from_arrays(shared, arrays))
        shared.random_state = after
        learner.shards_learned()
        twin.learn_pass(others.cut(3))
        assert learner.to_bytes() == twin.to_bytes()


def test_mixing_among_all_once_a_pass_is_that_of_the_paper():
    learner, examples = started()
    parts = examples.deal(3)
    shared = learner.shared_weights()
    states = random_states(shared.random_state, 3)
    settings = learner.pass_settings(0, examples.sentences)
    learned = []
    for part, state in zip(parts, states[:3], strict=True):
        chain = learner.make_shard(noise=False, pulled=False)
        Shard(chain, shared).learn(part, settings, state)
        learned.append((part.sentences / examples.sentences, chain.weights(0)))
    learner.learn_pass(parts, mixing=Mixing("examples", 1))
    found = learner.shared_weights().weights(0)
    assert found
    for key, row in found.items():
        mean = sum(share * w.get(key, 0 * row) for share, w in learned)
        assert row == pytest.approx(mean, abs=1e-6)


@pytest.mark.parametrize("n", [1, 2, 7, 40])
@pytest.mark.parametrize("state", [None, 5])
def test_examples_that_are_dealt_keep_their_labels(n, state):
    _, examples = started()
    ends = np.cumsum([block.n_tokens for block in examples.blocks])
    golds = np.split(examples.codes, ends[:-1])
    codes = dict(zip(map(id, examples.blocks), golds, strict=True))
    parts = examples.deal(n, state)
    found = [id(block) for part in parts for block in part.blocks]
    assert sorted(found) == sorted(codes)
    for part in parts:
        expected = [codes[id(block)] for block in part.blocks]
        assert part.codes.tolist() == np.concatenate([[], *expected]).tolist()
        assert part.sentences == sum(block.n_sentences for block in part.blocks)
    assert abs(len(parts[0].blocks) - len(parts[-1].blocks)) <= 1


def test_the_order_of_rounds_changes_from_pass_to_pass():
    _, examples = started()
    parts = dict(enumerate(examples.cut(2)))
    found = [
        [id(block) for block in Mixing().deal(parts, 2, state)[0][0].blocks]
        for state in (1, 1, 2)
    ]
    assert found[0] == found[1] != found[2]


@pytest.mark.parametrize(
    ("mixing", "expected"), [(("rows", 0), "mix"), (("changes", -1), "mixes")]
)
def test_unknown_ways_to_mix_are_refused(mixing, expected):
    with pytest.raises(ValueError, match=rf"LP08\d.*\b{expected}\b"):
        Mixing(*mixing)


def test_the_model_depends_on_the_shards_and_every_example_is_learned():
    found = [fit(config(), workers=LocalWorkers(n)) for n in (2, 2, 3)]
    assert model_of(found[0]) == model_of(found[1]) != model_of(found[2])
    learner = found[2].get_pipe("chunker").learner
    assert learner.examples == 3 * learner.pass_size


def test_fit_in_shards_is_scored_after_each_pass(tmp_path, capsys):
    fit_and_save(config(), tmp_path, workers=LocalWorkers(2))
    rows = [line.split()[:2] for line in capsys.readouterr().out.splitlines()]
    assert [row for row in rows if row and row[0].isdigit()] == [
        ["0", "0"],
        ["1", "1"],
        ["2", "2"],
    ]
    found = sorted(path.name for path in tmp_path.iterdir())
    assert found == ["model-best", "model-last"]


def test_training_is_not_resumed_with_other_settings(tmp_path, monkeypatch):
    save = Checkpoint.save

    def save_and_stop(checkpoint, passes, learners):
        save(checkpoint, passes, learners)
        raise KeyboardInterrupt

    settings = {"evaluate": False, "quiet": True, "workers": LocalWorkers(2)}
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Checkpoint, "save", save_and_stop)
        fit_and_save(config(), tmp_path, **settings)
    with pytest.raises(ValueError, match="LP841"):
        fit_and_save(
            config(**{"training.max_epochs": 4}), tmp_path, resume=True, **settings
        )
    often = {**settings, "workers": LocalWorkers(2, Mixing(rounds=3))}
    with pytest.raises(ValueError, match="LP841"):
        fit_and_save(config(), tmp_path, resume=True, **often)
    file = tmp_path / "checkpoint.latperc"
    content = file.read_bytes()
    file.write_bytes(content[:-20])
    with pytest.raises(ValueError, match="LP842"):
        fit_and_save(config(), tmp_path, resume=True, **settings)
    file.write_bytes(content)
    nlp = fit_and_save(config(), tmp_path, resume=True, **settings)
    assert model_of(nlp) == model_of(fit(config(), workers=LocalWorkers(2)))


def test_training_that_ended_in_its_last_pass_is_resumed_and_saved(
    tmp_path, monkeypatch
):
    save = Checkpoint.save

    def stop_after_the_last(checkpoint, passes, learners):
        save(checkpoint, passes, learners)
        if passes == 3:
            raise MemoryError

    with monkeypatch.context() as patch, pytest.raises(MemoryError):
        patch.setattr(Checkpoint, "save", stop_after_the_last)
        fit_and_save(config(), tmp_path, quiet=True, workers=LocalWorkers(2))
    nlp = fit_and_save(
        config(), tmp_path, quiet=True, resume=True, workers=LocalWorkers(2)
    )
    assert model_of(nlp) == model_of(fit(config(), workers=LocalWorkers(2)))
    for name in ("model-best", "model-last"):
        assert model_of(spacy.load(tmp_path / name)) == model_of(nlp)
    assert not (tmp_path / "checkpoint.latperc").exists()


def test_voted_perceptron_does_not_learn_in_shards():
    learner = {"@misc": "spacy_latperc.Perceptron.v1", "vote": True}
    settings = config()
    settings["components"]["chunker"]["model"]["learner"] = learner
    with pytest.raises(ValueError, match="LP840.*chunker"):
        fit(settings, workers=LocalWorkers(2))


def test_a_state_of_another_learner_is_refused():
    learner, examples = started()
    learner.learn_pass(examples.cut(2))
    header, arrays = learner.state_of_shards()
    other = make_learner(learner=perceptron(average="none"))
    other.start(10)
    with pytest.raises(ValueError, match="another way"):
        other.go_on_from(header, arrays)
