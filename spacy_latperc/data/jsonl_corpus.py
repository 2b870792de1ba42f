"""Sentences with categories, one JSON object on each line.

    {"text": "The dog sleeps .", "cats": {"GRAMMATICAL": 1.0, "UNGRAMMATICAL": 0.0}}

Words are separated by spaces. There may also be "tags" and similar layers, separated by
spaces as well, and "chunks": [[first, end, type], ...].
"""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Example

from ..errors import Warnings
from ..errors.check import check_count
from ..io.jsonl import JsonLine, read_jsonl
from .copy_inputs import check_copied_inputs, copy_inputs

_OFFSETS = ("spans", "entities", "label")  # of annotation tools


def jsonl_corpus(
    path: Path | None,
    *,
    tags: str = "tags",
    chunk_key: str = "chunks",
    inputs: list[str] = [],  # noqa: B006
    limit: int = 0,
) -> Callable[[Language], Iterable[Example]]:
    """Registered as spacy_latperc.JsonlCorpus.v1: examples from .jsonl files.

    Args:
        path: A file (.jsonl or .jsonl.gz), or a folder of them.
        tags: The field with tags.
        chunk_key: The key in `doc.spans` for chunks.
        inputs: The annotation to copy to the predicted Docs: tag and spans:<key>.
        limit: The number of sentences to read; all when 0.
    """
    check_copied_inputs(inputs)
    check_count("limit", limit, low=0, hint="0 for all")

    def read(nlp: Language) -> Iterator[Example]:
        warned = False
        for line in islice(read_jsonl(path), limit or None):
            warned = warned or _warn_of_offsets(line)
            reference = make_doc(nlp, line, tags=tags, chunk_key=chunk_key)
            if not len(reference):  # empty, as for spaCy's own readers
                continue
            words = [token.text for token in reference]
            example = Example(Doc(nlp.vocab, words=words), reference)
            copy_inputs(example, inputs)
            yield example

    return read


def make_doc(nlp: Language, line: JsonLine, *, tags: str, chunk_key: str) -> Doc:
    """The annotated Doc of a line: one sentence."""
    words = _words(line, "text")
    if words is None:
        raise line.error('it has no "text"')
    found = _words(line, tags)
    if found is not None and len(found) != len(words):
        raise line.error(f"{len(found)} {tags} do not fit {len(words)} words")
    starts = [i == 0 for i in range(len(words))]
    cats = line.fields.get("cats", {})
    if not isinstance(cats, dict) or not all(
        isinstance(x, int | float) for x in cats.values()
    ):
        raise line.error('"cats" must have a number for each label')
    try:
        doc = Doc(nlp.vocab, words=words, tags=found, sent_starts=starts)
        doc.cats = {label: float(value) for label, value in cats.items()}
    except (UnicodeEncodeError, OverflowError) as error:  # "\ud800", 10**999
        raise line.error(str(error)) from error
    if "chunks" in line.fields:
        doc.spans[chunk_key] = _chunks(line, doc)
    return doc


def _warn_of_offsets(line: JsonLine) -> bool:
    """Warn of spans with character offsets; True if the line has some."""
    for name in _OFFSETS:
        spans = line.fields.get(name)
        if isinstance(spans, list) and spans and isinstance(spans[0], list | dict):
            place = {"path": line.path, "line": line.number}
            warnings.warn(Warnings.LP904.format(**place, name=name), stacklevel=2)
            return True
    return False


def _words(line: JsonLine, name: str) -> Sequence[str] | None:
    value = line.fields.get(name)
    if value is None:
        return None
    if isinstance(value, str):
        return value.split()
    if isinstance(value, list) and all(isinstance(x, str) for x in value):
        return value
    raise line.error(f'"{name}" must be a string, or a list of them')


def _chunks(line: JsonLine, doc: Doc) -> list[Span]:
    try:
        return [
            Span(doc, start, end, label) for start, end, label in line.fields["chunks"]
        ]
    except (ValueError, TypeError, IndexError, OverflowError) as error:
        raise line.error(f'"chunks": {error}') from error
