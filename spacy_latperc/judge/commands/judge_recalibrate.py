"""`spacy latperc judge recalibrate`."""

import typer
from spacy.tokens import Doc
from wasabi import msg

from ...cli.calibrate import save_calibrated
from ...cli.failures import failures_shown
from ...cli.groups import wing_app
from ...cli.options import (
    ChangedPipeline,
    Code,
    PipelineFolder,
    Quiet,
    RawTexts,
    TextField,
)
from ...cli.raw_text import RawTextReader
from ...errors import Errors
from ...io.pipelines import check_room, load_pipeline
from ...io.progress import counted
from ..recalibration import find_judge, recalibrate

app = wing_app()


@app.command("recalibrate")
def judge_recalibrate_cli(
    model: PipelineFolder,
    texts: RawTexts,
    share: float = typer.Option(0.05, help="The share of sentences to reject"),
    bad_share: float | None = typer.Option(
        None,
        help="The share of bad sentences in the text that will be judged, which "
        "probabilities then assume",
    ),
    output: ChangedPipeline = None,
    tokenised: bool = typer.Option(
        False, "--tokenised", help="Words are separated by spaces"
    ),
    field: TextField = "text",
    quiet: Quiet = False,
    code: Code = None,
) -> None:
    """Adapt the threshold to clean text from a new domain.

    TEXT is of the domain. It needs no labels, but most of it must be good. The order of
    sentences does not change, only which of them pass the threshold.
    """
    with failures_shown():
        if not (model / "config.cfg").is_file():
            raise ValueError(Errors.LP330.format(path=model))
        target = output or model
        check_room(target)
        nlp = load_pipeline(model)
        judge = find_judge(nlp)
        text = RawTextReader(field=field, quiet=quiet).read(texts)
        made = (
            Doc(nlp.vocab, words=x) if tokenised else nlp.make_doc(" ".join(x))
            for x in text
        )
        docs = counted(made, "sentences judged", quiet=quiet)
        if bad_share is not None:
            judge.bad_share = bad_share
        n, before, now = recalibrate(nlp, docs, share)
        save_calibrated(judge, model, target)
    msg.text(
        f"{judge.name}: {n:,} sentences, rejected {100 * before:.1f} % before, "
        f"{100 * now:.1f} % now"
    )
    msg.good(f"Saved recalibrated pipeline to {target}")
