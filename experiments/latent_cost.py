"""What the latent perceptron saves over the DPLVM (Sun et al. 2009, section 5).

    python -m experiments.latent_cost np
    python -m experiments.latent_cost bio --limit 4000

The same features and latent values, both trained to their best: the perceptron to the
pass that is best on held-out data, the DPLVM until L-BFGS comes to rest. Time is that
of learning alone, features cached, on one core. The paper has 60 (noun phrases) and 130
(bio-entities, features seen 15 times or more) times the time for the DPLVM.
"""

import argparse
from collections.abc import Sequence
from time import process_time
from typing import Any

import numpy as np
import spacy
from spacy.training import Example
from wasabi import msg

from spacy_latperc.data.columns import ARTICLE_MARK
from spacy_latperc.data.corpus import column_corpus
from spacy_latperc.pipeline.chain import ChainPipe
from tools.corpora.locate import required_folder

TASKS: dict[str, dict[str, Any]] = {
    "np": {
        "file": "conll2000/train.txt.gz",
        "columns": ["word", "tag", "chunk"],
        "factory": "latperc_chunker",
        "features": {"@misc": "spacy_latperc.NPChunkingFeatures.v1", "edges": False},
        "score": "chunks_f",
        "keep_types": ["NP"],
    },
    "bio": {
        "file": "jnlpba/train.pos.iob2.gz",
        "columns": ["word", "tag", "ent"],
        "factory": "latperc_ner",
        "features": {
            "@misc": "spacy_latperc.BioNERFeatures.v1",
            "edges": False,
            "min_count": 15,
        },
        "score": "ents_f",
        "doc_mark": "###MEDLINE:",
    },
}
LEARNERS: dict[str, dict[str, Any]] = {
    "latent perceptron": {"@misc": "spacy_latperc.Perceptron.v1", "average": "mavg"},
    "DPLVM, SGD": {"@misc": "spacy_latperc.CRF.v1"},
    "DPLVM, L-BFGS": {"@misc": "spacy_latperc.CRFBatch.v1"},
}
ONE_PASS = "DPLVM, L-BFGS"


def main() -> None:
    parser = argparse.ArgumentParser(description="Latent perceptron against DPLVM")
    parser.add_argument("task", choices=TASKS)
    parser.add_argument("--latent", type=int, default=2, help="latent values a label")
    parser.add_argument("--passes", type=int, default=40, help="at most")
    parser.add_argument("--edges", action="store_true", help="and edge features")
    parser.add_argument("--limit", type=int, default=0, help="sentences; 0: all")
    arguments = parser.parse_args()
    task = TASKS[arguments.task]
    task["features"]["edges"] = arguments.edges
    rows = []
    fastest = 0.0
    for name, learner in LEARNERS.items():
        passes = 1 if name == ONE_PASS else arguments.passes
        best, seconds, at = measure(
            task, learner, arguments.latent, passes, arguments.limit
        )
        fastest = fastest or seconds
        rows.append(
            (name, f"{best:.2f}", at, f"{seconds:.1f}", f"{seconds / fastest:.1f}")
        )
    header = ("Learner", "Best F, held out", "Pass", "Seconds to there", "Ratio")
    msg.table(rows, header=header, divider=True, aligns=("l", "r", "r", "r", "r"))


def measure(
    task: dict[str, Any], learner: dict[str, Any], latent: int, passes: int, limit: int
) -> tuple[float, float, int]:
    """Best F on every tenth sentence, and seconds and passes until then."""
    nlp = spacy.blank("en")
    model = {"features": task["features"], "learner": learner, "latent": latent}
    config = {"scheme": "IOB2", "model": model}
    component: ChainPipe = nlp.add_pipe(task["factory"], config=config)
    train = read(nlp, task, "rest", limit)
    held_out = read(nlp, task, "held_out", limit // 9)
    nlp.initialize(lambda: train)
    prepared = component.prepare(train)
    blocks = [features for features, _ in prepared]
    gold = np.concatenate([labels for _, labels in prepared])
    seconds = 0.0
    best = (-1.0, 0.0, 0)
    for number in range(1, passes + 1):
        start = process_time()
        component.learner.update(blocks, gold)
        seconds += process_time() - start
        found = 100 * nlp.evaluate(copies(held_out))[task["score"]]
        if found > best[0]:
            best = (found, seconds, number)
    return best


def read(nlp: Any, task: dict[str, Any], part: str, limit: int) -> list[Example]:
    folder = required_folder(task["file"])
    reader = column_corpus(
        folder / task["file"],
        task["columns"],
        inputs=["tag"],
        repair=True,
        keep_types=task.get("keep_types"),
        doc_mark=task.get("doc_mark", ARTICLE_MARK),
        part=part,
        every=10,
        limit=limit,
    )
    return list(reader(nlp))


def copies(examples: Sequence[Example]) -> list[Example]:
    """Fresh ones: evaluation annotates what it is given."""
    return [Example(x.predicted.copy(), x.reference) for x in examples]


if __name__ == "__main__":
    main()
