"""Rows of the papers' tables that label sequences: a task, a model, and its scores.

The number of passes is given, or the best on development data: on the part that the
corpus has, or, with seed 0, on every tenth sentence of the training data. Then each
seed trains, and is scored on the test part: F of spans, or the percentage of right
tags. p is the p-value of the difference to a reference row.
"""

import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from time import process_time
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_latperc.data.corpus import column_corpus
from spacy_latperc.kernels.chains import Rule
from tools.corpora.locate import required_folder

from . import acronyms
from .significance import Counts, Row, compare
from .training import epochs

Examples = list[Example]
NP = {"inputs": ["tag"], "repair": True, "keep_types": ["NP"]}
OWN_TAGS = 4  # folds of the jackknife


@dataclass(frozen=True)
class Task:
    """A corpus, and the component that learns it.

    exact: A sentence counts as a whole: right or wrong.
    """

    component: str
    train: Examples
    test: Examples
    dev: Examples = field(default_factory=list)
    exact: bool = False

    @cached_property
    def gold(self) -> list[set[tuple[int, int, str]]]:
        """The right answers of each test sentence."""
        return [_answers(example.reference, self) for example in self.test]


def measure(row: Row, reference: Row | None = None) -> dict[str, Any]:
    """The figures of a row.

    Args:
        row: task and limit; model (latent, order, ...), features and learner; passes,
            or the most that are tried if `choose` is true; seeds; `curve` to score
            after every pass.
        reference: The row that p compares with.
    """
    task = read_task(row["task"], row.get("limit", 0))
    begin, passes = process_time(), row["passes"]
    runs: list[list[tuple[Counts, float]]] = []
    if row.get("choose"):
        passes = _best_pass(row, task)
    updates: list[Rule] = []
    for seed in range(row.get("seeds", 3)):
        every = bool(row.get("curve"))
        runs.append(list(learn(row, task, passes, seed, every=every, rules=updates)))
    scores = [100 * score(run[-1][0]) for run in runs]
    figures = {
        "mean": statistics.mean(scores),
        "sd": statistics.stdev(scores) if len(scores) > 1 else 0.0,
        "runs": scores,
        "passes": passes,
        "seconds": statistics.median(run[-1][1] for run in runs),
        "seeds": len(runs),
    }
    if row.get("curve"):
        values = [[100 * score(counts) for counts, _ in run] for run in runs]
        figures["curve"] = [
            {
                "pass": number + 1,
                "mean": statistics.mean(run[number] for run in values),
                "low": min(run[number] for run in values),
                "high": max(run[number] for run in values),
                "seconds": statistics.mean(run[number][1] for run in runs),
            }
            for number in range(len(values[0]))
        ]
    made = sum(rule.updates[0] for rule in updates)
    if made:
        figures["no_violation"] = 100 * (
            1 - sum(rule.updates[1] for rule in updates) / made
        )
    figures["cpu"] = process_time() - begin
    last = [run[-1][0] for run in runs]
    return {**figures, **compare(row, last, reference, measure)}


def _best_pass(row: Row, task: Task) -> int:
    if task.dev:
        parts = replace(task, test=task.dev)
    else:
        rest = [example for i, example in enumerate(task.train) if i % 10]
        parts = replace(task, train=rest, test=task.train[::10])
    found = [score(x) for x, _ in learn(row, parts, row["passes"], 0, every=True)]
    return found.index(max(found)) + 1


def learn(
    row: Row,
    task: Task,
    passes: int,
    seed: int,
    *,
    every: bool = False,
    rules: list[Rule] | None = None,
) -> Iterator[tuple[Counts, float]]:
    """The counts of each test sentence and the CPU seconds of learning, after each pass
    or after the last one."""
    if "encoder" in row:
        from .networks import learn_network

        yield from learn_network(row["encoder"], task, passes, seed, every=every)
        return
    nlp = spacy.blank("xx", vocab=task.train[0].reference.vocab)
    learner = dict(row["learner"])
    name = learner.pop("name")
    model = {
        "features": {"@misc": "spacy_latperc.PaperFeatures.v1", **row["features"]},
        "learner": {"@misc": f"spacy_latperc.{name}.v1", **learner},
        **row.get("model", {}),
        "seed": seed,
    }
    settings = {"scheme": "IOB2"} if task.component != "tagger" else {}
    component: Any = nlp.add_pipe(
        f"latperc_{task.component}", config={**settings, "model": model}
    )
    nlp.initialize(lambda: task.train)
    if name == "ViolationFixing" and rules is not None:
        chain = component.learner
        make = chain.settings.make_rule

        def kept() -> Rule:
            rules.append(make())
            return rules[-1]

        chain.settings = replace(chain.settings, make_rule=kept)
    seconds = 0.0
    for number, taken in enumerate(epochs(component, task.train, passes, seed), 1):
        seconds += taken
        if every or number == passes:
            yield count(nlp, task), seconds


def count(nlp: Language, task: Task) -> Counts:
    """Of each test sentence: right answers, answers, and answers to give."""
    docs = nlp.pipe(example.predicted.copy() for example in task.test)
    pairs = [(_answers(x, task), y) for x, y in zip(docs, task.gold, strict=True)]
    if task.exact:
        return [(int(found == gold), 1, 1) for found, gold in pairs]
    return [(len(x & y), len(x), len(y)) for x, y in pairs]


def _answers(doc: Doc, task: Task) -> set[tuple[int, int, str]]:
    if task.component == "tagger":  # acronyms number the states of O
        tags = [token.tag_[:1] if task.exact else token.tag_ for token in doc]
        return {(i, i + 1, tag) for i, tag in enumerate(tags)}
    spans = doc.ents if task.component == "ner" else doc.spans["chunks"]
    return {(span.start, span.end, span.label_) for span in spans}


def score(counts: Counts) -> float:
    """F, which is accuracy where every token has an answer."""
    right, given, gold = map(sum, zip(*counts, strict=True))
    return 2 * right / max(given + gold, 1)


# Tasks --------------------------------------------------------------------------------


@cache
def read_task(name: str, limit: int = 0) -> Task:
    """A task by its name; limit: the first so many training sentences; 0 for all."""
    return TASKS[name](limit)


def _read(file: str, columns: str, limit: int = 0, **settings: Any) -> Examples:
    nlp = _nlp()
    path = required_folder(file) / file
    return list(column_corpus(path, columns, limit=limit, **settings)(nlp))


@cache
def _nlp() -> Language:
    return spacy.blank("xx")


def _conll2000(limit: int, **settings: Any) -> Task:
    train, test = (
        _read(f"conll2000/{file}", "word,tag,chunk", most, **settings)
        for file, most in (("train.txt.gz", limit), ("test.txt", 0))
    )
    return Task("chunker", train, test)


def _tags(limit: int) -> Task:
    train, dev, test = (
        _read(f"ud_ewt/{file}", "id,word,-,tag,space", most)
        for file, most in (("train.tsv.gz", limit), ("dev.tsv", 0), ("test.tsv", 0))
    )
    return Task("tagger", train, test, dev)


def _spanish(limit: int) -> Task:
    train, dev, test = (
        _read(f"conll2002/esp.{file}", "word,-,ent", most, repair=True)
        for file, most in (("train.gz", limit), ("testa", 0), ("testb", 0))
    )
    return Task("ner", train, test, dev)


def _bio(limit: int) -> Task:
    """Bio-entities with the tags of an own tagger, which learns from those of GENIA."""
    marks: Any = {"doc_mark": "###"}
    train = _read("jnlpba/train.pos.iob2.gz", "word,tag,ent", limit, **marks)
    test = _read("jnlpba/test.iob2", "word,ent", **marks)
    tags = [Example(_bare(x.reference), x.reference) for x in train]
    for fold in range(OWN_TAGS):
        rest = [x for i, x in enumerate(tags) if i % OWN_TAGS != fold]
        _tag(rest, train[fold::OWN_TAGS])
    _tag(tags, test)
    return Task("ner", train, test)


def _bare(doc: Doc) -> Doc:
    return Doc(doc.vocab, words=[token.text for token in doc])


def _tag(train: Examples, examples: Examples) -> None:
    """Put tags on the predicted Docs of examples."""
    nlp = spacy.blank("xx", vocab=train[0].reference.vocab)
    tagger = nlp.add_pipe("latperc_tagger")
    nlp.initialize(lambda: train)
    for _ in epochs(tagger, train, 4, 0):
        pass
    docs = nlp.pipe(_bare(example.reference) for example in examples)
    for example, doc in zip(examples, docs, strict=True):
        example.predicted = doc


def _acronyms(limit: int, **settings: Any) -> Task:
    train, test = (
        [_characters(*pair) for pair in part]
        for part in acronyms.parts(limit, **settings)
    )
    return Task("tagger", train, test, exact=True)


def _characters(text: str, labels: Sequence[str]) -> Example:
    characters = [letter if letter != " " else "_" for letter in text]
    reference = Doc(_nlp().vocab, words=characters, tags=list(labels))
    return Example(_bare(reference), reference)


TASKS: dict[str, Callable[[int], Task]] = {
    "np": lambda limit: _conll2000(limit, **NP),
    "chunks": lambda limit: _conll2000(limit, inputs=["tag"], repair=True),
    "tags": _tags,
    "bio": _bio,
    "spanish": _spanish,
    "made acronyms": lambda limit: _acronyms(limit, made=True),
    "made acronyms, O-runs": lambda limit: _acronyms(limit, made=True, runs=True),
    "acronyms": _acronyms,
    "acronyms, O-runs": lambda limit: _acronyms(limit, runs=True),
}
