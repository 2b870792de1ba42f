"""The recipes of examples/, where the packages that they use are installed."""

import runpy
import shutil
import subprocess
import sys

import pytest
import spacy
from builders.encoders import HEADS, LAYERS, WIDTH, WINDOW, WORDS, model_folder
from builders.sample import SAMPLE, few_sentences
from project_files import ROOT
from spacy.util import load_config

from spacy_latperc.training.fit import fit_and_save

EXAMPLES = ROOT / "examples"
TEXT = "Mr. Hale sleeps in Marleford."
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


def test_presidio_gets_the_probability_of_an_entity(model):
    pytest.importorskip("presidio_analyzer")
    make_analyzer = runpy.run_path(EXAMPLES / "presidio_recognizer.py")["make_analyzer"]
    results = make_analyzer(str(model)).analyze(TEXT, language="en")
    found = {TEXT[x.start : x.end]: (x.entity_type, x.score) for x in results}
    nlp = spacy.load(model, config={"components.ner.scores": "marginal"})
    scores = {ent.text: ent._.ent_score for ent in nlp(TEXT).ents}
    assert found["Hale"][0] == "PERSON"
    assert {text: score for text, (_, score) in found.items()} == scores


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
    latperc = tmp_path / "latperc"
    latperc.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m spacy latperc "$@"\n')
    latperc.chmod(0o755)
    script = shutil.copyfile(EXAMPLES / "student.sh", tmp_path / "student.sh")
    dev = SAMPLE / "dev.txt"
    subprocess.run(
        ["sh", script, "gold.txt", dev, "raw.txt", "encoder", "out"],
        cwd=tmp_path,
        env={"PATH": f"{tmp_path}:/usr/bin:/bin", "PYTHONPATH": str(ROOT)},
        check=True,
        capture_output=True,
        timeout=300,
    )
    assert len(list((tmp_path / "out" / "mixed").iterdir())) == 4
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
