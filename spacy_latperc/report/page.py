"""The report on a trained pipeline as one HTML page, without scripts or links."""

import platform
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from ..explain.explanation import Explanation
from ..explain.tables import environment
from ..io.docbin import unannotated
from ..io.jsonl import write_json
from ..io.outputs import write_output
from ..io.pipelines import annotate_before
from ..pipeline.calibrator import HeldOut, NothingPredictedError, measure
from ..pipeline.chain_pipe import ChainPipe
from .comparison import Comparison, Item, Mistake, item_text, reader_of

FACTORIES = {
    "entities": "latperc_ner",
    "chunks": "latperc_chunker",
    "tags": "latperc_tagger",
    "trees": "latperc_parser",
}
MEASURES = {"tags": "accuracy", "trees": "LAS"}
NAMES = "names.json"  # texts of features by hash
_MOST_MISTAKES, _MOST_FEATURES = 50, 15
_MOST_LABELS, _MOST_CONFUSIONS = 12, 12  # of a matrix of labels, and of a list
_MOST_NAMED = 20_000  # Docs of training in which texts of features are looked for
_AROUND = 30  # tokens shown on each side of a mistake


@dataclass
class Subject:
    """The subject of a report: a pipeline, a task and data.

    Attributes:
        task: The task (see FACTORIES).
        part: The name of the data that it is scored on.
        gold: The Docs of that data.
        train: The Docs of training.
        facts: More rows for the last table: names and values.
        problems: Annotation that was left out.
        with_text: False for a report without any text of the data.
    """

    nlp: Language
    task: str
    part: str
    gold: Sequence[Doc]
    train: Sequence[Doc] = ()
    facts: Sequence[tuple[str, object]] = ()
    problems: Sequence[object] = ()
    with_text: bool = True
    title: str = "Report"

    @property
    def component(self) -> str:
        """The name of the component that does the task."""
        names = self.nlp.pipe_names
        factory = FACTORIES[self.task]
        return next(x for x in names if self.nlp.get_pipe_meta(x).factory == factory)

    @property
    def pipe(self) -> Any:
        """The component that does the task."""
        return self.nlp.get_pipe(self.component)


@dataclass
class Findings:
    """The results that a report shows.

    Attributes:
        tokens_per_second: The speed of the pipeline on one core.
        calibration: The quality of the probabilities; None without any.
        why: The explanations of mistakes.
    """

    comparison: Comparison
    tokens_per_second: float
    calibration: Any = None
    why: dict[Mistake, Explanation | None] = field(default_factory=dict)


def examine(subject: Subject) -> Findings:
    """Run the pipeline over the data, and compare."""
    nlp, pipe = subject.nlp, subject.pipe
    docs = [unannotated(doc) for doc in subject.gold]
    predicted = list(nlp.pipe(docs))
    start = process_time()
    n_tokens = sum(map(len, nlp.pipe([unannotated(doc) for doc in subject.gold])))
    speed = n_tokens / (process_time() - start)
    comparison = Comparison(subject.gold, predicted, reader_of(subject.task))
    found = Findings(comparison, speed)
    if not isinstance(pipe, ChainPipe):
        return found
    labels = set(pipe.labels)
    known = [
        x for x in subject.gold if len(x) and labels.issuperset(pipe.collect_labels(x))
    ]
    examples = [Example(unannotated(doc), doc) for doc in known]
    with suppress(NothingPredictedError):
        held_out = HeldOut(nlp, subject.component, examples)
        found.calibration = measure(held_out, pipe.calibration)
    for mistake in comparison.mistakes[:_MOST_MISTAKES]:
        found.why[mistake] = _explain(subject, mistake)
    return found


def write_report(path: Path, subject: Subject) -> Findings:
    """Write the report, and beside it the texts of the features that it shows."""
    found = examine(subject)
    content = _content(subject, found)
    page = environment().get_template("report/report.html").render(**content)
    write_output(path, page.encode("utf8", "replace"))
    names = path.with_name(NAMES)
    names.unlink(missing_ok=True)
    if "top" in content:
        texts = content["top"].names.items()
        write_json(names, {f"{key:x}": text for key, text in texts if text})
    return found


def _content(subject: Subject, found: Findings) -> dict[str, Any]:
    comparison, calibration = found.comparison, found.calibration
    text = subject.with_text
    shown = comparison.mistakes[:_MOST_MISTAKES] if text else []
    scores, confusions = comparison.scores(), comparison.confusions()
    counts = {(x.label, x.label): x.correct for x in scores[1:]}
    counts |= {(gold, label): n for gold, label, n in confusions}
    labels = [*comparison.labels, ""]
    content = {
        "subject": subject,
        "measure": MEASURES.get(subject.task, "F"),
        "scores": scores,
        "kinds": comparison.kinds(),
        "confusions": confusions[:_MOST_CONFUSIONS],
        "labels": labels if len(labels) <= _MOST_LABELS else [],
        "matrix": [(x, [counts.get((x, y), 0) for y in labels]) for x in labels],
        "frequency": comparison.by_frequency(
            Counter(token.text for doc in subject.train for token in doc)
        ),
        "mistakes": [_mistake(found, mistake) for mistake in shown],
        "found": found,
        "facts": [*subject.facts, *_facts(subject, found)],
    }
    if calibration is not None:
        qualities = [("model", calibration.before), ("calibrated", calibration.after)]
        if calibration.before == calibration.after:
            del qualities[1]
        content["reliability"] = [
            (name, [(x.confidence, x.accuracy) for x in y.reliability if x.answers])
            for name, y in qualities
        ]
        content["thresholds"] = [
            (name, [(x.threshold, getattr(x, name)) for x in calibration.thresholds])
            for name in ("precision", "recall")
        ]
        if text:
            train = subject.train[:_MOST_NAMED]
            docs = (_annotated_before(subject, doc) for doc in train)
            content["top"] = subject.pipe.top_features(docs, _MOST_FEATURES)
    return content


def _facts(subject: Subject, found: Findings) -> Iterator[tuple[str, object]]:
    comparison = found.comparison
    if subject.train:
        known = Counter(doc.text for doc in subject.train)
        tokens = sum(map(len, subject.train))
        yield "Training data", f"{len(subject.train):,} texts, {tokens:,} tokens"
        yield "Duplicates in it", f"{len(subject.train) - len(known):,} texts"
        seen = sum(doc.text in known for doc in subject.gold)
        yield f"{subject.part.capitalize()} also in it", f"{seen:,} texts"
    tokens = sum(map(len, comparison.gold))
    texts = f"{len(comparison.gold):,} texts, {tokens:,} tokens"
    yield subject.part.capitalize(), texts
    config = subject.nlp.config
    yield "Pipeline", ", ".join(subject.nlp.pipe_names)
    training = config["training"]
    yield "Epochs", training["max_epochs"]
    yield "Seed", config["system"]["seed"]
    learner = config["components"][subject.component]["model"].get("learner") or {}
    yield "Learner", ", ".join(f"{k} = {v}" for k, v in learner.items())
    yield "Python", platform.python_version()


def _mistake(found: Findings, mistake: Mistake) -> dict[str, Any]:
    doc = found.comparison.gold[mistake.doc]
    gold, predicted = found.comparison.pairs[mistake.doc]
    items = mistake.items
    start = max(min(x.start for x in items) - _AROUND, 0)
    end = min(max(x.end for x in items) + _AROUND, len(doc))
    every: list[Sequence[Item | None]] = [gold, predicted]
    if len(gold) == len(doc):  # one item for each token would be too many
        every = [[mistake.gold], [mistake.predicted]]
    answers = [
        (name, item_text(doc, item), list(_marked(doc, shown, item, start, end)))
        for name, item, shown in zip(
            ("gold", "predicted"), mistake[2:], every, strict=True
        )
    ]
    first = items[-1]
    return {
        "kind": mistake.kind,
        "text": doc[first.start : first.end].text,
        "score": mistake.score,
        "answers": answers,
        "why": found.why.get(mistake),
    }


def _marked(
    doc: Doc, items: Sequence[Item | None], wrong: Item | None, start: int, end: int
) -> Iterator[tuple[str, str, bool]]:
    """Yield the texts between items, and the items with their labels; True for the one
    that is wrong."""
    at = start
    for item in sorted(x for x in items if x is not None):
        if item.start >= at and item.end <= end:
            if item.start > at:
                yield doc[at : item.start].text, "", False
            text = doc[item.start : item.end].text
            yield text, item_text(doc, item), item == wrong
            at = item.end
    if at < end:
        yield doc[at:end].text, "", False


def _explain(subject: Subject, mistake: Mistake) -> Explanation | None:
    """Explain the first label of a mistake that differs from the gold one."""
    pipe, items, gold = subject.pipe, mistake.items, subject.gold[mistake.doc]
    doc = _annotated_before(subject, gold)
    try:
        _, ids = pipe.gold_of([Example(doc, gold)])
        found = pipe.explain(doc, items[-1].start)
        first, last = min(x.start for x in items), max(x.end for x in items)
        for token, chosen in enumerate(found.chosen_labels, found.start):
            label = pipe.learner.labels[ids[token]] if ids[token] >= 0 else chosen
            if first <= token < last and label != chosen:
                return pipe.explain(doc, token, label)
        return found
    except ValueError:  # the gold label is impossible here, or unknown
        return None


def _annotated_before(subject: Subject, doc: Doc) -> Doc:
    """Return a Doc with the annotation that the component finds."""
    return annotate_before(subject.nlp, subject.component, unannotated(doc))
