"""`spacy latperc convert`: column files and CoNLL-U to .spacy files, and back."""

from pathlib import Path

import typer
from wasabi import msg

from ..data.column_files import ARTICLE_MARK, COLUMN_NAMES
from ..data.conversion import Converted, convert
from .failures import failures_shown


def convert_cli(
    source: Path = typer.Argument(
        ..., help="A column, CoNLL-U or .spacy file, plain or .gz, or a folder of them"
    ),
    target: Path = typer.Argument(
        ..., help="The .spacy or .conllu file to write, or the folder for .spacy files"
    ),
    columns: str = typer.Option(
        "",
        "--columns",
        "-c",
        help="The columns in file order, separated by commas, '-' for one to skip, of "
        f"{', '.join(COLUMN_NAMES)}. Not needed for files called .conllu",
    ),
    separator: str = typer.Option(
        "", "--separator", "-s", help="'tab' for a tab; any white space by default"
    ),
    chunk_key: str = typer.Option("chunks", help="Where the chunks go in doc.spans"),
    chunk_scheme: str = typer.Option("IOB2", help="Form of chunk labels, or 'auto'"),
    ent_scheme: str = typer.Option("IOB2", help="Form of entity labels, or 'auto'"),
    repair: bool = typer.Option(
        False, "--repair", "-r", help="Repair invalid labels as CoNLL's script does"
    ),
    partial: bool = typer.Option(
        False, "--partial", "-p", help="Labels may be open: ? is any, A|B one of two"
    ),
    keep_types: str = typer.Option(
        "", "--keep-types", "-k", help="Only chunks and entities of these, with commas"
    ),
    doc_mark: str = typer.Option(ARTICLE_MARK, help="The start of lines before a text"),
    docs: str = typer.Option(
        "sentence", "--docs", "-d", help="One Doc per 'sentence' or per 'document'"
    ),
    encoding: str = typer.Option("utf-8", help="Encoding of the file"),
) -> None:
    """
    Make .spacy files of column files and CoNLL-U, and back to CoNLL-U.

    Column files have a token on each line, as CoNLL and IOB files do.
    """
    with failures_shown():
        results = convert(
            source,
            target,
            columns=columns.split(",") if columns else None,
            separator="\t" if separator == "tab" else separator or None,
            chunk_key=chunk_key,
            chunk_scheme=chunk_scheme,
            ent_scheme=ent_scheme,
            repair=repair,
            partial=partial,
            keep_types=keep_types.split(",") if keep_types else None,
            doc_mark=doc_mark or None,
            docs=docs,
            encoding=encoding,
        )
    for result in results:
        show_counts(result)


def show_counts(result: Converted) -> None:
    """Print what a file held."""
    msg.good(f"{result.source} -> {result.target}")
    rows = [("documents", result.docs), ("sentences", result.sentences)]
    rows.append(("tokens", result.tokens))
    for column, counts in result.spans.items():
        rows += [(f"{column} {type_}", n) for type_, n in counts.most_common()]
    if result.spans:
        rows.append(("repaired labels", result.repaired))
    msg.table([(name, f"{n:,}") for name, n in rows], aligns=("l", "r"))
