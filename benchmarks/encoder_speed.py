"""The speed of a tagger with a frozen encoder, beside spaCy's own `tok2vec` and a
transformer of spacy-curated-transformers, and the memory of its training.

python -m benchmarks.encoder_speed ENCODER WEIGHTS --json FILE

ENCODER is a folder made by `latperc knowledge encoder`, and WEIGHTS one made by
examples/checkpoint.py of the same model.
"""

import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import spacy
import typer
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import load_config, load_model_from_config
from wasabi import msg

from spacy_latperc.data.corpus import column_corpus
from spacy_latperc.knowledge.encoder.open_encoder import OpenEncoder
from tools.corpora.locate import required_folder

from .timed import run_timed

ROOT = Path(__file__).resolve().parents[1]
CONFIG, CONFIGS = ROOT / "examples" / "transformer_ner.cfg", ROOT / "configs"
COLUMNS, EPOCHS = ["id", "word", "-", "tag", "space"], 10
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


def training_cost(features: dict[str, Any], data: Path) -> tuple[float, float]:
    """The CPU seconds and the peak memory in MB of a training and its evaluation."""
    model = "components.tagger.model"
    with TemporaryDirectory() as folder:
        return run_timed(
            ["fit", str(CONFIGS / "tagger.cfg"), "--output", folder, "--quiet"]
            + ["--paths.train", str(data / "train.tsv.gz")]
            + ["--paths.dev", str(data / "dev.tsv")]
            + ["--corpora.train.columns", json.dumps(COLUMNS)]
            + [f"--{model}.features.sources", json.dumps(features["sources"])]
            + [f"--{model}.learner.C", "0.03", "--training.max_epochs", str(EPOCHS)]
        )


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
    examples = list(column_corpus(path, columns=COLUMNS)(nlp))
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
    training = training_cost(features, path.parent)
    rows = [[name, f"{speed:,.0f}", "", ""] for name, speed in found.items()]
    rows.append(["training, ten epochs", "", *(f"{x:,.0f}" for x in training)])
    header = ["", "words per CPU second", "CPU s", "peak, MB"]
    msg.table(rows, header=header, divider=True, aligns=["l", "r", "r", "r"])
    if json_path is not None:
        result = {**found, "training": training}
        json_path.write_text(json.dumps(result), encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
