"""Training whose features do not fit into memory: the same model, bounded memory."""

import errno
import tempfile
import weakref

import numpy as np
import pytest
from project_files import ROOT
from spacy.util import load_config

from spacy_latperc.data import corpus, formats
from spacy_latperc.training import kept as module
from spacy_latperc.training.fit import fit, fit_and_save
from spacy_latperc.training.kept import KeptExamples
from spacy_latperc.training.reading import Stub, gold_of, read_stubs
from spacy_latperc.training.shards import LocalWorkers

SAMPLE = ROOT / "assets" / "sample"
MB = 1e-6  # a byte


def config_of(name, suffix="txt", **more):
    overrides = {
        "paths.train": str(SAMPLE / f"train.{suffix}"),
        "paths.dev": str(SAMPLE / f"dev.{suffix}"),
        "training.max_epochs": 2,
        "corpora.train.limit": 150,
        **more,
    }
    path = ROOT / "configs" / f"{name}.cfg"
    return load_config(path, overrides=overrides, interpolate=False)


def models_of(nlp):
    return [pipe.model.to_bytes() for _, pipe in nlp.pipeline]


@pytest.mark.parametrize(
    ("name", "suffix"),
    [
        ("chunker", "txt"),
        ("chunker_voting", "txt"),
        ("ner_tags", "txt"),
        ("parser", "conllu"),
    ],
)
def test_the_model_is_the_same_wherever_features_are_kept(name, suffix):
    plain = models_of(fit(config_of(name, suffix)))
    for megabytes in (0, 0.1):
        assert models_of(fit(config_of(name, suffix), max_memory=megabytes)) == plain


def test_batchers_may_look_ahead():
    config = config_of("tagger")
    config["training"]["batcher"] = {
        "@batchers": "spacy.batch_by_padded.v1",
        "size": 100,
        "buffer": 64,
        "discard_oversize": False,
        "get_length": None,
    }
    assert models_of(fit(config, max_memory=0)) == models_of(fit(config))


def test_only_the_batch_at_work_is_in_memory(monkeypatch):
    alive, most = set(), []

    class Watched(Stub):
        __slots__ = ("__weakref__",)

        def __init__(self, *given):
            super().__init__(*given)
            number = id(self)
            alive.add(number)
            weakref.finalize(self, alive.discard, number)
            most.append(len(alive))

    monkeypatch.setattr(module, "Stub", Watched)
    config = config_of("tagger")
    config["training"]["batcher"] = {
        "@batchers": "spacy.batch_by_sequence.v1", "size": 8, "get_length": None,
    }  # fmt: skip
    fit(config, max_memory=0)
    assert len(most) == 300
    assert max(most) <= 3 * 8


@pytest.fixture(scope="module")
def prepared():
    nlp = fit(config_of("tagger"))
    read = corpus.column_corpus(SAMPLE / "train.txt", ["word", "tag"], limit=150)
    return nlp.pipeline, list(read_stubs(nlp, read(nlp), nlp.pipeline))


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0, None])
def test_what_is_brought_back_is_what_was_put_away(prepared, share, request):
    components, stubs = prepared
    size = sum(map(module._size, stubs))
    limit = None if share is None else share * size * MB
    kept = KeptExamples(iter(stubs), components, limit)
    request.addfinalizer(kept.close)
    assert len(kept) == len(stubs)
    wanted = len(stubs) * (1 if share is None else share)
    assert abs(kept.in_memory - wanted) <= 0.2 * len(stubs)
    for i in reversed(range(len(stubs))):
        found, stub = kept[i], stubs[i]
        assert len(found) == len(stub)
        pairs = zip(found.features, stub.features, strict=True)
        for number, (block, other) in enumerate(pairs):
            gold, labels = gold_of([found], number), gold_of([stub], number)
            assert np.array_equal(block.to_array(), other.to_array())
            assert np.array_equal(block.bounds(), other.bounds())
            assert block.weighted_features() == other.weighted_features()
            assert np.array_equal(gold, labels)
            assert gold.dtype == labels.dtype


def test_blocks_of_another_length_are_refused(prepared):
    components, stubs = prepared
    space = components[0][1].learner.space
    data = stubs[0].features[0].to_bytes()
    for bad in (b"", data[:20], data[:-4], data + bytes(4), b"\xff" * len(data)):
        with pytest.raises(ValueError, match="block"):
            space.block_from_bytes(bad)


def test_a_full_disk_is_named(prepared, monkeypatch):
    components, stubs = prepared

    def full(*given, **more):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    with pytest.raises(OSError, match="LP777"):
        KeptExamples(stubs, components, 0)


def test_settings_that_make_no_sense_are_refused(tmp_path):
    with pytest.raises(ValueError, match="LP778"):
        fit(config_of("tagger"), workers=LocalWorkers(2), max_memory=10)
    with pytest.raises(ValueError, match="max_memory"):
        fit_and_save(config_of("tagger"), tmp_path, max_memory=-1)


def test_large_tables_are_read_again_and_not_kept(tmp_path):
    folder = tmp_path / "train"
    folder.mkdir()
    text = (SAMPLE / "train.txt").read_text(encoding="utf8").split("\n\n")
    for i in range(3):
        part = "\n\n".join(text[50 * i : 50 * (i + 1)])
        (folder / f"{i}.txt").write_text(part + "\n\n", encoding="utf8")
    more = {"paths.train": str(folder), "corpora.train.limit": 0}
    formats._tables.clear()
    small = models_of(fit(config_of("tagger", **more), max_memory=0))
    assert not formats._tables
    assert models_of(fit(config_of("tagger", **more))) == small
    assert len(formats._tables) == 3
