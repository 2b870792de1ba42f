"""A chain on top of spaCy's tok2vec, compared with spaCy's own recogniser.

    python -m experiments.structured_layer [--seconds 60] [--seeds 3]
        [--transformer WEIGHTS]

Both are trained for the same processor time, with the same layers, optimizer and
batches. F is the best on the development part of five evaluations at equal intervals,
with averaged weights, as `spacy train` would save them. WEIGHTS is a folder made by
examples/checkpoint.py: both then learn through a transformer, on English alone.
"""

import argparse
import random
import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import process_time
from typing import Any

import spacy
from spacy.language import Language
from spacy.training import Example
from spacy.util import (
    compounding,
    fix_random_seed,
    load_config,
    load_model_from_config,
    minibatch,
)

from spacy_latperc.data.corpus import column_corpus
from tools.corpora.locate import required_file

from .training import mean_and_sd, show

TRANSFORMER = Path(__file__).resolve().parents[1] / "examples" / "transformer_ner.cfg"
SETS = {
    "Spanish": ("conll2002/esp.train.gz", "conll2002/esp.testa", "word,tag,ent"),
    "W-NUT": ("wnut17/train.conll", "wnut17/dev.conll", "word,ent"),
}
TOK2VEC = {
    "@architectures": "spacy.HashEmbedCNN.v2",
    "width": 96,
    "depth": 4,
    "embed_size": 2000,
    "window_size": 1,
    "maxout_pieces": 3,
    "subword_features": True,
    "pretrained_vectors": None,
}
STATES = {
    "@architectures": "spacy.TransitionBasedParser.v2",
    "state_type": "ner",
    "extra_state_tokens": False,
    "hidden_width": 64,
    "maxout_pieces": 2,
    "use_upper": True,
    "tok2vec": TOK2VEC,
}
SCORES = {"@architectures": "spacy_latperc.EncoderScores.v1", "tok2vec": TOK2VEC}
SYSTEMS: dict[str, tuple[str, dict[str, Any]]] = {
    "spaCy ner": ("ner", STATES),
    "latperc_ner, CRF": ("latperc_ner", SCORES),
}
DROP, EVALUATIONS = 0.1, 5


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="A structured layer over tok2vec")
    parser.add_argument("--seconds", type=float, default=60.0, help="of training")
    parser.add_argument("--seeds", type=int, default=3, help="seeds 0, 1, ...")
    parser.add_argument("--transformer", metavar="WEIGHTS", help="folder of weights")
    options = parser.parse_args(arguments)
    rows = []
    for name in ["W-NUT"] if options.transformer else SETS:
        train, dev = (read(name, i) for i in (0, 1))
        for system in SYSTEMS:
            found = []
            for seed in range(options.seeds):
                nlp = make_pipeline(system, seed, train[0], options.transformer)
                found.append(list(learn(nlp, train, dev, seed, options.seconds)))
            best = mean_and_sd([max(f for f, _ in run) for run in found])
            epochs = statistics.mean(run[-1][1] for run in found)
            rows.append([name, system, *best, f"{epochs:.1f}"])
    show(["set", "system", "F", "sd", "epochs"], rows)


def read(name: str, part: int) -> list[Example]:
    """Read the training part of a set, or its development part."""
    path, columns = SETS[name][part], SETS[name][2]
    corpus = column_corpus(required_file(path), columns, ent_scheme="auto", repair=True)
    return list(corpus(spacy.blank("xx")))


def make_pipeline(
    system: str, seed: int, example: Example, weights: str | None
) -> Language:
    """Make a recogniser with layers of its own, or behind a transformer."""
    fix_random_seed(seed)
    vocab = example.reference.vocab
    factory, model = SYSTEMS[system]
    if weights is None:
        nlp = spacy.blank("xx", vocab=vocab)
        nlp.add_pipe(factory, "ner", config={"model": model})
        return nlp
    paths = {"paths.weights": weights, "nlp.lang": "xx"}
    config = load_config(TRANSFORMER, overrides=paths)
    layers = config["components"]["ner"]["model"]["tok2vec"]
    model = {**model, "tok2vec": layers}
    config["components"]["ner"] = {"factory": factory, "model": model}
    return load_model_from_config(config, vocab=vocab, auto_fill=True)


def learn(
    nlp: Language,
    train: Sequence[Example],
    dev: Sequence[Example],
    seed: int,
    seconds: float,
) -> Iterator[tuple[float, float]]:
    """Train a pipeline, and yield F and the epochs after each part of the time."""
    optimizer = nlp.initialize(lambda: train)
    batches = _batches(train, random.Random(seed))
    spent, seen = 0.0, 0
    for number in range(1, EVALUATIONS + 1):
        while spent < seconds * number / EVALUATIONS:
            batch = next(batches)
            begin = process_time()
            nlp.update(batch, sgd=optimizer, drop=DROP)
            spent += process_time() - begin
            seen += len(batch)
        with nlp.use_params(optimizer.averages):
            copies = [Example(x.predicted.copy(), x.reference) for x in dev]
            yield 100 * nlp.evaluate(copies)["ents_f"], seen / len(train)


def _batches(train: Sequence[Example], order: random.Random) -> Iterator[Any]:
    sizes = compounding(8.0, 64.0, 1.001)
    while True:
        yield from minibatch(order.sample(train, len(train)), sizes)


if __name__ == "__main__":
    main()
