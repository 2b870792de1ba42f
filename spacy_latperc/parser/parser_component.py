"""The component latperc_parser, which sets heads, relations and sentence starts."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Model

from ..learners.base import Batch
from ..pipeline.component_settings import ThreadSettings, defaults, with_settings
from ..pipeline.learner_pipe import LearnerPipe
from .parser_model import get_parser
from .parser_scores import parser_score
from .projective import DELIMITER
from .trees import Tree, aligned_tree, decode, gold_columns, read_tree, write_trees
from .words import UNKNOWN, Ids

# The lowest count of a relation of words lifted out of crossing arcs (`nsubj||ccomp`)
# that is learned as such; rarer ones are learned as plain relations.
MIN_LIFTED = 20


@Language.factory(
    "latperc_parser",
    assigns=["token.head", "token.dep", "token.is_sent_start", "doc.sents"],
    default_config={
        "model": {
            "@architectures": "spacy_latperc.ParserModel.v1",
            "seed": 0,
            "features": {"@misc": "spacy_latperc.ParserFeatures.v1"},
            "search": {"@misc": "spacy_latperc.Beam.v1", "width": 8},
            "learner": {"@misc": "spacy_latperc.ViolationFixing.v1", "method": "max"},
        },
        **defaults(ThreadSettings),
        "scorer": None,
    },
    default_score_weights={
        "dep_uas": 0.5,
        "dep_las": 0.5,
        "dep_las_per_type": None,
        "sents_p": None,
        "sents_r": None,
        "sents_f": 0.0,
    },
)
@with_settings(ThreadSettings)
def make_parser(
    nlp: Language,
    name: str,
    model: Model,
    scorer: Callable | None,
    **settings: Any,
) -> "LatpercParser":
    """Build a dependency parser, which sets token.head, token.dep and sentences.

    Args:
        nlp: The pipeline.
        name: The name of the component.
        model: A parser (spacy_latperc.ParserModel.v1).
        scorer: Scores the trees in evaluation, in place of `parser_score`.
        settings: See ThreadSettings.
    """
    scorer = scorer or parser_score
    parser = LatpercParser(nlp.vocab, model, name, scorer=scorer, **settings)
    return parser


class Parsed(NamedTuple):
    """Trees of a batch of Docs.

    Attributes:
        docs: First tokens of the Docs, and the end.
        heads: The heads as positions in the batch; a root is its own head.
        relations: The hashes of the relations.
    """

    docs: NDArray[np.int64]
    heads: NDArray[np.int64]
    relations: NDArray[np.uint64]


class LatpercParser(LearnerPipe):
    """A dependency parser; see `make_parser` for its settings."""

    written = "heads"

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str = "latperc_parser",
        *,
        scorer: Callable | None = None,
        n_threads: int = 1,
    ):
        super().__init__(vocab, model, name, scorer=scorer, n_threads=n_threads)
        self._lifted: Counter[str] = Counter()
        self._sentences = 0  # with trees, counted while labels were collected

    @property
    def learner(self) -> Any:
        """The parser inside the model."""
        return get_parser(self.model)

    # Labels ---------------------------------------------------------------------------

    def _set_learner_labels(self) -> None:
        self.learner.set_labels(self.cfg["labels"])

    def initialize(
        self, get_examples: Callable[[], Iterable[Example]], **settings: Any
    ) -> None:
        self._lifted.clear()
        self._sentences = 0
        super().initialize(get_examples, **settings)

    def _start(self, sentences: int, *, keep_features: bool) -> None:
        super()._start(self._sentences or sentences, keep_features=keep_features)

    def collect_labels(self, doc: Doc) -> Iterable[str]:
        tree = read_tree(doc, self.name).lifted()
        for first, end in tree.sentences():
            self._sentences += any(head >= 0 for head in tree.heads[first:end])
        for i, (head, relation) in enumerate(
            zip(tree.heads, tree.relations, strict=True)
        ):
            if head == UNKNOWN or head == i:
                continue
            plain, lifted, _ = relation.partition(DELIMITER)
            yield plain
            if lifted:
                self._lifted[relation] += 1
                if self._lifted[relation] >= MIN_LIFTED:
                    yield relation

    # Gold -----------------------------------------------------------------------------

    def _gold(
        self, examples: Sequence[Example], same: Sequence[bool], batch: Batch
    ) -> Ids:
        trees = [
            self._tree(example, equal).lifted()
            for example, equal in zip(examples, same, strict=True)
        ]
        docs = [example.reference for example in examples]
        return gold_columns(trees, docs, self.cfg["labels"], self.name)

    def _tree(self, example: Example, same: bool) -> Tree:
        if same:
            return read_tree(example.reference, self.name)
        return aligned_tree(example, self.name)

    # Predicting -----------------------------------------------------------------------

    def predict(self, docs: Iterable[Doc]) -> Parsed:
        """Parse a batch of Docs, which are not changed."""
        docs = list(docs)
        batch = self._input(docs)
        if not len(batch.values):
            nothing = np.zeros(0, dtype=np.int64)
            return Parsed(
                np.zeros(len(docs) + 1, np.int64), nothing, nothing.view(np.uint64)
            )
        read = self.learner.read(batch, n_threads=self._n_threads)
        found = self.learner.best(read, batch.values[:, 1])
        heads, relations = decode(
            found.heads.astype(np.int64),
            found.relations,
            batch.bounds,
            self.cfg["labels"],
            self.vocab.strings,
        )
        return Parsed(batch.docs, heads, relations)

    def decisions(self, docs: Iterable[Doc]) -> NDArray:
        """Return the decisions about Docs, for comparison."""
        found = self.predict(docs)
        return np.stack([found.heads.astype(np.uint64), found.relations])

    def set_annotations(self, docs: Iterable[Doc], scores: Parsed) -> None:
        """Write heads, relations and sentence starts."""
        write_trees(list(docs), scores.docs, scores.heads, scores.relations)
