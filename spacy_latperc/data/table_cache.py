"""Tables that were parsed lately.

`spacy train` resolves its readers twice, for initialisation and for training, so a
parse that belonged to the reader would be paid twice.
"""

from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from threading import Lock

from .columns import read_columns
from .table import Table

MOST_TABLES = 8

_tables: OrderedDict[tuple[object, ...], Table] = OrderedDict()
_lock = Lock()


def cached_table(
    path: Path,
    columns: Sequence[str],
    *,
    separator: str | None,
    doc_mark: str | None,
    comment: str | None,
    encoding: str,
    multiword: str,
) -> Table:
    """The table of a column file, parsed again only when the file has changed."""
    settings = (tuple(columns), separator, doc_mark, comment, encoding, multiword)
    stat = path.stat() if path.is_file() else None
    version = stat and (stat.st_size, stat.st_mtime_ns)
    key = (path.absolute(), version, settings)
    with _lock:
        if key in _tables:
            _tables.move_to_end(key)
            return _tables[key]
    table = read_columns(
        path,
        columns,
        separator=separator,
        doc_mark=doc_mark,
        comment=comment,
        encoding=encoding,
        multiword=multiword,
    )
    with _lock:
        _tables[key] = table
        while len(_tables) > MOST_TABLES:
            _tables.popitem(last=False)
    return table
