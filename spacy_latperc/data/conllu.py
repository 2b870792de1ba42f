"""CoNLL-U files, by way of the column reader."""

from pathlib import Path

from .columns import read_columns
from .table import Table

COLUMNS = ["id", "word", "lemma", "pos", "tag", "-", "-", "-", "-", "space"]
SUFFIXES = (".conllu", ".conllu.gz")


def read_conllu(path: str | Path) -> Table:
    """Words, lemmas, UPOS (pos), XPOS (tag) and spacing of a CoNLL-U file.

    Multiword ranges and empty nodes are skipped, documents start at `# newdoc`.
    """
    return read_columns(path, COLUMNS, separator="\t", doc_mark="# newdoc", comment="#")
