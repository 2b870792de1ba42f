"""The speed of a tagger with a frozen encoder, beside spaCy's own `tok2vec` and a
transformer of spacy-curated-transformers.

python -m benchmarks.encoder_speed ENCODER WEIGHTS --json FILE

ENCODER is a folder made by `latperc knowledge encoder`, and WEIGHTS one made by
examples/checkpoint.py of the same model.
"""

import json
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import spacy
import typer
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import load_config, load_model_from_config

from spacy_latperc.data.corpus import column_corpus
from spacy_latperc.knowledge.encoder.open_encoder import OpenEncoder
from tools.corpora.locate import required_folder

CONFIG = Path(__file__).resolve().parents[1] / "examples" / "transformer_ner.cfg"
TRAINED_ON, MEASURED, PASSES = 500, 1000, 3  # sentences; passes over them


def words_per_second(work: Callable[[list[Doc]], Any], docs: list[Doc]) -> float:
    """The median speed of some passes, in words per second of CPU time."""
    speeds = []
    for _ in range(PASSES):
        fresh = [doc.copy() for doc in docs]
        start = process_time()
        work(fresh)
        speeds.append(sum(map(len, docs)) / (process_time() - start))
    return sorted(speeds)[PASSES // 2]


def make_transformer(weights: Path) -> Language:
    """A pipeline of the transformer of the examples, with the weights of a folder."""
    overrides = {"paths.weights": str(weights), "nlp.pipeline": ["transformer"]}
    config = load_config(CONFIG, overrides=overrides)
    del config["components"]["ner"]
    return load_model_from_config(config, auto_fill=True)


def main(
    encoder: Path, weights: Path, json_path: Path = typer.Option(None, "--json")
) -> None:
    """Measure and print the speeds."""
    nlp, cnn = spacy.blank("en"), spacy.blank("en")
    features = {
        "@misc": "spacy_latperc.TaggingFeatures.v1",
        "sources": {"x": {"@misc": "spacy_latperc.Encoder.v1", "path": str(encoder)}},
    }
    nlp.add_pipe("latperc_tagger", config={"model": {"features": features}})
    cnn.add_pipe("tok2vec")
    transformer = make_transformer(weights)
    path = required_folder("ud_ewt/dev.tsv") / "ud_ewt" / "dev.tsv"
    columns = ["id", "word", "-", "tag", "space"]
    examples = list(column_corpus(path, columns=columns)(nlp))
    train = examples[:TRAINED_ON]
    for each in (nlp, cnn, transformer):
        each.initialize(lambda: train)
    nlp.update(train)
    nlp = nlp.from_bytes(nlp.to_bytes())  # keeps no encodings of training
    docs = [example.predicted for example in examples[-MEASURED:]]

    def forget() -> None:
        """Clear what the components of a pipeline share."""
        source = nlp.get_pipe("latperc_tagger").learner.features.sources["x"]
        opened: OpenEncoder = source._open()
        opened._shared.clear()
        opened._shared_bytes = 0

    def encoded(given: list[Doc]) -> None:
        forget()
        list(nlp.pipe(given, batch_size=512))

    def alone(given: list[Doc]) -> None:
        forget()
        for doc in given:
            nlp(doc)

    found = {
        "tagger with the encoder, in batches": words_per_second(encoded, docs),
        "tagger with the encoder, one sentence at a time": words_per_second(
            alone, docs
        ),
        "the same, encoded before": words_per_second(lambda x: list(nlp.pipe(x)), docs),
        "spaCy's tok2vec alone, in batches": words_per_second(
            lambda x: list(cnn.pipe(x, batch_size=512)), docs
        ),
        # It pads a batch to its longest sentence: small ones are faster.
        "a transformer alone, 32 bits, in batches": words_per_second(
            lambda x: list(transformer.pipe(x, batch_size=16)), docs
        ),
    }
    for name, speed in found.items():
        print(f"{name:50} {speed:10,.0f} words/s")
    if json_path is not None:
        json_path.write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
