"""The config of a training without a config: a pipeline for each task."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from thinc.api import Config

from ..errors import Errors
from ..errors.check import check_choice
from ..io.pipelines import load_pipeline
from ..learners.serialization.cutting import BITS, EXACT
from ..pipeline.learner_pipe import LearnerPipe

BATCH_SIZE = 32
MOST_EVALUATIONS = 2
PURPOSES = ("default", "accuracy", "speed", "size")
CUT = 0.5  # the share of the weights that a small model is saved without
LOOKUPS_PACKAGE = "spacy-lookups-data"
# The mean length of an encoder's vectors, and C for it: so many numbers make the steps
# of other weights too long.
LENGTHS = {3.0: 0.01, 6.0: 0.003}

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
    """A plan of a training: what the user wants, and what was detected.

    Attributes:
        data: The file or folder of annotated data.
        output: The folder for the pipeline, its config and its data.
        dev: Development data; None to set a tenth of the documents aside.
        test: Test data.
        lang: The language of the tokenizer; None until it is detected.
        task: One of TASKS; None until it is detected.
        align: The treatment of misaligned spans (see ALIGN).
        partial: Take what is not annotated in JSON records as unknown.
        raw: Unlabelled text for clusters of words.
        silver: Further training data, which another model has labelled.
        encoder: A folder of an encoder whose vectors are read.
        embed: Save the encoder with the model.
        length: One of LENGTHS.
        opened: The encoder, whose encodings the next training needs.
        purpose: One of PURPOSES: more accurate by several chains; faster by half the
            epochs, no knowledge and, for tags or trees, simpler models; or smaller.
        base: A trained pipeline to go on from.
        lemmas: Also train spaCy's lemmatizer.
        exact: Save weights of 32 bits, not of 16.
        seed: The seed.
        epochs: The number of epochs; 0 for that of the task.
        annotation: The kinds of annotation that the data has.
        clusters: A file with clusters of words of the raw text.
        lookups: True if the clusters of spacy-lookups-data are used.
    """

    data: Path
    output: Path
    dev: Path | None = None
    test: Path | None = None
    lang: Any = None
    task: Any = None
    align: str = "skip"
    partial: bool = False
    raw: Path | None = None
    silver: Path | None = None
    encoder: Path | None = None
    embed: bool = True
    length: float = 3.0
    opened: object = None
    purpose: str = PURPOSES[0]
    base: Path | None = None
    lemmas: bool = False
    exact: bool = False
    seed: int = 0
    epochs: int = 0
    annotation: frozenset[str] = frozenset()
    clusters: Path | None = None
    lookups: bool = False

    @property
    def gold_times(self) -> int:
        """The times that an epoch reads gold beside silver: once where taggers are
        trained on folds, which must not have the same texts."""
        return 2 if self.task in ("tags", "entities") else 1

    @property
    def sources(self) -> dict[str, dict[str, Any]]:
        """The blocks of the sources of attributes."""
        found: dict[str, dict[str, Any]] = {}
        if self.lookups:
            block = {"@misc": "spacy_latperc.Lookups.v1", "optional": False}
            found["lexemes"] = block  # in place of the optional source of the factory
        if self.encoder is not None:
            path = str(self.encoder.resolve())
            block = {"path": path, "length": self.length, "embed": self.embed}
            found["encoder"] = {"@misc": "spacy_latperc.Encoder.v1", **block}
        if self.clusters is not None:
            path = str(self.clusters)
            found["raw"] = {"@misc": "spacy_latperc.ClusterFile.v1", "path": path}
        return found


def choose_task(annotation: Collection[str], wanted: str | None = None) -> str:
    """Return the task that data with these kinds of annotation is for."""
    known = {name: kind for name, kind in TASKS.items() if kind in annotation}
    if "pos" in annotation or "morph" in annotation:
        known.setdefault("tags", "pos")
    if wanted is not None:
        check_choice("--task", wanted, tuple(TASKS))
        if wanted not in known:
            found = ", ".join(known) or "no task"
            raise ValueError(Errors.LP862.format(task=wanted, found=found))
        return wanted
    if not known:
        raise ValueError(Errors.LP863.format(found=", ".join(annotation) or "nothing"))
    return next(iter(known))


def make_config(plan: Plan, files: dict[str, Path], docs: Sequence[Doc]) -> Config:
    """Return the complete config of a plan, for .spacy files by name. An epoch has
    these Docs."""
    nlp = spacy.blank(plan.lang)
    epochs = _PIPELINES[plan.task](nlp, plan)
    if plan.base is not None:
        nlp = load_pipeline(plan.base)
    if plan.lemmas:
        if "lemma" not in plan.annotation:
            found = ", ".join(sorted(plan.annotation))
            raise ValueError(Errors.LP862.format(task="lemmas", found=found))
        nlp.add_pipe("trainable_lemmatizer")
    if plan.purpose == "speed":
        epochs //= 2
    if isinstance(plan.epochs, int) and plan.epochs > 0:
        epochs = plan.epochs
    config = nlp.config.copy()
    if plan.base is not None:
        for name in nlp.component_names:
            config["components"][name] = {"source": str(plan.base.resolve())}
        config["initialize"]["after_init"] = {
            "@callbacks": "spacy_latperc.Resume.v1",
            "labels": _new_labels(nlp, docs),
        }
    config["system"]["seed"] = plan.seed
    config["nlp"]["batch_size"] = 1000
    config["paths"].update({name: str(path) for name, path in files.items()})
    corpora = config["corpora"] = {
        name: {
            "@readers": "spacy_latperc.DocBinCorpus.v1",
            "path": f"${{paths.{name}}}",
            "gold_tokens": True,
        }
        for name in files
    }
    if plan.silver is not None:
        corpora["train"] = {
            "@readers": "spacy_latperc.Joined.v1",
            "corpora": {"gold": corpora["train"], "silver": corpora.pop("silver")},
            "times": {"gold": plan.gold_times},
        }
    batches = -(-len(docs) // BATCH_SIZE)
    optimizer = "Adam.v1" if plan.lemmas else "spacy_latperc.NoOptimizer.v1"
    tagged = [x for x in nlp.pipe_names if x in ("tagger", "pos", "morph")]
    if plan.task != "tags" and tagged:
        corpora["train"] = {
            "@readers": "spacy_latperc.Jackknifed.v1",
            "corpus": corpora["train"],
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
            "optimizer": {"@optimizers": optimizer},
            "before_to_disk": {
                "@callbacks": "spacy_latperc.Calibrate.v1",
                "component": tagged[0] if plan.task in TAGGED else nlp.pipe_names[-1],
                "recall_constant": plan.task in ("entities", "chunks"),
                "bits": EXACT if plan.exact else BITS,
                "cut": CUT if plan.purpose == "size" else 0.0,
            },
            "score_weights": {SCORES[plan.task]: 1.0},
        }
    )
    return config


# Further chains of an accurate model, as in configs/ner_accuracy.cfg. The weights even
# out their scores.
_MEMBERS: dict[str, tuple[dict[str, Any], float]] = {
    "crf": ({"@misc": "spacy_latperc.CRF.v1", "margin": 1.0}, 0.4),
    "adagrad": (
        {
            "@misc": "spacy_latperc.Perceptron.v1",
            "step": "adagrad",
            "learn_rate": 0.05,
            "margin": 1.0,
        },
        0.8,
    ),
}
_GREEDY = {"@misc": "spacy_latperc.Beam.v1", "width": 1}
_ORACLE = {"@misc": "spacy_latperc.DynamicOracle.v1"}


def _evaluation_frequency(steps: int) -> int:
    """Return a number of steps between evaluations of which one is the last step."""
    last = max(steps - 1, 1)
    parts = next(n for n in range(MOST_EVALUATIONS, 0, -1) if last % n == 0)
    return last // parts


def _new_labels(nlp: Language, docs: Sequence[Doc]) -> dict[str, list[str]]:
    """Return the labels that each component of a trained pipeline lacks."""
    found = {}
    for name, pipe in nlp.pipeline:
        if isinstance(pipe, LearnerPipe):
            wanted = {label for doc in docs for label in pipe.collect_labels(doc)}
            found[name] = sorted(wanted.difference(pipe.labels))
    return found


def _with_sources(factory: str, plan: Plan, **features: Any) -> dict[str, Any]:
    """The settings of a component whose templates read the sources of a plan."""
    defaults = Language.get_factory_meta(factory).default_config
    model = {**defaults["model"]}
    model["seed"] = plan.seed
    model["features"] = {**model["features"], **features}
    if plan.sources:
        model["features"]["sources"] = plan.sources
        model["features"]["source_templates"] = True
    elif plan.purpose == "speed":
        model["features"].pop("sources", None)
    if plan.encoder is not None:
        c = 0.03 if factory == "latperc_tagger" else LENGTHS[plan.length]
        model["learner"] = {**model["learner"], "C": c}
    elif plan.purpose == "accuracy" and factory != "latperc_tagger":
        model["members"] = {
            name: {
                "@misc": "spacy_latperc.Member.v1",
                "features": model["features"],
                "learner": learner,
                "weight": weight,
            }
            for name, (learner, weight) in _MEMBERS.items()
        }
    if plan.purpose == "speed" and factory == "latperc_tagger":
        model["order"] = 0
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
        tags = frozenset(["tag"])
        _tags(nlp, Plan(plan.data, plan.output, annotation=tags, seed=plan.seed))
    config = _with_sources("latperc_chunker", plan)
    nlp.add_pipe("latperc_chunker", "chunker", config=config)
    return 12


def _trees(nlp: Language, plan: Plan) -> int:
    nlp.add_pipe("sentencizer", config={"overwrite": False})
    _tags(nlp, plan)
    greedy = {"search": _GREEDY, "learner": _ORACLE}
    config = {"model": greedy} if plan.purpose == "speed" else {}
    nlp.add_pipe("latperc_parser", "parser", config=config)
    return 20


_PIPELINES: dict[str, Callable[[Language, Plan], int]] = {
    "entities": _entities,
    "chunks": _chunks,
    "trees": _trees,
    "tags": _tags,
}
