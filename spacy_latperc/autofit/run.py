"""Turn annotated data into a plan, files and a config: all that training needs."""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from spacy.tokens import Doc
from spacy.util import load_config

from ..errors import Errors
from ..errors.check import check_choice
from ..io.docbin import write_docs
from ..io.lines import corpus_files
from ..io.outputs import write_output
from ..io.pipelines import load_pipeline
from ..text.sentence_files import blank_pipeline
from .dataset import ALIGN, UNLABELLED, Dataset, read_dataset, sample_words
from .detect import detect_language
from .find_knowledge import choose_length, find_knowledge
from .make_config import PURPOSES, Plan, choose_task, make_config

CONFIG = "config.cfg"
_MOST_SHOWN = 8
_DEV_NAMES = {"dev", "devel", "development", "val", "valid", "validation"}
Show = Callable[[str, str], None]  # a title, and what was found


@dataclass
class Prepared:
    """The data of a plan and its config. `data` is all that was not passed as
    development or test data; `findings` are titles and sentences that say what was
    detected."""

    plan: Plan
    config: Path
    findings: list[tuple[str, str]]
    data: Dataset
    train: Dataset
    dev: Dataset
    test: Dataset | None

    @property
    def part(self) -> str:
        """The name of the data that the result is scored on."""
        return "test data" if self.test else "development data"


def prepare(plan: Plan, show: Show) -> Prepared:
    """Read the data of a plan, complete it by what is detected, and write the .spacy
    files and the config of its training."""
    check_choice("--align", plan.align, tuple(ALIGN))
    check_choice("--for", plan.purpose, PURPOSES)
    sources, dev_files, test_files = _divide_folder(plan)
    reason = _set_language(plan, sources)
    nlp = load_pipeline(plan.base) if plan.base else blank_pipeline(plan.lang)
    data = read_dataset(nlp, *sources, align=plan.align, partial=plan.partial)
    plan.task = choose_task(data.annotation, plan.task)
    data = _annotated(data, plan.task)
    train, test = data, None
    how = f"from {', '.join(x.name for x in dev_files)}"
    if dev_files:
        dev = read_dataset(nlp, *dev_files, align=plan.align)
    else:
        how = "a tenth, by a hash of each document; --dev FILE chooses"
        train, dev = data.split()
    if test_files:
        test = read_dataset(nlp, *test_files, align=plan.align)
    if not (train.docs and dev.docs):
        raise ValueError(Errors.LP864.format(path=plan.data, n=len(data.docs)))
    plan.annotation = frozenset(data.annotation)
    findings: list[tuple[str, str]] = []

    def note(title: str, found: str) -> None:
        findings.append((title, found))
        show(title, found)

    note("Data", f"{', '.join(data.formats)}: {len(data.docs):,} texts")
    note("Task", f"{plan.task}: {_counted(data.docs, plan.task)}")
    note("Language", f"{plan.lang} ({reason})")
    divided = f"{len(train.docs):,} to train on, {len(dev.docs):,} for development"
    tested = f", {len(test.docs):,} to test on" if test else ""
    note("Division", f"{divided} ({how}){tested}")
    plan.output.mkdir(parents=True, exist_ok=True)
    note("Knowledge", find_knowledge(plan))
    parts = {"train": train.docs, "dev": dev.docs}
    docs = train.docs
    if plan.silver is not None:
        parts["silver"] = read_dataset(nlp, plan.silver, align=plan.align).docs
        docs = plan.gold_times * docs + parts["silver"]
        texts = f"{len(parts['silver']):,} texts of {plan.silver.name}"
        note("Silver", f"{texts}; times that yours are read: {plan.gold_times}")
    files = {name: plan.output / f"{name}.spacy" for name in parts}
    for name, path in files.items():
        write_docs(parts[name], path)
    if test is not None:
        write_docs(test.docs, plan.output / "test.spacy")
    if plan.encoder is not None and plan.task == "entities":
        made = partial(make_config, plan, files, docs)
        note("Vectors", choose_length(plan, made))
    config = make_config(plan, files, docs)
    trained = ", ".join(config["nlp"]["pipeline"])
    more = "lemma" in data.annotation and not plan.lemmas
    note("Pipeline", trained + "; --lemmas adds spaCy's lemmatizer" * more)
    path = plan.output / CONFIG
    write_output(path, config.to_str().encode())
    return Prepared(plan, path, findings, data, train, dev, test)


def _divide_folder(plan: Plan) -> tuple[list[Path], list[Path], list[Path]]:
    """Return the files of training, development and test: as given, or else those of a
    folder whose names say so."""
    files = corpus_files(plan.data)
    parts = [[x] if x is not None else [] for x in (plan.dev, plan.test)]
    if plan.data.is_dir():
        for part, names in zip(parts, (_DEV_NAMES, {"test"}), strict=True):
            named = [x for x in files if names & {*re.split("[^a-z]+", x.name.lower())}]
            part += named if not part and len(named) < len(files) else []
            given = [x.resolve() for x in part]
            files = [x for x in files if x.resolve() not in given]
    return files, parts[0], parts[1]


def _set_language(plan: Plan, files: list[Path]) -> str:
    """Set the language of a plan, and return the reason for it."""
    if plan.base is not None:
        plan.lang = load_config(plan.base / CONFIG)["nlp"]["lang"]
        return f"that of {plan.base}"
    if plan.lang is not None:
        return "as asked"
    plan.lang, share = detect_language(sample_words(files))
    if plan.lang == "xx":
        return "no language has many stop words here; --lang chooses one"
    return f"{share:.0%} of the words are its stop words; --lang chooses another"


def _annotated(data: Dataset, task: str) -> Dataset:
    """Return the data without Docs that lack the annotation of a task."""
    if task in ("entities", "chunks"):
        kept = [doc.has_annotation("ENT_IOB") for doc in data.docs]
        if task == "chunks":
            kept = [bool(doc.spans) for doc in data.docs]
        data.notes[UNLABELLED] += kept.count(False)
        data.docs = [x for x, wanted in zip(data.docs, kept, strict=True) if wanted]
        data.keys = [x for x, wanted in zip(data.keys, kept, strict=True) if wanted]
    return data


def _counted(docs: Iterable[Doc], task: str) -> str:
    """Describe the labels of a task."""
    counts: Counter[str] = Counter()
    for doc in docs:
        if task in ("entities", "chunks"):
            spans = doc.ents if task == "entities" else doc.spans.get("chunks", ())
            counts.update(span.label_ for span in spans)
        else:
            labels = (x.dep_ if task == "trees" else x.tag_ or x.pos_ for x in doc)
            counts.update(labels)
    shown = [f"{label} {n:,}" for label, n in counts.most_common(_MOST_SHOWN)]
    more = len(counts) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")
