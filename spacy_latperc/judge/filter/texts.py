"""Filtering texts in memory, from Python."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from spacy.language import Language

from ...errors import Errors
from ...io.pipelines import pipeline_to_bytes
from .filter_files import choose
from .filter_scores import ScoringSettings, Verdict, load_scorer
from .processes import Scorers


class _Text(NamedTuple):
    number: int
    text: str


def score_texts(
    nlp: Language | str | Path,
    texts: Iterable[str],
    *,
    documents: bool = False,
    tokenised: bool = False,
    reasons: bool = False,
    processes: int = 1,
) -> Iterator[Verdict]:
    """Score texts with a judge.

    Args:
        nlp: The pipeline, which stays as it is, or its name or path, or an n-gram model
            (an ARPA file).
        texts: The texts, of which few are in memory at a time.
        documents: True if each text has several sentences. Its score is the share of
            good ones.
        tokenised: True if words are separated by spaces.
        reasons: Also find the words, or sentences, that lower the scores most.
        processes: The number of processes.

    Yields:
        The score of each text, with its reasons.

    Raises:
        ValueError: The pipeline fails on a text.
    """
    settings = ScoringSettings("", tokenised, processes, documents, None, reasons)
    for _, verdict in _scored(nlp, texts, settings):
        yield verdict


def filter_texts(
    nlp: Language | str | Path,
    texts: Iterable[str],
    *,
    threshold: float | None = None,
    below: bool = False,
    documents: bool = False,
    tokenised: bool = False,
    processes: int = 1,
) -> Iterator[str]:
    """Yield the texts with a score of `threshold` or more (by default that of the
    component, and for documents 0.5), in order; with `below` the others. For the other
    arguments see `score_texts`.
    """
    scorer = nlp if isinstance(nlp, Language) else load_scorer(str(nlp))
    choice = choose(scorer, threshold, below=below, documents=documents)
    settings = ScoringSettings("", tokenised, processes, documents)
    for text, verdict in _scored(nlp, texts, settings):
        if choice.keeps(verdict.score):
            yield text


def _scored(
    nlp: Language | str | Path, texts: Iterable[str], settings: ScoringSettings
) -> Iterator[tuple[str, Verdict]]:
    model = pipeline_to_bytes(nlp) if isinstance(nlp, Language) else str(nlp)
    items = (_Text(number, text) for number, text in enumerate(texts, 1))
    with Scorers(replace(settings, model=model)) as scorers:
        for item, verdict in scorers.scored(items):
            if verdict.problem:
                place = {"path": "The texts", "unit": "text", "line": item.number}
                raise ValueError(Errors.LP340.format(**place, problem=verdict.problem))
            yield item.text, verdict
