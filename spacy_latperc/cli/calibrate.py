"""`spacy latperc calibrate`: confidences that mean what they say."""

from pathlib import Path
from typing import Any

import typer
from thinc.api import Config
from wasabi import msg

from ..data.configured import configured_examples
from ..errors import Errors
from ..grammaticality.sentence_pipe import SentencePipe
from ..io.atomic import write_whole
from ..io.jsonl import write_json
from ..io.pipelines import (
    CONFIG,
    check_room,
    copy_pipeline,
    load_pipeline,
    whole_pipelines,
)
from ..io.progress import counted
from ..pipeline.calibrator import (
    PROBABILITIES,
    Report,
    choose_calibrated,
    fit_calibration,
    fit_recall,
    hold_out,
    measure,
    switch_scores_on,
)
from ..pipeline.chain_pipe import ChainPipe
from ..pipeline.recall import KEY, RecallFit, has_recall_constant
from . import latperc_cli
from .failures import failures_shown
from .groups import TRAIN
from .options import (
    ChangedPipeline,
    Code,
    Figures,
    HeldOut,
    PipelineFolder,
    WhichComponent,
)
from .score_tables import percent, show_table


@latperc_cli.command("calibrate", rich_help_panel=TRAIN)
def calibrate_cli(
    model: PipelineFolder,
    dev: HeldOut = "",
    output: ChangedPipeline = None,
    component: WhichComponent = None,
    test: str = typer.Option("", help="Other data to measure on"),
    precision: float | None = typer.Option(
        None, help="Fit the recall constant to this precision, between 0 and 1"
    ),
    recall: float | None = typer.Option(None, help="Fit it to this recall instead"),
    best_f: bool = typer.Option(False, "--best-f", help="Fit it to the best F"),
    json_path: Figures = None,
    code: Code = None,
) -> None:
    """
    Fit probabilities to held-out data.

    Of answers with probability 0.8, eight in ten are right afterwards. Annotation stays
    as it is, unless the component has a threshold or a recall constant.
    """
    with failures_shown():
        if not (model / CONFIG).is_file():
            raise ValueError(Errors.LP330.format(path=model))
        target = output or model
        check_room(target)
        nlp = load_pipeline(model)
        name = choose_calibrated(nlp, component)
        pipe: Any = nlp.get_pipe(name)
        asked = best_f or precision is not None or recall is not None
        if asked and not has_recall_constant(pipe):
            raise ValueError(Errors.LP478.format(name=name))
        fits_recall = asked or KEY in pipe.cfg

        def judged(corpus: str) -> Any:
            examples = configured_examples(nlp, corpus)
            return hold_out(nlp, name, counted(examples, "examples judged"))

        if fits_recall:
            examples = configured_examples(nlp, dev)
            fitted = fit_recall(nlp, name, examples, precision=precision, recall=recall)
            if fitted is None:
                raise ValueError(Errors.LP083.format(name=name))
            show_recall(name, fitted)
        held_out = judged(dev)
        calibration = fit_calibration(held_out)
        if test:
            held_out = judged(test)
        report = measure(held_out, calibration)
        held_out.pipe.calibration = calibration
        switched_on = switch_scores_on(nlp, name)
        save_calibrated(held_out.pipe, model, target, scores=switched_on)
        show(report)
        if switched_on:
            msg.info(f"Set scores = \"marginal\" for '{name}': it gives probabilities")
        if json_path:
            write_json(json_path, report.to_dict())
            msg.good(f"Saved all figures to {json_path}")
    msg.good(f"Saved calibrated pipeline to {target}")


def save_calibrated(
    component: ChainPipe | SentencePipe,
    model: Path,
    target: Path,
    *,
    scores: bool = False,
) -> None:
    """Save a pipeline of which one component has changed. The other parts are copied,
    so that the words of the held-out data are not added to the vocabulary."""

    def save(folder: Path) -> None:
        component.to_disk(folder / component.name, exclude=["vocab"])
        if scores:
            config = Config().from_disk(folder / CONFIG, interpolate=False)
            config["components"][component.name]["scores"] = PROBABILITIES
            write_whole(folder / CONFIG, config.to_bytes())

    if target.exists() and target.samefile(model):
        save(model)
        return
    with whole_pipelines([target]) as (fresh,):
        copy_pipeline(model, fresh, target)
        save(fresh)


def show_recall(name: str, fitted: RecallFit) -> None:
    """Print what the recall constant did."""
    msg.text(f"{name}: recall constant {fitted.constant:g}")
    sides = (("before", fitted.before), ("after", fitted.after))
    rows = [(name, *map(percent, scores)) for name, scores in sides]
    show_table(("", "P", "R", "F"), rows)


def show(report: Report) -> None:
    """Print what calibration did."""
    fitted = report.calibration
    msg.text(
        f"{report.component}: {report.answers:,} answers, {report.right:,} right; "
        f"temperature {fitted.temperature:.4g}, curve {fitted.low:.3f} "
        f"{fitted.high:.3f} {fitted.bias:+.3f}"
    )
    sides = (("before", report.before), ("after", report.after))
    rows = [(name, f"{q.ece:.4f}", f"{q.log_loss:.4f}") for name, q in sides]
    show_table(("", "ECE", "Log loss"), rows)
