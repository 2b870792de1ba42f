"""`spacy latperc knowledge ngrams`."""

import typer
from wasabi import msg

from ...cli.failures import failures_shown
from ...cli.groups import wing_app
from ...cli.options import Lang, OutputFile, Quiet, RawTexts, TextField
from ...cli.raw_text import RawTextReader
from ...grammaticality.ngrams.ngram_model import NgramModel
from ...io.outputs import check_target
from ..evidence.ngram_counts import CountSettings, NgramCounts, estimate_counting

_DEFAULT = CountSettings()


app = wing_app()


@app.command("ngrams")
def knowledge_ngrams_cli(
    texts: RawTexts,
    output: OutputFile,
    order: int = typer.Option(_DEFAULT.order, help="Words in the longest n-grams"),
    megabytes: float = typer.Option(
        _DEFAULT.megabytes,
        "--megabytes",
        help="How large the table may be: rare n-grams are left out until it fits",
    ),
    arpa: bool = typer.Option(
        False,
        "--arpa",
        help="Write an n-gram model of the same n-grams in the ARPA format, which "
        "KenLM and SRILM read",
    ),
    lang: Lang = "",
    field: TextField = "text",
    quiet: Quiet = False,
) -> None:
    """Count the n-grams of raw text.

    As features they say how usual a word is where it stands. The file is what
    spacy_latperc.NgramEvidence.v1 reads, a source of attributes for the templates of
    every component; with --arpa, what other programs read.
    """
    with failures_shown():
        settings = CountSettings(order, megabytes)
        settings.check()
        check_target(output, sources=texts)
        reader = RawTextReader(lang, field, quiet=quiet)
        text = reader.read(texts)
        reader.done(f"counting takes {estimate_counting(text, settings)}")
        counts = NgramCounts.count(text, settings)
        if arpa:
            model = NgramModel.train(text, order=order, min_counts=counts.least)
            model.to_disk(output)
        else:
            counts.to_disk(output)
    if quiet:
        return
    least = ", ".join(map(str, counts.least))
    reader.done(f"{counts.entries:,} entries")
    msg.text(f"1-grams, 2-grams, ... are kept that occur {least} times or more")
    n = f"{output.stat().st_size / 1e6:.1f} MB, {reader.seconds:.1f} s"
    msg.good(f"Wrote {output}: {n}")
