"""doc.noun_chunks from the chunker, in any language and without a parser."""

from collections.abc import Callable, Iterator

from spacy.language import Language
from spacy.tokens import Doc, Span


class NounChunks:
    """The iterator that a vocabulary calls for doc.noun_chunks; it can be pickled."""

    def __init__(self, spans_key: str, labels: list[str]):
        self.spans_key = spans_key
        self.labels = frozenset(labels)

    def __call__(self, doclike: Doc | Span) -> Iterator[tuple[int, int, int]]:
        doc = doclike.doc
        label = doc.vocab.strings.add("NP")
        for span in doc.spans.get(self.spans_key) or ():
            if span.label_ in self.labels:
                yield span.start, span.end, label


def serve_noun_chunks(
    spans_key: str = "chunks",
    labels: list[str] = ["NP"],  # noqa: B006
) -> Callable[[Language], Language]:
    """A callback for [nlp.after_pipeline_creation]: doc.noun_chunks yields chunks.

    Args:
        spans_key: The key of `doc.spans` that they are in.
        labels: Of those that are noun chunks.
    """

    def after_pipeline_creation(nlp: Language) -> Language:
        nlp.vocab.get_noun_chunks = NounChunks(spans_key, labels)
        return nlp

    return after_pipeline_creation
