"""latperc_ner: named entities in doc.ents."""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import ENT_ID, ENT_IOB, ENT_KB_ID, ENT_TYPE
from spacy.language import Language
from spacy.tokens import Doc
from thinc.api import Model

from ..errors import Errors
from ..errors.check import check_kind
from ..schemes import get_scheme
from .chain_pipe import ChainPipe
from .component_settings import (
    SpanSettings,
    default_model,
    defaults,
    span_weights,
    with_settings,
)
from .doc_reader import (
    IOB_BEGIN,
    IOB_INSIDE,
    IOB_OUTSIDE,
    entity_spans,
    offsets_of,
    token_rows,
)
from .extensions import forget_entity_scores, write_entity_scores
from .forwarded import forwarded
from .gold_spans import GoldSpans, Rows, read_rows
from .prediction import Found, Mask, Prediction
from .span_coder import span_settings


@Language.factory(
    "latperc_ner",
    assigns=["doc.ents", "token.ent_iob", "token.ent_type"],
    default_config={
        "model": default_model("NERFeatures.v1", clusters=True),
        "keep_ents": True,
        "incorrect_spans_key": None,
        **defaults(SpanSettings),
        "scorer": {"@scorers": "spacy_latperc.scorer.v1"},
    },
    default_score_weights=span_weights("ents"),
)
@with_settings(SpanSettings)
def make_ner(
    nlp: Language,
    name: str,
    model: Model,
    keep_ents: bool,
    incorrect_spans_key: str | None,
    scorer: Callable | None,
    **settings: Any,
) -> "LatpercNER":
    """Build an entity recogniser, which writes doc.ents.

    With `scores`, ent._.ent_score has the score of each.

    Args:
        nlp: The pipeline.
        name: The name of the component.
        model: A chain (spacy_latperc.ChainModel.v1).
        keep_ents: Entities that are on the Doc already (of an entity_ruler, say) and
            blocked tokens stay, as with spaCy's own ner. The search finds the best
            labels around them. With false they are replaced.
        incorrect_spans_key: A key of doc.spans. In training, its spans are known not to
            be entities of their label; without a label, of any. In O+C and BILOU a span
            of one token is excluded exactly, a longer one together with all entities
            of its label that end on the same token. In IOB2 all that begin on the same
            token are excluded.
        scorer: Scores the entities in evaluation.
        settings: See SpanSettings.
    """
    check_kind(
        "incorrect_spans_key",
        incorrect_spans_key,
        (str, type(None)),
        "a string or null",
    )
    layer = EntityLayer(keep_ents, incorrect_spans_key)
    ner = LatpercNER(
        nlp.vocab, model, name, layer, scorer=scorer, **span_settings(**settings)
    )
    scheme = get_scheme(ner.cfg["scheme"])
    if incorrect_spans_key and not scheme.tells_extent:
        raise ValueError(Errors.LP074.format(name=name, scheme=scheme.name))
    return ner


class EntityLayer:
    """The entities of Docs: reads gold ones and writes predicted ones."""

    name = "ents"
    written = "ent"

    def __init__(self, keep_ents: bool, incorrect_spans_key: str | None):
        self.keep_ents = keep_ents
        self.incorrect_spans_key = incorrect_spans_key
        self._some_kept = False  # whether there ever were entities before us

    # Gold -----------------------------------------------------------------------------

    def labels(self, doc: Doc) -> Iterable[str]:
        """Return the labels of the gold spans of a reference Doc."""
        return [ent.label_ for ent in doc.ents]

    def gold(self, docs: Sequence[Doc]) -> GoldSpans:
        """Read the gold entities; tokens whose ent_iob is 0 are not annotated."""
        offsets = offsets_of(docs)
        columns, _ = token_rows(docs, [ENT_IOB, ENT_TYPE], offsets)
        incorrect, _ = read_rows(docs, offsets, self.incorrect_spans_key)
        incorrect = incorrect[incorrect[:, 0] < incorrect[:, 1]]
        spans = entity_spans(columns, offsets)
        return GoldSpans(spans, columns[:, 0] == 0, incorrect)

    # Entities set before us -----------------------------------------------------------

    @property
    def extra_columns(self) -> Sequence[int]:
        """ENT_IOB; ENT_TYPE too, once there were entities on a Doc to be annotated."""
        if not self.keep_ents:
            return []
        return [ENT_IOB, ENT_TYPE] if self._some_kept else [ENT_IOB]

    def kept(
        self, docs: Sequence[Doc], extra: NDArray[np.uint64] | None
    ) -> tuple[Rows, Mask] | None:
        """Return the spans that stay on the Docs, in tokens of the batch, and a mask of
        tokens that no other span may have; None if nothing stays."""
        if extra is None or not extra[:, 0].any():
            return None
        if extra.shape[1] == 1:
            self._some_kept = True
            extra = np.concatenate([doc.to_array([ENT_IOB, ENT_TYPE]) for doc in docs])
        return entity_spans(extra), _held(extra)

    # Writing --------------------------------------------------------------------------

    def write(self, docs: Sequence[Doc], prediction: Prediction, found: Found) -> None:
        """Write spans, and their scores."""
        starts, ends, labels = found
        lengths = ends - starts
        columns = np.zeros((len(prediction.labels), 2), dtype=np.uint64)
        columns[:, 0] = IOB_OUTSIDE
        if len(starts):
            before = lengths.cumsum()
            inside = (ends - before).repeat(lengths) + np.arange(before[-1])
            columns[inside, 0] = IOB_INSIDE
            columns[starts, 0] = IOB_BEGIN
            columns[inside, 1] = labels.repeat(lengths)
        at = prediction.docs.tolist()
        asks = not prediction.all_blank
        for doc, (start, end) in zip(docs, pairwise(at), strict=True):
            if asks and doc.has_annotation(ENT_IOB):
                self._rewrite(doc, columns[start:end])
                forget_entity_scores(doc)
            else:
                doc.from_array([ENT_IOB, ENT_TYPE], columns[start:end])
        if prediction.scores is not None:
            score_of = np.full(len(columns) + 1, np.nan, dtype=np.float32)
            score_of[starts] = prediction.scores
            for doc, start in zip(docs, at, strict=False):
                firsts = [start + ent.start for ent in doc.ents]
                write_entity_scores(doc, score_of[firsts])

    def _rewrite(self, doc: Doc, columns: NDArray[np.uint64]) -> None:
        """Replace the entities of a Doc that has some, or fill in around them."""
        attributes = [ENT_IOB, ENT_TYPE, ENT_KB_ID, ENT_ID]
        fresh = np.zeros((len(doc), 4), dtype=np.uint64)
        fresh[:, :2] = columns
        if self.keep_ents:
            before = doc.to_array(attributes)
            kept = _held(before)
            fresh[kept] = before[kept]
        doc.from_array(attributes, fresh)


class LatpercNER(ChainPipe):
    """Finds named entities."""

    layer: EntityLayer
    inventory = forwarded("coder", "The labels, in the scheme.")
    keep_ents = forwarded("layer", "Whether entities that are there stay.")
    incorrect_spans_key = forwarded("layer", "The key of spans that are no entities.")


def _held(columns: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Tokens of entities, and blocked ones: a B without a type."""
    return (columns[:, 0] == IOB_BEGIN) | (columns[:, 1] != 0)
