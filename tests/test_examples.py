"""The recipes of examples/, where the packages that they use are installed."""

import runpy
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import pytest
import spacy
import srsly
from builders.encoders import HEADS, LAYERS, WIDTH, WINDOW, WORDS, model_folder
from builders.sample import SAMPLE, few_sentences
from project_files import ROOT
from spacy.util import load_config

from spacy_latperc.api import train_judge
from spacy_latperc.autofit.exports import read_export
from spacy_latperc.training.fit import fit_and_save

EXAMPLES = ROOT / "examples"
TEXT = "Mr. Hale sleeps in Marleford."
TOOLS = ("doccano", "prodigy")
pytestmark = [
    pytest.mark.skipif(not EXAMPLES.is_dir(), reason="not in a clone"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of others
]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("examples")
    config = load_config(
        ROOT / "configs" / "ner.cfg",
        overrides=few_sentences(1000, 100, epochs=5, every=32),
    )
    fit_and_save(config, path, quiet=True)
    return path / "model-last"


def run_script(name, *arguments, at):
    """Run a recipe for sh in a folder, with `latperc` on the path."""
    latperc = at / "latperc"
    latperc.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m spacy latperc "$@"\n')
    latperc.chmod(0o755)
    subprocess.run(
        ["sh", EXAMPLES / name, *arguments],
        cwd=at,
        env={"PATH": f"{at}:/usr/bin:/bin", "PYTHONPATH": str(ROOT)},
        check=True,
        capture_output=True,
        timeout=300,
    )


def test_presidio_gets_the_probability_of_an_entity(model):
    pytest.importorskip("presidio_analyzer")
    make_analyzer = runpy.run_path(EXAMPLES / "presidio_recognizer.py")["make_analyzer"]
    results = make_analyzer(str(model)).analyze(TEXT, language="en")
    found = {TEXT[x.start : x.end]: (x.entity_type, x.score) for x in results}
    nlp = spacy.load(model, config={"components.ner.scores": "marginal"})
    scores = {ent.text: ent._.ent_score for ent in nlp(TEXT).ents}
    assert found["Hale"][0] == "PERSON"
    assert {text: score for text, (_, score) in found.items()} == scores


def test_a_service_finds_entities_in_threads(model, monkeypatch):
    pytest.importorskip("httpx")
    client = pytest.importorskip("fastapi.testclient").TestClient
    monkeypatch.setenv("MODEL", str(model))
    service = client(runpy.run_path(EXAMPLES / "service.py")["app"])
    assert service.get("/health").status_code == 200

    def ask(number):
        texts = [f"Mr. Hale{number} sleeps in Marleford.", TEXT]
        return service.post("/entities", json={"texts": texts}).json()[1]

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(ask, range(100)))
    assert all(answer == answers[0] for answer in answers)
    assert [TEXT[x["start"] : x["end"]] for x in answers[0]] == ["Hale", "Marleford"]


@pytest.fixture(scope="module")
def judge(tmp_path_factory):
    nouns = "dog cat child horse teacher doctor farmer king sister".split()
    verbs = "sees finds likes helps meets follows calls".split()
    text = [f"The {a} {v} a {b} ." for a, v, b in product(nouns, verbs, nouns)]
    text += [f"We like the {a} of the {b} ." for a, b in product(nouns, nouns)]
    path = tmp_path_factory.mktemp("judge")
    train_judge(text, tokenised=True).to_disk(path)
    return path


DOCUMENTS = ["The dog likes a cat . The king sees a horse .", "dog the likes cat a ."]


def test_datatrove_keeps_good_documents(judge):
    datatrove = pytest.importorskip("datatrove.data")
    keep = runpy.run_path(EXAMPLES / "datatrove_filter.py")["JudgeFilter"](str(judge))
    documents = [datatrove.Document(text=text, id=text) for text in DOCUMENTS]
    assert [x.text for x in keep.run(documents)] == DOCUMENTS[:1]
    assert documents[0].metadata["good_sentences"] == 1


def test_curator_keeps_good_documents(judge):
    pytest.importorskip("nemo_curator")
    keep = runpy.run_path(EXAMPLES / "curator_filter.py")["JudgeFilter"](str(judge))
    scores = [keep.score_document(text) for text in DOCUMENTS]
    assert [keep.keep_document(score) for score in scores] == [True, False]


def test_a_round_of_annotation_goes_to_both_tools_and_back(model, tmp_path):
    texts = [TEXT, "Nobody knows why Ann Reed sleeps.", "The ship sails with Hale."]
    (tmp_path / "raw.txt").write_text("\n".join(texts))
    script = runpy.run_path(EXAMPLES / "annotation_round.py")["main"]
    (tmp_path / "done").mkdir()

    def tasks(name):
        folder = tmp_path / name
        script(*map(str, (model, tmp_path / "raw.txt", tmp_path / "done", folder)))
        return [list(srsly.read_jsonl(folder / f"{x}.jsonl")) for x in TOOLS]

    doccano, prodigy = tasks("first")
    assert {x["text"] for x in doccano} == set(texts)
    for row, task in zip(doccano, prodigy, strict=True):
        spans = [[x["start"], x["end"], x["label"]] for x in task["spans"]]
        assert spans == row["label"]
        for span in task["spans"]:
            first, last = (task["tokens"][span[f"token_{x}"]] for x in ("start", "end"))
            assert (first["start"], last["end"]) == (span["start"], span["end"])
    # As the tools export them.
    srsly.write_jsonl(tmp_path / "done" / "1.jsonl", [{"id": 1, **doccano[0]}])
    answer = {**prodigy[1], "answer": "accept"}
    srsly.write_jsonl(tmp_path / "done" / "2.jsonl", [answer])
    left, _ = tasks("second")
    assert {x["text"] for x in left} == set(texts) - {
        doccano[0]["text"],
        answer["text"],
    }
    for name, row in (("1", doccano[0]), ("2", doccano[1])):
        (text,) = read_export(tmp_path / "done" / f"{name}.jsonl")
        assert [list(span) for span in text.spans] == row["label"]


@pytest.mark.skipif(sys.platform == "win32", reason="a script for sh")
def test_noun_chunks_are_learned_from_trees(tmp_path):
    files = [SAMPLE / "train.conllu", SAMPLE / "dev.conllu"]
    run_script("noun_chunks.sh", "af", *files, "out", at=tmp_path)
    doc = spacy.load(tmp_path / "out" / "model-best")("The ship sails with Hale .")
    assert "Hale" in [chunk.text for chunk in doc.noun_chunks]


@pytest.mark.skipif(sys.platform == "win32", reason="a script for sh")
@pytest.mark.filterwarnings(r"ignore:\[LP915\]")
def test_a_student_learns_from_its_teacher(tmp_path):
    for name in ("onnx", "onnxruntime", "safetensors", "tokenizers"):
        pytest.importorskip(name)
    from spacy_latperc.knowledge.encoder.build_encoder import make_encoder

    make_encoder(str(model_folder(tmp_path / "bert")), tmp_path / "encoder")
    parts = (SAMPLE / "train.txt").read_text().split("\n\n")
    (tmp_path / "gold.txt").write_text("\n\n".join(parts[:60]) + "\n")
    (tmp_path / "raw.txt").write_text(f"{TEXT}\nNobody knows why .\n")
    dev = SAMPLE / "dev.txt"
    run_script("student.sh", "gold.txt", dev, "raw.txt", "encoder", "out", at=tmp_path)
    assert (tmp_path / "out" / "silver.spacy").is_file()
    student = spacy.load(tmp_path / "out" / "student" / "model-best")
    assert student.pipe_names == ["ner"]
    assert "encoder" not in str(student.config["components"])


def test_a_chain_learns_on_top_of_a_transformer(tmp_path):
    """A tagger of spaCy shares the transformer with the chain."""
    pytest.importorskip("torch")
    pytest.importorskip("spacy_curated_transformers")
    import numpy as np

    if tuple(map(int, np.__version__.split(".")[:2])) >= (2, 4):
        pytest.skip("spacy-curated-transformers 0.3.1 cannot train with numpy 2.4")
    folder = model_folder(tmp_path / "bert")
    (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n")
    checkpoint = runpy.run_path(EXAMPLES / "checkpoint.py")["main"]
    checkpoint(str(folder), str(tmp_path / "weights"))
    block = "components.transformer.model"
    sizes = {
        f"{block}.vocab_size": len(WORDS),
        f"{block}.hidden_width": WIDTH,
        f"{block}.intermediate_width": 2 * WIDTH,
        f"{block}.num_attention_heads": HEADS,
        f"{block}.num_hidden_layers": LAYERS,
        f"{block}.max_position_embeddings": WINDOW,
        f"{block}.model_max_length": WINDOW,
        f"{block}.with_spans.stride": WINDOW // 2,
        f"{block}.with_spans.window": WINDOW // 2,
        "paths.weights": str(tmp_path / "weights"),
    }
    overrides = few_sentences(40, 20, epochs=2, every=5)
    config = load_config(EXAMPLES / "transformer_ner.cfg")
    config["components"]["tagger"] = {
        "factory": "tagger",
        "model": {
            "@architectures": "spacy.Tagger.v2",
            "tok2vec": config["components"]["ner"]["model"]["tok2vec"],
        },
    }
    config["nlp"]["pipeline"] = ["transformer", "ner", "tagger"]
    config["corpora"]["train"]["columns"] = ["word", "tag", "-", "ent"]
    config.to_disk(tmp_path / "shared.cfg")
    config = load_config(tmp_path / "shared.cfg", overrides={**sizes, **overrides})
    before = fit_and_save(config, tmp_path / "model", quiet=True)
    shutil.rmtree(tmp_path / "weights")
    again = spacy.load(tmp_path / "model" / "model-last")
    first, second = before(TEXT), again(TEXT)
    assert first.to_json() == second.to_json()
    ner = again.get_pipe("ner")
    assert len(ner.n_best(second, 3)) == 3
    assert all(0 <= ent._.ent_score <= 1 for ent in second.ents)
