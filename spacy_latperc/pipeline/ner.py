"""latperc_ner: named entities in doc.ents."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import ENT_ID, ENT_IOB, ENT_KB_ID, ENT_TYPE
from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab
from thinc.api import Model

from ..errors import Errors
from ..schemes import DEFAULT_SCHEME, get_scheme
from .base import Prediction
from .defaults import default_model
from .docs import (
    IOB_BEGIN,
    IOB_INSIDE,
    IOB_OUTSIDE,
    Spans,
    entity_spans,
)
from .extensions import forget_entity_scores, write_entity_scores
from .span_reads import read_spans
from .spans import NO_SPANS, Annotation, SpanPipe
from .voting import Voting, one_or_several


@Language.factory(
    "latperc_ner",
    assigns=["doc.ents", "token.ent_iob", "token.ent_type"],
    default_config={
        "model": default_model("NERFeatures"),
        "scheme": None,
        "schemes": [],
        "vote": "span",
        "weights": None,
        "keep_ents": True,
        "incorrect_spans_key": None,
        "n_best": 1,
        "scores": "none",
        "threshold": 0.0,
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
) -> SpanPipe:
    """Build an entity recogniser.

    scheme: chunk representation inside the model: IOB1, IOB2, IOE1, IOE2, O+C (also
        called IOBES, the default) or BILOU.
    schemes: several of them instead, each with a chain of its own, that vote.
    vote: among several schemes, over whole spans ("span": those that at least half of
        the votes are for) or "token" by token (the valid sequence with the most votes).
    weights: of the votes of each scheme; null for equal ones.
    keep_ents: entities that are on the Doc already (of an entity_ruler, say), and
        tokens that are blocked there, stay as they are, as with spaCy's own ner, and
        the search finds the best labels around them. False: they are replaced.
    incorrect_spans_key: key of doc.spans, in training, for spans that are known not to
        be entities of their label (without a label: of any). A label set says so: it
        excludes a one-token entity exactly, a longer one together with all that end on
        the same token (in IOB2, whatever the length: that begin there).
    n_best: how many analyses doc._.latperc_n_best gets, when more than one.
    scores: what ent._.ent_score says: "none", "marginal" (the calibrated probability of
        the entity), "margin" (how much worse the best analysis without it is) or, of
        several schemes, "agreement" (the share of the votes for exactly this entity).
    threshold: entities with a lower score are left out.
    """
    build = one_or_several(
        name,
        LatpercNER,
        VotingNER,
        scheme=scheme,
        schemes=schemes,
        vote=vote,
        weights=weights,
    )
    return build(
        nlp.vocab,
        model,
        name,
        keep_ents=keep_ents,
        incorrect_spans_key=incorrect_spans_key,
        n_best=n_best,
        scores=scores,
        threshold=threshold,
        scorer=scorer,
    )


class LatpercNER(SpanPipe):
    """Finds entities."""

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str = "latperc_ner",
        *,
        scheme: str = DEFAULT_SCHEME,
        keep_ents: bool = True,
        incorrect_spans_key: str | None = None,
        **settings: Any,
    ):
        found = get_scheme(scheme)
        if incorrect_spans_key and not found.tells_extent:
            raise ValueError(Errors.LP074.format(name=name, scheme=found.name))
        super().__init__(vocab, model, name, scheme=scheme, **settings)
        self.keep_ents = keep_ents
        self.incorrect_spans_key = incorrect_spans_key

    layer = "ents"

    def _span_labels(self, doc: Doc) -> Iterable[str]:
        return [ent.label_ for ent in doc.ents]

    def _annotation(self, doc: Doc) -> Annotation:
        """The gold entities; tokens whose ent_iob is 0 are not annotated."""
        columns = doc.to_array([ENT_IOB, ENT_TYPE])
        missing = np.flatnonzero(columns[:, 0] == 0).tolist()
        incorrect = read_spans(doc, self.incorrect_spans_key)
        return Annotation(entity_spans(columns), missing, incorrect or NO_SPANS)

    def _gold_state(self, doc: Doc) -> object | None:
        return (
            doc.to_array([ENT_IOB, ENT_TYPE]).tobytes(),
            read_spans(doc, self.incorrect_spans_key),
            self._sets_state(doc),
        )

    # Entities set before us --------------------------------------------------------

    def _kept_spans(
        self, docs: Sequence[Doc]
    ) -> tuple[Spans, NDArray[np.bool_]] | None:
        if not self.keep_ents or not any(doc.has_annotation("ENT_IOB") for doc in docs):
            return None
        columns = np.concatenate([doc.to_array([ENT_IOB, ENT_TYPE]) for doc in docs])
        return entity_spans(columns), _held(columns)

    def set_annotations(self, docs: Iterable[Doc], scores: Prediction) -> None:
        """Write the predicted entities to the tokens."""
        starts, ends, types = self._chunks(scores)
        columns = np.zeros((len(scores.labels), 2), dtype=np.uint64)
        columns[:, 0] = IOB_OUTSIDE
        inside = self.inventory.inside[scores.labels]
        columns[inside, 0] = IOB_INSIDE
        columns[starts, 0] = IOB_BEGIN
        columns[inside, 1] = np.repeat(self._label_hashes()[types], ends - starts)
        at = scores.docs.tolist()
        docs = list(docs)
        for doc, start, end in zip(docs, at[:-1], at[1:], strict=True):
            if doc.has_annotation("ENT_IOB"):
                self._rewrite(doc, columns[start:end])
                forget_entity_scores(doc)
            else:
                doc.from_array([ENT_IOB, ENT_TYPE], columns[start:end])
        if scores.scores is not None:
            score_of = np.full(len(columns) + 1, np.nan, dtype=np.float32)
            score_of[starts] = scores.scores
            for doc, start in zip(docs, at[:-1], strict=True):
                firsts = [start + ent.start for ent in doc.ents]
                write_entity_scores(doc, score_of[firsts])
        self._write_n_best(docs, scores)

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


class VotingNER(Voting, LatpercNER):
    """Finds entities by vote."""

    single = LatpercNER


def _held(columns: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Tokens of entities, and blocked ones: a B without a type."""
    return (columns[:, 0] == IOB_BEGIN) | (columns[:, 1] != 0)
