"""The first look at a corpus, before training: labels, sentences, feature counts and
attribute sources."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example, validate_examples
from spacy.util import minibatch

from ..data.corpus import ColumnExamples
from ..features.sources import Givens, Tokens
from ..learners.batch.gathering import logger

if TYPE_CHECKING:
    from .learner_pipe import LearnerPipe

_BATCH = 256
GetExamples = Callable[[], Iterable[Example]]


class FirstLook(NamedTuple):
    """The result of a first look.

    Attributes:
        labels: The labels of the reference Docs.
        sentences: The number of sentences of the predicted Docs.
        counted: True if features were counted, and none can have been missed.
    """

    labels: set[str]
    sentences: int
    counted: bool


def first_look(
    pipe: "LearnerPipe", get_examples: GetExamples, *, collect: bool
) -> FirstLook:
    """Read the training examples once."""
    labels: set[str] = set()
    sentences = 0
    space = pipe.learner.space
    counting = space.min_count > 1
    counted = counting
    if counting:
        space.clear()
    corpus = get_examples()
    sample = None
    if pipe.labels_in_sample and isinstance(corpus, ColumnExamples):
        sample = corpus.sample()
        if collect and sample and counting:
            for example in sample.examples:
                labels.update(pipe.collect_labels(example.reference))
            collect = False
        if counting and pipe.reader.attributes is not None:
            corpus.share_docs(pipe.reader.attributes)
    few = sample.examples if sample and not counting else None
    # spaCy's validate_get_examples would read the corpus once more.
    for examples in minibatch(corpus if few is None else few, _BATCH):
        if not isinstance(corpus, ColumnExamples):
            validate_examples(examples, f"{type(pipe).__name__}.initialize")
        docs = [example.predicted for example in examples]
        sentences += len(Tokens.of(docs, {}).sentences[0]) - 1
        if collect:
            for example in examples:
                labels.update(pipe.collect_labels(example.reference))
        if counting:
            # An empty column will be written by another component later on.
            batch = pipe.reader.read(docs)
            counted = counted and not pipe.reader.empty(batch)
            pipe.learner.extract(batch, count=True)
    return FirstLook(labels, sample.sentences if sample else sentences, counted)


def fit_sources(
    pipe: "LearnerPipe", get_examples: GetExamples, nlp: Language | None
) -> None:
    """Fit the attribute sources."""

    def tokenize(text: str) -> list[str]:
        assert nlp is not None
        return [token.text for token in nlp.make_doc(text)]

    def annotate(doc: Doc) -> Doc:
        assert nlp is not None
        for _, component in nlp.pipeline:
            if component is pipe:
                break
            doc = component(doc)
        return doc

    def givens(name: str) -> Givens:
        return Givens(
            name,
            vocab=pipe.vocab,
            tokenize=tokenize if nlp is not None else None,
            examples=get_examples,
            seed=pipe.learner.seed,
            sources=pipe.learner.all_features.sources,
            annotate=annotate if nlp is not None else None,
        )

    pipe.learner.fit_sources(givens)
    for name, source in pipe.learner.features.sources.items():
        size = source.nbytes / 1e6
        logger.info("%s uses the source '%s' (%.1f MB)", pipe.name, name, size)
