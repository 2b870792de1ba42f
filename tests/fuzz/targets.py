"""Everything that reads what others wrote, as targets of the fuzzer."""

import json
import shutil
import tempfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import spacy
import srsly
from builders.pipelines import MEMBERS, SENTENCES, make_examples
from catalogue import Registry, RegistryError
from confection import ConfigValidationError
from spacy.language import Language
from spacy.tokens import Doc, Span, SpanGroup
from spacy.training import Example
from spacy.util import registry

from spacy_latperc.compact import compact
from spacy_latperc.judge.floor import Floor, WordModel
from spacy_latperc.judge.sentence_features import COLUMNS
from spacy_latperc.judge.sentence_scorer import Joined
from spacy_latperc.training.checkpoint import Checkpoint

from .engine import Broken, Mutate, Target
from .file_targets import FILES
from .mutations import (
    MAGIC,
    dump_json,
    mutate_bytes,
    mutate_file,
    mutate_text,
    mutate_value,
)

# Plug-ins are looked up again for each message and for each block of a config, which
# takes nine tenths of the time.
for plugins in (srsly.msgpack.msgpack_decoders, srsly.msgpack.msgpack_encoders):
    plugins.get_all = cache(plugins.get_all)
Registry._get_entry_points = cache(Registry._get_entry_points)

TINY = {"@misc": "spacy_latperc.Templates.v1"}
TINY["templates"] = ["w[0]", "suf1[0]", "edge:bias"]
WORDS = SENTENCES[0].words
# What settings are refused with before our code sees them.
OF_CONFIGS = (ConfigValidationError, RegistryError)


def all_targets(folder: Path) -> Iterator[tuple[str, Callable[[], Target]]]:
    """Names, and what makes each. folder: for the files that are read."""
    for name, settings in MODELS.items():
        yield f"model {name}", lambda name=name, s=settings: model_target(name, s)
    for name, settings in COMPONENTS.items():
        build = lambda name=name, s=settings: component_target(name, s)  # noqa: E731
        yield f"component {name}", build
    yield "templates", templates_target
    for factory in FACTORIES:
        yield f"settings {factory}", lambda factory=factory: settings_target(factory)
    yield "label sets", label_sets_target
    yield "errors of Docs", errors_of_docs_target
    yield "checkpoint", lambda: checkpoint_target(folder)
    for name, build in FILES.items():
        yield name, lambda build=build: build(folder)


FACTORIES = tuple(
    f"latperc_{name}"
    for name in ("tagger", "chunker", "ner", "grammaticality", "errors", "parser")
)
PARSER_TEMPLATES = ["word[s0]", "word[b0]", "word[s0]|word[b0]", "relation[s0.l1]"]


@dataclass(frozen=True)
class Pipe:
    """A component that is trained before it is fuzzed.

    calibration: fields of one to put into `cfg`. compact: arguments of `compact`.
    """

    factory: str
    model: Mapping[str, Any] = field(default_factory=dict)
    rest: Mapping[str, Any] = field(default_factory=dict)
    calibration: Mapping[str, float] | None = None
    compact: Mapping[str, Any] | None = None

    def config(self) -> dict[str, Any]:
        features = TINY
        own: dict[str, Any] = {}
        if self.factory == "latperc_grammaticality":
            features = {**TINY, "templates": ["w[0]", "edge:bias"]}
            own = {"types": ["NP"], "hash_bits": 8}
        if self.factory == "latperc_parser":
            features = {"@misc": "spacy_latperc.ParserFeatures.v1"}
            features["templates"] = PARSER_TEMPLATES
        return {"model": {"features": features, **own, **self.model}, **self.rest}

    def train(self) -> Language:
        nlp = spacy.blank("xx")
        pipe = nlp.add_pipe(self.factory, config=self.config())
        nlp.initialize(lambda: examples(nlp))
        for _ in range(2):
            nlp.update(examples(nlp))
        if self.compact is not None:
            compact(nlp, examples(nlp), **self.compact)
        if self.calibration is not None:
            parts = srsly.msgpack_loads(dump(pipe))
            cfg = srsly.json_loads(parts["cfg"])
            cfg["calibration"] = {"temperature": 1.5, **self.calibration}
            parts["cfg"] = srsly.json_dumps(cfg).encode()
            pipe.from_bytes(srsly.msgpack_dumps(parts), exclude=["vocab"])
        return nlp


def learner(name: str, **settings: Any) -> dict[str, Any]:
    return {"learner": {"@misc": f"spacy_latperc.{name}.v1", **settings}}


HMM = {"@misc": "spacy_latperc.PaperFeatures.v1", "name": "hmm"}
BOTH, EIGHT = {"scores": "marginal", "n_best": 2}, {"bits": 8, "cut": 0.4}
MODELS: dict[str, Pipe] = {
    "chain": Pipe("latperc_chunker"),
    "chain latent order 2": Pipe("latperc_ner", {"latent": 2, "order": 2}),
    "state": Pipe("latperc_tagger", {"keep_state": True, **learner("MIRA")}),
    "members": Pipe("latperc_chunker", {"members": MEMBERS}),
    "HMM": Pipe("latperc_tagger", {**learner("HMM"), "features": HMM}),
    "CRF": Pipe("latperc_chunker", learner("CRFBatch", max_iterations=3), BOTH),
    "classifier": Pipe("latperc_grammaticality", {"views": ["IOB2", "O+C"]}),
    "errors": Pipe("latperc_errors", learner("CRF", optimizer="adagrad")),
    "parser": Pipe("latperc_parser"),
    "compact 16 bits": Pipe("latperc_ner", compact={}),
    "compact 8 bits": Pipe("latperc_tagger", {"latent": 2}, compact=EIGHT),
    "compact classifier": Pipe("latperc_grammaticality", compact={"cut": 0.2}),
    "compact parser": Pipe("latperc_parser", compact={"cut": 0.3}),
}


def calibrated(name: str, **line: float) -> Pipe:
    return replace(MODELS[name], calibration={"bias": -0.1, **line})


# cfg and model together, and what calibration found.
COMPONENTS: dict[str, Pipe] = {
    "tagger": MODELS["state"],
    "chunker calibrated": calibrated("CRF", low=0.9, high=1.1),
    "ner": MODELS["chain latent order 2"],
    "members": MODELS["members"],
    "grammaticality calibrated": calibrated("classifier"),
    "errors calibrated": calibrated("errors"),
    "parser": MODELS["parser"],
    "compact": MODELS["compact 8 bits"],
}


def examples(nlp: Language) -> list[Example]:
    """The sentences, with every kind of annotation."""
    made = make_examples(nlp)
    for i, example in enumerate(made):
        doc = example.reference
        doc.cats = {"GRAMMATICAL": i % 2, "UNGRAMMATICAL": 1 - i % 2}
        doc.spans["errors"] = [Span(doc, i, i + 1, label=("wrong", "missing")[i % 2])]
        for token in doc:
            token.head = doc[max(token.i - 1, 0)] if token.i % 2 else doc[0]
            token.dep_ = ("dep", "mod")[token.i % 2] if token.i else "ROOT"
    return made


def dump(pipe: Any) -> bytes:
    return pipe.to_bytes(exclude=["vocab"])


def near(value: Any) -> Mutate:
    """Makes JSON of versions of a value."""
    return lambda rng, _, __: dump_json(rng, mutate_value(rng, value, deep=False))


def answers(nlp: Language, pipe: Any, data: bytes) -> None:
    """It answers, and now and then it learns."""
    pipe(Doc(nlp.vocab, words=WORDS))
    if zlib.crc32(data) % 4 == 0:
        pipe.update(examples(nlp)[:2])


@contextmanager
def nothing_changed(pipe: Any, good: bytes) -> Iterator[None]:
    """A load that fails leaves the component as it was."""
    try:
        yield
    except Exception as error:
        if dump(pipe) != good:
            raise Broken("a load that failed changed the component") from error
        raise


def load(nlp: Language, pipe: Any, good: bytes, data: bytes) -> None:
    """Load, answer, write, load again: what a component must stand."""
    with nothing_changed(pipe, good):
        pipe.from_bytes(data, exclude=["vocab"])
    try:
        first = dump(pipe)
        pipe.from_bytes(first, exclude=["vocab"])
        # Their JSON writer loses the sign of zero.
        if dump(pipe) != first and b"-0.0" not in first:
            raise Broken("loaded again, it writes something else")
        answers(nlp, pipe, data)
    finally:
        pipe.from_bytes(good, exclude=["vocab"])


def inner_file(parts: dict[str, Any]) -> bytes:
    ((file,),) = srsly.msgpack_loads(parts["model"])["shims"]
    assert file[:8] == MAGIC
    return file


def with_file(parts: dict[str, Any], file: bytes) -> bytes:
    model = srsly.msgpack_loads(parts["model"])
    packed = srsly.msgpack_dumps({**model, "shims": [[file]]})
    return srsly.msgpack_dumps({**parts, "model": packed})


def model_target(name: str, settings: Pipe) -> Target:
    """The file of the learner is hostile; all around it is as it was."""
    nlp = settings.train()
    pipe = nlp.get_pipe(settings.factory)
    good = dump(pipe)
    parts = srsly.msgpack_loads(good)

    (shim,) = pipe.model.shims
    before = shim.to_bytes()

    def run(data: bytes) -> None:
        try:
            shim.from_bytes(data)
        except Exception as error:
            if shim.to_bytes() != before:
                raise Broken("a load that failed changed the learner") from error
            raise
        finally:
            shim.from_bytes(before)
        load(nlp, pipe, good, with_file(parts, data))

    return Target(f"model {name}", [inner_file(parts)], mutate_file, run)


def checkpoint_target(folder: Path) -> Target:
    """A checkpoint of a training of two chains, which go on from it."""
    file = folder / "checkpoint"
    pipelines = [MODELS[name].train() for name in ("chain latent order 2", "state")]
    learners = [nlp.components[0][1].learner for nlp in pipelines]
    checkpoint = Checkpoint(file, {"labels": "of both"})
    checkpoint.save(3, learners)
    good = file.read_bytes()

    def run(data: bytes) -> None:
        file.write_bytes(data)
        try:
            checkpoint.resume(learners)
            for nlp, learner in zip(pipelines, learners, strict=True):
                nlp.update(examples(nlp)[:2])
                learner.blank().from_bytes(learner.to_bytes())
        finally:
            file.write_bytes(good)
            checkpoint.resume(learners)

    return Target("checkpoint", [good], mutate_file, run)


def component_target(name: str, settings: Pipe) -> Target:
    """All of it is hostile: what is around the file of the learner too."""
    nlp = settings.train()
    pipe = nlp.get_pipe(settings.factory)
    good = dump(pipe)
    run = partial(load, nlp, pipe, good)
    return Target(f"component {name}", [good], mutate_component, run)


def mutate_component(rng: Random, data: bytes, others: list[bytes]) -> bytes:
    choice = rng.random()
    if choice < 0.15:
        return mutate_bytes(rng, data, others)
    try:
        parts = srsly.msgpack_loads(data)
        if choice < 0.65:
            cfg = mutate_value(rng, srsly.json_loads(parts["cfg"]))
            parts = {**parts, "cfg": dump_json(rng, cfg)}
            if rng.random() < 0.1:
                parts["cfg"] = mutate_bytes(rng, parts["cfg"], others)
            return srsly.msgpack_dumps(parts)
        if choice < 0.85:
            model = mutate_value(rng, srsly.msgpack_loads(parts["model"]), deep=False)
            return srsly.msgpack_dumps({**parts, "model": srsly.msgpack_dumps(model)})
        if choice < 0.92:
            return with_file(parts, mutate_file(rng, inner_file(parts), others))
        return srsly.msgpack_dumps(mutate_value(rng, parts, deep=False))
    except Exception:  # one that was mutated before, or what has no msgpack
        return mutate_bytes(rng, data, others)


PIECES = [
    b"w[0]", b"w[-1]|w[0]", b"edge:", b"tri:", b"state:", b"bias", b"suf3[1]",
    b"[", b"]", b"|", b":", b"0", b"-6", b"99999999999999999999", b"+", b"chunk",
    b"pre0[0]", b"_.x[0]",
    b"shape[0]", b"tag[+2]", b"\x00", b"\xff", "²".encode(), "٣".encode(), b" ", b"",
]  # fmt: skip


def templates_target() -> Target:
    make = registry.misc.get("spacy_latperc.Templates.v1")
    seed = b"w[0]\nw[-1]|tag[1]\nedge:suf2[0]\ntri:bias\north[0]"

    def mutate(rng: Random, data: bytes, others: list[bytes]) -> bytes:
        return mutate_text(rng, data.replace(b"|", b" | "), others, PIECES)

    def run(data: bytes) -> None:
        lines = data.decode("utf8", "surrogateescape").split("\n")
        found = make([line.replace(" | ", "|") for line in lines])
        written = [str(template) for template in found.templates]
        if [str(template) for template in make(written).templates] != written:
            raise Broken("written and parsed again, templates are others")
        if zlib.crc32(data) % 16 == 0:
            nlp = spacy.blank("xx")
            features = {"@misc": "spacy_latperc.Templates.v1", "templates": written}
            config = {"model": {"features": features, "order": 2}}
            pipe = nlp.add_pipe("latperc_tagger", config=config)
            pipe.initialize(lambda: examples(nlp), nlp=nlp)
            answers(nlp, pipe, bytes(1))

    return Target("templates", [seed], mutate, run)


SETTINGS: dict[str, list[dict[str, Any]]] = {
    "latperc_tagger": [{"attribute": "tag", "overwrite": False, "n_best": 1}],
    "latperc_chunker": [
        {"spans_key": "chunks", "scheme": "IOB2", "scores": "marginal", "n_best": 2},
        {"spans_key": "x", "scores": "marginal", "threshold": 0.5},
    ],
    "latperc_ner": [
        {"scheme": "O+C", "keep_ents": False, "incorrect_spans_key": "x"},
        {"scheme": "IOE1", "scores": "marginal"},
    ],
    "latperc_grammaticality": [
        {"doc": "mean", "threshold": 0.5, "chunks": True, "explain": True},
    ],
    "latperc_errors": [
        {"spans_key": "errors", "threshold": 0.5},
        {"spans_key": "x", "scorer": None},
    ],
    "latperc_parser": [{"n_threads": 1, "scorer": None}, {"n_threads": 1}],
}
BLOCKS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "learners": [
        ("Perceptron", {"average": "mavg", "restart_every": 4, "margin": 0.0,
                        "learn_rate": 1.0, "step": "plain", "epoch_size": None}),
        ("Perceptron", {"average": "none"}),
        ("PassiveAggressive", {"C": 0.01, "variant": "PA-I"}),
        ("MIRA", {"n": 5, "C": 0.01}),
        ("ProbabilisticPerceptron", {"n": 5, "form": "polynomial", "degree": 2.0,
                                     "add_gold": True}),
        ("CRF", {"optimizer": "sgd", "l1": 0.0, "l2": 1.0}),
        ("CRFBatch", {"l1": 0.0, "l2": 1.0, "max_iterations": 2, "memory": 6,
                      "tolerance": 1e-5}),
        ("ViolationFixing", {"method": "max"}),
        ("HMM", {"add_k": 0.1}),
    ],
    "classifiers": [
        ("LatentPA", {"C": 0.1, "variant": "PA-I", "average_from": 0, "noise": 0.0,
                      "epoch_size": None}),
        ("LCLR", {"most_epochs": 2, "C": 0.1}),
    ],
    "parsers": [("ViolationFixing", {"method": "max"}), ("DynamicOracle", {}),
                ("ViolationFixing", {"method": "early", "C": 0.1})],
    "searches": [("Viterbi", {"decode": "latent_path", "n": 10}),
                 ("Viterbi", {"decode": "label_sequence", "n": 3}),
                 ("Beam", {"width": 4})],
}  # fmt: skip


def drawn(rng: Random, kind: str) -> dict[str, Any]:
    name, settings = rng.choice(BLOCKS[kind])
    return {"@misc": f"spacy_latperc.{name}.v1", **settings}


def settings_target(factory: str) -> Target:
    nlp = spacy.blank("xx")

    def mutate(rng: Random, data: bytes, others: list[bytes]) -> bytes:
        if rng.random() < 0.1:
            return data
        model: dict[str, Any] = {"seed": 0, "learner": drawn(rng, "learners")}
        model["features"] = {**TINY, "min_count": 1, "latent_form": "tied"}
        if factory == "latperc_parser":
            model = {**Pipe(factory).config()["model"], "seed": 0}
            model |= {
                "learner": drawn(rng, "parsers"),
                "search": drawn(rng, "searches"),
            }
        elif factory == "latperc_grammaticality":
            model["learner"] = drawn(rng, "classifiers")
            model |= {"views": ["IOB2", "O+C"], "types": ["NP"], "hash_bits": 8}
        else:
            model |= {"latent": 1, "order": 1, "search": drawn(rng, "searches")}
            model["keep_state"] = False
        config = {**rng.choice(SETTINGS[factory]), "model": model}
        return dump_json(rng, mutate_value(rng, config, deep=False))

    def run(data: bytes) -> None:
        config = json.loads(data.decode("utf8", "surrogatepass"))
        if not isinstance(config, dict):
            return
        if nlp.has_pipe(factory):
            nlp.remove_pipe(factory)
        pipe = nlp.add_pipe(factory, config=config)
        made = examples(nlp)
        pipe.initialize(lambda: made, nlp=nlp)
        pipe.update(made)
        pipe(Doc(nlp.vocab, words=WORDS))
        good = dump(pipe)
        pipe.from_bytes(good, exclude=["vocab"])
        if dump(pipe) != good:
            raise Broken("loaded again, it writes something else")

    seed = json.dumps({}).encode()
    return Target(f"settings {factory}", [seed], mutate, run, OF_CONFIGS, True, 8)


def label_sets_target() -> Target:
    """The label sets in the user data of a foreign Doc."""
    others = (("tagger", {}), ("chunker", {"scheme": "IOE2"}), ("ner", {}))
    pipes = [Pipe(f"latperc_{name}", rest=rest).train() for name, rest in others]
    layers = ["tag", "chunks", "ents"]
    value: Any = [[[0, ["NNP", "B-NP", "O", "B-PERSON"]], [2, ["VBD", "E-VP"]]], "IOB2"]

    def run(data: bytes) -> None:
        try:
            sets, scheme = json.loads(data.decode("utf8", "surrogatepass"))
            entry: Any = dict(sets)
        except (ValueError, TypeError):
            return
        number = zlib.crc32(data) % len(pipes)
        (pipe,) = (component for _, component in pipes[number].pipeline)
        doc = Doc(pipes[number].vocab, words=WORDS)
        doc.user_data["latperc_allowed", layers[number]] = {**entry, "scheme": scheme}
        pipe(doc)
        example = examples(pipes[number])[0]
        example.reference.user_data.update(doc.user_data)
        pipe.update([example])

    return Target("label sets", [json.dumps(value).encode()], near(value), run)


def errors_of_docs_target() -> Target:
    """Spans and attributes of spans that another latperc_errors left on a Doc."""
    pipe = Pipe("latperc_errors", MODELS["errors"].model)
    nlp = pipe.train()
    detector = nlp.get_pipe("latperc_errors")
    judge = nlp.add_pipe("latperc_judge")
    weights = [1.0] * len(COLUMNS)
    floor = Floor((9.0, 9.0, 9.0), WordModel({"a": 1}, {"a": 1}))
    judge.fit(Joined(weights, 0.0, weights), floor)
    good = detector(Doc(nlp.vocab, words=WORDS)).spans["errors"]
    value: Any = {"spans": [[0, 1, "wrong"], [2, 4, "missing"]], "attrs": good.attrs}
    value = json.loads(json.dumps(value, default=lambda array: array.tolist()))

    def as_arrays(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: as_arrays(inner) for key, inner in value.items()}
        try:
            return np.asarray(value)
        except ValueError:  # rows of several lengths
            return value

    def run(data: bytes) -> None:
        found = json.loads(data.decode("utf8", "surrogatepass"))
        doc = Doc(nlp.vocab, words=WORDS)
        spans = [Span(doc, *span) for span in found["spans"]]
        attrs = as_arrays(found["attrs"])
        doc.spans["errors"] = SpanGroup(doc, name="errors", attrs=attrs, spans=spans)
        judge(doc.copy())
        if not 0 <= doc.cats.get("GRAMMATICAL", 0.0) <= 1:
            raise Broken("a probability is none")
        detector.update([Example(Doc(nlp.vocab, words=WORDS), doc)])
        detector(doc)

    own = (json.JSONDecodeError, RecursionError, LookupError, TypeError)
    seed = json.dumps(value).encode()
    return Target("errors of Docs", [seed], near(value), run, own, True)


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder in memory, where there is one."""
    memory = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(dir=memory if memory.is_dir() else None))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)
