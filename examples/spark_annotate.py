"""Annotate a folder of texts with Spark.

    spark-submit examples/spark_annotate.py MODEL INPUT OUTPUT

Requires Java and `pip install pyspark pandas pyarrow`; `python` runs it on this machine
alone. INPUT is a folder of JSONL with the field `text`, OUTPUT becomes a folder of
Parquet with the annotation in more columns. Both may be URLs. The pipeline is sent to
the machines, which need the package only.
"""

import sys

from pyspark.sql import SparkSession

from spacy_latperc.api import SparkAnnotator, load_pipeline, pipeline_to_bytes


def main(model: str, source: str, target: str) -> None:
    spark = SparkSession.builder.getOrCreate()
    texts = spark.read.json(source)
    # Each Python process loads the pipeline once; `error` has the text of failures.
    annotate = SparkAnnotator(pipeline_to_bytes(load_pipeline(model)), errors="keep")
    annotated = texts.mapInPandas(annotate, schema=annotate.schema(texts.schema))
    annotated.write.mode("overwrite").parquet(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
