"""Reading and writing .spacy files."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from ..errors import Errors
from .atomic import write_whole
from .span_groups import read_groups

SUFFIX = ".spacy"
_STORED = "TAG POS MORPH LEMMA ENT_IOB ENT_TYPE HEAD DEP SENT_START".split()


def load_docbin(path: Path) -> DocBin:
    """Read the DocBin of a .spacy file."""
    if not path.is_file():
        raise FileNotFoundError(Errors.LP101.format(path=path))
    try:
        return DocBin().from_disk(path)
    except Exception as error:
        raise ValueError(Errors.LP120.format(path=path, error=error)) from error


def read_docs(
    path: Path, vocab: Vocab, *, docbin: DocBin | None = None
) -> Iterator[Doc]:
    """The Docs of a .spacy file."""
    docs = _docs_of(docbin or load_docbin(path), vocab)
    while True:
        try:
            doc = next(docs, None)
        except Exception as error:
            raise ValueError(Errors.LP120.format(path=path, error=error)) from error
        if doc is None:
            return
        yield doc


def unannotated(doc: Doc) -> Doc:
    """Return the tokens and sentences of a Doc."""
    words, spaces = [token.text for token in doc], [bool(x.whitespace_) for x in doc]
    starts = None
    if doc.has_annotation("SENT_START"):
        starts = [token.is_sent_start for token in doc]
    return Doc(doc.vocab, words=words, spaces=spaces, sent_starts=starts)


def _docs_of(docbin: DocBin, vocab: Vocab) -> Iterator[Doc]:
    # Span groups are read separately: spaCy takes fifty times as long. (DocBin copies
    # through bytes, which loses user data.)
    found = DocBin()
    vars(found).update(vars(docbin))
    groups, found.span_groups = found.span_groups, [b""] * len(found.span_groups)
    for number, doc in enumerate(found.get_docs(vocab)):
        if number < len(groups):
            read_groups(doc, groups[number])
        yield doc


def write_docs(
    docs: Iterable[Doc],
    path: Path,
    *,
    attributes: Sequence[str] | None = None,
    user_data: bool = False,
) -> None:
    """Write Docs to a .spacy file.

    Args:
        docs: The Docs.
        path: The file, which is written atomically.
        attributes: The attributes of tokens to store, besides texts and spaces; by
            default those that are annotated.
        user_data: Also store `doc.user_data`.
    """
    if attributes is None:
        docs = list(docs)
        attributes = [x for x in _STORED if any(doc.has_annotation(x) for doc in docs)]
    found = DocBin(list(attributes), store_user_data=user_data, docs=docs)
    write_whole(path, found.to_bytes())
