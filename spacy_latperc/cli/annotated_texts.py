"""The texts that `annotate` reads, and the tables and files that it writes."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from pathlib import Path

from spacy.language import Language
from spacy.tokens import Doc, Span

from ..data.corpus import conllu_corpus
from ..data.formats import CONLLU_SUFFIXES
from ..distributed.columns import STORED
from ..errors import Errors
from ..io.docbin import SUFFIX, read_docs, unannotated
from ..io.outputs import check_target
from ..io.packed import without_packing
from ..pipeline.calibrator import switch_scores_on
from ..pipeline.chain_pipe import ChainPipe
from ..pipeline.extensions import leave_unsure
from ..text.reader import LineReader


def annotation_rows(doc: Doc) -> list[tuple[str, ...]]:
    """A header, then a row for each token: the columns that are annotated."""
    columns = {"token": [token.text for token in doc]}
    for name in ("lemma", "tag", "pos", "morph"):
        if doc.has_annotation(name.upper()):
            columns[name] = [str(getattr(x, f"{name}_", x.morph)) for x in doc]
    if doc.has_annotation("DEP"):
        columns["head"] = [t.head.text if t.head != t else "" for t in doc]
        columns["dep"] = [token.dep_ for token in doc]
    for key in doc.spans:
        if not key.startswith(STORED):
            columns[key] = _labels(doc, doc.spans[key])
    if doc.has_annotation("ENT_IOB"):
        columns["ents"] = _labels(doc, doc.ents)
    return [tuple(columns), *zip(*columns.values(), strict=True)]


def annotated(nlp: Language, docs: Iterable[Doc], min_score: float | None) -> list[Doc]:
    """Annotate Docs, and leave unlabelled what has a lower probability."""
    if min_score is None:
        return list(nlp.pipe(docs))
    scored = [
        pipe.layer.name
        for name, pipe in nlp.pipeline
        if isinstance(pipe, ChainPipe)
        if switch_scores_on(nlp, name) or pipe.scores != "none"
    ]
    if not scored:
        raise ValueError(Errors.LP323.format(names=", ".join(nlp.pipe_names)))
    found = list(nlp.pipe(docs))
    for doc, layer in product(found, scored):
        leave_unsure(doc, layer, min_score)
    return found


def check_output(path: Path, sources: Sequence[Path]) -> None:
    """Refuse an output file that cannot be written."""
    suffixes = (".conllu", SUFFIX)
    if not without_packing(path.name).endswith(suffixes):
        raise ValueError(Errors.LP327.format(path=path))
    check_target(path, sources=sources, suffixes=suffixes)


def format_of_columns(target: str) -> str | None:
    """Return the format of columns for the name of a file, or None."""
    name = without_packing(target)
    return next((x for x in ("jsonl", "parquet") if name.endswith(f".{x}")), None)


def refuse_annotated(paths: Sequence[str]) -> None:
    """Refuse files that are already tokenized."""
    for path in paths:
        if path.endswith((*CONLLU_SUFFIXES, SUFFIX)):
            raise ValueError(Errors.LP832.format(path=path))


def docs_of_file(path: Path | None, nlp: Language) -> Iterator[Doc]:
    """The texts of a file, or its tokens."""
    if path is None:
        return
    if not path.is_file():
        raise FileNotFoundError(Errors.LP101.format(path=path))
    if path.name.endswith(CONLLU_SUFFIXES):
        for example in conllu_corpus(path, docs="document")(nlp):
            yield example.predicted
    elif path.suffix == SUFFIX:
        yield from map(unannotated, read_docs(path, nlp.vocab))
    else:
        yield from (nlp.make_doc(line.text) for line in LineReader(str(path)))


def _labels(doc: Doc, spans: Iterable[Span]) -> list[str]:
    """B-X on the first token of a span, I-X on the others, nothing outside."""
    labels = [""] * len(doc)
    for span in spans:
        labels[span.start : span.end] = [f"I-{span.label_}"] * len(span)
        labels[span.start] = f"B-{span.label_}"
    return labels
