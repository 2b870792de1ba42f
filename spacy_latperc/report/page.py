"""The report on a trained pipeline as one HTML page, without scripts or links."""

import platform
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

from jinja2 import Environment, PackageLoader
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from ..io.outputs import write_output
from ..io.pipelines import annotate_before
from ..learners.chain import ChainLearner
from ..pipeline.calibrator import HeldOut, measure
from ..pipeline.chain_pipe import ChainPipe
from .comparison import Comparison, Item, Mistake, count_words, reader_of

FACTORIES = {
    "entities": "latperc_ner",
    "chunks": "latperc_chunker",
    "tags": "latperc_tagger",
    "trees": "latperc_tagger",
}
MEASURES = {"tags": "accuracy", "trees": "accuracy of tags"}
_MOST_MISTAKES, _MOST_ROWS, _MOST_FEATURES = 50, 12, 15
_MOST_NAMED = 20_000  # Docs of training in which texts of features are looked for
_AROUND = 30  # tokens shown on each side of a mistake


@dataclass
class Subject:
    """The subject of a report: a pipeline, a task and data.

    Attributes:
        nlp: The pipeline.
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


@dataclass
class Findings:
    """The results that a report shows.

    Attributes:
        comparison: Gold and predictions.
        tokens_per_second: The speed of the pipeline.
        calibration: The quality of the probabilities; None without any.
    """

    comparison: Comparison
    tokens_per_second: float
    calibration: Any = None
    why: dict[Mistake, Any] = field(default_factory=dict)


def examine(subject: Subject) -> Findings:
    """Run the pipeline over the data, and compare.

    Args:
        subject: The pipeline and the data.
    """
    nlp, pipe = subject.nlp, subject.nlp.get_pipe(subject.component)
    explained = isinstance(pipe, ChainPipe) and type(pipe.learner) is ChainLearner
    docs = [_unannotated(doc) for doc in subject.gold]
    with _scores_on(pipe if explained else None):
        predicted = list(nlp.pipe(docs))
    start = perf_counter()
    n_tokens = sum(map(len, nlp.pipe([_unannotated(doc) for doc in subject.gold])))
    speed = n_tokens / (perf_counter() - start)
    comparison = Comparison(subject.gold, predicted, reader_of(subject.task))
    found = Findings(comparison, speed)
    if explained and comparison.pairs:
        examples = [Example(_unannotated(doc), doc) for doc in subject.gold if len(doc)]
        held_out = HeldOut(nlp, subject.component, examples)
        found.calibration = measure(held_out, pipe.calibration)
        for mistake in comparison.mistakes[:_MOST_MISTAKES]:
            found.why[mistake] = _explain(subject, pipe, mistake)
    return found


def write_report(path: Path, subject: Subject) -> Findings:
    """Write the report.

    Args:
        path: The file.
        subject: The pipeline and the data.

    Returns:
        The results that it shows.
    """
    found = examine(subject)
    loader = PackageLoader("spacy_latperc.report", "")
    environment = Environment(loader=loader, autoescape=True, trim_blocks=True)
    page = environment.get_template("report.html").render(**_content(subject, found))
    write_output(path, page.encode("utf8", "replace"))
    return found


def _content(subject: Subject, found: Findings) -> dict[str, Any]:
    comparison, calibration = found.comparison, found.calibration
    text = subject.with_text
    shown = comparison.mistakes[:_MOST_MISTAKES] if text else []
    hidden = "" if text else "The report was made without text."
    content = {
        "title": subject.title,
        "subtitle": f"{subject.task} by {subject.component}, scored on {subject.part}",
        "part": subject.part,
        "measure": MEASURES.get(subject.task, "F"),
        "n_docs": len(subject.gold),
        "scores": comparison.scores(),
        "kinds": comparison.kinds(),
        "confusions": comparison.confusions()[:12],
        "frequency": comparison.by_frequency(count_words(subject.train)),
        "mistakes": [_mistake(found, mistake) for mistake in shown],
        "no_errors": hidden or "There are none.",
        "calibration": calibration,
        "facts": [*subject.facts, *_facts(subject, found)],
        "problems": subject.problems[:200] if text else [],
        "n_problems": len(subject.problems),
    }
    if calibration is not None:
        content["reliability"] = [
            (
                name,
                [(x.confidence, x.accuracy) for x in quality.reliability if x.answers],
            )
            for name, quality in (
                ("before", calibration.before),
                ("after", calibration.after),
            )
        ]
        content["thresholds"] = [
            ("precision", [(x.threshold, x.precision) for x in calibration.thresholds]),
            ("recall", [(x.threshold, x.recall) for x in calibration.thresholds]),
        ]
        if text:
            content.update(_features(subject))
    return content


def _features(subject: Subject) -> dict[str, Any]:
    pipe = subject.nlp.get_pipe(subject.component)
    docs = (
        annotate_before(subject.nlp, subject.component, _unannotated(doc))
        for doc in subject.train[:_MOST_NAMED]
    )
    found = pipe.top_features(docs, _MOST_FEATURES)
    top = [
        (label, *([x for x in rows if x.text] for rows in both))
        for label, both in found.features.items()
    ]
    return {
        "top": top,
        "n_features": found.n_features,
        "transitions": found.transitions[:_MOST_FEATURES],
    }


def _facts(subject: Subject, found: Findings) -> Iterator[tuple[str, object]]:
    comparison = found.comparison
    if subject.train:
        known = Counter(doc.text for doc in subject.train)
        twice = sum(n - 1 for n in known.values())
        seen = sum(doc.text in known for doc in subject.gold)
        tokens = sum(map(len, subject.train))
        yield "training data", f"{len(subject.train):,} texts, {tokens:,} tokens"
        yield "texts that stand twice in it", f"{twice:,}"
        yield f"texts of {subject.part} that are in it", f"{seen:,}"
    tokens = sum(map(len, comparison.gold))
    yield subject.part, f"{len(comparison.gold):,} texts, {tokens:,} tokens"
    yield "speed", f"{found.tokens_per_second:,.0f} tokens a second"
    model = subject.nlp.get_pipe(subject.component)
    size = len(model.to_bytes()) if hasattr(model, "to_bytes") else 0
    yield "size of the component", f"{size / 1e6:.1f} MB"
    yield "pipeline", ", ".join(subject.nlp.pipe_names)
    config = subject.nlp.config
    training = config["training"]
    yield "epochs, seed", f"{training['max_epochs']}, {config['system']['seed']}"
    learner = config["components"][subject.component]["model"].get("learner", {})
    yield "learner", ", ".join(f"{k} = {v}" for k, v in learner.items())
    yield "made with", f"Python {platform.python_version()}"


def _mistake(found: Findings, mistake: Mistake) -> dict[str, Any]:
    doc = found.comparison.gold[mistake.doc]
    gold, predicted = found.comparison.pairs[mistake.doc]
    item = mistake.predicted or mistake.gold
    assert item is not None
    places = [x for x in (mistake.gold, mistake.predicted) if x is not None]
    start = max(min(x.start for x in places) - _AROUND, 0)
    end = min(max(x.end for x in places) + _AROUND, len(doc))
    near = places if len(gold) == len(doc) else None  # one item per token: too many
    return {
        "kind": mistake.kind,
        "score": mistake.score,
        "gold": list(_marked(doc, [mistake.gold] if near else gold, start, end)),
        "found": list(
            _marked(doc, [mistake.predicted] if near else predicted, start, end)
        ),
        "why": found.why.get(mistake),
    }


def _marked(
    doc: Doc, items: Sequence[Item | None], start: int, end: int
) -> Iterator[tuple[str, str]]:
    """Yield the texts between items, and the items with their labels."""
    at = start
    for item in sorted(x for x in items if x is not None):
        if item.start >= at and item.end <= end:
            if item.start > at:
                yield doc[at : item.start].text, ""
            yield doc[item.start : item.end].text, item.label
            at = item.end
    if at < end:
        yield doc[at:end].text, ""


def _explain(subject: Subject, pipe: ChainPipe, mistake: Mistake) -> Any:
    """Explain the label of the first token of a mistake, against the gold label if the
    model can give it."""
    gold = subject.gold[mistake.doc]
    item = mistake.predicted or mistake.gold
    assert item is not None
    doc = annotate_before(subject.nlp, subject.component, _unannotated(gold))
    _, ids = pipe.gold_of([Example(doc, gold)])
    token = item.start
    label = pipe.learner.labels[ids[token]] if ids[token] >= 0 else None
    try:
        found = pipe.explain(doc, token)
        if label not in (None, found.chosen):
            found = pipe.explain(doc, token, label)
    except ValueError:  # the gold label is impossible here
        return None
    rows, n_others, others = found.top(_MOST_ROWS)
    return {
        **vars(found),
        "rows": [(x.feature, doc[x.token].text, x.weight) for x in rows],
        "n_others": n_others,
        "others": others,
    }


def _unannotated(doc: Doc) -> Doc:
    """Return the tokens and sentences of a Doc."""
    words, spaces = [token.text for token in doc], [bool(x.whitespace_) for x in doc]
    starts = None
    if doc.has_annotation("SENT_START"):
        starts = [bool(token.is_sent_start) for token in doc]
    return Doc(doc.vocab, words=words, spaces=spaces, sent_starts=starts)


@contextmanager
def _scores_on(pipe: ChainPipe | None) -> Iterator[None]:
    """Make a component give probabilities."""
    if pipe is None:
        yield
        return
    before, pipe.scores = pipe.scores, "marginal"
    try:
        yield
    finally:
        pipe.scores = before
