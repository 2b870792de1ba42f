"""The config of a training without a config: a pipeline for each task."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.lookups import load_lookups
from thinc.api import Config

from ..errors import Errors
from ..errors.check import check_choice
from ..knowledge.lookups import CLUSTERS

BATCH_SIZE = 32
MOST_EVALUATIONS = 4
PURPOSES = ("default", "speed", "accuracy")
LOOKUPS_PACKAGE = "spacy-lookups-data"

# What is annotated, by task; the first task whose annotation the data has is chosen.
TASKS = {"entities": "ents", "chunks": "chunks", "trees": "trees", "tags": "tag"}
TAGGED = ("tags", "trees")  # tasks whose first component is a tagger
SCORES = {
    "entities": "ents_f",
    "chunks": "chunks_f",
    "trees": "dep_las",
    "tags": "tag_acc",
}


@dataclass
class Plan:
    """A plan of a training: its task, its data and its knowledge.

    Attributes:
        lang: The language of the tokenizer.
        task: One of TASKS.
        annotation: The kinds of annotation that the data has.
        clusters: A file with clusters of words; None for none of the user's own.
        lookups: True if the clusters of spacy-lookups-data are used.
        purpose: One of PURPOSES.
        seed: The seed.
        epochs: The number of epochs; None for the default of the task.
    """

    lang: str
    task: str
    annotation: frozenset[str] = frozenset()
    clusters: Path | None = None
    lookups: bool = False
    purpose: str = "default"
    seed: int = 0
    epochs: int | None = None
    components: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def sources(self) -> dict[str, dict[str, Any]]:
        """The blocks of the sources of attributes."""
        found: dict[str, dict[str, Any]] = {}
        if self.lookups:
            block = {"@misc": "spacy_latperc.Lookups.v1", "optional": False}
            found["lexemes"] = block  # in place of the optional source of the factory
        if self.clusters is not None:
            path = str(self.clusters)
            found["raw"] = {"@misc": "spacy_latperc.ClusterFile.v1", "path": path}
        return found


def choose_task(annotation: Collection[str], wanted: str | None = None) -> str:
    """Return the task that data with these kinds of annotation is for.

    Args:
        annotation: The kinds of annotation.
        wanted: The task that the user asked for.
    """
    known = {name: kind for name, kind in TASKS.items() if kind in annotation}
    if "pos" in annotation or "morph" in annotation:
        known.setdefault("tags", "pos")
    if wanted is not None:
        check_choice("task", wanted, tuple(TASKS))
        if wanted not in known:
            found = ", ".join(known) or "no task"
            raise ValueError(Errors.LP862.format(task=wanted, found=found))
        return wanted
    if not known:
        raise ValueError(Errors.LP863.format(found=", ".join(annotation) or "nothing"))
    return next(iter(known))


def has_lookups(lang: str) -> bool:
    """Return whether clusters of a language are installed."""
    # A language without this table gets an empty one.
    found = load_lookups(lang, [CLUSTERS], strict=False)
    return found.has_table(CLUSTERS) and len(found.get_table(CLUSTERS)) > 0


def make_config(plan: Plan, train: Path, dev: Path, n_train: int) -> Config:
    """Write the complete config of a plan.

    Args:
        plan: The plan.
        train: The .spacy file of training data.
        dev: The .spacy file of development data.
        n_train: The number of Docs in it.
    """
    nlp = spacy.blank(plan.lang)
    epochs = _PIPELINES[plan.task](nlp, plan)
    epochs = plan.epochs or epochs
    config = nlp.config.copy()
    config["system"]["seed"] = plan.seed
    config["nlp"]["batch_size"] = 1000
    config["paths"].update({"train": str(train), "dev": str(dev)})
    for name in ("train", "dev"):
        config["corpora"][name] = {
            "@readers": "spacy_latperc.DocBinCorpus.v1",
            "path": f"${{paths.{name}}}",
        }
    config["corpora"].pop("pretrain", None)
    batches = -(-n_train // BATCH_SIZE)
    tagged = [x for x in nlp.pipe_names if x in ("tagger", "pos", "morph")]
    if plan.task != "tags" and tagged:
        config["corpora"]["train"] = {
            "@readers": "spacy_latperc.Jackknifed.v1",
            "corpus": config["corpora"]["train"],
            "component": tagged,
        }
    config["training"].update(
        {
            "max_epochs": epochs,
            "max_steps": 0,
            "patience": 0,
            "eval_frequency": _evaluation_frequency(batches * epochs),
            "dropout": 0.0,
            "batcher": {
                "@batchers": "spacy.batch_by_sequence.v1",
                "size": BATCH_SIZE,
                "get_length": None,
            },
            "optimizer": {"@optimizers": "spacy_latperc.NoOptimizer.v1"},
            "before_to_disk": {
                "@callbacks": "spacy_latperc.Calibrate.v1",
                "component": tagged[0] if plan.task in TAGGED else nlp.pipe_names[-1],
                "recall_constant": plan.task in ("entities", "chunks"),
            },
            "score_weights": {SCORES[plan.task]: 1.0},
        }
    )
    return config


def _evaluation_frequency(steps: int) -> int:
    """Return a number of steps between evaluations of which one is the last step."""
    last = max(steps - 1, 1)
    parts = next(n for n in range(MOST_EVALUATIONS, 0, -1) if last % n == 0)
    return last // parts


def _with_sources(factory: str, plan: Plan, **features: Any) -> dict[str, Any]:
    """The settings of a component whose templates read the sources of a plan."""
    defaults = Language.get_factory_meta(factory).default_config
    model = {**defaults["model"]}
    model["seed"] = plan.seed
    model["features"] = {**model["features"], **features}
    if plan.sources:
        model["features"]["sources"] = plan.sources
        model["features"]["source_templates"] = True
    return {"model": model}


def _entities(nlp: Language, plan: Plan) -> int:
    nlp.add_pipe("latperc_ner", "ner", config=_with_sources("latperc_ner", plan))
    return 20


def _tags(nlp: Language, plan: Plan) -> int:
    names = {"tag": "tagger", "pos": "pos", "morph": "morph"}
    for attribute, name in names.items():
        if attribute in plan.annotation:
            config = {**_with_sources("latperc_tagger", plan), "attribute": attribute}
            nlp.add_pipe("latperc_tagger", name, config=config)
    return 20


def _chunks(nlp: Language, plan: Plan) -> int:
    if "tag" in plan.annotation:
        _tags(nlp, Plan(plan.lang, "tags", frozenset(["tag"]), seed=plan.seed))
    nlp.add_pipe(
        "latperc_chunker", "chunker", config=_with_sources("latperc_chunker", plan)
    )
    return 12


def _trees(nlp: Language, plan: Plan) -> int:
    nlp.add_pipe("sentencizer", config={"overwrite": False})
    _tags(nlp, plan)
    nlp.add_pipe("latperc_parser", "parser")
    return 12


_PIPELINES: dict[str, Callable[[Language, Plan], int]] = {
    "entities": _entities,
    "chunks": _chunks,
    "trees": _trees,
    "tags": _tags,
}
