"""Targets of the fuzzer that are files: text, tables, archives, and saved knowledge."""

import bz2
import gzip
import io
import json
import lzma
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import fsspec
import numpy as np
import pyarrow
import spacy
import srsly
import zstandard
from builders.pipelines import SENTENCES, make_examples
from fsspec.implementations.memory import MemoryFile
from pyarrow import parquet
from spacy.tokens import Doc, DocBin
from spacy.util import registry

from spacy_latperc.data.conversion import convert
from spacy_latperc.features.sources import Givens, Source, Tokens
from spacy_latperc.grammaticality.ngrams.ngram_model import NgramModel
from spacy_latperc.io.lines import BYTE_ORDER_MARK
from spacy_latperc.io.places import open_url
from spacy_latperc.judge.evidence.context_model import ContextModel
from spacy_latperc.judge.evidence.lexicon import Lexicon
from spacy_latperc.judge.evidence.ngram_counts import CountSettings, NgramCounts
from spacy_latperc.judge.filter.filter_lines import Choice, Columns, FileFilter
from spacy_latperc.judge.filter.filter_scores import Verdict
from spacy_latperc.kernels.chains import text_hash
from spacy_latperc.knowledge.clustering import ClusterSettings, cluster_words
from spacy_latperc.knowledge.clusters import cluster_file
from spacy_latperc.knowledge.gazetteer import gazetteer
from spacy_latperc.learners.serialization.pieces import suspicion
from spacy_latperc.text.input_files import Layout, find_files
from spacy_latperc.text.reader import Tally
from spacy_latperc.text.sentence_files import read_sentences
from spacy_latperc.text.sentences import Sentences

from .engine import Broken, Mutate, Target
from .mutations import dump_json, mutate_bytes, mutate_file, mutate_text, mutate_value

WORDS = SENTENCES[0].words
SOME = [WORDS, ["an", "unknown", "word"], []]


def counted(folder: Path, times: int) -> Sentences:
    """The sentences, so many times, read from a file."""
    path = folder / "text.txt"
    lines = [" ".join(sentence.words) for sentence in SENTENCES]
    path.write_text("\n".join(lines * times) + "\n", encoding="utf8")
    return read_sentences(path)[0]


def check_same_again(saved: Any) -> None:
    """Saved and loaded, it saves the same."""
    first = saved.to_bytes()
    if isinstance(saved, Source):
        saved.from_bytes(first)
    else:
        saved = type(saved).from_bytes(first)
    if saved.to_bytes() != first:
        raise Broken("loaded again, it writes something else")


def mapped(kind: Any, path: Path, data: bytes) -> Any:
    """Read a file, mapped if possible: then only its header has a checksum."""
    path.write_bytes(data)
    try:
        return kind.from_disk(path)
    except ValueError:
        return kind.from_bytes(data)


def ngram_target(folder: Path) -> Target:
    text = counted(folder, 2)
    file = folder / "arpa"
    NgramModel.train(text, order=3).to_disk(file)

    def run(data: bytes) -> None:
        file.write_bytes(data)
        model = NgramModel.from_disk(file)
        model.prob("London", ["in"])
        model.score_sentences(SOME[:2])
        if model.table.interpolated:
            model.sample(2, longest=20)

    return Target("n-gram model", [file.read_bytes()], mutate_bytes, run)


def counts_target(folder: Path) -> Target:
    text = counted(folder, 6)
    seeds = [NgramCounts.count(text, CountSettings(order=3)).to_bytes()]
    file = folder / "counts"

    def run(data: bytes) -> None:
        counts = mapped(NgramCounts, file, data)
        check_same_again(counts)
        keys = np.array([text_hash(word) for word in WORDS], dtype=np.uint64)
        counts.look_up(keys, np.asarray([0, len(keys)]))

    return Target("counts", seeds, mutate_file, run)


def contexts_target(folder: Path) -> Target:
    text = counted(folder, 6)
    seed = ContextModel.learn(text, Lexicon(text), passes=1).to_bytes()
    file = folder / "contexts"

    def run(data: bytes) -> None:
        model = mapped(ContextModel, file, data)
        check_same_again(model)
        bounds = np.cumsum([0, *map(len, SOME)])
        keys = [model.key(word) for words in SOME for word in words]
        model.look_up(np.array(keys, dtype=np.uint64), bounds)

    return Target("context model", [seed], mutate_file, run)


def source_target(name: str, source: Source, use: Callable[[], None]) -> Target:
    """The bytes of a source of attributes."""
    good = source.to_bytes()

    def run(data: bytes) -> None:
        with suspicion():
            source.from_bytes(data)
        try:
            check_same_again(source)
            use()
        finally:
            source.from_bytes(good)

    return Target(name, [good], mutate_file, run)


def gazetteer_target(folder: Path) -> Target:
    phrases = [["Ada", "Lovelace"], ["London"], ["London", "Bridge"]]
    source = gazetteer()
    source.add(phrases)
    nlp = spacy.blank("xx")
    doc = Doc(nlp.vocab, words=WORDS)
    words = doc.to_array("ORTH")
    bounds = np.asarray([0, len(doc)])
    tokens = Tokens([doc], words, bounds, nlp.vocab.strings.__getitem__)
    read = source.attribute("").of_docs

    def use() -> None:
        source.remove(phrases)
        read(tokens)
        source.add(phrases)
        if not all(phrase in source for phrase in phrases) or not read(tokens).any():
            raise Broken("what was added is not there")

    return source_target("gazetteer", source, use)


CLASSES = {
    "brown": b"0010\tthe\t50\n0010\tLondon\t7\n0011\ta\t3\n11\tAda\t3\n",
    "pairs": b"the\t1\t7\nLondon\t1\t2\na\t2\t2\n",
    "word2vec": b"the 1\nLondon 1\na 2\n",
}


def clusters_target(folder: Path) -> Target:
    path = folder / "good-classes.txt"
    path.write_bytes(CLASSES["brown"])
    source = cluster_file(path)
    source.fit(Givens("classes"))
    read = source.attribute("").of_form
    return source_target("clusters", source, lambda: [*map(read, WORDS)].clear())


def cluster_files_target(folder: Path) -> Target:
    path = folder / "classes.txt"

    def run(data: bytes) -> None:
        path.write_bytes(data)
        source = cluster_file(path)
        read = source.attribute(("", "1", "4")[zlib.crc32(data) % 3]).of_form
        source.fit(Givens("classes"))
        check_same_again(source)
        for word in (*WORDS, ""):
            read(word)

    mutate = mutate_packed(mutate_fields)
    return Target("reader cluster files", list(CLASSES.values()), mutate, run)


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
    {"text": "The dog sleeps .", "tags": "DT NN VBZ .",
     "cats": {"GRAMMATICAL": 1.0, "UNGRAMMATICAL": 0.0},
     "chunks": [[0, 2, "NP"], [2, 3, "VP"]]},
    {"text": ["Dog", "the"], "tags": ["NN", "DT"], "cats": {"GRAMMATICAL": 0}},
]  # fmt: skip
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


def reader_target(name, path, seeds, mutate, read, *, hosted=False):
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


def corpus_target(name, path, reader, ways, seeds, mutate, **how):
    """A reader of corpora, with several settings."""
    nlp = spacy.blank("xx")
    make = registry.readers.get(f"spacy_latperc.{reader}.v1")

    def read(data: bytes) -> list[Doc]:
        corpus = make(path, **ways[zlib.crc32(data) % len(ways)])
        return [example.reference for example in corpus(nlp)]

    return reader_target(f"reader {name}", path, seeds, mutate, read, **how)


COLUMNS = {"columns": ["word", "tag", "chunk", "ent"]}
COLUMN_WAYS: list[dict[str, Any]] = [
    COLUMNS,
    {**COLUMNS, "repair": True, "inputs": ["tag", "chunk"]},
    {**COLUMNS, "chunk_scheme": "auto", "ent_scheme": "auto", "docs": "document"},
    {**COLUMNS, "chunk_scheme": "O+C", "ent_scheme": "IOE1", "keep_types": ["NP"]},
    {**COLUMNS, "separator": " ", "part": "held_out"},
]


def columns_target(folder: Path) -> Target:
    given = folder / "columns.txt", "ColumnCorpus", COLUMN_WAYS, [COLUMNS_TEXT]
    return corpus_target("columns", *given, mutate_fields)


def partial_target(folder: Path) -> Target:
    seeds, ways = [PARTIAL_TEXT, COLUMNS_TEXT], [{**COLUMNS, "partial": True}]
    given = folder / "partial.txt", "ColumnCorpus", ways, seeds
    return corpus_target("partial marks", *given, mutate_fields)


def conllu_target(folder: Path) -> Target:
    vocab = spacy.blank("xx").vocab
    path = folder / "text.conllu"
    target = folder / "text.spacy"

    def read(data: bytes) -> list[Doc]:
        convert(path, target, docs=("sentence", "document")[zlib.crc32(data) % 2])
        return list(DocBin().from_disk(target).get_docs(vocab))

    return reader_target("reader CoNLL-U", path, [CONLLU_TEXT], mutate_fields, read)


def json_lines(objects: Sequence[Any]) -> bytes:
    return "\n".join(map(json.dumps, objects)).encode()


def mutate_objects(rng: Random, objects: Sequence[Any]) -> bytes:
    return b"\n".join(dump_json(rng, mutate_value(rng, line)) for line in objects)


def mutate_jsonl(rng: Random, data: bytes, others: list[bytes]) -> bytes:
    if rng.random() < 0.2:
        return mutate_bytes(rng, data, others)
    return mutate_objects(rng, JSONL_LINES)


JSONL_SEED = json_lines(JSONL_LINES)


def jsonl_target(folder: Path) -> Target:
    path, ways = folder / "lines.jsonl", [{"inputs": ["tag"]}]
    return corpus_target("JSONL", path, "JsonlCorpus", ways, [JSONL_SEED], mutate_jsonl)


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

    def tokenize(text: str) -> list[str]:
        return [token.text for token in nlp.tokenizer(text)]

    def mutate(rng: Random, data: bytes, others: list[bytes]) -> bytes:
        if rng.random() < 0.5:
            return mutate_fields(rng, data, others)
        return mutate_objects(rng, PATTERNS)

    def run(data: bytes) -> None:
        path = patterns if data[:1] == b"{" else lists
        path.write_bytes(data)
        source = gazetteer(paths=[str(path)])
        source.fit(Givens("list", tokenize=tokenize))
        source.from_bytes(source.to_bytes())

    seeds = [json_lines(PATTERNS), PHRASES_TEXT]
    return Target("reader phrases", seeds, mutate, run)


PHRASES_TEXT = "Ada Lovelace\n\nNew York\nM\u00e1laga \nU.S.\n".encode()
PATTERNS = [
    {"label": "ORG", "pattern": "Acme Corp"},
    {"label": "GPE", "pattern": [{"LOWER": "new"}, {"TEXT": "York"}], "id": "x"},
]


def docbin_target(folder: Path) -> Target:
    docs = [example.reference for example in make_examples(spacy.blank("xx"))]
    seeds = [DocBin(store_user_data=True, docs=docs).to_bytes()]
    path, ways = folder / "docs.spacy", [{"inputs": ["tag", "spans:chunks"]}]

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

    given = path, "DocBinCorpus", ways, seeds, mutate
    return corpus_target("DocBin", *given, hosted=True)


FILTER_TEXT = b"The dog sleeps .\n\nIt is\r\n a\tb \n\xc3\xa9\n"


class Half:
    """A scorer that needs no model: every other length of text is good."""

    def scored(self, items: Iterable[Any]) -> Iterator[tuple[Any, Verdict]]:
        for item in items:
            yield item, Verdict(len(item.text) % 2, ("a reason",))


PACKERS: list[Callable[[bytes], bytes]] = [
    bytes, bytes, gzip.compress, bz2.compress, lzma.compress,
    zstandard.ZstdCompressor(write_checksum=True).compress,
]  # fmt: skip
LONG = 3 << 20  # bytes of a line, of which there may be a third


def mutate_packed(mutate: Mutate) -> Mutate:
    """Mutates what is packed, and now and then the archive itself."""

    def mutated(rng: Random, data: bytes, others: list[bytes]) -> bytes:
        text = mutate(rng, data, others)
        if rng.random() < 0.002:
            text += b"x" * LONG
        packed = rng.choice(PACKERS)(text)
        if rng.random() < 0.2:
            packed += rng.choice(PACKERS)(data)
        return mutate_bytes(rng, packed, [packed]) if rng.random() < 0.4 else packed

    return mutated


def filter_target(name, path, format, seed, mutate):
    """Check that a filtered file, filtered again, keeps the same bytes."""
    once = path.with_name(f"once-{path.name}")
    plain = FileFilter(Half(), Choice(0.5), Layout())
    lenient = replace(plain, layout=Layout(skip_bad=True))
    columns = replace(lenient, columns=Columns(scores=True, reasons=True))
    ways = [lenient, lenient, columns, plain]

    def written(filter: FileFilter, source: Path) -> tuple[Tally, bytes]:
        sink = io.BytesIO()
        return filter(str(source), sink, path.name), sink.getvalue()

    def run(data: bytes) -> None:
        filter = ways[zlib.crc32(data) % len(ways)]
        path.write_bytes(data)
        tally, kept = written(filter, path)
        if tally.lines != tally.empty + tally.bad + tally.scored:
            raise Broken("lines are lost")
        if filter is columns or kept.startswith(BYTE_ORDER_MARK):
            return
        once.write_bytes(kept)
        tally_again, kept_again = written(plain, once)
        if not tally.kept == tally_again.kept == tally_again.lines:
            raise Broken("what was kept is not kept again")
        if format != "parquet" and kept_again != kept:
            raise Broken("what was kept is written in another way")

    return Target(name, [seed], mutate, run)


def filter_lines_target(folder: Path) -> Target:
    path, mutate = folder / "texts.txt", mutate_packed(mutate_fields)
    return filter_target("filter lines", path, "text", FILTER_TEXT, mutate)


def filter_jsonl_target(folder: Path) -> Target:
    path, mutate = folder / "texts.jsonl", mutate_packed(mutate_jsonl)
    return filter_target("filter JSONL", path, "jsonl", JSONL_SEED, mutate)


def filter_parquet_target(folder: Path) -> Target:
    def table(texts: list[Any], kind: Any) -> bytes:
        buffer = io.BytesIO()
        columns = {"text": pyarrow.array(texts, kind), "n": range(len(texts))}
        parquet.write_table(pyarrow.table(columns), buffer)
        return buffer.getvalue()

    def mutate(rng: Random, data: bytes, others: list[bytes]) -> bytes:
        if rng.random() < 0.3:
            return mutate_bytes(rng, data, others)
        words = [rng.choice(FIELDS) for _ in range(rng.randrange(6))]
        # As bytes, since Arrow looks at what it is given as text.
        rows = [rng.choice((word, None, b"good text")) for word in words]
        texts = pyarrow.array(rows, pyarrow.binary())
        text = pyarrow.string()
        kind = rng.choice((text, text, text, pyarrow.binary(), pyarrow.int32()))
        if kind == pyarrow.int32():
            return table([1] * len(words), kind)
        if kind == text:
            texts = pyarrow.Array.from_buffers(kind, len(texts), texts.buffers())
        return table(texts, kind)

    seed = table(["A dog sleeps .", "", None, "It is"], pyarrow.string())
    path = folder / "texts.parquet"
    return filter_target("filter Parquet", path, "parquet", seed, mutate)


NAMES = ["a.txt", "b/c.jsonl", "d/e f.txt.gz", "dt=2020%3A01/x", "x#y.txt", "%41.txt"]
NAME_PARTS = [
    "..", ".", "", "/", "//", "\\", "%2e%2e", "%2F", "#", "?", "*", "[a]", "~", "a",
    "\x00", "\n", "é", "x" * 300, "C:", "file://", "../../x",
]  # fmt: skip


def names_target(folder: Path) -> Target:
    """Names of objects in a store: each is read, and none is written elsewhere."""
    store = fsspec.filesystem("memory").store
    target = folder / "names"

    def mutate(rng: Random, data: bytes, others: list[bytes]) -> bytes:
        names = rng.sample(NAMES, rng.randrange(1, 4))
        at = rng.randrange(len(names))
        parts = names[at].split("/")
        parts.insert(rng.randrange(len(parts) + 1), rng.choice(NAME_PARTS))
        names[at] = rng.choice(("/", "")).join(parts)
        return json.dumps(names).encode()

    def run(data: bytes) -> None:
        names = json.loads(data)
        store.clear()
        for name in names:
            key = f"/in/{name}"
            store[key] = MemoryFile(None, key, name.encode())
        found = find_files(["memory://in"], target / "record.json")
        for file in found:
            place = Path(os.path.normpath(target / file.name))
            if target not in place.parents:
                raise Broken("it would be written outside of the folder")
            with open_url(file.path) as content:
                if content.read() != file.name.encode():
                    raise Broken("another object is read")

    return Target("filter names", [json.dumps(NAMES).encode()], mutate, run)


FILES: dict[str, Callable[[Path], Target]] = {
    "n-gram model": ngram_target,
    "counts": counts_target,
    "context model": contexts_target,
    "gazetteer": gazetteer_target,
    "clusters": clusters_target,
    "reader cluster files": cluster_files_target,
    "reader columns": columns_target,
    "reader partial marks": partial_target,
    "reader CoNLL-U": conllu_target,
    "reader JSONL": jsonl_target,
    "reader sentences": sentences_target,
    "reader DocBin": docbin_target,
    "reader phrases": phrases_target,
    "filter lines": filter_lines_target,
    "filter JSONL": filter_jsonl_target,
    "filter Parquet": filter_parquet_target,
    "filter names": names_target,
}
