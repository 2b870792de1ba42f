"""The annotation of the component on a Doc: functions that write it and read it.

Scores are attributes of a span group, so that to_bytes, every DocBin, copies and other
processes keep them.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from spacy.tokens import Doc, Span, SpanGroup, Token

from ..schemes import LabelInventory
from .classifier import SentenceScores

KEY = "latperc_grammaticality"
SCORES, VERSIONS = "scores", "versions"


class SentencePredictions(NamedTuple):
    """The predictions for the sentences of a batch of Docs.

    Args:
        docs: The first token of each Doc, and the end.
        found: Scores and latent chunks of the sentences.
        contributions: The share of each token in the score of its sentence; None unless
            requested.
        versions: A score for comparing each sentence with other versions of it; None if
            that is its score.
    """

    docs: NDArray[np.int64]
    found: SentenceScores
    contributions: NDArray[np.float32] | None = None
    versions: NDArray[np.float64] | None = None

    def by_doc(self, docs: Sequence[Doc]) -> Iterator[tuple[Doc, slice, slice]]:
        """Yield each Doc with its tokens and its sentences in the batch."""
        first = 0
        per_doc = self.found.per_doc.tolist()
        for doc, (start, end), n in zip(
            docs, pairwise(self.docs.tolist()), per_doc, strict=True
        ):
            yield doc, slice(start, end), slice(first, first + n)
            first += n


def write_sentence_scores(
    doc: Doc,
    starts: NDArray[np.int64],
    probabilities: NDArray[np.float64],
    margins: NDArray[np.float64],
    whole: tuple[float, float],
    contributions: NDArray[np.float32] | None = None,
    versions: NDArray[np.float64] | None = None,
) -> None:
    """Write the scores of each sentence, and of the Doc.

    Args:
        doc: The Doc to write on.
        starts: The first token of each sentence.
        probabilities: The probability of each sentence to be grammatical.
        margins: The raw score of each sentence.
        whole: Probability and margin of the Doc.
        contributions: The share of each token in the margin.
        versions: A score for comparing each sentence with other versions of it.
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
    if versions is not None:
        attrs[VERSIONS] = versions
    doc.spans[KEY] = SpanGroup(doc, name=KEY, attrs=attrs)


def write_chunks(
    docs: Sequence[Doc],
    offsets: NDArray[np.int64],
    found: SentenceScores,
    inventories: Sequence[LabelInventory],
) -> None:
    """Write the best latent chunks of each view to doc.spans."""
    keys = chunk_keys(inventories)
    for key, inventory, labels in zip(keys, inventories, found.labels, strict=True):
        starts, ends, types = inventory.decode_ids(labels, found.bounds)
        place = np.searchsorted(starts, offsets).tolist()
        for i, (doc, at) in enumerate(zip(docs, offsets.tolist(), strict=False)):
            here = slice(place[i], place[i + 1])
            doc.spans[key] = [
                Span(doc, start - at, end - at, label=inventory.types[type_])
                for start, end, type_ in zip(
                    starts[here].tolist(),
                    ends[here].tolist(),
                    types[here].tolist(),
                    strict=True,
                )
            ]


def chunk_keys(inventories: Sequence[LabelInventory]) -> list[str]:
    """Name the span group of each view. Views of one representation are numbered."""
    names = [inventory.scheme.name for inventory in inventories]
    return [
        f"latperc:{name}"
        if names.count(name) == 1
        else f"latperc:{name}:{names[:i].count(name) + 1}"
        for i, name in enumerate(names)
    ]


def doc_grammaticality(doc: Doc) -> float | None:
    """Return the probability that a Doc is grammatical; None without a prediction."""
    attrs = _attrs(doc)
    return None if attrs is None else float(attrs["doc"][0])


def doc_margin(doc: Doc) -> float | None:
    """Return the raw score of a Doc. Training puts grammatical Docs above 0."""
    attrs = _attrs(doc)
    return None if attrs is None else float(attrs["doc"][1])


def doc_preference(doc: Doc) -> float | None:
    """Return a score for comparing versions of a Doc: the sum over its sentences."""
    attrs = _attrs(doc)
    if attrs is None:
        return None
    return float(np.sum(attrs.get(VERSIONS, attrs["margins"])))


def sentence_scores(doc: Doc) -> tuple[list[int], list[float]]:
    """Return the first token of each sentence, and its probability to be grammatical;
    empty without a prediction."""
    attrs = _attrs(doc)
    if attrs is None:
        return [], []
    return [int(x) for x in attrs["starts"]], [float(x) for x in attrs[SCORES]]


def sentence_grammaticality(span: Span) -> float | None:
    """Return the probability that a sentence is grammatical; None for other spans."""
    return _of_sentence(span, SCORES)


def sentence_margin(span: Span) -> float | None:
    """Return the raw score of a sentence; None for other spans."""
    return _of_sentence(span, "margins")


def sentence_preference(span: Span) -> float | None:
    """Return a score for comparing versions of a sentence; None for other spans."""
    attrs = _attrs(span.doc)
    known = VERSIONS if attrs and VERSIONS in attrs else "margins"
    return _of_sentence(span, known)


def token_contribution(token: Token) -> float | None:
    """Return a token's share in the score of its sentence; None without `explain`."""
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
    starts, doc = attrs["starts"], span.doc
    words = _words_of(doc, span.start, span.end)
    place = int(np.searchsorted(starts, words[0], side="right")) - 1
    if place < 0 or words[0] == words[1]:
        return None
    end = starts[place + 1] if place + 1 < len(starts) else len(doc)
    same = _words_of(doc, int(starts[place]), int(end)) == words
    return float(attrs[name][place]) if same else None


def _words_of(doc: Doc, start: int, end: int) -> tuple[int, int]:
    """Strip white space from both ends of a range of tokens."""
    while start < end and doc[start].is_space:
        start += 1
    while start < end and doc[end - 1].is_space:
        end -= 1
    return start, end


EXTENSIONS: list[tuple[Any, str, Callable]] = [
    (Doc, "grammaticality", doc_grammaticality),
    (Doc, "grammaticality_margin", doc_margin),
    (Doc, "preference", doc_preference),
    (Span, "preference", sentence_preference),
    (Span, "grammaticality", sentence_grammaticality),
    (Span, "grammaticality_margin", sentence_margin),
    (Token, "grammaticality", token_contribution),
]
