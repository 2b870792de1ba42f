"""`spacy latperc ngrams`: how often the n-grams of a text occur."""

from pathlib import Path
from time import perf_counter

import typer
from wasabi import msg

from ..io.atomic import check_target
from ..knowledge.ngram_counts import SMOOTHINGS, CountSettings, NgramCounts
from . import latperc_cli
from .failures import failures_shown
from .groups import TEXT
from .options import Quiet
from .raw_text import RawTextReader

_DEFAULT = CountSettings()


@latperc_cli.command("ngrams", rich_help_panel=TEXT)
def ngrams_cli(
    texts: list[str] = typer.Argument(
        ...,
        metavar="TEXT...",
        help="One tokenised sentence on each line, plain or .gz, '-' for standard "
        "input; .jsonl; or .spacy",
    ),
    output: Path = typer.Option(..., "--output", "-o", help="For the counts"),
    order: int = typer.Option(_DEFAULT.order, help="Words in the longest n-grams"),
    smoothing: str = typer.Option(
        _DEFAULT.smoothing, help=f"{', '.join(SMOOTHINGS[:-1])} or {SMOOTHINGS[-1]}"
    ),
    megabytes: float = typer.Option(
        _DEFAULT.megabytes,
        "--megabytes",
        help="How large the table may be: rare n-grams are left out until it fits",
    ),
    lowercase: bool = typer.Option(False, "--lowercase", help="Read all in lower case"),
    digits: bool = typer.Option(False, "--digits", help="Read every digit as 0"),
    sentences: bool = typer.Option(
        _DEFAULT.sentences,
        "--sentences/--no-sentences",
        help="Keep what is needed to leave out sentences of the text itself",
    ),
    alternatives: bool = typer.Option(
        _DEFAULT.alternatives,
        "--alternatives/--no-alternatives",
        help="Keep which words may be meant in place of one another",
    ),
    lang: str = typer.Option(
        "", help="Split lines into words as spaCy does for this language, such as en"
    ),
    field: str = typer.Option("text", help="The field of .jsonl with the text"),
    quiet: Quiet = False,
) -> None:
    """Count the n-grams of raw text.

    As features they say how usual a word is where it stands. The file is what
    spacy_latperc.NgramEvidence.v1 reads, a source of attributes for the templates of
    every component.
    """
    start = perf_counter()
    with failures_shown():
        settings = CountSettings(
            order=order,
            smoothing=smoothing,
            megabytes=megabytes,
            lowercase=lowercase,
            digits=digits,
            sentences=sentences,
            alternatives=alternatives,
        )
        settings.check()
        check_target(output)
        text = RawTextReader(lang, field, quiet=quiet).read(texts)
        if not quiet:
            n = f"{len(text):,} sentences, {len(text.ids):,} words"
            msg.text(f"{perf_counter() - start:6.1f} s  read {n}")
        counts = NgramCounts.count(text, settings)
        counts.to_disk(output)
    if quiet:
        return
    least = ", ".join(map(str, counts.least))
    msg.text(f"{perf_counter() - start:6.1f} s  {counts.entries:,} entries")
    msg.text(f"1-grams, 2-grams, ... are kept that occur {least} times or more")
    n = f"{counts.nbytes / 1e6:.1f} MB, {perf_counter() - start:.1f} s"
    msg.good(f"Wrote {output}: {n}")
