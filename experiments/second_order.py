"""The cost of all of Table 3 of LVP: every observation with its state, the pair and the
triple of states, over latent values.

    python -m experiments.second_order
    python -m experiments.second_order --order 1 --latent 1
    python -m experiments.second_order --learner CRF --limit 1000 --passes 1

CoNLL-2000 noun phrases, every tenth sentence held out. CPU seconds of a pass (features
are cached), rows of weights, the most memory that the process held, F on the sentences
that were held out, and tokens a second of labelling them, one after the other.
"""

import argparse
from time import process_time
from typing import Any

import numpy as np
import spacy
from spacy.training import Example
from wasabi import msg

from benchmarks.machine import peak_memory
from spacy_latperc.data.corpus import column_corpus
from spacy_latperc.pipeline.chain_pipe import ChainPipe
from tools.corpora.locate import required_file

FILE = "conll2000/train.txt.gz"
SCORE = "chunks_f"


def main() -> None:
    parser = argparse.ArgumentParser(description="The cost of order 2")
    parser.add_argument("--order", type=int, default=2, choices=(1, 2))
    parser.add_argument("--latent", type=int, default=5, help="latent values a label")
    parser.add_argument("--learner", default="Perceptron", help="a registered name")
    parser.add_argument("--passes", type=int, default=3)
    parser.add_argument("--limit", type=int, default=0, help="sentences; 0: all")
    parser.add_argument(
        "--types", nargs="*", default=["NP"], help="of chunks; none: all"
    )
    arguments = parser.parse_args()
    nlp = spacy.blank("en")
    component = add_chunker(nlp, arguments)
    train = read(nlp, "rest", arguments.limit, arguments.types)
    held_out = read(nlp, "held_out", arguments.limit // 9, arguments.types)
    nlp.initialize(lambda: train)
    prepared = component.prepare(train)
    blocks = [features for features, _ in prepared]
    gold = np.concatenate([labels for _, labels in prepared])
    msg.text(f"{len(gold):,} tokens; {peak_memory():,.0f} MB before the first pass")
    rows = []
    for number in range(1, arguments.passes + 1):
        start = process_time()
        component.learner.update(blocks, gold)
        learned = process_time()
        score = 100 * nlp.evaluate(held_out)[SCORE]
        speed = tokens_per_second(nlp, held_out)
        line = (f"{learned - start:.1f}", f"{score:.2f}", f"{speed:,.0f}")
        rows.append((number, *line, f"{peak_memory():,.0f}"))
    header = ("Pass", "Seconds", "F, held out", "Tokens/s", "Peak MB")
    msg.table(rows, header=header, divider=True, aligns=("r",) * len(header))


def add_chunker(nlp: Any, arguments: argparse.Namespace) -> ChainPipe:
    """A chunker with the templates of Table 3."""
    learner = {"@misc": f"spacy_latperc.{arguments.learner}.v1"}
    features = {
        "@misc": "spacy_latperc.PaperFeatures.v1",
        "name": "np_chunking",
        "edges": True,
        "tri": arguments.order == 2,
        "latent_form": "full",
    }
    model = {
        "features": features,
        "learner": learner,
        "order": arguments.order,
        "latent": arguments.latent,
    }
    config = {"scheme": "IOB2", "model": model}
    return nlp.add_pipe("latperc_chunker", config=config)


def read(nlp: Any, part: str, limit: int, types: list[str]) -> list[Example]:
    reader = column_corpus(
        required_file(FILE),
        ["word", "tag", "chunk"],
        inputs=["tag"],
        repair=True,
        keep_types=types or None,
        part=part,
        every=10,
        limit=limit,
    )
    return list(reader(nlp))


def tokens_per_second(nlp: Any, examples: Any) -> float:
    """Labelling alone, the second time, when the weights are frozen already."""
    for _ in range(2):
        docs = [example.predicted.copy() for example in examples]
        start = process_time()
        for _ in nlp.pipe(docs):
            pass
        seconds = process_time() - start
    return sum(map(len, docs)) / seconds


if __name__ == "__main__":
    main()
