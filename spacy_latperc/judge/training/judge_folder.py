"""A judge as a folder: a pipeline, and a report beside it."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.strings import StringStore
from thinc.api import Config

from ...io.atomic import write_whole
from ...io.jsonl import write_json
from ...io.pipelines import whole_pipelines
from ..error_detector import LatpercErrors
from ..judge_component import LatpercJudge
from .page import page

REPORT = "judge-report"
_REPORTS = (f"{REPORT}.html", f"{REPORT}.json")
_PATHS = ("path", "classes")


def save_judge(
    nlp: Language,
    folder: Path,
    report: dict[str, Any] | None = None,
    *,
    strings: Iterable[str] = (),
) -> None:
    """Save a judge and its report in one step.

    Args:
        nlp: The pipeline.
        folder: Its folder.
        report: The figures of the report, if there is one.
        strings: The strings of the vocabulary before any text was read. The words of
            the text are not saved.
    """
    with whole_pipelines([folder], others=_REPORTS) as (fresh,):
        nlp.to_disk(fresh)
        thresholds = {
            name: pipe.threshold
            for name, pipe in nlp.pipeline
            if isinstance(pipe, LatpercErrors | LatpercJudge)
        }
        _complete(fresh / "config.cfg", thresholds)
        labels = [x for _, pipe in nlp.pipeline for x in getattr(pipe, "labels", ())]
        kept = StringStore(sorted({*strings, *labels}))
        kept.to_disk(fresh / "vocab" / "strings.json")
        if report is not None:
            write_report(report, fresh)


def write_report(report: dict[str, Any], folder: Path) -> None:
    """Write a report as a page and as JSON."""
    html, json = _REPORTS
    write_json(folder / json, report)
    write_whole(folder / html, page(report).encode())


def _complete(path: Path, thresholds: Mapping[str, float]) -> None:
    """Write the thresholds that were chosen into a config. The files that sources were
    read from are gone, and the model has what they said."""
    config = Config().from_disk(path, interpolate=False)
    for name, threshold in thresholds.items():
        config["components"][name]["threshold"] = threshold
    for component in config["components"].values():
        features = component.get("model", {}).get("features", {})
        for source in (features.get("sources") or {}).values():
            for key in _PATHS:
                if isinstance(source.get(key), str):
                    source[key] = ""
    config.to_disk(path)
