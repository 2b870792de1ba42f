"""`spacy latperc judge train`."""

from dataclasses import replace
from pathlib import Path

import typer
from wasabi import msg

from ...cli.failures import failures_shown
from ...cli.groups import wing_app
from ...cli.options import Quiet, TextField, share
from ...cli.raw_text import RawTextReader
from ...io.pipelines import check_room, save_pipeline
from ...io.progress import progress_bar
from ...text.sentences import Sentences
from ..training.from_text import blank, words_of
from ..training.text_parts import JudgeSettings, split_text
from ..training.train_judge import JUDGE, make_judge

_DEFAULT = JudgeSettings()


app = wing_app()


@app.command("train")
def judge_train_cli(
    texts: list[str] = typer.Argument(
        ...,
        metavar="TEXT...",
        help="Good text: plain or .gz, .jsonl, '-' for standard input; or .spacy. Use "
        "a file for each domain, if there are several",
    ),
    output: Path = typer.Option(..., "--output", "-o", help="Folder for the pipeline"),
    lang: str = typer.Option("en", help="Language, whose tokenizer splits lines"),
    sentences: bool = typer.Option(
        False, "--sentences", help="Each line is a sentence: lines are not split"
    ),
    tokenised: bool = typer.Option(
        False,
        "--tokenised",
        help="Each line is a sentence whose words are separated by spaces",
    ),
    good: list[str] = typer.Option(
        [],
        "--good",
        help="Good text of the domain that will be judged: the threshold lets it pass. "
        "May be given several times",
    ),
    keep: float = share(
        1 - _DEFAULT.share,
        "--keep",
        help="Share of good sentences above the threshold: in the mean over the texts, "
        "each scored as out-of-domain text",
    ),
    sample: int = typer.Option(
        _DEFAULT.sentences,
        min=1,
        help="The largest number of sentences that errors are injected into",
    ),
    seed: int = typer.Option(_DEFAULT.seed, min=0, help="Same seed, same judge"),
    encoder: Path = typer.Option(
        None,
        "--encoder",
        help="An encoder whose vectors the detector reads (latperc knowledge encoder): "
        "better and many times slower",
        exists=True,
        file_okay=False,
    ),
    field: TextField = "text",
    quiet: Quiet = False,
) -> None:
    """Train a grammaticality judge on raw text.

    The judge is a pipeline: `latperc_errors` finds wrong words, and `latperc_judge`
    scores sentences by its output and by n-grams. It learns from the text and from
    errors that are injected into it, in any language. `filter` uses it, and `judge
    evaluate` measures it.
    """
    with failures_shown():
        check_room(output)
        reader = RawTextReader("", field, quiet=quiet)
        nlp = blank(lang)
        if not tokenised:
            reader.tokenize = words_of(blank(lang), split=not sentences)
        settings = JudgeSettings(sentences=sample, share=round(1 - keep, 12), seed=seed)
        settings = replace(settings, encoder=encoder)
        read: list[Sentences] = []
        for path in texts:
            read.append(reader.read([path], beside=read[0] if read else None))
        parts = split_text(read, settings)
        del read  # it takes much memory
        others = [reader.read([path], beside=parts.counted[0]) for path in good]
        with progress_bar("sentences learned from", quiet=quiet) as progress:
            make_judge(nlp, parts, settings, others, reader.done, progress)
        save_pipeline(nlp, output)
    threshold = nlp.get_pipe(JUDGE).threshold
    msg.good(f"Saved judge to {output}: threshold {threshold:.3f}")
