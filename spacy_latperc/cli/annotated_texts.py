"""The texts that `annotate` reads, and the tables, trees and pages that it writes."""

import re
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any

from spacy.displacy import parse_deps, render
from spacy.language import Language
from spacy.tokens import Doc

from ..data.conllu import write_conllu
from ..data.corpus import conllu_corpus
from ..data.formats import CONLLU_SUFFIXES
from ..distributed.columns import STORED
from ..errors import Errors
from ..io.docbin import SUFFIX, read_docs
from ..io.outputs import check_target, write_output
from ..io.packed import without_packing
from ..text.reader import LineReader

PAGE = ".html"
_RANDOM_ID = re.compile(r'<svg [^>]*\bid="([0-9a-f]{32})-0"')


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


def check_output(path: Path, sources: Sequence[Path]) -> None:
    """Refuse an output file that cannot be written."""
    suffixes = (".conllu", PAGE)
    if not without_packing(path.name).endswith(suffixes):
        message = Errors.LP327.format(path=path, suffixes=", ".join(suffixes))
        raise ValueError(message)
    check_target(path, sources=sources, suffixes=suffixes)


def write_annotation(docs: Sequence[Doc], path: Path) -> None:
    """Write CoNLL-U, or draw trees in a page."""
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


def docs_of_file(path: Path | None, nlp: Language) -> Iterator[Doc]:
    """The texts of a file, or its tokens."""
    if path is None:
        return
    if path.name.endswith(CONLLU_SUFFIXES):
        for example in conllu_corpus(path, docs="document")(nlp):
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
