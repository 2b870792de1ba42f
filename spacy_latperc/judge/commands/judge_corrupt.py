"""`spacy latperc judge corrupt`."""

from collections.abc import Iterable
from dataclasses import replace

import typer
from wasabi import msg

from ...cli.failures import failures_shown
from ...cli.options import (
    Lang,
    OutputFile,
    Quiet,
    RawTexts,
    TextField,
)
from ...cli.raw_text import RawTextReader
from ...cli.wings import wing_app
from ...io.docbin import SUFFIX
from ...io.outputs import check_target
from ...io.progress import progress_bar
from ...text.sentences import Sentences
from ..error_injection.corrupt import Corrupter, CorruptSettings
from ..error_injection.files import (
    JSONL,
    check_output,
    read_pairs,
    words_of,
    write_corrupted,
)
from ..error_injection.fitting import Fit, fit_shares
from ..error_injection.kinds import DEFAULT_SHARES, read_shares
from ..evidence.lexicon import Lexicon
from .error_options import ErrorPairs, ErrorShares

_DEFAULT = CorruptSettings()


app = wing_app()


@app.command("corrupt")
def judge_corrupt_cli(
    texts: RawTexts,
    output: OutputFile,
    shares: ErrorShares = "",
    fit: ErrorPairs = None,
    fewest: int = typer.Option(_DEFAULT.fewest, help="Errors of a sentence, at least"),
    most: int = typer.Option(_DEFAULT.most, help="Errors of a sentence, at most"),
    clean: float = typer.Option(
        _DEFAULT.clean, help="The share of sentences that stay as they are"
    ),
    foreign: list[str] = typer.Option(
        [], help="Text of other languages, with words for errors of the kind foreign"
    ),
    limit: int = typer.Option(
        0, min=0, help="How many sentences, from the first; 0 for all"
    ),
    lang: Lang = "",
    field: TextField = "text",
    seed: int = typer.Option(_DEFAULT.seed, help="Same seed, same errors"),
    quiet: Quiet = False,
) -> None:
    """Insert realistic errors into clean sentences.

    The file (.spacy or .jsonl) has marks of what was changed, token by token;
    latperc_errors learns from it. Forms of words, and which small words stand in like
    places, are found in the text itself: any language will do. Where the text is a
    .spacy file with tags, forms are found more reliably.
    """
    with failures_shown():
        check_output(output)
        settings = CorruptSettings(
            shares=read_shares(shares) if shares else dict(DEFAULT_SHARES),
            fewest=fewest,
            most=most,
            clean=clean,
            seed=seed,
        )
        settings.check()
        check_target(output, sources=texts, suffixes=[SUFFIX, JSONL])
        pairs = read_pairs(fit) if fit else []
        reader = RawTextReader(lang, field, quiet=quiet)
        words = words_of(word for line in _lines(reader, foreign) for word in line)
        text = reader.read(texts)
        if len(texts) > 1:  # each file has its own numbers of tags
            text = replace(text, tags=None)
        lexicon = Lexicon(text)
        if pairs:
            found = fit_shares(pairs, lexicon)
            settings = replace(settings, shares=found.shares)
            settings.check()
            _show_fit(found, quiet=quiet)
        corrupter = Corrupter(lexicon, settings, foreign=words)
        sources = text.slice(0, limit) if limit else text
        with progress_bar("sentences made", total=len(sources), quiet=quiet) as told:
            write_corrupted(corrupter.all_of(sources), output, progress=told)
    if not quiet:
        msg.good(f"Wrote {output}: {len(sources):,} sentences")


def _lines(reader: RawTextReader, paths: list[str]) -> Sentences | Iterable[list[str]]:
    return reader.read(paths) if paths else []


def _show_fit(found: Fit, *, quiet: bool) -> None:
    if quiet:
        return
    listed = ",".join(f"{kind}={share:.3f}" for kind, share in found.shares.items())
    msg.text(
        f"{found.errors:,} errors, {found.per_sentence:.1f} in a sentence that has "
        f"some; {found.other:,} of unknown kind"
    )
    msg.text(f"--shares {listed}")
