"""`spacy latperc judge corrupt`."""

import typer
from wasabi import msg

from ...cli.failures import failures_shown
from ...cli.groups import wing_app
from ...cli.options import Lang, OutputFile, Quiet, RawTexts, TextField
from ...cli.raw_text import RawTextReader
from ...errors import Errors
from ...errors.check import split_shares
from ...io.docbin import SUFFIX
from ...io.outputs import check_target
from ...io.progress import counted
from ..error_injection.corrupt import Corrupter, CorruptSettings
from ..error_injection.error_files import write_corrupted
from ..error_injection.kinds import DEFAULT_SHARES, KINDS
from ..evidence.lexicon import Lexicon

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

    The output (.spacy) marks every change, token by token. latperc_errors
    learns from it. Forms of words and similar small words are found in the text itself,
    in any language.
    """
    with failures_shown():
        settings = CorruptSettings(
            shares={name: share for _, name, share in split_shares(shares)}
            or DEFAULT_SHARES,
            most=most,
            clean=clean,
            seed=seed,
        )
        settings.check()
        if output.suffix != SUFFIX:
            raise ValueError(Errors.LP351.format(path=output, wanted=SUFFIX))
        check_target(output, sources=texts, suffixes=[SUFFIX])
        text = RawTextReader(lang, field, quiet=quiet).read(texts)
        sentences = Corrupter(Lexicon(text), settings).all_of(text)
        told = counted(sentences, "sentences made", quiet=quiet)
        write_corrupted(told, output)
    if not quiet:
        msg.good(f"Wrote {output}: {len(text):,} sentences")
