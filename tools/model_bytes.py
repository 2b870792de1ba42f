"""Record what every learner and every config makes of a fixed corpus: digests of model
files, array by array, and of predictions with their scores.

    python tools/model_bytes.py before.json
    python tools/model_bytes.py after.json --against before.json

Run it before a change that must not change models, and after it. It knows the package
only by what users know: registered names, configs, commands, what stands on a Doc.
"""

import argparse
import contextlib
import hashlib
import io
import json
import re
import struct
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import spacy
import srsly
from spacy.cli._util import app
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.training.initialize import init_nlp
from spacy.training.loop import create_before_to_disk_callback
from spacy.util import load_config_from_str, registry, resolve_dot_names
from typer.main import get_command

ROOT = Path(__file__).resolve().parent.parent
SENTENCES, HELD_OUT, PASSES, BATCH = 150, 40, 3, 32
MAGIC = b"LATPERC\n"
# Few iterations of those that go on until nothing changes.
SHORT = {"max_iterations": 8}

Digests = dict[str, str]


def read_tables() -> dict[str, list[tuple[str, str, dict[str, Any]]]]:
    """Those of model_bytes.yml, with blocks by their registered names."""
    tables = srsly.read_yaml(Path(__file__).with_suffix(".yml"))
    for _, _, settings in tables["models"]:
        for block in settings.values():
            if isinstance(block, dict):
                block["@misc"] = f"spacy_latperc.{block.pop('name')}.v1"
    return {part: [tuple(row) for row in rows] for part, rows in tables.items()}


# The corpus ---------------------------------------------------------------------------


def cut(data: Path, folder: Path) -> None:
    """The first sentences of the bundled sample."""
    for part, n in (("train", SENTENCES), ("dev", HELD_OUT)):
        text = (data / f"{part}.txt").read_text(encoding="utf8")
        blocks = text.strip().split("\n\n")[:n]
        (folder / f"{part}.txt").write_text("\n\n".join(blocks) + "\n", "utf8")
        words = (" ".join(x.split()[0] for x in block.splitlines()) for block in blocks)
        (folder / f"{part}-words.txt").write_text("\n".join(words) + "\n", "utf8")
        text = (data / f"grammaticality-{part}.jsonl").read_text(encoding="utf8")
        lines = text.splitlines()[: 2 * n]
        (folder / f"{part}.jsonl").write_text("\n".join(lines) + "\n", "utf8")
        trees = (data / f"{part}.conllu").read_text(encoding="utf8")
        trees = "\n\n".join(trees.strip().split("\n\n")[:n])
        (folder / f"{part}.conllu").write_text(trees + "\n\n", "utf8")
        docs = DocBin().from_disk(data / f"errors-{part}.spacy")
        few = islice(docs.get_docs(spacy.blank("en").vocab), n)
        DocBin(attrs=docs.attrs, store_user_data=True, docs=few).to_disk(
            folder / f"{part}.spacy"
        )


# The corpus of each reader. Columns are for all others.
SUFFIXES = {"Jsonl": ".jsonl", "Conllu": ".conllu", "DocBin": ".spacy"}


def read_config(path: Path, folder: Path) -> dict[str, Any]:
    text = path.read_text(encoding="utf8")
    config = load_config_from_str(text, interpolate=False)
    found = re.search(f"spacy_latperc.({'|'.join(SUFFIXES)})Corpus", text)
    suffix = SUFFIXES[found[1]] if found else ".txt"
    for part in ("train", "dev"):
        config["paths"][part] = str(folder / f"{part}{suffix}")
    corpus = config["corpora"]["train"].get("corpus", {})
    if "max_sentences" in corpus:  # as many documents as there are folds
        corpus["max_sentences"] = SENTENCES // 5
    for component in config["components"].values():
        rule = component.get("model", {}).get("learner", {})
        if "max_iterations" in rule:
            rule.update(SHORT)
    return config


def change(
    config: dict[str, Any], model: dict[str, Any], rest: dict[str, Any]
) -> dict[str, Any]:
    (component,) = config["components"].values()
    component["model"].update(model)
    component.update(rest)
    return config


# Training and predicting --------------------------------------------------------------


def read_corpus(nlp: Language, part: str) -> list[Example]:
    (corpus,) = resolve_dot_names(nlp.config.interpolate(), [f"corpora.{part}"])
    return list(corpus(nlp))


def train(config: dict[str, Any]) -> Language:
    nlp = init_nlp(spacy.language.DEFAULT_CONFIG.merge(config))
    examples = read_corpus(nlp, "train")
    # Those whose answers others read.
    annotates = config["training"]["annotating_components"]
    for _ in range(PASSES):
        for at in range(0, len(examples), BATCH):
            nlp.update(examples[at : at + BATCH], annotates=annotates)
    training = registry.resolve(
        {"x": nlp.config.interpolate()["training"]["before_to_disk"]}
    )
    return create_before_to_disk_callback(training["x"])(nlp)


def predicted(nlp: Language, *, joined: bool = False) -> list[Doc]:
    docs = [example.predicted for example in read_corpus(nlp, "dev")]
    if joined:
        docs = [Doc.from_docs(docs[i : i + 4]) for i in range(0, len(docs), 4)]
    for _, component in nlp.pipeline:
        docs = list(component.pipe(docs))
    return docs


def with_settings(
    nlp: Language, config: dict[str, Any], settings: dict[str, Any]
) -> Language:
    """Another pipeline with the same weights."""
    config = json.loads(json.dumps(config))
    config["paths"] = {**config["paths"], "vectors": None, "init_tok2vec": None}
    for component in config["components"].values():
        if component["factory"].startswith("latperc"):
            component.update(settings)
    again = spacy.util.load_model_from_config(
        spacy.language.DEFAULT_CONFIG.merge(config), auto_fill=True
    )
    again.from_bytes(nlp.to_bytes(exclude=["tokenizer"]), exclude=["tokenizer"])
    return again


# Digests ------------------------------------------------------------------------------


def digest(*parts: bytes) -> str:
    return hashlib.blake2b(b"\0".join(parts), digest_size=8).hexdigest()


def digest_values(values: Any) -> str:
    return digest(json.dumps(plain(values), sort_keys=True).encode())


def plain(value: Any) -> Any:
    """Exactly what a value is, whatever holds it: floats keep all their bits."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, dict):
        return {str(key): plain(x) for key, x in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(x) for x in value]
    return value.hex() if isinstance(value, float) else value


def files_in(value: Any) -> Iterator[bytes]:
    """Model files, wherever they are inside what was serialised."""
    if isinstance(value, dict):
        for item in value.values():
            yield from files_in(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from files_in(item)
    elif isinstance(value, bytes):
        if value[:8] == MAGIC:
            yield value
        else:
            with contextlib.suppress(Exception):
                yield from files_in(srsly.msgpack_loads(value))


def digests_of_file(file: bytes) -> Digests:
    """One for each array and for each entry of the header."""
    _, length = struct.unpack_from("<II", file, 8)
    header = json.loads(file[16 : 16 + length])
    at = 16 + length
    found = {}
    for name, dtype, shape, *coded in header.pop("arrays"):
        size = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
        size = coded[0] if coded else size
        found[f"array {name}"] = digest(dtype.encode(), file[at : at + size])
        at += size
    return {**found, **{f"header {k}": digest_values(v) for k, v in header.items()}}


def weights_of(parts: Digests) -> str:
    return digest_values([x for x in sorted(parts.items()) if x[0].startswith("array")])


def digests_of_component(component: Any) -> Digests:
    found = {}
    dumped = srsly.msgpack_loads(component.to_bytes(exclude=["vocab"]))
    for number, file in enumerate(files_in(dumped)):
        parts = digests_of_file(file)
        found[f"file {number} whole"] = digest(file)
        found[f"file {number} weights"] = weights_of(parts)
        for name, value in parts.items():
            found[f"file {number} {name}"] = value
    found["labels"] = digest_values(srsly.json_loads(dumped["cfg"])["labels"])
    return found


def digests_of_docs(docs: Iterable[Doc], prefix: str) -> Digests:
    """Digest annotations, and apart from them scores."""
    answers, scores, analyses, trees = [], [], [], []
    for doc in docs:
        groups = {
            key: [(span.start, span.end, span.label_) for span in group]
            for key, group in doc.spans.items()
            if not key.startswith("latperc_")  # where scores are kept is nobody's
        }
        ents = [(ent.start, ent.end, ent.label_) for ent in doc.ents]
        answers.append([[t.tag_ for t in doc], [t.pos_ for t in doc], ents, groups])
        sentences = doc.sents if doc.has_annotation("SENT_START") else ()
        scores.append(
            [
                doc.cats,
                {
                    key: group.attrs["scores"]
                    for key, group in doc.spans.items()
                    if "scores" in group.attrs and not key.startswith("latperc_")
                },
                [read(token, "tag_score", "grammaticality") for token in doc],
                [read(ent, "ent_score") for ent in doc.ents],
                read(doc, "grammaticality", "grammaticality_margin"),
                [
                    read(sentence, "grammaticality", "grammaticality_margin")
                    for sentence in sentences
                ],
            ]
        )  # fmt: skip
        (found,) = read(doc, "latperc_n_best")
        analyses.append({k: [list(a) for a in v] for k, v in (found or {}).items()})
        if doc.has_annotation("DEP"):
            trees.append([(t.head.i, t.dep_) for t in doc])
    parsed = {f"{prefix} trees": digest_values(trees)} if trees else {}
    return parsed | {
        f"{prefix} answers": digest_values(answers),
        f"{prefix} scores": digest_values(scores),
        f"{prefix} n-best": digest_values(analyses),
    }


def read(owner: Any, *names: str) -> list[Any]:
    return [getattr(owner._, name) if owner._.has(name) else None for name in names]


def code_of(error: Exception) -> str:
    """The code of a message; else the message."""
    found = re.match(r"\[([A-Z]+\d+)\]", str(error))
    return found[1] if found else f"{type(error).__name__}: {error}"


# What is recorded ---------------------------------------------------------------------


def record_pipeline(config: dict[str, Any]) -> Digests:
    """Train, predict, save, load, predict with scores."""
    nlp = train(config)
    found = {}
    for name, component in nlp.pipeline:
        if not nlp.get_pipe_meta(name).factory.startswith("latperc"):
            continue
        for part, value in digests_of_component(component).items():
            found[f"{name}: {part}"] = value
    found.update(digests_of_docs(predicted(nlp), "plain"))
    factories = [x["factory"] for x in config["components"].values()]
    if any("grammaticality" in factory for factory in factories):
        found.update(digests_of_docs(predicted(nlp, joined=True), "joined"))
        if len(factories) > 1:
            return found
        variants: list[dict[str, Any]] = [{"explain": True, "chunks": True}]
    elif {"latperc_errors", "latperc_parser"} & set(factories):
        return found
    else:
        variants = [{"scores": "marginal", "n_best": 3}]
    for settings in variants:
        title = " ".join(map(str, settings.values()))
        try:
            again = with_settings(nlp, config, settings)
            found.update(digests_of_docs(predicted(again), title))
        except (ValueError, NotImplementedError) as error:
            found[title] = code_of(error)
    return found


def run_command(*arguments: str) -> None:
    """A command of the package, in this process."""
    registry.cli.get_all()
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(shown):
        try:
            get_command(app)(["latperc", *arguments], prog_name="spacy")
        except SystemExit as end:
            if end.code:
                raise RuntimeError(shown.getvalue()) from end


def record_fit(configs: Path, folder: Path) -> Digests:
    """`fit`, and what `compact` makes of it."""
    where = [f"--paths.{p}={folder / p}.txt" for p in ("train", "dev")]
    run_command(
        "fit", str(configs / "pipeline.cfg"), "-o", str(folder / "fit"),
        "--training.max_epochs=2", '--nlp.pipeline=["tagger","chunker"]',
        "--training.annotating_components=[]", "--training.before_to_disk=null",
        *where,
    )  # fmt: skip
    fitted = folder / "fit"
    if (fitted / "model-last").exists():  # older revisions had it in the outer folder
        fitted = fitted / "model-last"
    run_command("compact", str(fitted), "corpora.dev", str(folder / "compact"))
    found = {}
    for made, path in (("fit", fitted), ("compact", folder / "compact")):
        for name, component in spacy.load(path).pipeline:
            for part, value in digests_of_component(component).items():
                found[f"{made} {name}: {part}"] = value
    return found


def record_negatives(folder: Path) -> Digests:
    """Every construction of false sentences, by the `judge negatives` command."""
    found = {}
    text = str(folder / "train-words.txt")
    for construction in ("kn_m", "paper"):
        out = folder / f"{construction}.spacy"
        options = ["--split", "1", "--seed", "3", "-c", construction]
        if construction == "kn_m":
            options += ["--save-model", str(folder / "ngrams")]
        try:
            run_command("judge", "negatives", text, str(out), *options)
        except RuntimeError as error:
            codes = re.findall(r"LP\d+", str(error))
            found[construction] = codes[0] if codes else str(error)
            continue
        docs = DocBin().from_disk(out).get_docs(spacy.blank("en").vocab)
        found[construction] = digest_values([(d.text, d.cats) for d in docs])
    found["n-gram model"] = digest((folder / "ngrams").read_bytes())
    return found


def record_all(
    configs: Path, folder: Path
) -> Iterator[tuple[str, Callable[[], Digests]]]:
    def of_config(base: str, *changes: Any) -> Digests:
        config = read_config(configs / f"{base}.cfg", folder)
        return record_pipeline(change(config, *changes) if changes else config)

    for path in sorted(configs.glob("*.cfg")):
        if path.stem == "grammaticality-tagged":  # requires a tagger
            continue
        yield f"config {path.stem}", partial(of_config, path.stem)
    tables = read_tables()
    for name, base, model in tables["models"]:
        yield f"model {name}", partial(of_config, base, model, {})
    for name, base, rest in tables["components"]:
        yield f"component {name}", partial(of_config, base, {}, rest)
    yield "command fit", lambda: record_fit(configs, folder)
    yield "command negatives", lambda: record_negatives(folder)


def compare(before: dict[str, Digests], after: dict[str, Digests]) -> int:
    """Print what differs. RETURNS: how many recordings do."""
    different = 0
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name), after.get(name)
        if old is None or new is None:
            print(f"{name}: only {'after' if old is None else 'before'}")
            different += 1
            continue
        parts = [
            part for part in sorted(old.keys() | new.keys())
            if old.get(part) != new.get(part)
        ]  # fmt: skip
        if parts:
            different += 1
            print(f"{name}:")
            for part in parts:
                print(f"    {part}: {old.get(part, 'none')} -> {new.get(part, 'none')}")
    print(f"{len(before)} recordings before, {len(after)} after, {different} differ")
    return different


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("output", type=Path, help="JSON file to write")
    parser.add_argument("--against", type=Path, help="an earlier one: say what differs")
    parser.add_argument("--configs", type=Path, default=ROOT / "configs")
    parser.add_argument("--data", type=Path, default=ROOT / "assets" / "sample")
    parser.add_argument("--only", default="", help="recordings whose names match this")
    parser.add_argument("-v", "--verbose", action="store_true", help="seconds of each")
    settings = parser.parse_args()
    found: dict[str, Digests] = {}
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        cut(settings.data, folder)
        for name, record in record_all(settings.configs, folder):
            if not re.search(settings.only, name):
                continue
            start = time.perf_counter()
            try:
                found[name] = record()
            except Exception as error:  # a recording that fails is a difference
                found[name] = {"failed": f"{type(error).__name__}: {error}"}
                print(f"{name}: {found[name]['failed']}", file=sys.stderr)
            if settings.verbose:
                seconds = time.perf_counter() - start
                print(f"{seconds:6.2f} s  {name}", file=sys.stderr)
    text = json.dumps(found, indent=1, sort_keys=True)
    settings.output.write_text(text + "\n", encoding="utf8")
    if settings.against is None:
        return 0
    before = json.loads(settings.against.read_text(encoding="utf8"))
    before = {k: v for k, v in before.items() if re.search(settings.only, k)}
    return 1 if compare(before, found) else 0


if __name__ == "__main__":
    sys.exit(main())
