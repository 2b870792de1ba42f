"""`mapInPandas` of Spark, on this machine."""

import os
import runpy
import shutil
import sys

import pytest
import srsly
from builders.annotators import TEXTS
from builders.pipelines import FACTORIES, make_trained
from project_files import ROOT

from spacy_latperc.api import SparkAnnotator, pipeline_to_bytes

RECIPE = ROOT / "examples" / "spark_annotate.py"
pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(scope="module")
def spark():
    """A session in a process of its own, which ends."""
    sql = pytest.importorskip("pyspark.sql", reason="Spark is not installed")
    pytest.importorskip("pandas")
    if not (os.environ.get("JAVA_HOME") or shutil.which("java")):
        pytest.skip("Spark needs Java, and there is none")
    from pyspark import SparkContext

    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "512m",
        "spark.sql.shuffle.partitions": "1",
    }
    builder = sql.SparkSession.builder.master("local[1]")
    session = builder.config(map=settings).getOrCreate()
    yield session
    session.stop()
    gateway = SparkContext._gateway
    process = gateway.proc
    gateway.shutdown()
    process.stdin.close()
    assert process.wait(20) is not None
    SparkContext._gateway = SparkContext._jvm = None


@pytest.fixture(scope="module")
def nlp():
    return make_trained(*FACTORIES, scores="marginal")


@pytest.mark.parametrize("as_bytes", [False, True])
def test_spark_annotates_data_frames(spark, nlp, tmp_path, as_bytes):
    nlp.to_disk(tmp_path / "model")
    model = pipeline_to_bytes(nlp) if as_bytes else str(tmp_path / "model")
    rows = [(i, text) for i, text in enumerate([*TEXTS, None])]
    frame = spark.createDataFrame(rows, "id int, text string")

    annotate = SparkAnnotator(model)
    made = frame.mapInPandas(annotate, schema=annotate.schema(frame.schema))

    *found, without = made.orderBy("id").collect()
    for row, doc in zip(found, nlp.pipe(TEXTS), strict=True):
        assert row.tags == [token.tag_ for token in doc]
        assert [ent.label for ent in row.ents] == [ent.label_ for ent in doc.ents]
        assert [s.label for s in row.spans] == [s.label_ for s in doc.spans["chunks"]]
        assert all(0 < span.score <= 1 for span in row.spans)
    assert without.tags is None


@pytest.mark.skipif(not RECIPE.exists(), reason="not in a clone")
def test_the_recipe_writes_a_folder(spark, nlp, tmp_path):
    import pyarrow.parquet as pq

    nlp.to_disk(tmp_path / "model")
    (tmp_path / "texts").mkdir()
    rows = [{"id": i, "text": text} for i, text in enumerate(TEXTS)]
    srsly.write_jsonl(tmp_path / "texts" / "a.jsonl", rows)
    folders = [str(tmp_path / name) for name in ("model", "texts", "out")]
    runpy.run_path(RECIPE)["main"](*folders)
    found = pq.read_table(folders[-1]).to_pydict()
    assert found["tags"] == [[t.tag_ for t in doc] for doc in nlp.pipe(found["text"])]
    assert sorted(found["text"]) == sorted(TEXTS) and not any(found["error"])


def test_spark_says_that_there_is_no_model():
    with pytest.raises(ValueError, match="LP824.*no_such_model"):
        SparkAnnotator("no_such_model").schema(None)
