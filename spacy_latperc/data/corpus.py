"""Readers for the [corpora] blocks of a config."""

import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import count, islice
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from spacy.language import Language
from spacy.training import Example

from ..errors import Errors, Warnings
from ..errors.check import check_choice, check_count, check_flag
from ..io.lines import corpus_files
from .column_files import ARTICLE_MARK
from .examples import ExampleMaker
from .formats import CONLLU, CONLLU_SUFFIXES, ColumnFormat, Labelled
from .ranges import DEFAULT_MULTIWORD
from .table import Table
from .token_layers import ATTRIBUTES, UNSET
from .tree_chunks import add_tree_chunks

INPUTS = ("tag", "pos", "lemma", "morph", "chunk", "ent")
PARTS = ("all", "held_out", "rest")
EVERY = 10  # one of as many Docs is held out
MOST_BYTES = 1 << 28  # of tables that a reader keeps; other files are read again

Reader = Callable[[Language], Iterable[Example]]
Item = TypeVar("Item")

# The empty lists below are defaults for `init fill-config`, and never change.


def column_corpus(
    path: Path | None,
    columns: list[str] | str,
    *,
    inputs: list[str] = [],  # noqa: B006
    separator: str | None = None,
    chunk_key: str = "chunks",
    chunk_scheme: str = "IOB2",
    ent_scheme: str = "IOB2",
    repair: bool = False,
    partial: bool = False,
    keep_types: list[str] | None = None,
    doc_mark: str | None = ARTICLE_MARK,
    docs: str = "sentence",
    max_sentences: int = 0,
    part: str = "all",
    limit: int = 0,
    encoding: str = "utf-8",
    multiword: str = DEFAULT_MULTIWORD,
) -> Reader:
    """Registered as spacy_latperc.ColumnCorpus.v1: examples from column files.

    Args:
        path: A file, plain or .gz, or a folder of them.
        columns: The names of the columns in file order, "-" for one to skip: word, tag,
            pos, lemma, morph, head, dep, chunk, ent, space and id (see read_columns). A
            list, or one string with commas, which is easier to write on the command
            line.
        inputs: The columns to copy to the predicted Docs as well. All columns are set
            on the reference Docs.
        separator: The column separator; null for any run of white space.
        chunk_key: The key in `doc.spans` for chunks.
        chunk_scheme: The representation of the labels, or "auto".
        ent_scheme: The representation of the labels, or "auto".
        repair: Read invalid labels as the CoNLL scoring script does, instead of raising
            an error.
        partial: Allow open labels: "?" for any, "A|B" for several (see partial.py).
        keep_types: Only chunks and entities of these types are kept.
        doc_mark: Lines that start with it start a document.
        docs: One Doc per "sentence", or per "document" with sentence starts set.
        max_sentences: Documents with more become several Docs. A file whose documents
            are not marked is one document. 0 for no limit.
        part: "held_out" is every tenth Doc, "rest" the others: a development set for
            corpora that have none. "all" is both.
        limit: The number of Docs to read; all when 0.
        encoding: The encoding of the files, one that writes line ends as ASCII does.
        multiword: The treatment of multiword tokens if there are ids: "auto", "merge"
            or "split" (see read_columns).
    """
    if isinstance(columns, str):
        columns = [name.strip() for name in columns.split(",")]
    given: dict[str, Any] = locals()
    names = {x.name for x in fields(ColumnFormat)}.intersection(given)
    format = ColumnFormat(**{name: given[name] for name in names})
    files = _Files(path, (), part, limit)
    return _reader(format, inputs, files)


def conllu_corpus(
    path: Path | None,
    *,
    inputs: list[str] = [],  # noqa: B006
    multiword: str = DEFAULT_MULTIWORD,
    docs: str = "sentence",
    chunks_from_ud: bool = False,
    limit: int = 0,
) -> Reader:
    """Registered as spacy_latperc.ConlluCorpus.v1: examples from CoNLL-U files.

    The references have tags (XPOS), parts of speech, lemmas, features, heads, relations
    and spacing, and chunks if these are wanted.

    Args:
        path: A .conllu file, plain or packed, or a folder of them.
        inputs: The annotation to copy to the predicted Docs as well: tag, pos, lemma,
            morph.
        multiword: The treatment of multiword tokens: "merge" makes each a token,
            "split" keeps their words, and "auto" merges those that their words do not
            spell.
        docs: One Doc per "sentence", or per "document" (`# newdoc`).
        chunks_from_ud: Make chunks (NP, VP, PP) of the trees, in doc.spans["chunks"].
        limit: The number of Docs to read; all when 0.
    """
    format = replace(CONLLU, docs=docs, multiword=multiword)
    check_flag("chunks_from_ud", chunks_from_ud)
    read = _reader(format, inputs, _Files(path, CONLLU_SUFFIXES, "all", limit))

    def with_chunks(nlp: Language) -> Iterator[Example]:
        for example in read(nlp):
            add_tree_chunks(example.reference)
            yield example

    return with_chunks if chunks_from_ud else read


@dataclass(frozen=True)
class _Files:
    """The files of a corpus, and the selection of their examples."""

    path: Path | None
    suffixes: tuple[str, ...]
    part: str
    limit: int

    def __post_init__(self) -> None:
        check_choice("part", self.part, PARTS)
        check_count("limit", self.limit, low=0, hint="0 for all")

    def chosen(self, items: Iterable[Item]) -> Iterator[Item]:
        """Select from examples, or from their numbers."""
        limit = self.limit or None
        if self.part == "held_out":
            items = islice(items, EVERY - 1, None, EVERY)
        elif self.part == "rest":
            return islice((x for i, x in enumerate(items, 1) if i % EVERY), limit)
        return islice(items, limit)


class ColumnExamples(Iterator[Example]):
    """The examples of column files."""

    def __init__(self, makers: Callable[[], Iterator[ExampleMaker]], files: _Files):
        self._makers = makers
        self._files = files
        self._read: Collection[int] | None = None
        self._all = files.chosen(self._examples())

    def _examples(self) -> Iterator[Example]:
        for maker in self._makers():
            if self._read is not None:
                maker.share_docs(self._read)
            yield from maker.examples()

    def __next__(self) -> Example:
        return next(self._all)

    def share_docs(self, read: Collection[int]) -> None:
        """Use one Doc for both sides of an example if that has no effect.

        Args:
            read: The only attributes that are read from predicted Docs, which are not
                written to.
        """
        self._read = read

    def sample(self) -> "Sample | None":
        """A few examples with all labels; None if that requires reading all of them."""
        chosen = self._files.chosen(count())
        following = next(chosen, None)
        found = False
        before = sentences = 0
        examples: list[Example] = []
        for maker in self._makers():  # one in memory at a time
            found = True
            if maker.reference.open:
                return None
            wanted = np.zeros(len(maker.offsets) - 1, dtype=bool)
            while following is not None and following < before + len(wanted):
                wanted[following - before] = True
                following = next(chosen, None)
            before += len(wanted)
            sentences += maker.count_sentences(wanted)
            examples.extend(maker.examples_of(maker.with_all_labels(wanted)))
        return Sample(sentences, examples) if found else None


@dataclass(frozen=True)
class Sample:
    """A sample of a corpus that suffices for initialisation.

    Attributes:
        sentences: The number of sentences in the corpus.
        examples: Examples with all tags, parts of speech, combinations of features,
            chunks, entities and relations of the corpus.
    """

    sentences: int
    examples: list[Example]


def _reader(format: ColumnFormat, inputs: Sequence[str], files: _Files) -> Reader:
    _check_inputs(inputs, format.columns)
    parsed: dict[Path, Labelled] = {}
    warned: set[Path] = set()

    def makers(nlp: Language) -> Iterator[ExampleMaker]:
        for file in corpus_files(files.path, files.suffixes):
            labelled = parsed.get(file) or format.read(file)
            if file not in warned:
                warned.add(file)
                _warn_of_empty_inputs(labelled.table, inputs)
                _warn_of_unknown_types(labelled, format.keep_types or ())
            kept = sum(x.nbytes for x in parsed.values())
            if file not in parsed and kept + labelled.nbytes <= MOST_BYTES:
                parsed[file] = labelled
            yield format.maker(nlp.vocab, labelled, inputs=inputs)

    return lambda nlp: ColumnExamples(lambda: makers(nlp), files)


def _check_inputs(inputs: Sequence[str], columns: Sequence[str]) -> None:
    for name in inputs:
        if name not in INPUTS:
            known = ", ".join(INPUTS)
            raise ValueError(Errors.LP118.format(name=name, known=known))
        if name not in columns:
            raise ValueError(Errors.LP117.format(name=name, columns=list(columns)))


def _warn_of_empty_inputs(table: Table, inputs: Sequence[str]) -> None:
    for name in inputs:
        if name in ATTRIBUTES and set(table.columns[name].strings) <= set(UNSET):
            warnings.warn(
                Warnings.LP901.format(name=name, path=table.path), stacklevel=2
            )


def _warn_of_unknown_types(labelled: Labelled, keep_types: Sequence[str]) -> None:
    known = {type_ for column in labelled.spans.values() for type_ in column.types}
    for type_ in set(keep_types) - known:
        warnings.warn(
            Warnings.LP902.format(
                type=type_, path=labelled.table.path, known=sorted(known)
            ),
            stacklevel=2,
        )
