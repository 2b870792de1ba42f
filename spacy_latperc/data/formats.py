"""Formats of column files, shared by `convert` and the readers of a config."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spacy.vocab import Vocab

from ..errors import Errors
from ..errors.check import check_choice, check_count
from ..io.packed import PACKED_SUFFIXES
from .column_files import ARTICLE_MARK, check_column_names, read_columns
from .examples import ExampleMaker
from .label_spans import SpanColumn, all_label_spans
from .partial import OpenTokens, read_partial
from .ranges import DEFAULT_MULTIWORD, MULTIWORD
from .table import Table

DOCS = ("sentence", "document")
CONLLU_SUFFIXES = (".conllu", *(f".conllu{packed}" for packed in PACKED_SUFFIXES))


@dataclass(frozen=True, eq=False)
class Labelled:
    """A table with certain tags, certain spans and open tokens by column."""

    table: Table
    spans: dict[str, SpanColumn]
    open: dict[str, OpenTokens] | None = None

    @property
    def nbytes(self) -> int:
        """The size of the arrays in bytes."""
        return self.table.nbytes + sum(x.nbytes for x in self.spans.values())


@dataclass(frozen=True)
class ColumnFormat:
    """The format of column files; see `column_corpus` for the settings."""

    columns: Sequence[str]
    separator: str | None = None
    chunk_key: str = "chunks"
    chunk_scheme: str = "IOB2"
    ent_scheme: str = "IOB2"
    repair: bool = False
    partial: bool = False
    keep_types: Sequence[str] | None = None
    doc_mark: str | None = ARTICLE_MARK
    comment: str | None = None
    docs: str = "sentence"
    max_sentences: int = 0
    encoding: str = "utf-8"
    multiword: str = DEFAULT_MULTIWORD

    def __post_init__(self) -> None:
        check_column_names(self.columns)
        check_choice("multiword", self.multiword, MULTIWORD)
        check_choice("docs", self.docs, DOCS)
        check_count("max_sentences", self.max_sentences, low=0, hint="0 for no limit")
        if self.max_sentences and not self.documents:
            raise ValueError(Errors.LP772.format(max_sentences=self.max_sentences))

    @property
    def documents(self) -> bool:
        """True if each Doc is a document rather than a sentence."""
        return self.docs == "document"

    def read(self, path: Path) -> Labelled:
        """Read the tokens of a file with their annotation."""
        names = ("separator", "doc_mark", "comment", "encoding", "multiword")
        settings: dict[str, Any] = {name: getattr(self, name) for name in names}
        table = read_columns(path, self.columns, **settings)
        if self.partial:
            if self.repair:
                raise ValueError(Errors.LP129)
            schemes = {"chunk": self.chunk_scheme, "ent": self.ent_scheme}
            return Labelled(*read_partial(table, schemes, keep_types=self.keep_types))
        spans = all_label_spans(
            table,
            chunk_scheme=self.chunk_scheme,
            ent_scheme=self.ent_scheme,
            repair=self.repair,
            keep_types=self.keep_types,
        )
        return Labelled(table, spans)

    def maker(
        self, vocab: Vocab, labelled: Labelled, *, inputs: Sequence[str] = ()
    ) -> ExampleMaker:
        """The converter of the tokens to Docs and Examples."""
        return ExampleMaker(
            vocab,
            labelled.table,
            labelled.spans,
            inputs=inputs,
            chunk_key=self.chunk_key,
            documents=self.documents,
            max_sentences=self.max_sentences,
            open_tokens=labelled.open,
        )


# Words, annotation, trees and spacing; UPOS is `pos` and XPOS is `tag`. Empty nodes and
# enhanced dependencies are skipped.
CONLLU = ColumnFormat(
    ("id", "word", "lemma", "pos", "tag", "morph", "head", "dep", "-", "space"),
    separator="\t",
    doc_mark="# newdoc",
    comment="#",
)
