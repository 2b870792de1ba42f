"""Column files and CoNLL-U to spaCy's .spacy files."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from spacy.tokens import DocBin
from spacy.vocab import Vocab

from ..errors import Errors
from ..io.atomic import write_whole
from .columns import ARTICLE_MARK, read_columns
from .conllu import SUFFIXES, read_conllu
from .corpus import DOCS
from .examples import MISSING_KEY, ExampleMaker
from .files import corpus_files
from .label_spans import SpanColumn
from .labels import read_labels
from .ranges import DEFAULT_MULTIWORD
from .table import Table
from .trees import rootless_line

SPACY_SUFFIX = ".spacy"
TOKEN_ATTRIBUTES = {"tag": "TAG", "pos": "POS", "lemma": "LEMMA", "morph": "MORPH"}


@dataclass
class Converted:
    """What a file held and where it went.

    spans: By column, how many there are of each type.
    repaired: How many labels were invalid and read leniently.
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
    separator: str | None = None,
    chunk_key: str = "chunks",
    chunk_scheme: str = "IOB2",
    ent_scheme: str = "IOB2",
    repair: bool = False,
    partial: bool = False,
    missing_key: str = MISSING_KEY,
    keep_types: Sequence[str] | None = None,
    doc_mark: str | None = ARTICLE_MARK,
    comment: str | None = None,
    docs: str = "sentence",
    suffix: str | None = None,
    encoding: str = "utf-8",
    multiword: str = DEFAULT_MULTIWORD,
) -> list[Converted]:
    """Convert a file or all files of a folder; one .spacy file for each.

    target: The file to write, when its name ends with .spacy and source is a file;
        otherwise a folder, where files keep their names.
    columns: The columns by name (see read_columns); not needed for files that are
        called .conllu or .conllu.gz.
    partial: Labels may be open: "?" is any, "A|B" one of several (see partial.py).
    missing_key: Where tokens with an open chunk label go in `doc.spans`.
    multiword: What becomes of multiword tokens of CoNLL-U (see read_columns); the words
        of one that is a single token are kept beside it (see multiword.py).
    """
    source, target = Path(source), Path(target)
    if docs not in DOCS:
        raise ValueError(Errors.LP119.format(docs=docs, known=", ".join(DOCS)))
    results = []
    for file, output in _outputs(corpus_files(source, suffix=suffix), source, target):
        if columns is None and file.name.endswith(SUFFIXES):
            table = read_conllu(file, multiword=multiword)
        elif columns is None:
            raise ValueError(Errors.LP301.format(path=file))
        else:
            table = read_columns(
                file,
                columns,
                separator=separator,
                doc_mark=doc_mark,
                comment=comment,
                encoding=encoding,
                multiword=multiword,
            )
        labelled = read_labels(
            table,
            chunk_scheme=chunk_scheme,
            ent_scheme=ent_scheme,
            repair=repair,
            partial=partial,
            keep_types=keep_types,
        )
        documents = docs == "document"
        if documents:
            _check_roots(table)
        maker = ExampleMaker(
            Vocab(),
            labelled.table,
            labelled.spans,
            chunk_key=chunk_key,
            documents=documents,
            open_tokens=labelled.open,
            missing_key=missing_key,
        )
        _write(maker, output, documents=documents)
        results.append(_counted(table, labelled.spans, output, documents=documents))
    return results


def _check_roots(table: Table) -> None:
    """A .spacy file with heads keeps the bounds of sentences by their roots only."""
    if table.heads is not None and (line := rootless_line(table)) is not None:
        raise ValueError(Errors.LP138.format(path=table.path, line=line))


def _outputs(files: list[Path], source: Path, target: Path) -> list[tuple[Path, Path]]:
    """The files, each with the file to write."""
    if target.suffix == SPACY_SUFFIX and not source.is_dir():
        return [(files[0], target)]
    outputs: dict[Path, Path] = {}
    for file in files:
        name = file.name.removesuffix(".gz").rpartition(".")[0] or file.name
        output = target / f"{name}{SPACY_SUFFIX}"
        if output in outputs:
            raise ValueError(
                Errors.LP302.format(first=outputs[output], second=file, output=output)
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
    docs = DocBin(attributes, store_user_data=maker.has_user_data, docs=maker.docs())
    write_whole(output, docs.to_bytes())


def _counted(
    table: Table, spans: dict[str, SpanColumn], output: Path, *, documents: bool
) -> Converted:
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
