"""Everything that reads what others wrote, as targets of the fuzzer."""

import json
import os
import shutil
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import spacy
import srsly
from builders.pipelines import SENTENCES, make_examples
from catalogue import Registry, RegistryError
from confection import ConfigValidationError
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.util import registry

from spacy_latperc.data.convert import convert
from spacy_latperc.features.sources import Givens, Tokens
from spacy_latperc.grammaticality.ngrams.model import NgramModel
from spacy_latperc.knowledge.clustering import ClusterSettings, cluster_words
from spacy_latperc.knowledge.gazetteer import gazetteer
from spacy_latperc.knowledge.ngram_counts import CountSettings, LeftOut, NgramCounts
from spacy_latperc.learners.serialization.pieces import suspicion
from spacy_latperc.text.files import read_sentences
from spacy_latperc.text.lines import read_text

from .engine import Broken, Mutate, Target
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

TINY = {
    "@misc": "spacy_latperc.Templates.v1",
    "templates": ["w[0]", "suf1[0]", "edge:bias"],
}
WORDS = SENTENCES[0].words
# What settings are refused with before our code sees them.
OF_CONFIGS = (ConfigValidationError, RegistryError)


def all_targets(folder: Path) -> Iterator[tuple[str, Callable[[], Target]]]:
    """Names, and what makes each. folder: for the files that are read."""
    for name, settings in MODELS.items():
        yield f"model {name}", lambda name=name, s=settings: model_target(name, *s)
    for name, settings in COMPONENTS.items():
        yield (
            f"component {name}",
            lambda name=name, s=settings: component_target(name, *s),
        )
    yield "n-gram model", lambda: ngram_target(folder)
    yield "counts", lambda: counts_target(folder)
    yield "gazetteer", gazetteer_target
    for name, make in READERS.items():
        yield f"reader {name}", lambda make=make: make(folder)
    yield "templates", templates_target
    for factory in FACTORIES:
        yield f"settings {factory}", lambda factory=factory: settings_target(factory)
    yield "label sets", label_sets_target


# Models and components ----------------------------------------------------------------

FACTORIES = (
    "latperc_tagger",
    "latperc_chunker",
    "latperc_ner",
    "latperc_grammaticality",
)

# (factory, settings of its model, other settings)
MODELS: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "chain": ("latperc_chunker", {}, {}),
    "chain latent order 2": ("latperc_ner", {"latent": 2, "order": 2}, {}),
    "state": (
        "latperc_tagger",
        {"keep_state": True, "learner": {"@misc": "spacy_latperc.AROW.v1"}},
        {},
    ),
    "voted": (
        "latperc_tagger",
        {"learner": {"@misc": "spacy_latperc.Perceptron.v1", "vote": True}},
        {},
    ),
    "voting": ("latperc_chunker", {}, {"schemes": ["IOB2", "O+C"]}),
    "HMM": (
        "latperc_tagger",
        {
            "learner": {"@misc": "spacy_latperc.HMM.v1"},
            "features": {"@misc": "spacy_latperc.HMMFeatures.v1"},
        },
        {},
    ),
    "CRF": (
        "latperc_chunker",
        {"learner": {"@misc": "spacy_latperc.CRFBatch.v1", "max_iterations": 3}},
        {"scores": "marginal", "n_best": 2},
    ),
    "classifier": ("latperc_grammaticality", {"views": ["IOB2", "O+C"]}, {}),
}
# cfg and model together, and what calibration found.
COMPONENTS: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "tagger": MODELS["state"],
    "chunker calibrated": MODELS["CRF"],
    "ner": MODELS["chain latent order 2"],
    "voting": MODELS["voting"],
    "grammaticality calibrated": MODELS["classifier"],
}


def config_of(
    factory: str, model: dict[str, Any], rest: dict[str, Any]
) -> dict[str, Any]:
    features = TINY
    if factory == "latperc_grammaticality":
        features = {**TINY, "templates": ["w[0]", "edge:bias"]}
        model = {"types": ["NP"], "hash_bits": 8, **model}
    return {"model": {"features": features, **model}, **rest}


def examples(nlp: Language) -> list[Example]:
    made = make_examples(nlp)
    for i, example in enumerate(made):
        example.reference.cats = {"GRAMMATICAL": i % 2, "UNGRAMMATICAL": 1 - i % 2}
    return made


def trained(factory: str, model: dict[str, Any], rest: dict[str, Any]) -> Language:
    nlp = spacy.blank("xx")
    nlp.add_pipe(factory, config=config_of(factory, model, rest))
    nlp.initialize(lambda: examples(nlp))
    for _ in range(2):
        nlp.update(examples(nlp))
    return nlp


def dump(pipe: Any) -> bytes:
    return pipe.to_bytes(exclude=["vocab"])


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


def model_target(
    name: str, factory: str, model: dict[str, Any], rest: dict[str, Any]
) -> Target:
    """The file of the learner is hostile; all around it is as it was."""
    nlp = trained(factory, model, rest)
    pipe = nlp.get_pipe(factory)
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


def component_target(
    name: str, factory: str, model: dict[str, Any], rest: dict[str, Any]
) -> Target:
    """All of it is hostile: what is around the file of the learner too."""
    nlp = trained(factory, model, rest)
    pipe = nlp.get_pipe(factory)
    if "calibrated" in name:
        fields = {"temperature": 1.5, "low": 0.9, "high": 1.1, "bias": -0.1}
        if factory == "latperc_grammaticality":
            fields = {"temperature": 1.5, "bias": -0.1}
        parts = srsly.msgpack_loads(dump(pipe))
        cfg = {**srsly.json_loads(parts["cfg"]), "calibration": fields}
        cfg_bytes = srsly.json_dumps(cfg).encode()
        pipe.from_bytes(
            srsly.msgpack_dumps({**parts, "cfg": cfg_bytes}), exclude=["vocab"]
        )
    good = dump(pipe)

    def run(data: bytes) -> None:
        load(nlp, pipe, good, data)

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


def ngram_target(folder: Path) -> Target:
    text = folder / "text.txt"
    lines = [" ".join(sentence.words) for sentence in SENTENCES]
    text.write_text("\n".join(lines * 2) + "\n", encoding="utf8")
    found, _ = read_text(str(text))
    seeds = [
        NgramModel.train(found, order=order, smoothing=smoothing).to_bytes()
        for order, smoothing in ((2, "none"), (3, "modified-kneser-ney"))
    ]

    def run(data: bytes) -> None:
        model = NgramModel.from_bytes(data)
        first = model.to_bytes()
        if NgramModel.from_bytes(first).to_bytes() != first:
            raise Broken("loaded again, it writes something else")
        model.prob("London", ["in"])
        model.score_sentences([WORDS, ["an", "unknown", "word"]])
        model.sample(2, longest=20)

    return Target("n-gram model", seeds, mutate_file, run)


def counts_target(folder: Path) -> Target:
    text = folder / "counted.txt"
    lines = [" ".join(sentence.words) for sentence in SENTENCES]
    text.write_text("\n".join(lines * 6) + "\n", encoding="utf8")
    found, _ = read_text(str(text))
    ways = (
        CountSettings(order=3, smoothing="witten-bell"),
        CountSettings(smoothing="kneser-ney"),
    )
    seeds = [NgramCounts.count(found, settings).to_bytes() for settings in ways]
    file = folder / "counts"

    def run(data: bytes) -> None:
        file.write_bytes(data)
        try:  # mapped: only the header is compared with a checksum
            counts = NgramCounts.from_disk(file)
        except ValueError:
            counts = NgramCounts.from_bytes(data)
        first = counts.to_bytes()
        if NgramCounts.from_bytes(first).to_bytes() != first:
            raise Broken("loaded again, it writes something else")
        keys = counts.keys(WORDS)
        own = LeftOut()
        own.add([keys])
        counts.read(keys, np.asarray([0, len(keys)]), **own.arrays())
        counts.log_probability([WORDS, ["an", "unknown", "word"], []])

    return Target("counts", seeds, mutate_file, run)


def gazetteer_target() -> Target:
    phrases = [["Ada", "Lovelace"], ["London"], ["London", "Bridge"]]
    source = gazetteer()
    source.add(phrases)
    good = source.to_bytes()
    nlp = spacy.blank("xx")
    doc = Doc(nlp.vocab, words=WORDS)
    words = doc.to_array("ORTH")
    bounds = np.asarray([0, len(doc)])
    tokens = Tokens([doc], words, bounds, nlp.vocab.strings.__getitem__)
    read = source.attribute("").of_docs

    def run(data: bytes) -> None:
        with suspicion():
            source.from_bytes(data)
        try:
            first = source.to_bytes()
            source.from_bytes(first)
            if source.to_bytes() != first:
                raise Broken("loaded again, it writes something else")
            source.remove(phrases)
            read(tokens)
            source.add(phrases)
            if (
                not all(phrase in source for phrase in phrases)
                or not read(tokens).any()
            ):
                raise Broken("what was added is not there")
        finally:
            source.from_bytes(good)

    return Target("gazetteer", [good], mutate_file, run)


# Readers ------------------------------------------------------------------------------

COLUMNS_TEXT = b"""-DOCSTART- -X- O O

The DT B-NP O
old JJ I-NP O
king NN I-NP O
met VBD B-VP O
Ada NNP B-NP B-PER
Lovelace NNP I-NP I-PER
. . O O

They PRP B-NP O
walk VBP B-VP O
"""
PARTIAL_TEXT = b"""The DT|PRP B-NP O
old ? I-NP ?
king NN ? O
met VBD B-VP|B-NP O
Ada NNP B-NP|I-NP B-PER|O

They ? ? ?
walk VBP|NN B-VP O
"""
CONLLU_TEXT = b"""# newdoc id = a
# text = Er geht im Wald.
1\tEr\ter\tPRON\tPPER\tCase=Nom\t2\tnsubj\t_\t_
2\tgeht\tgehen\tVERB\tVVFIN\t_\t0\troot\t_\t_
3-4\tim\t_\t_\t_\t_\t_\t_\t_\t_
3\tin\tin\tADP\tAPPR\t_\t5\tcase\t_\t_
4\tdem\tder\tDET\tART\tCase=Dat|Gender=Masc\t5\tdet\t_\t_
5\tWald\tWald\tNOUN\tNN\t_\t2\tobl\t_\tSpaceAfter=No
6\t.\t.\tPUNCT\t$.\t_\t2\tpunct\t_\t_
6.1\tx\tx\tX\tX\t_\t_\t_\t2:dep\t_

1\tJa\tja\tINTJ\tITJ\t_\t0\troot\t_\t_
"""
JSONL_LINES = [
    {
        "text": "The dog sleeps .",
        "tags": "DT NN VBZ .",
        "cats": {"GRAMMATICAL": 1.0, "UNGRAMMATICAL": 0.0},
        "chunks": [[0, 2, "NP"], [2, 3, "VP"]],
    },
    {"text": ["Dog", "the"], "tags": ["NN", "DT"], "cats": {"GRAMMATICAL": 0}},
]
FIELDS = [
    b"", b"-", b"?", b"|", b"A|B", b"O", b"B-", b"I-NP", b"E-NP", b"S-NP", b"L-NP",
    b"-NP", b"U-X", b"NP", b"B-NP|O", b"?|O", b"O|O", b"_", b"-DOCSTART-",
    b"# newdoc", b"#", b"1", b"0", b"-1", b"2-1", b"1-99999999", b"3-4", b"1.1",
    b"99999999999999999999", b"SpaceAfter=No", b"SpaceAfter=No|X=Y",
    b"Case=Nom", b"Case=", b"=", b"|=|", b"nsubj:pass", b"root",
    b"NOUN", b"X", b"\t", b"\r", b"\x00", b"\xff",
    b"\xed\xa0\x80", b"\xef\xbb\xbf", "\u00a0".encode(), "\u2028".encode(),
    "Ä".encode(), b"x" * 5000, b"a\tb\tc\td\te\tf\tg\th\ti\tj\tk\tl",
]  # fmt: skip


def mutate_fields(rng: Random, data: bytes, others: list[bytes]) -> bytes:
    return mutate_text(rng, data, others, FIELDS)


def reader_target(
    name: str,
    path: Path,
    seeds: list[bytes],
    mutate: Mutate,
    read: Callable[[bytes], list[Doc]],
    *,
    hosted: bool = False,
) -> Target:
    """read: what stands in the path now."""
    clock = iter(range(1, 1 << 62))

    def run(data: bytes) -> None:
        path.write_bytes(data)
        os.utime(path, ns=(0, next(clock)))  # tables are kept by size and time
        for doc in read(data):
            if not len(doc):
                raise Broken("an empty Doc")
            for group in (doc.ents, *doc.spans.values()):
                for span in group:
                    _ = span.text, span.label_
            _ = [(token.tag_, token.pos_, token.lemma_) for token in doc]
            doc.to_bytes()

    return Target(name, seeds, mutate, run, hosted=hosted)


def columns_target(folder: Path) -> Target:
    nlp = spacy.blank("xx")
    path = folder / "columns.txt"
    make = registry.readers.get("spacy_latperc.ColumnCorpus.v1")
    columns = ["word", "tag", "chunk", "ent"]
    more: list[dict[str, Any]] = [
        {},
        {"repair": True, "inputs": ["tag", "chunk"]},
        {"chunk_scheme": "auto", "ent_scheme": "auto", "docs": "document"},
        {"chunk_scheme": "O+C", "ent_scheme": "IOE1", "keep_types": ["NP"]},
        {"separator": " ", "part": "held_out", "every": 2},
    ]
    readers = [make(path, columns, **settings) for settings in more]

    def read(data: bytes) -> list[Doc]:
        corpus = make(path, columns, **more[zlib.crc32(data) % len(readers)])
        return [example.reference for example in corpus(nlp)]

    return reader_target("reader columns", path, [COLUMNS_TEXT], mutate_fields, read)


def partial_target(folder: Path) -> Target:
    nlp = spacy.blank("xx")
    path = folder / "partial.txt"
    make = registry.readers.get("spacy_latperc.ColumnCorpus.v1")

    def read(data: bytes) -> list[Doc]:
        corpus = make(path, ["word", "tag", "chunk", "ent"], partial=True)
        return [example.reference for example in corpus(nlp)]

    seeds = [PARTIAL_TEXT, COLUMNS_TEXT]
    return reader_target("reader partial marks", path, seeds, mutate_fields, read)


def conllu_target(folder: Path) -> Target:
    vocab = spacy.blank("xx").vocab
    path = folder / "text.conllu"
    target = folder / "text.spacy"

    def read(data: bytes) -> list[Doc]:
        convert(path, target, docs=("sentence", "document")[zlib.crc32(data) % 2])
        return list(DocBin().from_disk(target).get_docs(vocab))

    return reader_target("reader CoNLL-U", path, [CONLLU_TEXT], mutate_fields, read)


def jsonl_target(folder: Path) -> Target:
    nlp = spacy.blank("xx")
    path = folder / "lines.jsonl"
    make = registry.readers.get("spacy_latperc.JsonlCorpus.v1")

    def read(data: bytes) -> list[Doc]:
        corpus = make(path, inputs=["tag"])
        return [example.reference for example in corpus(nlp)]

    return reader_target("reader JSONL", path, [JSONL_SEED], mutate_jsonl, read)


JSONL_SEED = "\n".join(map(json.dumps, JSONL_LINES)).encode()


def mutate_jsonl(rng: Random, data: bytes, others: list[bytes]) -> bytes:
    if rng.random() < 0.2:
        return mutate_bytes(rng, data, others)
    lines = [dump_json(rng, mutate_value(rng, line)) for line in JSONL_LINES]
    return b"\n".join(lines)


def sentences_target(folder: Path) -> Target:
    """JSONL as text, and clusters of its words."""
    path = folder / "sentences.jsonl"
    settings = ClusterSettings(classes=2, min_count=1, passes=2)

    def run(data: bytes) -> None:
        path.write_bytes(data)
        text, _ = read_sentences(path)
        if not all(map(len, text)):
            raise Broken("an empty sentence")
        lines = cluster_words(text, settings).to_bytes().decode().split("\n")
        if lines.pop() or any(line.count("\t") != 2 for line in lines):
            raise Broken("a line without three fields")

    return Target("reader sentences", [JSONL_SEED], mutate_jsonl, run)


def phrases_target(folder: Path) -> Target:
    """Lists of phrases, and patterns of an entity_ruler."""
    nlp = spacy.blank("xx")
    lists = folder / "phrases.txt"
    patterns = folder / "patterns.jsonl"
    seed = "\n".join(map(json.dumps, PATTERNS)).encode()

    def tokenize(text: str) -> list[str]:
        return [token.text for token in nlp.tokenizer(text)]

    def mutate(rng: Random, data: bytes, others: list[bytes]) -> bytes:
        if rng.random() < 0.5:
            return mutate_fields(rng, data, others)
        lines = [dump_json(rng, mutate_value(rng, line)) for line in PATTERNS]
        return b"\n".join(lines)

    def run(data: bytes) -> None:
        path = patterns if data[:1] == b"{" else lists
        path.write_bytes(data)
        source = gazetteer(paths=[str(path)])
        source.fit(Givens("list", tokenize=tokenize))
        source.from_bytes(source.to_bytes())

    return Target("reader phrases", [seed, PHRASES_TEXT], mutate, run)


PHRASES_TEXT = "Ada Lovelace\n\nNew York\nM\u00e1laga \nU.S.\n".encode()
PATTERNS = [
    {"label": "ORG", "pattern": "Acme Corp"},
    {"label": "GPE", "pattern": [{"LOWER": "new"}, {"TEXT": "York"}], "id": "x"},
]


def docbin_target(folder: Path) -> Target:
    nlp = spacy.blank("xx")
    path = folder / "docs.spacy"
    make = registry.readers.get("spacy_latperc.DocBinCorpus.v1")
    docs = [example.reference for example in make_examples(nlp)]
    seed = DocBin(store_user_data=True, docs=docs).to_bytes()

    def mutate(rng: Random, data: bytes, others: list[bytes]) -> bytes:
        choice = rng.random()
        if choice < 0.1:
            return mutate_bytes(rng, data, others)
        try:
            plain = zlib.decompress(data)
            if choice < 0.3:
                return zlib.compress(mutate_bytes(rng, plain, [plain]), 1)
            value = mutate_value(rng, srsly.msgpack_loads(plain), deep=False)
            return zlib.compress(srsly.msgpack_dumps(value), 1)
        except Exception:
            return mutate_bytes(rng, data, others)

    def read(data: bytes) -> list[Doc]:
        corpus = make(path, inputs=["tag", "spans:chunks"])
        return [example.reference for example in corpus(nlp)]

    return reader_target("reader DocBin", path, [seed], mutate, read, hosted=True)


READERS: dict[str, Callable[[Path], Target]] = {
    "columns": columns_target,
    "partial marks": partial_target,
    "CoNLL-U": conllu_target,
    "JSONL": jsonl_target,
    "sentences": sentences_target,
    "DocBin": docbin_target,
    "phrases": phrases_target,
}


# Templates, settings, label sets ------------------------------------------------------

PIECES = [
    b"w[0]", b"w[-1]|w[0]", b"edge:", b"tri:", b"state:", b"bias", b"suf3[1]",
    b"[", b"]", b"|", b":", b"0", b"-6", b"99999999999999999999", b"+", b"chunk",
    b"pre0[0]", b"_.x[0]",
    b"shape[0]", b"tag[+2]", b"\x00", b"\xff", "²".encode(), "٣".encode(), b" ", b"",
]  # fmt: skip


def templates_target() -> Target:
    make = registry.misc.get("spacy_latperc.Templates.v1")
    seed = b"\n".join(
        (b"w[0]", b"w[-1]|tag[1]", b"edge:suf2[0]", b"tri:bias", b"orth[0]")
    )

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
            pipe = nlp.add_pipe(
                "latperc_tagger", config={"model": {"features": features, "order": 2}}
            )
            pipe.initialize(lambda: examples(nlp), nlp=nlp)
            answers(nlp, pipe, bytes(1))

    return Target("templates", [seed], mutate, run)


SETTINGS: dict[str, list[dict[str, Any]]] = {
    "latperc_tagger": [
        {"attribute": "tag", "overwrite": False, "n_best": 1, "scores": "none"},
    ],
    "latperc_chunker": [
        {"spans_key": "chunks", "scheme": "IOB2", "scores": "marginal", "n_best": 2},
        {"schemes": ["IOB2", "O+C"], "vote": "span", "weights": [1.0, 2.0]},
        {"keep_spans": False, "missing_spans_key": "x", "threshold": 0.5},
    ],
    "latperc_ner": [
        {"scheme": "O+C", "keep_ents": False, "incorrect_spans_key": "x"},
        {"schemes": ["IOE1", "O+C"], "vote": "token", "scores": "agreement"},
    ],
    "latperc_grammaticality": [
        {"positive_label": "GRAMMATICAL", "negative_label": "UNGRAMMATICAL"},
        {"doc": "mean", "threshold": 0.5, "chunks": True, "explain": True},
        {"explain": True, "span_length": 3, "span_count": 3},
    ],
}
LEARNERS: list[dict[str, Any]] = [
    {"@misc": "spacy_latperc.Perceptron.v1", "average": "mavg", "restart_every": 4,
     "margin": 0.0, "learn_rate": 1.0, "step": "plain", "pass_size": None, "pull": 0.0},
    {"@misc": "spacy_latperc.Perceptron.v1", "vote": True, "shuffle": True},
    {"@misc": "spacy_latperc.PassiveAggressive.v1", "C": 0.01, "variant": "PA-I"},
    {"@misc": "spacy_latperc.MIRA.v1", "n": 5, "C": 0.01},
    {"@misc": "spacy_latperc.ProbabilisticPerceptron.v1", "n": 5, "form": "polynomial",
     "degree": 2.0, "add_gold": True},
    {"@misc": "spacy_latperc.AROW.v1", "r": 100.0},
    {"@misc": "spacy_latperc.CRF.v1", "optimizer": "sgd", "l1": 0.0, "l2": 1.0},
    {"@misc": "spacy_latperc.CRFBatch.v1", "l1": 0.0, "l2": 1.0, "max_iterations": 2,
     "memory": 6, "tolerance": 1e-5, "refit_l2": None, "initial_noise": 0.1},
    {"@misc": "spacy_latperc.ViolationFixing.v1", "method": "max"},
    {"@misc": "spacy_latperc.HMM.v1", "add_k": 0.1, "tag_dictionary": False},
]  # fmt: skip
CLASSIFIERS: list[dict[str, Any]] = [
    {"@misc": "spacy_latperc.LatentPA.v1", "C": 0.1, "variant": "PA-I",
     "average_from": 0, "most_decodings": 5, "noise": 0.0, "pass_size": None},
    {"@misc": "spacy_latperc.LCLR.v1", "most_passes": 2, "C": 0.1, "most_decodings": 3},
]  # fmt: skip
SEARCHES: list[dict[str, Any]] = [
    {"@misc": "spacy_latperc.Viterbi.v1", "decode": "latent_path", "n": 10},
    {"@misc": "spacy_latperc.Viterbi.v1", "decode": "label_sequence", "n": 3},
    {"@misc": "spacy_latperc.Beam.v1", "width": 4},
]


def settings_target(factory: str) -> Target:
    classifies = factory == "latperc_grammaticality"
    nlp = spacy.blank("xx")

    def mutate(rng: Random, data: bytes, others: list[bytes]) -> bytes:
        if rng.random() < 0.1:
            return data
        model: dict[str, Any] = {"seed": 0, "learner": rng.choice(LEARNERS)}
        if classifies:
            model["learner"] = rng.choice(CLASSIFIERS)
            model |= {"views": ["IOB2", "O+C"], "types": ["NP"], "hash_bits": 8}
        else:
            model |= {"latent": 1, "order": 1, "search": rng.choice(SEARCHES)}
            model["keep_state"] = False
        model["features"] = {**TINY, "min_count": 1, "latent_form": "tied"}
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
    """What stands in the user data of a Doc that somebody else made."""
    pipes = [
        trained(factory, {}, rest)
        for factory, rest in (
            ("latperc_tagger", {}),
            ("latperc_chunker", {"scheme": "IOE2"}),
            ("latperc_ner", {}),
        )
    ]
    layers = ["tag", "chunks", "ents"]
    value: Any = [[[0, ["NNP", "B-NP", "O", "B-PERSON"]], [2, ["VBD", "E-VP"]]], "IOB2"]

    def mutate(rng: Random, data: bytes, others: list[bytes]) -> bytes:
        return dump_json(rng, mutate_value(rng, value, deep=False))

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

    return Target("label sets", [json.dumps(value).encode()], mutate, run)


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder in memory, where there is one."""
    memory = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(dir=memory if memory.is_dir() else None))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)
