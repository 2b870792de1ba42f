"""Where scores are on a Doc, and the extensions that read them.

Scores are kept as attributes of span groups: these travel with to_bytes, with every
DocBin, with copies and between processes.
"""

import warnings
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from spacy.tokens import Doc, Span, SpanGroup, Token

from ..errors import Warnings

SCORES = "scores"  # the attribute that spaCy's spancat uses
ENTITIES = "latperc_ents"
N_BEST = "latperc_n_best"


class Analysis(NamedTuple):
    """One of the n best annotations of a Doc.

    annotation: (start, end, label) of each span, or the tag of each token.
    probability: its share among those listed, or among all (see n_best).
    score: the sum of its weights.
    """

    annotation: list
    probability: float
    score: float


def write_entity_scores(doc: Doc, scores: NDArray[np.float32]) -> None:
    """Scores of the entities of a Doc, in order; NaN for one that has none."""
    doc.spans[ENTITIES] = SpanGroup(
        doc, name=ENTITIES, spans=list(doc.ents), attrs={SCORES: scores}
    )


def write_token_scores(doc: Doc, attribute: str, scores: NDArray[np.float32]) -> None:
    """A score for each token, of its tag ("tag") or its part of speech ("pos")."""
    key = _token_key(attribute)
    doc.spans[key] = SpanGroup(doc, name=key, attrs={SCORES: scores})


def write_n_best(doc: Doc, component: str, analyses: list[Analysis]) -> None:
    """The n best annotations by one component, as plain values that can be saved."""
    kept = doc.user_data.get(N_BEST, {})
    rows = [[list(a.annotation), a.probability, a.score] for a in analyses]
    doc.user_data[N_BEST] = {**kept, component: rows}


def forget_entity_scores(doc: Doc) -> None:
    """Those of entities that another annotation has replaced."""
    if ENTITIES in doc.spans:
        del doc.spans[ENTITIES]


def forget_token_scores(doc: Doc, attribute: str) -> None:
    key = _token_key(attribute)
    if key in doc.spans:
        del doc.spans[key]


def entity_score(span: Span) -> float | None:
    """The score of an entity; None if the span is none, or has no score."""
    group = span.doc.spans.data.get(ENTITIES)
    if group is None:
        return None
    low, high = 0, len(group)
    while low < high:
        middle = (low + high) // 2
        if group[middle].start < span.start:
            low = middle + 1
        else:
            high = middle
    if low == len(group):
        return None
    found = group[low]
    same = found.start == span.start and found.end == span.end
    return _known(group.attrs[SCORES][low]) if same else None


def tag_score(token: Token) -> float | None:
    """The score of token.tag; None if the tag has none."""
    return _token_score(token, "tag")


def pos_score(token: Token) -> float | None:
    """The score of token.pos; None if it has none."""
    return _token_score(token, "pos")


def n_best(doc: Doc) -> dict[str, list[Analysis]]:
    """The n best annotations of each component that was asked for them."""
    return {
        component: [
            Analysis([_as_written(x) for x in annotation], probability, score)
            for annotation, probability, score in rows
        ]
        for component, rows in doc.user_data.get(N_BEST, {}).items()
    }


def _as_written(item: Any) -> Any:
    return item if isinstance(item, str) else tuple(item)


def _token_key(attribute: str) -> str:
    return f"latperc_{attribute}"


def _token_score(token: Token, attribute: str) -> float | None:
    group = token.doc.spans.data.get(_token_key(attribute))
    # Tokens may have been merged or split since.
    if group is None or len(group.attrs[SCORES]) != len(token.doc):
        return None
    return _known(group.attrs[SCORES][token.i])


def _known(score: np.float32) -> float | None:
    return None if np.isnan(score) else float(score)


EXTENSIONS: list[tuple[Any, str, Callable]] = [
    (Span, "ent_score", entity_score),
    (Token, "tag_score", tag_score),
    (Token, "pos_score", pos_score),
    (Doc, N_BEST, n_best),
]


def register_extensions(
    extensions: Iterable[tuple[Any, str, Callable]] = EXTENSIONS,
) -> None:
    """ent._.ent_score, token._.tag_score, token._.pos_score, doc._.latperc_n_best, or
    others. One of the same name that somebody else registered stays as it is."""
    for owner, name, getter in extensions:
        if not owner.has_extension(name):
            owner.set_extension(name, getter=getter)
        elif owner.get_extension(name)[2] is not getter:
            warnings.warn(
                Warnings.LP914.format(
                    owner=owner.__name__, name=name, getter=getter.__name__
                ),
                stacklevel=3,
            )
