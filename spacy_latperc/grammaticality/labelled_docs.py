"""A stream of Docs with categories, without Examples and further annotation."""

from collections.abc import Iterator
from itertools import chain, zip_longest
from pathlib import Path

from spacy.language import Language
from spacy.tokens import Doc

from ..data.jsonl import make_doc
from ..errors import Errors
from ..io.docbin import SUFFIX, read_docs
from ..io.jsonl import SUFFIXES, read_jsonl
from ..io.lines import corpus_files, line_blocks


def labelled_docs(
    nlp: Language,
    path: Path,
    labels: tuple[str, str],
    *,
    negatives: Path | None = None,
    tags: str = "tags",
) -> Iterator[Doc]:
    """Yield the Docs of a .spacy or .jsonl file, or of a folder of .spacy files.

    Args:
        nlp: The pipeline, for its vocabulary and its tokenizer.
        path: The file or folder. A missing or unknown one is refused at once, before
            anything is read.
        labels: The categories of good and of bad sentences.
        negatives: A text of bad sentences; the path is then a text of good ones. Both
            have one sentence on each line and words between spaces.
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
        files = corpus_files(path, (SUFFIX,))
        return chain.from_iterable(read_docs(file, nlp.vocab) for file in files)
    raise ValueError(Errors.LP471.format(path=path))


def _alternating(
    nlp: Language, positives: Path, negatives: Path, labels: tuple[str, str]
) -> Iterator[Doc]:
    """Alternate good and bad sentences; the rest of the longer text comes last."""
    sides = [
        _sentences(nlp, path, {labels[0]: real, labels[1]: 1.0 - real})
        for path, real in ((positives, 1.0), (negatives, 0.0))
    ]
    for pair in zip_longest(*sides):
        yield from (doc for doc in pair if doc is not None)


def _sentences(nlp: Language, path: Path, cats: dict[str, float]) -> Iterator[Doc]:
    for _, block in line_blocks(path):
        for line in block.decode("utf8").split("\n"):
            if words := line.split():
                starts = [i == 0 for i in range(len(words))]
                doc = Doc(nlp.vocab, words=words, sent_starts=starts)
                doc.cats = dict(cats)
                yield doc
