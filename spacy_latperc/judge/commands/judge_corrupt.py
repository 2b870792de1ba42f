"""`spacy latperc judge corrupt`."""

from dataclasses import replace

import typer
from wasabi import msg

from ...cli.failures import failures_shown
from ...cli.options import Lang, OutputFile, Quiet, RawTexts, TextField
from ...cli.raw_text import RawTextReader
from ...cli.wings import wing_app
from ...io.docbin import SUFFIX
from ...io.outputs import check_target
from ...io.progress import counted
from ..error_injection.corrupt import Corrupter, CorruptSettings
from ..error_injection.error_files import (
    JSONL,
    check_output,
    read_pairs,
    write_corrupted,
)
from ..error_injection.fitting import Fit, fit_shares
from ..error_injection.kinds import DEFAULT_SHARES, KINDS, read_shares
from ..evidence.lexicon import Lexicon
from .error_options import ErrorPairs

_DEFAULT = CorruptSettings()


app = wing_app()


@app.command("corrupt")
def judge_corrupt_cli(
    texts: RawTexts,
    output: OutputFile,
    shares: str = typer.Option(
        "",
        help="Kinds of errors and their shares, such as form=0.3,small=0.2, of "
        f"{', '.join(KINDS)}",
    ),
    fit: ErrorPairs = None,
    most: int = typer.Option(
        _DEFAULT.most, help="The largest number of errors in a sentence"
    ),
    clean: float = typer.Option(
        _DEFAULT.clean, help="The share of sentences that stay clean"
    ),
    lang: Lang = "",
    field: TextField = "text",
    seed: int = typer.Option(_DEFAULT.seed, help="Same seed, same errors"),
    quiet: Quiet = False,
) -> None:
    """Insert realistic errors into clean sentences.

    The output (.spacy or .jsonl) marks every change, token by token. latperc_errors
    learns from it. Forms of words and similar small words are found in the text itself,
    in any language. In a .spacy file with tags, forms are found more reliably.
    """
    with failures_shown():
        check_output(output)
        settings = CorruptSettings(
            shares=read_shares(shares) if shares else dict(DEFAULT_SHARES),
            most=most,
            clean=clean,
            seed=seed,
        )
        settings.check()
        check_target(output, sources=texts, suffixes=[SUFFIX, JSONL])
        pairs = read_pairs(fit) if fit else []
        text = RawTextReader(lang, field, quiet=quiet).read(texts)
        if len(texts) > 1:  # each file numbers its tags in its own way
            text = replace(text, tags=None)
        lexicon = Lexicon(text)
        if pairs:
            found = fit_shares(pairs, lexicon)
            settings = replace(settings, shares=found.shares)
            settings.check()
            if not quiet:
                _show_fit(found)
        sentences = Corrupter(lexicon, settings).all_of(text)
        told = counted(sentences, "sentences made", quiet=quiet)
        write_corrupted(told, output)
    if not quiet:
        msg.good(f"Wrote {output}: {len(text):,} sentences")


def _show_fit(found: Fit) -> None:
    listed = ",".join(f"{kind}={share:.3f}" for kind, share in found.shares.items())
    msg.text(
        f"{found.errors:,} errors, {found.per_sentence:.1f} in a sentence with errors; "
        f"{found.other:,} of unknown kind"
    )
    msg.text(f"--shares {listed}")
