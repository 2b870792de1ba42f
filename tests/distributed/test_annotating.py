"""`annotate --ray`, and `map_batches` of users' own."""

import json

import pytest
from builders.annotators import POISON, TEXTS, PoisonedAnnotator
from builders.pipelines import FACTORIES, make_trained
from typer.testing import CliRunner

from spacy_latperc.api import ArrowAnnotator, pipeline_to_bytes
from spacy_latperc.cli import latperc_cli

pytestmark = [pytest.mark.ray, pytest.mark.usefixtures("ray_nodes")]


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
    for name, options in (("here", []), ("ray", ["--ray", "-p", "2"])):
        command = ["annotate", str(tmp_path / "model"), "-f", str(folder)]
        command += ["-o", str(tmp_path / name), *options]
        result = CliRunner().invoke(latperc_cli, command)
        assert result.exit_code == 0, result.output
    for name in ("a.txt.jsonl", "b.jsonl", "annotate.json"):
        found = (tmp_path / "ray" / name).read_text()
        assert found == (tmp_path / "here" / name).read_text(), name
    assert found.count("size") == 2


def test_map_batches_with_a_pipeline_in_the_object_store(nlp):
    import ray

    rows = annotated(TEXTS, ArrowAnnotator, ray.put(pipeline_to_bytes(nlp)))
    docs = {doc.text: doc for doc in nlp.pipe(TEXTS)}
    for row in rows:
        doc = docs[row["text"]]
        assert list(row["tags"]) == [token.tag_ for token in doc]
        assert [ent["label"] for ent in row["ents"]] == [e.label_ for e in doc.ents]


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


def test_map_batches_without_a_model_fails_once():
    with pytest.raises(Exception, match="LP824") as caught:
        annotated(TEXTS, ArrowAnnotator, "no_such_model")
    assert str(caught.value).count("[LP824]") == 1
