"""spaCy's networks on the papers' tasks: a recurrent one, and its own CNN.

Both are a tagger over words, affixes, shapes and given tags; spans are IOB2 labels. The
recurrent network is a bidirectional LSTM by thinc's wrapper of PyTorch, which is an
extra of this package, `networks`.
"""

import random
from collections.abc import Iterator
from time import process_time
from typing import TYPE_CHECKING, Any

import spacy
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed, minibatch

from benchmarks.peers import label_column
from spacy_latperc.schemes import read_spans

from .significance import Counts

if TYPE_CHECKING:
    from .sequences import Task

WIDTH, BATCH = 96, 32
ENCODERS: dict[str, dict[str, Any]] = {
    "LSTM": {
        "@architectures": "spacy.TorchBiLSTMEncoder.v1",
        "depth": 1,
        "dropout": 0.1,
    },
    "CNN": {
        "@architectures": "spacy.MaxoutWindowEncoder.v2",
        "depth": 4,
        "window_size": 1,
        "maxout_pieces": 3,
    },
}
ATTRIBUTES = ["NORM", "PREFIX", "SUFFIX", "SHAPE", "TAG"]


def learn_network(
    encoder: str, task: "Task", passes: int, seed: int, *, every: bool
) -> Iterator[tuple[Counts, float]]:
    """As sequences.learn."""
    fix_random_seed(seed)
    nlp = spacy.blank("xx", vocab=task.train[0].reference.vocab)
    embed = {
        "@architectures": "spacy.MultiHashEmbed.v2",
        "width": WIDTH,
        "attrs": ATTRIBUTES,
        "rows": [5000, 1000, 2500, 2500, 500],
        "include_static_vectors": False,
    }
    tok2vec = {
        "@architectures": "spacy.Tok2Vec.v2",
        "embed": embed,
        "encode": {**ENCODERS[encoder], "width": WIDTH},
    }
    model = {"@architectures": "spacy.Tagger.v2", "tok2vec": tok2vec}
    nlp.add_pipe("tagger", config={"model": model, "overwrite": True})
    train = [_example(example, task) for example in task.train]
    optimizer = nlp.initialize(lambda: train)
    seconds, order = 0.0, random.Random(seed)
    for number in range(1, passes + 1):
        start = process_time()
        for batch in minibatch(order.sample(train, len(train)), BATCH):
            nlp.update(batch, sgd=optimizer)
        seconds += process_time() - start
        if every or number == passes:
            yield _count(nlp, task), seconds


def _labels(doc: Doc, task: "Task") -> list[str]:
    scores = {"tagger": "tag_acc", "ner": "ents_f", "chunker": "chunks_f"}
    return label_column(doc, scores[task.component])


def _example(example: Example, task: "Task") -> Example:
    words = [token.text for token in example.reference]
    labels = _labels(example.reference, task)
    reference = Doc(example.reference.vocab, words=words, tags=labels)
    return Example(example.predicted.copy(), reference)


def _count(nlp: Any, task: "Task") -> Counts:
    counts = []
    docs = nlp.pipe(example.predicted.copy() for example in task.test)
    for example, doc in zip(task.test, docs, strict=True):
        found, gold = [token.tag_ for token in doc], _labels(example.reference, task)
        if task.component == "tagger":
            right = sum(x == y for x, y in zip(found, gold, strict=True))
            counts.append((right, len(gold), len(gold)))
        else:
            x, y = set(read_spans(found)), set(read_spans(gold))
            counts.append((len(x & y), len(x), len(y)))
    return counts
