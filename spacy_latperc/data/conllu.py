"""CoNLL-U files, by way of the column reader."""

from pathlib import Path

from .columns import read_columns
from .ranges import DEFAULT_MULTIWORD
from .table import Table

COLUMNS = ["id", "word", "lemma", "pos", "tag", "morph", "head", "dep", "-", "space"]
SEPARATOR = "\t"
DOC_MARK = "# newdoc"
COMMENT = "#"
SUFFIXES = (".conllu", ".conllu.gz")


def read_conllu(path: str | Path, *, multiword: str = DEFAULT_MULTIWORD) -> Table:
    """Read a CoNLL-U file: words, annotation, trees and spacing.

    UPOS is `pos` and XPOS is `tag`. Empty nodes and enhanced dependencies are skipped;
    documents start at `# newdoc`.

    Args:
        path: The file, plain or .gz.
        multiword: What becomes of multiword tokens (see read_columns).

    Returns:
        The tokens of the file.
    """
    return read_columns(
        path,
        COLUMNS,
        separator=SEPARATOR,
        doc_mark=DOC_MARK,
        comment=COMMENT,
        multiword=multiword,
    )
