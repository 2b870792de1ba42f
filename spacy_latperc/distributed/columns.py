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


def _tokens(doc: Doc) -> list[str]:
    return [token.text for token in doc]


def _starts(doc: Doc) -> list[int]:
    return [token.idx for token in doc]


def _tags(doc: Doc) -> list[str]:
    return [token.tag_ for token in doc]


def _pos(doc: Doc) -> list[str]:
    return [token.pos_ for token in doc]


def _morph(doc: Doc) -> list[str]:
    return [str(token.morph) for token in doc]


def _lemmas(doc: Doc) -> list[str]:
    return [token.lemma_ for token in doc]


def _heads(doc: Doc) -> list[int]:
    return [token.head.i for token in doc]


def _deps(doc: Doc) -> list[str]:
    return [token.dep_ for token in doc]


def _scores_by(read: Callable[[Token], float | None]) -> Callable[[Doc], list[Any]]:
    return lambda doc: [read(token) for token in doc]


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


def _cats(doc: Doc) -> list[dict[str, Any]]:
    return [{"label": name, "score": score} for name, score in doc.cats.items()]


_COLUMNS = [
    ("token", Column("tokens", "string", _tokens)),
    ("token", Column("token_starts", "int", _starts)),
    ("token.tag", Column("tags", "string", _tags)),
    ("tag_scores", Column("tag_scores", "float", _scores_by(tag_score))),
    ("token.pos", Column("pos", "string", _pos)),
    ("pos_scores", Column("pos_scores", "float", _scores_by(pos_score))),
    ("token.morph", Column("morph", "string", _morph)),
    ("morph_scores", Column("morph_scores", "float", _scores_by(morph_score))),
    ("token.lemma", Column("lemmas", "string", _lemmas)),
    ("token.head", Column("heads", "int", _heads)),
    ("token.dep", Column("deps", "string", _deps)),
    (
        "token.is_sent_start",
        Column("sentences", {"start": "int", "end": "int"}, _sentences),
    ),
    ("doc.ents", Column("ents", _SPAN, _entities)),
    ("doc.spans", Column("spans", {"group": "string", **_SPAN}, _spans)),
    ("doc.cats", Column("cats", {"label": "string", "score": "float"}, _cats)),
]
