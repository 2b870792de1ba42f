"""Small pipelines and a handful of annotated sentences: for the tests of components."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import spacy
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Example

FACTORIES = ("latperc_tagger", "latperc_chunker", "latperc_ner")
# Words only: no component before ours is needed.
WORD_FEATURES = {
    "@misc": "spacy_latperc.Templates.v1",
    "templates": ["w[-1]", "w[0]", "w[1]", "suf2[0]", "shape[0]"],
}
# Larger steps than the default: a handful of sentences is learned in a few passes.
QUICK_LEARNER = {"@misc": "spacy_latperc.PassiveAggressive.v1", "C": 0.1}

Triples = Sequence[tuple[int, int, str]]


class Sentence(NamedTuple):
    words: list[str]
    tags: list[str]
    pos: list[str]
    chunks: Triples
    ents: Triples


SENTENCES = [
    Sentence(
        "Ada Lovelace met the old king in London .".split(),
        "NNP NNP VBD DT JJ NN IN NNP .".split(),
        "PROPN PROPN VERB DET ADJ NOUN ADP PROPN PUNCT".split(),
        [(0, 2, "NP"), (2, 3, "VP"), (3, 6, "NP"), (6, 7, "PP"), (7, 8, "NP")],
        [(0, 2, "PERSON"), (7, 8, "GPE")],
    ),
    Sentence(
        "Yesterday Acme Corp hired Alan Turing".split(),
        "NN NNP NNP VBD NNP NNP".split(),
        "NOUN PROPN PROPN VERB PROPN PROPN".split(),
        [(0, 1, "NP"), (1, 3, "NP"), (3, 4, "VP"), (4, 6, "NP")],
        [(1, 3, "ORG"), (4, 6, "PERSON")],
    ),
    Sentence(
        "They walk slowly to work".split(),
        "PRP VBP RB TO NN".split(),
        "PRON VERB ADV ADP NOUN".split(),
        [(0, 1, "NP"), (1, 2, "VP"), (3, 4, "PP"), (4, 5, "NP")],
        [],
    ),
    Sentence(
        "London Paris and Rome work hard !".split(),
        "NNP NNP CC NNP VBP RB .".split(),
        "PROPN PROPN CCONJ PROPN VERB ADV PUNCT".split(),
        [(0, 1, "NP"), (1, 4, "NP"), (4, 5, "VP")],
        [(0, 1, "GPE"), (1, 2, "GPE"), (3, 4, "GPE")],
    ),
]
MODEL_SETTINGS = "features learner latent order seed boundaries members".split()
# A second chain for the model, beside the one of WORD_FEATURES.
MEMBERS = {
    "other": {
        "@misc": "spacy_latperc.Member.v1",
        "features": {
            "@misc": "spacy_latperc.Templates.v1",
            "templates": ["w[-1]", "w[0]", "suf2[0]", "edge:w[0]"],
        },
        "learner": {"@misc": "spacy_latperc.Perceptron.v1"},
        "weight": 0.5,
    }
}
TEXTS = [" ".join(sentence.words) for sentence in SENTENCES]


def make_pipeline(*factories: str, **settings: Any) -> Language:
    """A blank pipeline (quick to make) whose components are named like their factories.

    settings: of every component; `features`, `learner` and other settings of the model
        may be given directly.
    """
    nlp = spacy.blank("xx")
    for factory in factories:
        nlp.add_pipe(factory, config=make_config(**settings))
    return nlp


def make_config(**settings: Any) -> dict[str, Any]:
    model = {"features": WORD_FEATURES, "learner": QUICK_LEARNER}
    for name in MODEL_SETTINGS:
        if name in settings:
            model[name] = settings.pop(name)
    return {"model": model, **settings}


def templates(*texts: str, **settings: Any) -> dict[str, Any]:
    """The features block of a config."""
    return {"@misc": "spacy_latperc.Templates.v1", "templates": list(texts), **settings}


def make_doc(
    nlp, words, *, chunks=None, ents=None, spans_key="chunks", **annotation
) -> Doc:
    """annotation: tags, pos, sent_starts and spaces."""
    doc = Doc(nlp.vocab, words=list(words), **annotation)
    if chunks is not None:
        doc.spans[spans_key] = [Span(doc, s, e, label=label) for s, e, label in chunks]
    if ents is not None:
        doc.set_ents([Span(doc, s, e, label=label) for s, e, label in ents])
    return doc


def gold_doc(nlp: Language, sentence: Sentence, spans_key: str = "chunks") -> Doc:
    return make_doc(nlp, spans_key=spans_key, **sentence._asdict())


def make_examples(nlp, sentences=SENTENCES, *, spans_key="chunks"):
    bare = [make_doc(nlp, sentence.words) for sentence in sentences]
    gold = [gold_doc(nlp, sentence, spans_key) for sentence in sentences]
    return list(map(Example, bare, gold))


def example_of(nlp: Language, words: Sequence[str], **annotation: Any) -> Example:
    """An example whose two sides have the same words."""
    return Example(make_doc(nlp, words), make_doc(nlp, words, **annotation))


def with_labels(factory: str, *labels: str, **settings: Any) -> Language:
    """A pipeline of one component that has these labels and has learned nothing."""
    nlp = make_pipeline(factory, **settings)
    for label in labels:
        nlp.get_pipe(factory).add_label(label)
    return nlp


def gold_sets(nlp: Language, example: Example) -> list[set[str]]:
    """The labels that each token may have while it is learned."""
    ((_, component),) = nlp.pipeline
    ((_, codes),) = component.prepare([example])
    labels, table = component.learner.labels, component.learner._set_table()
    return [
        {labels[code]}
        if code >= 0
        else {x for x, may in zip(labels, table[-2 - code], strict=True) if may > 0}
        if code < -1
        else set(labels)
        for code in codes.tolist()
    ]


def gold_labels(nlp: Language, example: Example) -> list[str | None]:
    """The label that each token is learned with, None where several are possible."""
    return [x.pop() if len(x) == 1 else None for x in gold_sets(nlp, example)]


def train(nlp: Language, examples: Sequence[Example], passes: int = 12) -> Language:
    """Initialise and learn."""
    nlp.initialize(lambda: examples)
    for _ in range(passes):
        nlp.update(examples)
    return nlp


def make_trained(*factories: str, passes: int = 12, **settings: Any) -> Language:
    nlp = make_pipeline(*factories, **settings)
    spans_key = settings.get("spans_key", "chunks")
    return train(nlp, make_examples(nlp, spans_key=spans_key), passes)


def annotation(doc: Doc) -> dict[str, Any]:
    """All that our components may write, to be compared."""
    return {
        "words": [token.text for token in doc],
        "tags": [token.tag_ for token in doc],
        "pos": [token.pos_ for token in doc],
        "ents": [(token.ent_iob, token.ent_type_, token.ent_id_) for token in doc],
        "spans": {key: triples(group) for key, group in doc.spans.items()},
    }


def annotations(docs: Iterable[Doc]) -> list[dict[str, Any]]:
    return [annotation(doc) for doc in docs]


def triples(spans: Iterable[Span]) -> list[tuple[int, int, str]]:
    return [(span.start, span.end, span.label_) for span in spans]
