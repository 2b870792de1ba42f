"""Column files and CoNLL-U to spaCy's .spacy files, and any of them to CoNLL-U."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..errors import Errors
from ..io.docbin import SUFFIX, read_docs, write_docs
from ..io.lines import corpus_files
from ..io.outputs import check_suffix, check_target
from ..io.packed import without_packing
from .conllu import write_conllu
from .examples import ExampleMaker
from .formats import CONLLU, CONLLU_SUFFIXES, ColumnFormat, Labelled
from .table import Table
from .tree_columns import rootless_line

_SUFFIXES = (SUFFIX, ".conllu")
TOKEN_ATTRIBUTES = {"tag": "TAG", "pos": "POS", "lemma": "LEMMA", "morph": "MORPH"}


@dataclass
class Converted:
    """The result of a conversion: counts, source and target.

    Attributes:
        spans: The counts of spans by column and type.
        repaired: The number of invalid labels, which were read leniently.
    """

    source: Path
    target: Path
    docs: int
    sentences: int
    tokens: int
    repaired: int
    spans: dict[str, Counter[str]] = field(default_factory=dict)


def convert(
    source: str | Path,
    target: str | Path,
    *,
    columns: Sequence[str] | None = None,
    **settings: Any,
) -> list[Converted]:
    """Convert a file or all files of a folder; one .spacy file for each.

    Args:
        source: The file or folder.
        target: The file to write, when source is a file and the name ends with .spacy,
            .conllu or .conllu.gz; otherwise a folder, where files keep their names and
            become .spacy files.
        columns: The columns by name (see read_columns); not needed for files that are
            called .conllu or .conllu.gz. A .spacy file, which can become CoNLL-U, has
            none.
        settings: The other settings of ColumnFormat (see `column_corpus`).

    Returns:
        The result for each file.
    """
    source, target = Path(source), Path(target)
    to_conllu = target.name.endswith(CONLLU_SUFFIXES) and not source.is_dir()
    is_file = target.name.endswith((SUFFIX, *CONLLU_SUFFIXES)) and not source.is_dir()
    check_suffix(target, _SUFFIXES if is_file else [SUFFIX])
    if to_conllu and source.suffix == SUFFIX:
        check_target(target, sources=[source], suffixes=_SUFFIXES)
        return [_docbin_to_conllu(source, target)]
    given = ColumnFormat(columns, **settings) if columns is not None else None
    kept = {key: settings[key] for key in ("docs", "multiword") if key in settings}
    conllu = replace(CONLLU, **kept)
    results = []
    for file, output in _outputs(corpus_files(source), source, target):
        format = given
        if format is None:
            if file.suffix == SUFFIX:
                raise ValueError(Errors.LP575.format(path=file, target=target))
            if not file.name.endswith(CONLLU_SUFFIXES):
                raise ValueError(Errors.LP301.format(path=file))
            format = conllu
        check_target(output, sources=[file], suffixes=_SUFFIXES)
        labelled = format.read(file)
        if format.documents:
            _check_roots(labelled.table)
        maker = format.maker(Vocab(), labelled)
        result = _counted(labelled, output, documents=format.documents)
        if to_conllu:
            write_conllu(maker.docs(), output)
        else:
            _write(maker, output, documents=format.documents)
        results.append(result)
    return results


def _docbin_to_conllu(source: Path, target: Path) -> Converted:
    docs = list(filter(len, read_docs(source, Vocab())))
    if not docs:
        raise ValueError(Errors.LP324.format(path=source))
    write_conllu(docs, target)
    return Converted(
        source=source,
        target=target,
        docs=len(docs),
        sentences=sum(_count_sentences(doc) for doc in docs),
        tokens=sum(map(len, docs)),
        repaired=0,
    )


def _count_sentences(doc: Doc) -> int:
    return len(list(doc.sents)) if doc.has_annotation("SENT_START") else 1


def _check_roots(table: Table) -> None:
    """A .spacy file with heads keeps the bounds of sentences by their roots only."""
    if table.heads is not None and (line := rootless_line(table)) is not None:
        raise ValueError(Errors.LP138.format(path=table.path, line=line))


def _outputs(files: list[Path], source: Path, target: Path) -> list[tuple[Path, Path]]:
    """The files, each with the file to write."""
    if target.name.endswith((SUFFIX, *CONLLU_SUFFIXES)) and not source.is_dir():
        return [(files[0], target)]
    outputs: dict[Path, Path] = {}
    for file in files:
        name = without_packing(file.name).rpartition(".")[0] or file.name
        output = target / f"{name}{SUFFIX}"
        if output in outputs:
            raise ValueError(
                Errors.LP482.format(first=outputs[output], second=file, target=output)
            )
        outputs[output] = file
    return [(file, output) for output, file in outputs.items()]


def _write(maker: ExampleMaker, output: Path, *, documents: bool) -> None:
    columns = maker.table.columns
    attributes = [name for x, name in TOKEN_ATTRIBUTES.items() if x in columns]
    if "ent" in columns:
        attributes += ["ENT_IOB", "ENT_TYPE"]
    if maker.table.heads is not None:
        attributes += ["HEAD", "DEP"]
    if documents:
        attributes.append("SENT_START")
    docs, has_sets = maker.docs(), maker.reference.open
    write_docs(docs, output, attributes=attributes, user_data=has_sets)


def _counted(labelled: Labelled, output: Path, *, documents: bool) -> Converted:
    table, spans = labelled.table, labelled.spans
    return Converted(
        source=table.path,
        target=output,
        docs=table.n_documents if documents else table.n_sentences,
        sentences=table.n_sentences,
        tokens=table.n_tokens,
        repaired=sum(column.repaired for column in spans.values()),
        spans={
            name: Counter(column.types[i] for i in column.type_ids.tolist())
            for name, column in spans.items()
        },
    )
