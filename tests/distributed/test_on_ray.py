"""`filter`, `annotate` and `fit` do the same on a Ray cluster as without one.

One cluster serves all of these tests: it takes seconds to start.
"""

import gzip
import json
import os
import runpy
import signal
import threading

import numpy as np
import pytest
import spacy
import srsly
from builders.annotators import POISON, TEXTS, PoisonedAnnotator
from builders.grammaticality import REAL, SHUFFLED
from builders.grammaticality import make_trained as make_judge
from builders.object_store import object_store
from builders.pipelines import FACTORIES, make_trained
from builders.ray_nodes import processes_of_nodes
from builders.sample import few_sentences
from project_files import ROOT
from spacy.util import load_config
from typer.testing import CliRunner

from spacy_latperc.api import ArrowAnnotator, pipeline_to_bytes
from spacy_latperc.cli import latperc_cli
from spacy_latperc.distributed.shard_workers import RayWorkers, ShardedTraining
from spacy_latperc.io.packed import open_to_pack
from spacy_latperc.training.fit import fit, fit_and_save

RECIPE = ROOT / "examples" / "ray_annotate.py"
pytestmark = [pytest.mark.ray, pytest.mark.usefixtures("ray_nodes")]


# filter -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    make_judge(explain=True).to_disk(folder)
    return folder


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    """A folder with files of all kinds, bad lines, odd names, and an empty one."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder = tmp_path_factory.mktemp("texts")
    lines = [line for pair in zip(REAL, SHUFFLED, strict=True) for line in pair] * 100
    (folder / "a.txt").write_bytes(b"\xef\xbb\xbf" + "\r\n".join(lines).encode())
    (folder / "b.jsonl").write_text(
        "".join(f"{json.dumps({'id': i, 'text': x})}\n" for i, x in enumerate(lines))
    )
    (folder / "deep").mkdir()
    packed = "\n\n".join(lines[:100])
    (folder / "deep" / "c.txt.gz").write_bytes(gzip.compress(packed.encode()))
    with open_to_pack(folder / "deep" / "%41.txt.zst") as file:
        file.write(packed.encode() + b"\n" + b"a " * (1 << 20) + b"\n\xff\nlast\n")
    (folder / "dt=2020%3A01").mkdir()
    (folder / "dt=2020%3A01" / "x#y.jsonl").write_text(
        '{"text": "\\ud800"}\n' + json.dumps({"text": lines[0]})
    )
    (folder / "empty.txt").write_bytes(b"")
    contents = [line.encode() for line in lines]
    contents[3] = b"\xff"
    column = pa.array(contents, pa.binary()).view(pa.string())
    table = pa.table({"id": range(len(lines)), "text": column})
    pq.write_table(table, folder / "t.parquet")
    pq.write_table(table.slice(0, 0), folder / "u.parquet")
    return folder


def run(*arguments, expect=0):
    result = CliRunner().invoke(latperc_cli, ["filter", *map(str, arguments)])
    assert result.exit_code == expect, result.output
    return result


def content(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_filter_on_a_cluster_writes_the_same(model, texts, tmp_path):
    options = ["--scores", "--reasons", "--skip-bad"]
    said = run(model, texts, tmp_path / "plain", *options).output
    result = run(model, texts, tmp_path / "ray", *options, "--ray", "here", "-p", 2)
    assert content(tmp_path / "ray") == content(tmp_path / "plain")
    assert len(content(tmp_path / "ray")) == 9
    assert "Bad lines left out: 4" in said and "Bad lines left out: 4" in result.output
    assert "(before)" not in result.output

    # One file is lost, the others are not done again.
    (tmp_path / "ray" / "b.jsonl").unlink()
    result = run(model, texts, tmp_path / "ray", *options, "--ray", "here", "-p", 1)
    assert result.output.count("(before)") == 7
    assert content(tmp_path / "ray") == content(tmp_path / "plain")


def test_filter_on_a_cluster_of_a_url(model, texts, tmp_path):
    source = (texts / "a.txt").as_uri()
    run(model, texts / "a.txt", tmp_path / "plain.txt.gz")
    run(model, source, tmp_path / "ray.txt.gz", "--ray", "here", "-p", 1)
    assert content(tmp_path)["ray.txt.gz"] == content(tmp_path)["plain.txt.gz"]
    folder = f"{texts.as_uri()}/deep"
    options = ["--below", "--documents", "--skip-bad"]
    run(model, folder, tmp_path / "out", *options, "--ray", "here", "-p", 1)
    run(model, folder, tmp_path / "plain", *options)
    assert content(tmp_path / "out") == content(tmp_path / "plain")


def test_filter_on_a_cluster_reads_an_object_store(model, texts, tmp_path):
    objects = {
        f"bucket/in/{path.relative_to(texts).as_posix()}": path.read_bytes()
        for path in texts.rglob("*")
        if path.is_file()
    }
    options = ["--scores", "--skip-bad"]
    run(model, texts, tmp_path / "plain", *options)
    with object_store(objects) as keys:
        folder = f"s3://key:secret@bucket/in{keys}"
        run(model, folder, tmp_path / "ray", *options, "--ray", "here", "-p", 2)
        assert len(objects) == 8
        objects["bucket/in/../planted.txt"] = b"x\n"
        options = [*options, "--ray", "here"]
        result = run(model, folder, tmp_path / "ray", *options, expect=1)
    assert "LP584" in result.output
    written, expected = content(tmp_path / "ray"), content(tmp_path / "plain")
    assert written.pop("filter.json") != expected.pop("filter.json")  # other files
    assert written == expected


def test_filter_on_a_cluster_of_bad_lines_and_files(model, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.txt").write_bytes(REAL[0].encode() + b"\n\xff\n" + REAL[1].encode())
    (folder / "b.txt.gz").write_bytes(gzip.compress(REAL[0].encode() * 99)[:-20])
    found = {}
    for name, options in (("plain", []), ("ray", ["--ray", "here", "-p", 1])):
        target = tmp_path / name
        result = run(model, folder, target, *options, expect=1)
        assert "LP340" in result.output and "line 2" in result.output
        assert "Traceback" not in result.output
        assert not target.exists() or not list(target.glob("*.txt"))
        run(model, folder, target, "--skip-bad", "--overwrite", *options)
        found[name] = content(target)
    assert found["ray"] == found["plain"]
    assert "LP110" in found["ray"]["filter.json"].decode()


def test_filter_on_a_cluster_refuses_what_it_cannot_read(model, tmp_path):
    assert "LP489" in run(model, "-", tmp_path / "x", "--ray", "here", expect=1).output
    (tmp_path / "a.txt").write_text("x")
    result = run(model, tmp_path / "a.txt", "s3://bucket/x", "--ray", "here", expect=1)
    assert "LP484" in result.output


def test_filter_on_a_cluster_that_cannot_load_the_model(
    model, texts, tmp_path, monkeypatch
):
    monkeypatch.setattr(
        "spacy_latperc.distributed.file_tasks.pipeline_to_bytes",
        lambda nlp: b"no pipeline",
    )
    before = processes_of_nodes()
    result = run(model, texts, tmp_path / "out", "--ray", "here", "-p", 2, expect=1)
    assert before
    assert result.output.count("[LP824]") == 1 and "LP567" in result.output
    assert "Traceback" not in result.output
    assert len(result.output.splitlines()) <= 3, result.output


@pytest.mark.slow
def test_filter_on_a_cluster_that_loses_a_worker(model, texts, tmp_path):
    source = tmp_path / "in.txt"
    source.write_bytes((texts / "a.txt").read_bytes() * 30)
    run(model, source, tmp_path / "plain.txt")
    killed = []

    def kill() -> None:
        while not killed and not done.wait(0.02):
            for pid, command in processes_of_nodes().items():
                if "ray::_work" in command and not killed:
                    done.wait(1)  # it is at work then
                    os.kill(pid, signal.SIGKILL)
                    killed.append(pid)

    done = threading.Event()
    killer = threading.Thread(target=kill)
    killer.start()
    try:
        run(model, source, tmp_path / "ray.txt", "--ray", "here", "-p", 1)
    finally:
        done.set()
        killer.join()
    assert killed
    assert (tmp_path / "ray.txt").read_bytes() == (tmp_path / "plain.txt").read_bytes()


# annotate, and `map_batches` of users' own --------------------------------------------


@pytest.fixture(scope="module")
def nlp():
    return make_trained(*FACTORIES, scores="marginal")


def annotated(texts, annotator, *arguments, **settings):
    import ray

    rows = ray.data.from_items([{"text": text} for text in texts])
    made = rows.map_batches(
        annotator,
        fn_constructor_args=arguments,
        fn_constructor_kwargs=settings,
        batch_format="pyarrow",
        concurrency=1,
    )
    return made.take_all()


def test_annotate_on_a_cluster_writes_the_same(nlp, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.txt").write_text("\n".join(TEXTS * 50))
    (folder / "b.jsonl").write_text(json.dumps({"id": 1, "text": TEXTS[0]}))
    nlp.to_disk(tmp_path / "model")
    for name, options in (("here", []), ("ray", ["--ray", "here", "-p", "2"])):
        command = ["annotate", str(tmp_path / "model"), "-f", str(folder)]
        command += ["-o", str(tmp_path / name), *options]
        result = CliRunner().invoke(latperc_cli, command)
        assert result.exit_code == 0, result.output
    for name in ("a.txt.jsonl", "b.jsonl", "annotate.json"):
        found = (tmp_path / "ray" / name).read_text()
        assert found == (tmp_path / "here" / name).read_text(), name
    assert found.count("size") == 2


@pytest.mark.skipif(not RECIPE.exists(), reason="not in a clone")
def test_the_recipe_writes_a_folder(nlp, tmp_path):
    import pyarrow.parquet as pq

    nlp.to_disk(tmp_path / "model")
    (tmp_path / "texts").mkdir()
    srsly.write_jsonl(tmp_path / "texts" / "a.jsonl", [{"text": x} for x in TEXTS])
    folders = [str(tmp_path / name) for name in ("model", "texts", "out")]
    runpy.run_path(RECIPE)["main"](*folders)
    found = pq.read_table(folders[-1]).to_pydict()
    assert sorted(found["text"]) == sorted(TEXTS)
    docs = list(nlp.pipe(found["text"]))
    assert found["tags"] == [[token.tag_ for token in doc] for doc in docs]
    ents = [[ent["label"] for ent in row] for row in found["ents"]]
    assert ents == [[ent.label_ for ent in doc.ents] for doc in docs]


def test_map_batches_keeps_errors_or_stops_with_one(nlp, tmp_path):
    nlp = make_trained("latperc_tagger")
    nlp.add_pipe("latperc_test_poison", first=True)
    model = pipeline_to_bytes(nlp)
    texts = [TEXTS[0], POISON, TEXTS[1]]
    rows = annotated(texts, PoisonedAnnotator, model, errors="keep")
    assert [bool(row["error"]) for row in rows] == [False, True, False]
    with pytest.raises(Exception, match="LP828") as caught:
        annotated(texts, PoisonedAnnotator, model)
    assert str(caught.value).count("[LP828]") == 1
    with pytest.raises(Exception, match="LP824") as caught:
        annotated(TEXTS, ArrowAnnotator, "no_such_model")
    assert str(caught.value).count("[LP824]") == 1


# fit ----------------------------------------------------------------------------------


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


def test_workers_that_cannot_begin_say_why(ray_nodes):
    with pytest.raises(ValueError, match=r"LP846.* 9 .* 4"):
        fit(config(), workers=RayWorkers(9))

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


def test_command_fits_on_a_cluster(ray_nodes, tmp_path):
    settings = [x for key, value in SMALL.items() for x in (f"--{key}", str(value))]
    given = ["fit", str(ROOT / "configs" / "chunker.cfg"), *settings]
    given += ["-o", str(tmp_path)]
    ray = ["--workers", "2", "--ray", ray_nodes.address]
    found = CliRunner().invoke(latperc_cli, [*given, *ray])
    assert found.exit_code == 0, found.output
    assert "CHUNKS_F" in found.output
    model = (tmp_path / "model-last" / "chunker" / "model").read_bytes()
    assert model == bytes_of(fit(config(), workers=RayWorkers(2)))
    found = CliRunner().invoke(latperc_cli, [*given, "--resume"])
    assert found.exit_code == 1 and "LP847" in found.output
