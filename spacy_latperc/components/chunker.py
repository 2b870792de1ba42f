"""latperc_chunker: flat chunks (NP, VP, ...) in doc.spans, without a parser."""

from collections.abc import Callable, Iterable
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Model

from ..schemes import get_scheme
from .base import Prediction
from .defaults import default_model
from .docs import group_spans
from .extensions import SCORES
from .spans import Annotation, SpanPipe

DEFAULT_SPANS_KEY = "chunks"


@Language.factory(
    "latperc_chunker",
    assigns=["doc.spans"],
    default_config={
        "model": default_model("RichChunkingFeatures"),
        "spans_key": DEFAULT_SPANS_KEY,
        "scheme": "O+C",
        "n_best": 1,
        "scores": "none",
        "threshold": 0.0,
        "scorer": {"@scorers": "spacy_latperc.chunk_scorer.v1"},
    },
    default_score_weights={
        "chunks_f": 1.0,
        "chunks_p": 0.0,
        "chunks_r": 0.0,
        "chunks_per_type": None,
    },
)
def make_chunker(
    nlp: Language,
    name: str,
    model: Model,
    spans_key: str,
    scheme: str,
    n_best: int,
    scores: str,
    threshold: float,
    scorer: Callable | None,
) -> "LatpercChunker":
    """Build a chunker.

    spans_key: key of doc.spans, in training and in prediction.
    scheme: chunk representation inside the model: IOB1, IOB2, IOE1, IOE2, O+C (also
        called IOBES) or BILOU.
    n_best: how many analyses doc._.latperc_n_best gets, when more than one.
    scores: what doc.spans[spans_key].attrs["scores"] gets: "none", "marginal" (the
        calibrated probability of each chunk) or "margin" (how much worse the best
        analysis without it is).
    threshold: chunks with a lower score are left out.
    """
    return LatpercChunker(
        nlp.vocab,
        model,
        name,
        spans_key=spans_key,
        scheme=scheme,
        n_best=n_best,
        scores=scores,
        threshold=threshold,
        scorer=scorer,
    )


class LatpercChunker(SpanPipe):
    """Finds chunks that do not overlap."""

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str = "latperc_chunker",
        *,
        spans_key: str = DEFAULT_SPANS_KEY,
        scheme: str = "O+C",
        **settings: Any,
    ):
        get_scheme(scheme)
        super().__init__(
            vocab, model, name, spans_key=spans_key, scheme=scheme, **settings
        )

    @property
    def key(self) -> str:
        return self.cfg["spans_key"]

    def _collect_labels(self, doc: Doc) -> Iterable[str]:
        if self.key not in doc.spans:
            return []
        return [span.label_ for span in doc.spans[self.key]]

    def _annotation(self, doc: Doc) -> Annotation:
        """The gold chunks; a Doc without the key is not annotated at all."""
        group = doc.spans.get(self.key)
        if group is None:
            return Annotation(([], [], []), range(len(doc)))
        return Annotation(group_spans(group), ())

    def _gold_state(self, doc: Doc) -> object | None:
        """Reading Span objects costs more than learning from them: they are read again
        only when the group is another one or has another length."""
        group = doc.spans.data.get(self.key)
        return None if group is None else (group, len(group))

    def set_annotations(self, docs: Iterable[Doc], scores: Prediction) -> None:
        """Write the predicted chunks to doc.spans."""
        starts, ends, types = self._chunks(scores)
        labels = self._label_hashes()[types].tolist()
        first = starts.searchsorted(scores.docs).tolist()
        offsets = scores.docs.tolist()
        begin, end = starts.tolist(), ends.tolist()
        key = self.key
        docs = list(docs)
        for d, doc in enumerate(docs):
            at = offsets[d]
            chunks = range(first[d], first[d + 1])
            doc.spans[key] = [
                Span(doc, begin[c] - at, end[c] - at, labels[c]) for c in chunks
            ]
            if scores.scores is not None:
                found = scores.scores[first[d] : first[d + 1]]
                doc.spans[key].attrs[SCORES] = found.copy()
        self._write_n_best(docs, scores)

    def score(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
        return super().score(examples, spans_key=self.key, **kwargs)
