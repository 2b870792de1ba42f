"""Annotation of texts as columns of a table.

Which columns there are depends on the pipeline alone and not on the texts, so that all
machines make the same table. Places are characters of the text.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from spacy.language import Language
from spacy.tokens import Doc, SpanGroup, Token

from ..pipeline.extensions import (
    SCORES,
    entity_score,
    morph_score,
    pos_score,
    tag_score,
)
from ..pipeline.tagger import LatpercTagger

ERROR = "error"
STORED = "latperc_"  # span groups that only carry scores along
_SPAN = {"start": "int", "end": "int", "label": "string", "score": "float"}


class Column(NamedTuple):
    """A column of what is said.

    Args:
        name: Of the column.
        kind: The type of what it lists: that of a number or string, or of each field.
        read: Reads the list off a Doc.
    """

    name: str
    kind: str | dict[str, str]
    read: Callable[[Doc], list[Any]]


def annotation_columns(nlp: Language) -> list[Column]:
    """The columns for all that the components of a pipeline write."""
    written = {"token"} | _written(nlp)
    scored = {
        pipe.layer.name
        for _, pipe in nlp.pipeline
        if isinstance(pipe, LatpercTagger) and pipe.scores != "none"
    }
    written |= {f"{name}_scores" for name in scored}
    return [column for needed, column in _COLUMNS if needed in written]


def _written(nlp: Language) -> set[str]:
    found: set[str] = set()
    for name, pipe in nlp.pipeline:
        if isinstance(pipe, LatpercTagger):  # one of the three that taggers may write
            found.add(f"token.{pipe.layer.name}")
        else:
            found.update(nlp.get_pipe_meta(name).assigns)
    return found


def read_columns(docs: Iterable[Doc], columns: Sequence[Column]) -> list[list[Any]]:
    """The values of each column, for Docs."""
    rows = [[column.read(doc) for column in columns] for doc in docs]
    return [list(values) for values in zip(*rows, strict=True)] or [[] for _ in columns]


def arrow_type(column: Column) -> Any:
    """The type of a column for Arrow."""
    import pyarrow as pa

    types = {"string": pa.string(), "int": pa.int32(), "float": pa.float32()}
    if isinstance(column.kind, str):
        return pa.list_(types[column.kind])
    return pa.list_(pa.struct([(name, types[x]) for name, x in column.kind.items()]))


def spark_type(column: Column) -> str:
    """The type of a column as Spark writes it."""
    if isinstance(column.kind, str):
        return f"array<{column.kind}>"
    inner = ",".join(f"{name}:{type_}" for name, type_ in column.kind.items())
    return f"array<struct<{inner}>>"


# Reading ------------------------------------------------------------------------------


def _sentences(doc: Doc) -> list[dict[str, int]]:
    if not doc.has_annotation("SENT_START"):
        return []
    return [{"start": sent.start_char, "end": sent.end_char} for sent in doc.sents]


def _entities(doc: Doc) -> list[dict[str, Any]]:
    return [_span(ent, entity_score(ent)) for ent in doc.ents]


def _spans(doc: Doc) -> list[dict[str, Any]]:
    return [
        {"group": key, **_span(span, score)}
        for key, group in doc.spans.items()
        if not key.startswith(STORED)
        for span, score in zip(group, _group_scores(group), strict=True)
    ]


def _group_scores(group: SpanGroup) -> list[float | None]:
    scores = group.attrs.get(SCORES)
    if scores is None or len(scores) != len(group):
        return [None] * len(group)
    return [float(score) for score in scores]


def _span(span: Any, score: float | None) -> dict[str, Any]:
    place = {"start": span.start_char, "end": span.end_char}
    return {**place, "label": span.label_, "score": score}


# Of tokens: what is needed, and the name, type and value of the column.
_OF_TOKENS: list[tuple[str, str, str, Callable[[Token], Any]]] = [
    ("token", "tokens", "string", lambda token: token.text),
    ("token", "token_starts", "int", lambda token: token.idx),
    ("token.tag", "tags", "string", lambda token: token.tag_),
    ("tag_scores", "tag_scores", "float", tag_score),
    ("token.pos", "pos", "string", lambda token: token.pos_),
    ("pos_scores", "pos_scores", "float", pos_score),
    ("token.morph", "morph", "string", lambda token: str(token.morph)),
    ("morph_scores", "morph_scores", "float", morph_score),
    ("token.lemma", "lemmas", "string", lambda token: token.lemma_),
    ("token.head", "heads", "int", lambda token: token.head.i),
    ("token.dep", "deps", "string", lambda token: token.dep_),
]


def _of_tokens(read: Callable[[Token], Any]) -> Callable[[Doc], list[Any]]:
    return lambda doc: [read(token) for token in doc]


def _cats(doc: Doc) -> list[dict[str, Any]]:
    return [{"label": name, "score": score} for name, score in doc.cats.items()]


_COLUMNS = [
    *(
        (needed, Column(x, kind, _of_tokens(read)))
        for needed, x, kind, read in _OF_TOKENS
    ),
    (
        "token.is_sent_start",
        Column("sentences", {"start": "int", "end": "int"}, _sentences),
    ),
    ("doc.ents", Column("ents", _SPAN, _entities)),
    ("doc.spans", Column("spans", {"group": "string", **_SPAN}, _spans)),
    ("doc.cats", Column("cats", {"label": "string", "score": "float"}, _cats)),
]
