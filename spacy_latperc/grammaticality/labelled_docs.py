"""Docs with categories, one after the other: no Example, no annotation but what is
there."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from spacy.language import Language
from spacy.tokens import Doc, DocBin

from ..data.convert import SPACY_SUFFIX
from ..data.files import corpus_files
from ..data.jsonl import SUFFIXES, make_doc, read_lines
from ..errors import Errors
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
        lines = read_lines(path)
        return (make_doc(nlp, line, tags=tags, chunk_key="chunks") for line in lines)
    if path.is_dir() or path.suffix == SPACY_SUFFIX:
        return _of_docbins(nlp, corpus_files(path, suffix=SPACY_SUFFIX))
    raise ValueError(Errors.LP471.format(path=path))


def _of_docbins(nlp: Language, files: Iterable[Path]) -> Iterator[Doc]:
    for file in files:
        try:
            docs = DocBin().from_disk(file)
        except Exception as error:
            raise ValueError(Errors.LP120.format(path=file, error=error)) from error
        yield from docs.get_docs(nlp.vocab)


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
