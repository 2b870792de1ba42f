"""How grammatical sentences are: where it is kept on a Doc, and what reads it.

As attributes of a span group, which travels with to_bytes, every DocBin, copies and
between processes.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.tokens import Doc, Span, SpanGroup, Token

KEY = "latperc_grammaticality"
WORST = "ungrammatical"
SCORES = "scores"


def write_sentence_scores(
    doc: Doc,
    starts: NDArray[np.int64],
    probabilities: NDArray[np.float64],
    margins: NDArray[np.float64],
    whole: tuple[float, float],
    contributions: NDArray[np.float32] | None = None,
) -> None:
    """Keep what was found of each sentence, and of the Doc.

    starts: first tokens of the sentences. whole: probability and margin of the Doc.
    contributions: what each token adds to the margin.
    """
    attrs: dict[str, Any] = {
        "tokens": len(doc),
        "starts": starts,
        SCORES: probabilities,
        "margins": margins,
        "doc": whole,
    }
    if contributions is not None:
        attrs["contributions"] = contributions
    doc.spans[KEY] = SpanGroup(doc, name=KEY, attrs=attrs)


def write_worst_spans(doc: Doc, spans: list[tuple[int, int, float]]) -> None:
    """(start, end, cost) of the spans without which a sentence would be better."""
    doc.spans[WORST] = SpanGroup(
        doc,
        name=WORST,
        spans=[doc[start:end] for start, end, _ in spans],
        attrs={SCORES: np.array([cost for _, _, cost in spans], dtype=np.float32)},
    )


def doc_grammaticality(doc: Doc) -> float | None:
    """The probability that a Doc is grammatical; None if nothing was found out."""
    attrs = _attrs(doc)
    return None if attrs is None else float(attrs["doc"][0])


def doc_margin(doc: Doc) -> float | None:
    """The raw score of a Doc, grammatical above 0 as it was trained."""
    attrs = _attrs(doc)
    return None if attrs is None else float(attrs["doc"][1])


def sentence_grammaticality(span: Span) -> float | None:
    """The probability that a sentence is grammatical; None for other spans."""
    return _of_sentence(span, SCORES)


def sentence_margin(span: Span) -> float | None:
    """The raw score of a sentence; None for other spans."""
    return _of_sentence(span, "margins")


def token_contribution(token: Token) -> float | None:
    """What a token adds to the raw score of its sentence; None without `explain`."""
    attrs = _attrs(token.doc)
    if attrs is None or "contributions" not in attrs:
        return None
    return float(attrs["contributions"][token.i])


def _attrs(doc: Doc) -> dict[str, Any] | None:
    group = doc.spans.data.get(KEY)
    # Tokens may have been merged or split since, and JSON leaves out the attributes.
    if group is None or group.attrs.get("tokens") != len(doc):
        return None
    return group.attrs


def _of_sentence(span: Span, name: str) -> float | None:
    attrs = _attrs(span.doc)
    if attrs is None:
        return None
    starts = attrs["starts"]
    place = int(np.searchsorted(starts, span.start))
    if place == len(starts) or starts[place] != span.start:
        return None
    end = starts[place + 1] if place + 1 < len(starts) else len(span.doc)
    return float(attrs[name][place]) if end == span.end else None


EXTENSIONS: list[tuple[Any, str, Callable]] = [
    (Doc, "grammaticality", doc_grammaticality),
    (Doc, "grammaticality_margin", doc_margin),
    (Span, "grammaticality", sentence_grammaticality),
    (Span, "grammaticality_margin", sentence_margin),
    (Token, "grammaticality", token_contribution),
]
