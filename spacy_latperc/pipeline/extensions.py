"""Scores on a Doc, and the extension attributes that read them.

Scores are stored as attributes of span groups, which are kept by to_bytes, DocBin,
pickles, copies and between processes.

A score belongs to certain characters with a certain label or tag. It is found for
these, whatever tokens were merged or split elsewhere; anything else has the score None.
So have Docs for which spaCy does not copy the attributes: those of `Span.as_doc`,
`Doc.from_docs` and `Doc.from_json`.
"""

import warnings
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import IDX, LENGTH, MORPH, POS, TAG
from spacy.tokens import Doc, Span, SpanGroup, Token

from ..data.examples import MISSING_KEY
from ..errors import Warnings

SCORES = "scores"  # the attribute that spaCy's spancat uses
ENTITIES = "latperc_ents"
N_BEST = "latperc_n_best"
ATTRIBUTES = {"tag": TAG, "pos": POS, "morph": MORPH}
STARTS, ENDS, LABELS = "starts", "ends", "labels"  # of scores: characters, hashes


class Analysis(NamedTuple):
    """One of the n best annotations of a Doc.

    Attributes:
        annotation: (start, end, label) of each span, the tag of each token, or its head
            and relation.
        probability: Its share among those listed, or among all (see n_best).
        score: The sum of its weights.
    """

    annotation: list
    probability: float
    score: float


def write_entity_scores(doc: Doc, scores: NDArray[np.float32]) -> None:
    """Write the scores of the entities of a Doc, in order; NaN for no score."""
    places = [(ent.start_char, ent.end_char, ent.label) for ent in doc.ents]
    _write_scores(doc, ENTITIES, np.array(places, dtype=np.uint64), scores)


def write_token_scores(doc: Doc, attribute: str, scores: NDArray[np.float32]) -> None:
    """Write a score for each token: of its tag ("tag"), its part of speech ("pos") or
    its morphological features ("morph")."""
    places = doc.to_array([IDX, LENGTH, ATTRIBUTES[attribute]])
    places[:, 1] += places[:, 0]
    _write_scores(doc, _token_key(attribute), places, scores)


def _write_scores(
    doc: Doc, key: str, places: NDArray[np.uint64], scores: NDArray[np.float32]
) -> None:
    """places: first and last character and label hash of each score, in order."""
    starts, ends, labels = places.reshape(-1, 3).T
    attrs = {
        SCORES: scores,
        STARTS: starts.astype(np.uint32),
        ENDS: ends.astype(np.uint32),
        LABELS: labels.copy(),
    }
    doc.spans[key] = SpanGroup(doc, name=key, attrs=attrs)


def write_n_best(doc: Doc, component: str, analyses: list[Analysis]) -> None:
    """Write the n best annotations by one component, as values that can be saved."""
    kept = doc.user_data.get(N_BEST, {})
    rows = [[list(a.annotation), a.probability, a.score] for a in analyses]
    doc.user_data[N_BEST] = {**kept, component: {"tokens": len(doc), "rows": rows}}


def forget_entity_scores(doc: Doc) -> None:
    """Remove the scores of entities that another annotation has replaced."""
    if ENTITIES in doc.spans:
        del doc.spans[ENTITIES]


def forget_token_scores(doc: Doc, attribute: str) -> None:
    """Remove the scores of tags that another annotation has replaced."""
    key = _token_key(attribute)
    if key in doc.spans:
        del doc.spans[key]


def entity_score(span: Span) -> float | None:
    """Return the score of an entity; None if the span has none."""
    place = span.start_char, span.end_char, span.label
    return _read_score(span.doc, ENTITIES, *place)


def tag_score(token: Token) -> float | None:
    """Return the score of token.tag, or None."""
    return _token_score(token, "tag")


def pos_score(token: Token) -> float | None:
    """Return the score of token.pos, or None."""
    return _token_score(token, "pos")


def morph_score(token: Token) -> float | None:
    """Return the score of token.morph, or None."""
    return _token_score(token, "morph")


def leave_unsure(doc: Doc, layer: str, least: float) -> None:
    """Remove annotation whose score is lower, and mark its tokens as not annotated.

    Args:
        doc: The Doc.
        layer: "ents", "tag", "pos", "morph", or the key of chunks.
        least: The lowest score that stays. So does what has no score.
    """
    if layer == "ents":
        low = _low(map(entity_score, doc.ents), least)
        unsure = [ent for ent, chosen in zip(doc.ents, low, strict=True) if chosen]
        doc.set_ents([], missing=unsure, default="unmodified")
    elif layer in ATTRIBUTES:
        values = doc.to_array(ATTRIBUTES[layer])
        values[_low([_token_score(token, layer) for token in doc], least)] = 0
        doc.from_array([ATTRIBUTES[layer]], values[:, None])
    else:
        group = doc.spans[layer]
        low = _low(group.attrs[SCORES], least)
        for key, wanted in ((MISSING_KEY, low), (layer, ~low)):
            spans = [x for x, chosen in zip(group, wanted, strict=True) if chosen]
            doc.spans[key] = spans


def _low(scores: Iterable[float | None], least: float) -> NDArray[np.bool_]:
    return np.array([x is not None and x < least for x in scores], dtype=bool)


def n_best(doc: Doc) -> dict[str, list[Analysis]]:
    """Return the n best annotations by component, as long as the Doc has the same
    number of tokens."""
    return {
        component: [
            Analysis([_as_written(x) for x in annotation], probability, score)
            for annotation, probability, score in found["rows"]
        ]
        for component, found in doc.user_data.get(N_BEST, {}).items()
        if found["tokens"] == len(doc)
    }


def _as_written(item: Any) -> Any:
    return item if isinstance(item, str) else tuple(item)


def _token_key(attribute: str) -> str:
    return f"latperc_{attribute}"


def _token_score(token: Token, attribute: str) -> float | None:
    label = {"tag": token.tag, "pos": token.pos, "morph": token.morph.key}[attribute]
    end = token.idx + len(token)
    return _read_score(token.doc, _token_key(attribute), token.idx, end, label)


def _read_score(doc: Doc, key: str, start: int, end: int, label: int) -> float | None:
    group = doc.spans.data.get(key)
    if group is None or not {SCORES, STARTS, ENDS, LABELS} <= group.attrs.keys():
        return None
    starts = group.attrs[STARTS]
    at = int(starts.searchsorted(start))
    if at == len(starts) or starts[at] != start or group.attrs[ENDS][at] != end:
        return None
    score = group.attrs[SCORES][at]
    return None if group.attrs[LABELS][at] != label or np.isnan(score) else float(score)


EXTENSIONS: list[tuple[Any, str, Callable]] = [
    (Span, "ent_score", entity_score),
    (Token, "tag_score", tag_score),
    (Token, "pos_score", pos_score),
    (Token, "morph_score", morph_score),
    (Doc, N_BEST, n_best),
]


def register_extensions(
    extensions: Iterable[tuple[Any, str, Callable]] = EXTENSIONS,
) -> None:
    """ent._.ent_score, token._.tag_score, token._.pos_score, token._.morph_score,
    doc._.latperc_n_best, or others. One of the same name that
    somebody else registered stays as it is."""
    for owner, name, getter in extensions:
        if not owner.has_extension(name):
            owner.set_extension(name, getter=getter)
        elif owner.get_extension(name)[2] is not getter:
            place = f"{getter.__module__}.{getter.__name__}"
            message = Warnings.LP914.format(
                owner=owner.__name__, name=name, getter=place
            )
            warnings.warn(message, stacklevel=3)
