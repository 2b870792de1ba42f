"""Annotate a folder of texts with Ray Data.

    python examples/ray_annotate.py MODEL INPUT OUTPUT [WORKERS]

Requires `pip install 'spacy-latperc[ray]'`. INPUT is a folder of JSONL with the field
`text`, OUTPUT becomes a folder of Parquet with the annotation in more columns. Both may
be URLs (s3://...). Ray starts on this machine, or joins the cluster of RAY_ADDRESS, to
which the pipeline is sent: its machines need the package only.
"""

import sys

import ray

from spacy_latperc.api import ArrowAnnotator, load_pipeline, pipeline_to_bytes


def main(model: str, source: str, target: str, workers: str = "1") -> None:
    stored = ray.put(pipeline_to_bytes(load_pipeline(model)))
    texts = ray.data.read_json(source, lines=True)
    annotated = texts.map_batches(
        ArrowAnnotator,  # each worker loads the pipeline once
        fn_constructor_args=[stored],
        fn_constructor_kwargs={"errors": "keep"},  # in the column `error`
        batch_format="pyarrow",
        concurrency=int(workers),
    )
    annotated.write_parquet(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
