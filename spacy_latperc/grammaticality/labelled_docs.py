"""Docs with categories, one after the other: no Example, no annotation but what is
there."""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from spacy.language import Language
from spacy.tokens import Doc

from ..data.jsonl import make_doc
from ..errors import Errors
from ..io.docbin import SUFFIX, read_docs
from ..io.jsonl import SUFFIXES, read_jsonl
from ..io.lines import corpus_files
from ..io.packed import open_unpacked

AT_ONCE = 1000


def labelled_docs(
    nlp: Language,
    path: Path,
    labels: tuple[str, str],
    *,
    negatives: Path | None = None,
    tags: str = "tags",
) -> Iterator[Doc]:
    """The Docs of a .spacy or .jsonl file, or of a folder of .spacy files.

    Args:
        nlp: Gives the vocabulary and the tokenizer.
        path: The file or folder. A missing or unknown one is refused at once, before
            anything is read.
        labels: The categories of good sentences and of the others.
        negatives: A text; the path is then a text too. Both have one sentence on each
            line and words between spaces; this one has those that are not good.
        tags: The field of .jsonl with the tags.
    """
    for given in (path, negatives):
        if given is not None and not given.exists():
            raise FileNotFoundError(Errors.LP101.format(path=given))
    if negatives is not None:
        return _alternating(nlp, path, negatives, labels)
    if path.name.endswith(SUFFIXES):
        lines = read_jsonl(path)
        return (make_doc(nlp, line, tags=tags, chunk_key="chunks") for line in lines)
    if path.is_dir() or path.suffix == SUFFIX:
        files = corpus_files(path, suffix=SUFFIX)
        return chain.from_iterable(read_docs(file, nlp.vocab) for file in files)
    raise ValueError(Errors.LP471.format(path=path))


def _alternating(
    nlp: Language, positives: Path, negatives: Path, labels: tuple[str, str]
) -> Iterator[Doc]:
    """A real sentence, another one, and so on; what one has more comes at the end."""
    sides = [
        (_sentences(nlp, path), {labels[0]: real, labels[1]: 1.0 - real})
        for path, real in ((positives, 1.0), (negatives, 0.0))
    ]
    while sides:
        for side in list(sides):
            docs, cats = side
            doc = next(docs, None)
            if doc is None:
                sides.remove(side)
                continue
            doc.cats = dict(cats)
            yield doc


def _sentences(nlp: Language, path: Path) -> Iterator[Doc]:
    with open_unpacked(path) as file:
        for number, line in enumerate(file, 1):
            try:
                words = line.decode("utf8").split()
            except UnicodeDecodeError as error:
                message = Errors.LP403.format(path=path, line=number)
                raise ValueError(message) from error
            if words:
                starts = [i == 0 for i in range(len(words))]
                yield Doc(nlp.vocab, words=words, sent_starts=starts)
