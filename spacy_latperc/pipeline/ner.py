"""latperc_ner: named entities in doc.ents."""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import ENT_ID, ENT_IOB, ENT_KB_ID, ENT_TYPE
from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab
from thinc.api import Model

from ..errors import Errors
from ..schemes import get_scheme
from .base import default_model, settings_of
from .confidence import CONFIDENCE
from .docs import IOB_BEGIN, IOB_INSIDE, IOB_OUTSIDE, Spans, entity_spans
from .extensions import forget_entity_scores, write_entity_scores
from .parts import Mask, Prediction, forwarded
from .span_pipe import REPRESENTATION, SpanPipe
from .span_reads import read_spans
from .spans import NO_SPANS, Annotation, Found, SpanLayer


@Language.factory(
    "latperc_ner",
    assigns=["doc.ents", "token.ent_iob", "token.ent_type"],
    default_config={
        "model": default_model("NERFeatures"),
        **REPRESENTATION,
        "keep_ents": True,
        "incorrect_spans_key": None,
        **CONFIDENCE,
        "scorer": {"@scorers": "spacy_latperc.ner_scorer.v1"},
    },
    default_score_weights={
        "ents_f": 1.0,
        "ents_p": 0.0,
        "ents_r": 0.0,
        "ents_per_type": None,
    },
)
def make_ner(
    nlp: Language,
    name: str,
    model: Model,
    scheme: str | None,
    schemes: list[str],
    vote: str,
    weights: list[float] | None,
    keep_ents: bool,
    incorrect_spans_key: str | None,
    n_best: int,
    scores: str,
    threshold: float,
    scorer: Callable | None,
) -> "LatpercNER":
    """Build an entity recogniser, which writes doc.ents.

    Args:
        nlp: The pipeline.
        name: Of the component.
        model: A chain (spacy_latperc.ChainModel.v1).
        scheme: Chunk representation inside the model: IOB1, IOB2, IOE1, IOE2, O+C (also
            called IOBES, the default) or BILOU.
        schemes: Several representations in place of `scheme`, each with a chain of its
            own. They vote on the result.
        vote: How several schemes vote: "span" keeps the spans that at least half of the
            votes are for, "token" takes the valid sequence with the most votes.
        weights: How much the vote of each scheme counts; null for equal votes.
        keep_ents: Entities that are on the Doc already (of an entity_ruler, say) and
            blocked tokens stay, as with spaCy's own ner. The search finds the best
            labels around them. With false they are replaced.
        incorrect_spans_key: A key of doc.spans. In training, its spans are known not to
            be entities of their label; without a label, of any. In O+C and BILOU a span
            of one token is excluded exactly, a longer one together with all entities
            of its label that end on the same token. In IOB2 all that begin on the same
            token are excluded.
        n_best: How many analyses doc._.latperc_n_best gets, when more than one.
        scores: What ent._.ent_score says: "none", "marginal" (the calibrated
            probability of the entity), "margin" (how much worse the best analysis
            without it is) or, of several schemes, "agreement" (the share of the votes
            for exactly this entity).
        threshold: Entities with a lower score are left out.
        scorer: Scores the entities in evaluation.
    """
    return LatpercNER(nlp.vocab, model, name, **settings_of(locals()))


class EntityLayer(SpanLayer):
    """The entities of Docs (see spans.SpanLayer)."""

    name = "ents"

    def __init__(self, keep_ents: bool, incorrect_spans_key: str | None):
        self.keep_ents = keep_ents
        self.incorrect_spans_key = incorrect_spans_key

    # Gold -----------------------------------------------------------------------------

    def labels(self, doc: Doc) -> Iterable[str]:
        return [ent.label_ for ent in doc.ents]

    def annotation(self, doc: Doc) -> Annotation:
        """The gold entities; tokens whose ent_iob is 0 are not annotated."""
        columns = doc.to_array([ENT_IOB, ENT_TYPE])
        missing = np.flatnonzero(columns[:, 0] == 0).tolist()
        incorrect = read_spans(doc, self.incorrect_spans_key)
        return Annotation(entity_spans(columns), missing, incorrect or NO_SPANS)

    def state(self, doc: Doc) -> object | None:
        return (
            doc.to_array([ENT_IOB, ENT_TYPE]).tobytes(),
            read_spans(doc, self.incorrect_spans_key),
        )

    # Entities set before us -----------------------------------------------------------

    def kept(self, docs: Sequence[Doc]) -> tuple[Spans, Mask] | None:
        if not self.keep_ents or not any(doc.has_annotation("ENT_IOB") for doc in docs):
            return None
        columns = np.concatenate([doc.to_array([ENT_IOB, ENT_TYPE]) for doc in docs])
        return entity_spans(columns), _held(columns)

    # Writing --------------------------------------------------------------------------

    def write(self, docs: Sequence[Doc], prediction: Prediction, found: Found) -> None:
        starts, ends, labels, _ = found
        lengths = ends - starts
        inside = np.repeat(ends - np.cumsum(lengths), lengths) + np.arange(
            lengths.sum()
        )
        columns = np.zeros((len(prediction.labels), 2), dtype=np.uint64)
        columns[:, 0] = IOB_OUTSIDE
        columns[inside, 0] = IOB_INSIDE
        columns[starts, 0] = IOB_BEGIN
        columns[inside, 1] = np.repeat(labels, lengths)
        at = prediction.docs.tolist()
        for doc, (start, end) in zip(docs, pairwise(at), strict=True):
            if doc.has_annotation("ENT_IOB"):
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


class LatpercNER(SpanPipe):
    """Finds named entities."""

    layer: EntityLayer
    keep_ents = forwarded("layer", "Whether entities that are there stay.")
    incorrect_spans_key = forwarded("layer", "The key of spans that are no entities.")

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str = "latperc_ner",
        *,
        keep_ents: bool = True,
        incorrect_spans_key: str | None = None,
        **settings: Any,
    ):
        layer = EntityLayer(keep_ents, incorrect_spans_key)
        super().__init__(vocab, model, name, layer, **settings)
        schemes = self.cfg.get("schemes") or [self.cfg["scheme"]]
        for scheme in map(get_scheme, schemes):
            if incorrect_spans_key and not scheme.tells_extent:
                raise ValueError(Errors.LP074.format(name=name, scheme=scheme.name))


def _held(columns: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Tokens of entities, and blocked ones: a B without a type."""
    return (columns[:, 0] == IOB_BEGIN) | (columns[:, 1] != 0)
