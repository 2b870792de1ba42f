"""Frozen encoders: graphs, vectors of tokens, and pipelines that use them."""

import json
import shutil

import numpy as np
import pytest
import spacy
from builders.encoders import HEADS, WIDTH, WINDOW, WORDS, model_folder, random_weights
from builders.pipelines import QUICK_LEARNER, make_doc, templates, train
from reference.bert import layers_of
from spacy.tokens import Doc
from spacy.training import Example
from typer.testing import CliRunner

from spacy_latperc.features.sources import Givens, Tokens
from spacy_latperc.knowledge.encoder.encoder_source import encoder

for name in ("onnx", "onnxruntime", "safetensors", "tokenizers"):
    pytest.importorskip(name)

from spacy_latperc.knowledge.encoder import build_encoder, open_encoder  # noqa: E402

VOCAB = spacy.blank("en").vocab
CLS, SEP = 2, 3


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """A model, its exact encoder, and that of 8 bits."""
    at = tmp_path_factory.mktemp("encoder")
    model = model_folder(at / "model")
    build_encoder.make_encoder(str(model), at / "exact", exact=True)
    build_encoder.make_encoder(str(model), at / "small")
    return at


def doc_of(*words, spaces=None):
    return Doc(VOCAB, words=list(words), spaces=spaces)


def vectors_of(folder, *docs):
    return encoder(str(folder)).vectors(Tokens.of(docs, {}))


def pieces(*words):
    return [CLS, *(WORDS.index(word) for word in words), SEP]


def mean_of_layers(ids):
    return layers_of(random_weights(), ids, HEADS, 1e-12)[1:].mean(0)[1:-1]


def test_the_graph_gives_what_its_twin_gives(folders):
    docs = [doc_of("a", "b", "."), doc_of("g"), doc_of("f", "e", "d", "c", "b", "a")]
    found = vectors_of(folders / "exact", *docs)
    for doc, rows in zip(docs, found, strict=True):
        expected = mean_of_layers(pieces(*(token.text for token in doc)))
        np.testing.assert_allclose(rows, expected, rtol=1e-2, atol=2e-3)


def test_eight_bits_are_close(folders):
    docs = [doc_of("a", "b", "."), doc_of("bigger", "g", "f")]
    exact, small = (
        np.concatenate(vectors_of(folders / name, *docs)).astype(float)
        for name in ("exact", "small")
    )
    norms = np.linalg.norm(exact, axis=1) * np.linalg.norm(small, axis=1)
    assert ((exact * small).sum(axis=1) / norms > 0.98).all()


def test_tokens_have_the_mean_of_their_pieces(folders):
    (rows,) = vectors_of(
        folders / "exact", doc_of("bigger", "ab", ".", spaces=[1, 0, 0])
    )
    found = mean_of_layers(pieces("big", "##ger", "a", "##b", "."))
    expected = [found[:2].mean(0), found[2:4].mean(0), found[4]]
    np.testing.assert_allclose(rows, expected, rtol=1e-2, atol=2e-3)
    # Tokens that cut a word have pieces of their own.
    (rows,) = vectors_of(folders / "exact", doc_of("big", "a", spaces=[0, 0]))
    expected = mean_of_layers(pieces("big", "a"))
    np.testing.assert_allclose(rows, expected, rtol=1e-2, atol=2e-3)


def test_tokens_without_pieces_have_zeros(folders):
    docs = [
        doc_of("a", "\n\n", "b"),
        doc_of(" ", "  "),
        doc_of(),
    ]
    found = vectors_of(folders / "exact", *docs)
    assert [rows.shape for rows in found] == [(len(doc), WIDTH) for doc in docs]
    assert [bool(row.any()) for row in found[0]] == [True, False, True]
    assert not found[1].any()


def test_long_texts_are_read_through_overlapping_windows(folders):
    words = [*"abcdefg"] * 9
    (rows,) = vectors_of(folders / "exact", doc_of(*words))
    room = WINDOW - 2
    np.testing.assert_allclose(
        rows[: room * 3 // 4],
        mean_of_layers(pieces(*words[:room]))[: room * 3 // 4],
        rtol=1e-2,
        atol=2e-3,
    )
    last = mean_of_layers(pieces(*words[-room:]))
    np.testing.assert_allclose(
        rows[-room // 4 :], last[-room // 4 :], rtol=1e-2, atol=2e-3
    )
    assert open_encoder._windows(room, room) == [0]
    assert open_encoder._windows(0, room) == []


def test_a_folder_says_what_it_is(folders):
    form = json.loads((folders / "small" / "encoder.json").read_text())
    assert form["layers"] == [1, 2]
    assert (form["bits"], form["width"]) == (8, WIDTH)
    assert (folders / "small" / "LICENSE").read_text() == "A licence.\n"
    assert "A model." in (folders / "small" / "README.md").read_text()


def test_a_ready_graph_is_taken(folders, tmp_path):
    shutil.copyfile(folders / "exact" / "encoder.onnx", tmp_path / "mine.onnx")
    shutil.copyfile(folders / "model" / "tokenizer.json", tmp_path / "tokenizer.json")
    target = tmp_path / "made"
    build_encoder.make_encoder(str(tmp_path / "mine.onnx"), target, exact=True)
    doc = doc_of("a", "b")
    (found,), (expected,) = (vectors_of(x, doc) for x in (target, folders / "exact"))
    np.testing.assert_array_equal(found, expected)


def test_the_command_makes_a_folder(folders, tmp_path):
    from spacy_latperc.cli import latperc_cli

    arguments = [
        "knowledge",
        "encoder",
        str(folders / "model"),
        "-o",
        str(tmp_path / "x"),
    ]
    result = CliRunner().invoke(latperc_cli, [*arguments, "--layers", "1"])
    assert result.exit_code == 0, result.output
    form = json.loads((tmp_path / "x" / "encoder.json").read_text())
    assert form["layers"] == [1]


# In a pipeline ------------------------------------------------------------------------


def make_pipeline(folder, **settings):
    nlp = spacy.blank("en")
    features = templates("bias", "vec.enc[0]")
    block = {"@misc": "spacy_latperc.Encoder.v1", "path": str(folder), **settings}
    features["sources"] = {"enc": block}
    model = {"features": features, "learner": QUICK_LEARNER}
    nlp.add_pipe("latperc_tagger", config={"model": model})
    return nlp


def learned(nlp):
    words, tags = [*"abcdg"], [*"ABCDG"]
    examples = [Example(make_doc(nlp, words), make_doc(nlp, words, tags=tags))]
    examples.append(Example(make_doc(nlp, []), make_doc(nlp, [])))
    train(nlp, examples)
    return words, tags


def tags_of(nlp, words):
    return [token.tag_ for token in nlp(make_doc(nlp, words))]


def test_pipelines_learn_save_and_load(folders, tmp_path):
    nlp = make_pipeline(folders / "small")
    words, tags = learned(nlp)
    assert tags_of(nlp, words) == tags
    nlp.to_disk(tmp_path / "model")
    again = spacy.load(tmp_path / "model")
    assert tags_of(again, words) == tags
    assert again.to_bytes() == nlp.to_bytes()
    docs = again.pipe([make_doc(again, words) for _ in range(4)], n_process=2)
    assert [[token.tag_ for token in doc] for doc in docs] == [tags] * 4


def test_a_model_may_have_its_encoder(folders, tmp_path):
    shutil.copytree(folders / "small", tmp_path / "encoder")
    for embed in (True, False):
        nlp = make_pipeline(tmp_path / "encoder", embed=embed)
        words, tags = learned(nlp)
        nlp.to_disk(tmp_path / f"model{embed}")
    shutil.rmtree(tmp_path / "encoder")
    assert tags_of(spacy.load(tmp_path / "modelTrue"), words) == tags
    with pytest.raises(ValueError, match=r"\[LP682\]"):
        tags_of(spacy.load(tmp_path / "modelFalse"), words)


def test_an_encoder_may_be_an_installed_package(folders, tmp_path, monkeypatch):
    model_folder(tmp_path / "some_weights" / "model")
    (tmp_path / "some_weights" / "__init__.py").write_text("raise ValueError\n")
    monkeypatch.syspath_prepend(tmp_path)
    doc = doc_of("a", "b")
    np.testing.assert_array_equal(
        vectors_of("some-weights", doc), vectors_of(folders / "small", doc)
    )
    with pytest.raises(ValueError, match=r"\[LP682\].* --no-deps no-weights"):
        vectors_of("no-weights", doc)


def test_another_encoder_is_refused(folders, tmp_path):
    nlp = make_pipeline(folders / "small")
    words, _ = learned(nlp)
    nlp.to_disk(tmp_path / "model")
    path = "components.latperc_tagger.model.features.sources.enc.path"
    again = spacy.load(tmp_path / "model", config={path: str(folders / "exact")})
    with pytest.raises(ValueError, match=r"\[LP688\]"):
        tags_of(again, words)


@pytest.fixture
def calls(monkeypatch):
    """The number of texts of each call of an encoder."""
    found = []
    encode = open_encoder.OpenEncoder._encode
    monkeypatch.setattr(
        open_encoder.OpenEncoder,
        "_encode",
        lambda self, texts: found.append(len(texts)) or encode(self, texts),
    )
    return found


def test_components_share_the_encoding_of_a_doc(folders, calls):
    tokens = Tokens.of([doc_of("c", "d", "e")], {})
    sources = [encoder(str(folders / "small")) for _ in range(2)]
    found = [source.vectors(tokens) for source in sources]
    np.testing.assert_array_equal(*found)
    assert calls == [1]


def test_encodings_of_training_are_kept_within_their_bound(folders, calls, monkeypatch):
    monkeypatch.setattr(open_encoder, "_SHARED", 30)  # bytes
    monkeypatch.setattr(open_encoder, "_OPEN", {})
    source = encoder(str(folders / "small"), width=4)
    docs = [doc_of("a", "b"), doc_of("c", "d", "e"), doc_of()]
    examples = [Example(doc, doc) for doc in docs]
    source.fit(Givens("enc", VOCAB, examples=lambda: examples))
    tokens = Tokens.of(docs, {})
    first = source._values(tokens)
    assert first.numbers.shape == (5, 4)
    np.testing.assert_array_equal(source._values(tokens).numbers, first.numbers)
    np.testing.assert_allclose(
        np.linalg.norm(first.numbers, axis=1).mean(), 3, rtol=0.01
    )
    assert calls == [2]
    source._open().keep(0)
    source._values(Tokens.of([doc_of("f")], {}))  # in place of the others
    source._values(tokens)
    assert calls == [2, 1, 2]


@pytest.mark.filterwarnings(r"ignore:\[LP915\]")  # so little data
def test_fit_uses_an_encoder(folders, tmp_path):
    from spacy_latperc.cli import latperc_cli

    rows = [{"tokens": [*"abcdg"], "tags": [*"ABCDG"]}] * 5
    lines = [
        "\n".join(f"{w}\t{t}" for w, t in zip(*row.values(), strict=True))
        for row in rows
    ]
    (tmp_path / "data.tsv").write_text("\n\n".join(lines) + "\n")
    arguments = ["fit", str(tmp_path / "data.tsv"), "-o", str(tmp_path / "out")]
    arguments += ["--dev", str(tmp_path / "data.tsv")]
    arguments += ["--encoder", str(folders / "small"), "--lang", "en", "--quiet"]
    result = CliRunner().invoke(latperc_cli, [*arguments, "--task", "tags"])
    assert result.exit_code == 0, result.output
    assert "the encoder" in result.output
    nlp = spacy.load(tmp_path / "out" / "model-best")
    assert tags_of(nlp, [*"abcdg"]) == [*"ABCDG"]
    assert {"onnxruntime", "tokenizers"} < set(nlp.meta["requirements"])


@pytest.mark.filterwarnings(r"ignore:\[LP915\]")
def test_fit_chooses_the_length_of_vectors_for_entities(folders, tmp_path, monkeypatch):
    from spacy_latperc.cli import latperc_cli

    found = []
    encode = open_encoder.OpenEncoder._encode
    monkeypatch.setattr(
        open_encoder.OpenEncoder,
        "_encode",
        lambda self, texts: found.extend(texts) or encode(self, texts),
    )
    rows = ["a\tB-X\nb\tO\nc\tO", "d\tO\na\tB-X\ne\tO"] * 10
    (tmp_path / "data.tsv").write_text("\n\n".join(rows) + "\n")
    arguments = ["fit", str(tmp_path / "data.tsv"), "-o", str(tmp_path / "out"), "-q"]
    arguments += ["--dev", str(tmp_path / "data.tsv"), "--lang", "en"]
    arguments += ["--encoder", str(folders / "small")]
    result = CliRunner().invoke(latperc_cli, arguments)
    assert result.exit_code == 0, result.output
    assert "(F: 100.00 with 3, 100.00 with 6)" in " ".join(result.output.split())
    assert len({x.key for x in found}) == 2
    assert len(found) <= 6  # once for all trainings, and for each loaded pipeline
    block = spacy.load(tmp_path / "out" / "model-best").config["components"]["ner"]
    assert block["model"]["features"]["sources"]["encoder"]["length"] == 3


# What is refused ----------------------------------------------------------------------


@pytest.mark.parametrize("file", ["encoder.onnx", "tokenizer.json", "encoder.json"])
def test_damaged_folders_are_refused(folders, tmp_path, file):
    shutil.copytree(folders / "small", tmp_path / "x")
    data = (tmp_path / "x" / file).read_bytes()
    (tmp_path / "x" / file).write_bytes(data[: len(data) // 2])
    with pytest.raises(ValueError, match=r"\[LP681\]"):
        vectors_of(tmp_path / "x", doc_of("a"))
    (tmp_path / "x" / file).unlink()
    with pytest.raises(ValueError, match=r"\[LP682\]"):
        vectors_of(tmp_path / "x", doc_of("a"))


def test_foreign_graphs_are_refused(folders, tmp_path):
    import onnx

    shutil.copytree(folders / "exact", tmp_path / "x")
    model = onnx.load(str(tmp_path / "x" / "encoder.onnx"))
    model.graph.input[0].name = "other"
    for node in model.graph.node:
        node.input[:] = ["other" if x == "input_ids" else x for x in node.input]
    onnx.save(model, str(tmp_path / "x" / "encoder.onnx"))
    files = [
        (tmp_path / "x" / x).read_bytes() for x in ("encoder.onnx", "tokenizer.json")
    ]
    form = json.loads((tmp_path / "x" / "encoder.json").read_text())
    form["fingerprint"] = open_encoder.fingerprint(*files)
    (tmp_path / "x" / "encoder.json").write_text(json.dumps(form))
    with pytest.raises(ValueError, match=r"\[LP681\].*inputs"):
        vectors_of(tmp_path / "x", doc_of("a"))
    with pytest.raises(ValueError, match=r"\[LP681\].*gives no vectors"):
        build_encoder.make_encoder(str(tmp_path / "x" / "encoder.onnx"), tmp_path / "y")


def test_unknown_models_are_refused(folders, tmp_path):
    with pytest.raises(ValueError, match=r"\[LP684\]"):
        build_encoder.make_encoder("no-such-thing", tmp_path / "x")
    model = model_folder(tmp_path / "other", model_type="mpnet")
    with pytest.raises(ValueError, match=r"\[LP680\].*mpnet"):
        build_encoder.make_encoder(str(model), tmp_path / "x")
    model = model_folder(tmp_path / "deep", num_hidden_layers=3)
    with pytest.raises(ValueError, match=r"\[LP681\].*encoder.layer.2"):
        build_encoder.make_encoder(str(model), tmp_path / "x")
    with pytest.raises(ValueError, match=r"\[LP685\]"):
        build_encoder.make_encoder(str(folders / "model"), tmp_path / "x", layers=[7])
