"""`spacy latperc judge train`."""

import tempfile
from pathlib import Path

import spacy
import typer
from spacy.language import Language
from wasabi import msg

from ...cli.failures import failures_shown
from ...cli.options import Code, Quiet, TextField, share
from ...cli.raw_text import RawTextReader
from ...cli.wings import wing_app
from ...errors import Errors
from ...io.pipelines import check_room, load_pipeline
from ...io.progress import progress_bar
from ...text.sentences import Sentences
from ..error_detector import LatpercErrors
from ..error_injection.files import read_pairs
from ..judge_component import LatpercJudge
from ..training.judge_folder import save_judge
from ..training.report import held_out_sets, report_on
from ..training.tables import tables
from ..training.train_judge import JudgeSettings, make_judge
from .error_options import ErrorPairs
from .judge_evaluate import show_table

_DEFAULT = JudgeSettings()


app = wing_app()


@app.command("train")
def judge_train_cli(
    texts: list[str] = typer.Argument(
        ...,
        metavar="TEXT...",
        help="Good text: plain or .gz, .jsonl, '-' for standard input; or .spacy. Give "
        "files of several kinds, if you have them",
    ),
    output: Path = typer.Option(
        ..., "--output", "-o", help="Folder for the pipeline and its report"
    ),
    lang: str = typer.Option("en", help="Language: how lines are split into words"),
    sentences: bool = typer.Option(
        False, "--sentences", help="Each line is a sentence: lines are not split"
    ),
    tokenised: bool = typer.Option(
        False,
        "--tokenised",
        help="Each line is a sentence whose words are separated by spaces",
    ),
    tagger: str | None = typer.Option(
        None, help="A pipeline whose components come before: its tags are used"
    ),
    good: list[str] = typer.Option(
        [],
        "--good",
        help="Good text of the kind that will be judged, or of several kinds: the "
        "threshold lets it pass. May be given several times",
    ),
    keep: float = share(
        1 - _DEFAULT.share,
        "--keep",
        help="Share of good sentences that pass: in the mean over the texts, each seen "
        "as text of another kind",
    ),
    fit: ErrorPairs = None,
    sample: int = typer.Option(
        _DEFAULT.sentences, min=1, help="Sentences that get errors, to learn from"
    ),
    passes: int = typer.Option(
        _DEFAULT.passes, "--passes", "-n", min=1, help="Passes over them"
    ),
    megabytes: float = typer.Option(
        _DEFAULT.megabytes, help="How large the counts of n-grams may be"
    ),
    seed: int = typer.Option(_DEFAULT.seed, min=0, help="Same seed, same judge"),
    report: bool = typer.Option(
        True,
        "--report/--no-report",
        help="Say what the judge is worth, on sentences that were held out",
    ),
    field: TextField = "text",
    quiet: Quiet = False,
    code: Code = None,
) -> None:
    """Train a grammaticality judge on raw text.

    The judge is a pipeline: `latperc_errors` finds wrong words, and
    `latperc_judge` joins what it says with what n-grams of words and of word
    classes say. It learns from the text and from errors that are put into it, whatever
    the language. `filter` uses it, and `judge evaluate` measures it.
    """
    with failures_shown():
        check_room(output)
        settings = JudgeSettings(
            sentences=sample,
            passes=passes,
            megabytes=megabytes,
            share=round(1 - keep, 12),
            seed=seed,
        )
        nlp = _pipeline(tagger, lang)
        strings = list(nlp.vocab.strings)
        pairs = read_pairs(fit) if fit else []
        reader = _reader(nlp, sentences, tokenised, field, quiet)
        read = _read_all(reader, texts)
        others = _read_all(reader, good, beside=read[0])
        with (
            tempfile.TemporaryDirectory() as folder,
            progress_bar("sentences learned from", quiet=quiet) as progress,
        ):
            made = make_judge(
                nlp,
                read,
                settings,
                Path(folder),
                pairs=pairs,
                good=others,
                done=reader.done,
                progress=progress,
            )
        found = None
        if report:
            found = report_on(nlp, held_out_sets(made, settings.held_out))
            reader.done("judged what was held out")
        save_judge(nlp, output, found, strings=strings)
    if found and not quiet:
        for table in tables(found):
            show_table(table)
    pipe = nlp.get_pipe("judge")
    assert isinstance(pipe, LatpercJudge)
    msg.good(f"Saved judge to {output}: threshold {pipe.threshold:.3f}")


def _pipeline(tagger: str | None, lang: str) -> Language:
    if not tagger:
        try:
            return spacy.blank(lang)
        except (ImportError, ValueError) as error:
            raise ValueError(Errors.LP721.format(lang=lang, error=error)) from error
    nlp = load_pipeline(tagger)
    for _, pipe in nlp.pipeline:
        if isinstance(pipe, LatpercErrors | LatpercJudge):
            raise ValueError(Errors.LP347.format(path=tagger))
    return nlp


def _reader(
    nlp: Language, sentences: bool, tokenised: bool, field: str, quiet: bool
) -> RawTextReader:
    reader = RawTextReader("", field, quiet=quiet)
    if not tokenised:
        reader.use(nlp.tokenizer, split=not sentences)
    return reader


def _read_all(
    reader: RawTextReader, paths: list[str], beside: Sentences | None = None
) -> list[Sentences]:
    """The sentences of each file, over one vocabulary."""
    found: list[Sentences] = []
    for path in paths:
        known = beside or (found[0] if found else None)
        found.append(reader.read([path], beside=known))
    return found
