"""`spacy latperc annotate`: what a pipeline says about texts."""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

import typer
from spacy.displacy import parse_deps, render
from spacy.language import Language
from spacy.tokens import Doc
from wasabi import msg

from ..data.conllu import write_conllu
from ..data.corpus import conllu_corpus
from ..data.formats import CONLLU_SUFFIXES
from ..distributed.annotators import KINDS
from ..distributed.columns import ERROR, STORED
from ..errors import Errors
from ..io.docbin import SUFFIX, read_docs
from ..io.outputs import check_target, write_output
from ..io.packed import without_packing
from ..io.pipelines import load_pipeline
from ..multiword import multiword_parts, write_parts
from ..pipeline.learner_pipe import use_threads
from ..text.input_files import Layout
from ..text.reader import LineReader
from . import latperc_cli
from .annotate_folds import WithFolds, annotate_by_folds
from .columns import is_for_columns, write_columns
from .failures import failures_shown
from .groups import LOOK
from .options import Code, ColumnField, Overwrite, Threads, TrainedPipeline
from .ray_option import RayAddress

PAGE = ".html"
STOP, KEEP = KINDS
_RANDOM_ID = re.compile(r'<svg [^>]*\bid="([0-9a-f]{32})-0"')
_WORDS = ("id", "form")  # of a multiword token: which words it stands for, no more


@latperc_cli.command("annotate", cls=WithFolds, rich_help_panel=LOOK)
def annotate_cli(
    model: TrainedPipeline,
    texts: list[str] = typer.Argument(None, help="The texts, in quotes"),
    source: str = typer.Option(
        None,
        "--file",
        "-f",
        help="A file with one text on each line, or a .conllu or .spacy file, whose "
        "tokens and sentences are taken as they are, and nothing else; for columns "
        "also JSONL, Parquet, a folder, a pattern or a URL. With --folds a corpus of "
        "the config or a file that is read like it; by default the training corpus",
    ),
    target: str = typer.Option(
        None,
        "--output",
        "-o",
        help="In place of tables: the .conllu file to write, for the tools of "
        "Universal Dependencies; the .html page to draw trees in; or the .jsonl or "
        ".parquet file for columns, or a folder if several files are read. Text may be "
        "packed (.gz, .xz, .bz2, .zst)",
    ),
    threads: Threads = None,
    field: ColumnField = "text",
    overwrite: Overwrite = False,
    keep_errors: bool = typer.Option(
        False,
        "--keep-errors",
        help="Of columns: go on where the pipeline fails on a text, and say why as "
        f"'{ERROR}'; leave lines out that cannot be read",
    ),
    folds: int | None = typer.Option(
        None,
        "--folds",
        min=2,
        help="MODEL is a config: cut the corpus into so many folds, and annotate each "
        "by a model that is trained on the others; --output is a .spacy file",
    ),
    component: str | None = typer.Option(
        None,
        "--component",
        "-c",
        help="With --folds: the component that annotates, or several, separated by "
        "commas; by default the first one of the pipeline",
    ),
    ray: RayAddress = None,
    workers: int = typer.Option(
        None, "--processes", "-p", min=1, help="With --ray: how many work"
    ),
    code: Code = None,
) -> None:
    """
    Show what a pipeline writes on a few texts, or write it to a file.

    Tags, trees, chunks and entities token by token, and the categories of each text.

    Texts of any size become columns of JSONL or Parquet, with --ray on a cluster. With
    many files the same command goes on after an interruption.

    With --folds, a component that reads what another one wrote can be trained on the
    file, and the scores are those of the other one on new text. Settings of the config
    can be overridden as for `spacy train`.
    """
    with failures_shown():
        others = (threads, overwrite, keep_errors, ray, workers)
        if (folds and any(others)) or (component and not folds):
            raise ValueError(Errors.LP332)
    if folds:
        annotate_by_folds(model, texts or [], source, target, component, folds)
        return
    with failures_shown():
        texts = [text for text in texts or [] if text.strip()]
        if not (texts or source):
            raise ValueError(Errors.LP326)
        load = partial(_load, model, threads)
        if ray is not None or is_for_columns(source, target):
            if texts or not source or not target:
                raise ValueError(Errors.LP830)
            layout = Layout(field=field, skip_bad=keep_errors)
            errors = KEEP if keep_errors else STOP
            write_columns(load, source, target, layout, errors, overwrite, ray, workers)
            return
        file = _existing(source) if source else None
        output = Path(target) if target else None
        if output:
            _check_output(output, [file] if file else [])
        nlp = load()
        docs = list(nlp.pipe([*map(nlp.make_doc, texts), *_of_file(file, nlp)]))
        if not docs:
            raise ValueError(Errors.LP326)
        if output:
            _write(docs, output)
            msg.good(f"Wrote {len(docs):,} texts to {output}")
            return
    for doc in docs:
        header, *rows = annotation_rows(doc)
        msg.table(rows, header=header, divider=True)
        if doc.cats:
            msg.text("  ".join(f"{name} {p:.2f}" for name, p in doc.cats.items()))


def _load(model: str, threads: int | None) -> Language:
    nlp = load_pipeline(model)
    if threads is not None:
        use_threads(nlp, threads)
    return nlp


def _existing(source: str) -> Path:
    path = Path(source)
    if not path.is_file():
        raise FileNotFoundError(Errors.LP101.format(path=path))
    return path


def annotation_rows(doc: Doc) -> list[tuple[str, ...]]:
    """A header, then a row for each token: the columns that are annotated."""
    columns = {"token": [token.text for token in doc]}
    if doc.has_annotation("TAG"):
        columns["tag"] = [token.tag_ for token in doc]
    if doc.has_annotation("POS"):
        columns["pos"] = [token.pos_ for token in doc]
    if doc.has_annotation("MORPH"):
        columns["morph"] = [str(token.morph) for token in doc]
    if doc.has_annotation("DEP"):
        columns["head"] = [t.head.text if t.head != t else "" for t in doc]
        columns["dep"] = [token.dep_ for token in doc]
    for key in doc.spans:
        if key.startswith(STORED):
            continue
        columns[key] = _labels(
            doc, [(s.start, s.end, s.label_) for s in doc.spans[key]]
        )
    if doc.has_annotation("ENT_IOB"):
        columns["ents"] = _labels(doc, [(e.start, e.end, e.label_) for e in doc.ents])
    return [tuple(columns), *zip(*columns.values(), strict=True)]


def _check_output(path: Path, sources: Sequence[Path]) -> None:
    suffixes = (".conllu", PAGE)
    if not without_packing(path.name).endswith(suffixes):
        message = Errors.LP327.format(path=path, suffixes=", ".join(suffixes))
        raise ValueError(message)
    check_target(path, sources=sources, suffixes=suffixes)


def _write(docs: Sequence[Doc], path: Path) -> None:
    if not without_packing(path.name).endswith(PAGE):
        write_conllu(docs, path)
        return
    if not all(doc.has_annotation("DEP") for doc in docs):
        raise ValueError(Errors.LP328)
    sentences = [sent.as_doc() for doc in docs for sent in doc.sents]
    # Below the words: parts of speech, or tags where there are no such.
    fine = not any(doc.has_annotation("POS") for doc in docs)
    options = {"compact": True, "fine_grained": fine}
    trees = [_escaped(parse_deps(sentence, options)) for sentence in sentences]
    page = render(trees, page=True, jupyter=False, options=options, manual=True)
    # displaCy numbers trees behind a random prefix: each run would write another page.
    if prefix := _RANDOM_ID.search(page):
        page = page.replace(prefix[1], "tree")
    write_output(path, page.encode())


def _escaped(tree: dict[str, Any]) -> dict[str, Any]:
    """A tree whose tags and relations are escaped, of which displaCy takes no care."""
    for key, parts in (("tag", tree["words"]), ("label", tree["arcs"])):
        for part in parts:
            part[key] = escape(part[key])
    return tree


def _of_file(path: Path | None, nlp: Language) -> Iterator[Doc]:
    """The texts of a file, or its tokens."""
    if path is None:
        return
    if path.name.endswith(CONLLU_SUFFIXES):
        for example in conllu_corpus(path, docs="document")(nlp):
            for token, gold in zip(example.predicted, example.reference, strict=True):
                if parts := multiword_parts(gold):
                    write_parts(token, [{x: part[x] for x in _WORDS} for part in parts])
            yield example.predicted
    elif path.suffix == SUFFIX:
        for doc in read_docs(path, nlp.vocab):
            starts = doc.has_annotation("SENT_START")
            yield Doc(
                nlp.vocab,
                words=[token.text for token in doc],
                spaces=[bool(token.whitespace_) for token in doc],
                sent_starts=[t.is_sent_start for t in doc] if starts else None,
            )
    else:
        yield from (nlp.make_doc(line.text) for line in LineReader(str(path)))


def _labels(doc: Doc, spans: list[tuple[int, int, str]]) -> list[str]:
    """B-X on the first token of a span, I-X on the others, nothing outside."""
    labels = [""] * len(doc)
    for start, end, label in spans:
        labels[start:end] = [f"I-{label}"] * (end - start)
        labels[start] = f"B-{label}"
    return labels
