"""latperc_parser: sets heads, relations and bounds of sentences."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from spacy.attrs import DEP, HEAD
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Model

from ..errors import Errors
from ..errors.check import check_count, check_flag
from ..learners.base import Batch
from ..pipeline.base import Begin, LearnerPipe
from ..pipeline.docs import describe
from ..pipeline.gazetteers import with_tokenizer
from ..pipeline.saved import check_fit
from ..pipeline.warm_start import load_component
from .learner import Ids, Known, ParserLearner
from .model import get_parser
from .projective import DELIMITER, deprojectivize
from .trees import UNKNOWN, aligned_tree, columns_of, gold_state, read_tree

ROOT = "ROOT"


@Language.factory(
    "latperc_parser",
    assigns=["token.head", "token.dep", "token.is_sent_start", "doc.sents"],
    default_config={
        "model": {
            "@architectures": "spacy_latperc.ParserModel.v1",
            "system": "arc_hybrid",
            "most_weights": 2_000_000,
            "seed": 0,
            "features": {"@misc": "spacy_latperc.ParserFeatures.v1"},
            "search": {"@misc": "spacy_latperc.Beam.v1", "width": 8},
            "learner": {"@misc": "spacy_latperc.ViolationFixing.v1", "method": "max"},
        },
        "overwrite": False,
        "min_lifted": 20,
        "scorer": {"@scorers": "spacy_latperc.parser_scorer.v1"},
    },
    default_score_weights={
        "dep_uas": 0.5,
        "dep_las": 0.5,
        "dep_clas": None,
        "dep_mlas": None,
        "dep_las_per_type": None,
        "sents_p": None,
        "sents_r": None,
        "sents_f": 0.0,
    },
)
def make_parser(
    nlp: Language,
    name: str,
    model: Model,
    overwrite: bool,
    min_lifted: int,
    scorer: Callable | None,
) -> "LatpercParser":
    """Build a dependency parser, which sets token.head, token.dep and sentences.

    Args:
        nlp: The pipeline.
        name: Of the component.
        model: A parser (spacy_latperc.ParserModel.v1).
        overwrite: Replace heads that are already set. With false these stay, and the
            search finds the best heads for the other tokens. Bounds of sentences that
            are set always stay.
        min_lifted: Relations of words that were lifted out of crossing arcs
            (`nsubj||ccomp`) are learned as such from so many occurrences on; rarer ones
            as plain relations.
        scorer: Scores the trees in evaluation.
    """
    parser = LatpercParser(
        nlp.vocab,
        model,
        name,
        overwrite=overwrite,
        min_lifted=min_lifted,
        scorer=scorer,
    )
    return with_tokenizer(parser, nlp)


class Parsed(NamedTuple):
    """Trees of a batch of Docs.

    Attributes:
        docs: First tokens of the Docs, and the end.
        heads: Positions in the batch; a root is its own.
        relations: Hashes.
    """

    docs: NDArray[np.int64]
    heads: NDArray[np.int64]
    relations: NDArray[np.uint64]


class LatpercParser(LearnerPipe):
    """Parses sentences.

    Args:
        vocab: Of the pipeline.
        model: A parser.
        name: Of the component.
        overwrite: See `make_parser`.
        min_lifted: See `make_parser`.
        scorer: Scores the trees in evaluation.
    """

    written = "heads"

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str = "latperc_parser",
        *,
        overwrite: bool = False,
        min_lifted: int = 20,
        scorer: Callable | None = None,
    ):
        self.overwrite = check_flag("overwrite", overwrite)
        check_count("min_lifted", min_lifted)
        self.min_lifted = min_lifted
        super().__init__(vocab, model, name, scorer=scorer)
        self._lifted: Counter[str] = Counter()
        self._sentences = 0  # with trees, seen while labels were collected

    @property
    def learner(self) -> ParserLearner:
        """The parser inside the model."""
        return get_parser(self.model)

    # Labels ---------------------------------------------------------------------------

    def _set_learner_labels(self) -> None:
        self.learner.set_labels(self.cfg["labels"])

    def _check_weights(self, cfg: dict[str, Any], learner: Any, where: str) -> None:
        check_fit(self.name, where, cfg["labels"], learner.labels)

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        labels: Sequence[str] | None = None,
        init_from: str | Path | None = None,
        init_component: str | None = None,
    ) -> None:
        """Collect relations, count the sentences of a pass, set the first weights.

        Args:
            get_examples: Gives the examples.
            nlp: The pipeline.
            labels: The relations, when they are known (`spacy init labels`); collecting
                them is then skipped.
            init_from: A trained pipeline, whose parser this one begins with; zero
                weights otherwise. It must have the same templates and system.
            init_component: The parser there; by default the one of our name, or the
                only component of this package.
        """
        self._lifted.clear()
        self._sentences = 0
        super().initialize(
            get_examples,
            nlp=nlp,
            labels=labels,
            init_from=init_from,
            init_component=init_component,
        )

    def _warm_start(self, init_from: str | Path | None, component: str | None) -> Begin:
        if init_from is None:
            return None
        other = load_component(init_from, component, self.name)
        mine = self.learner.description
        found = getattr(other.learner, "description", {})
        for what, wanted in mine.items():
            if found.get(what) != wanted:
                message = Errors.LP097.format(
                    where=init_from, what=what, found=found.get(what), wanted=wanted
                )
                raise ValueError(message)
        self.cfg["labels"] = list(other.labels)
        return partial(self.learner.begin_with, other.learner)

    def _start(self, sentences: int, *, keep_features: bool) -> None:
        super()._start(self._sentences or sentences, keep_features=keep_features)

    def _collect_labels(self, doc: Doc) -> Iterable[str]:
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
                if self._lifted[relation] >= self.min_lifted:
                    yield relation

    # Gold -----------------------------------------------------------------------------

    def _gold_state(self, doc: Doc) -> object | None:
        return gold_state(doc)

    def _gold(
        self, examples: Sequence[Example], same: Sequence[bool], batch: Batch
    ) -> Ids:
        number = {label: i for i, label in enumerate(self.cfg["labels"])}
        golds = [np.zeros((0, 3), dtype=np.int32)]
        for example, equal in zip(examples, same, strict=True):
            tree = (
                read_tree(example.reference, self.name)
                if equal
                else aligned_tree(example, self.name)
            ).lifted()
            relations = [
                UNKNOWN
                if head in (UNKNOWN, i)
                else self._number(relation, number, example.reference)
                for i, (head, relation) in enumerate(
                    zip(tree.heads, tree.relations, strict=True)
                )
            ]
            columns = [tree.heads, relations, tree.starts]
            golds.append(np.array(columns, dtype=np.int32).T)
        return np.concatenate(golds)

    def _number(self, relation: str, number: dict[str, int], doc: Doc) -> int:
        found = number.get(relation)
        if found is None:
            found = number.get(relation.partition(DELIMITER)[0])
        if found is None:
            raise ValueError(
                Errors.LP035.format(
                    name=self.name,
                    label=relation,
                    doc=describe(doc),
                    known=", ".join(self.cfg["labels"]),
                )
            )
        return found

    # Predicting -----------------------------------------------------------------------

    def predict(self, docs: Iterable[Doc]) -> Parsed:
        """Trees of a batch of Docs; the Docs are not changed."""
        docs = list(docs)
        batch = self._input(docs)
        if not len(batch.values):
            return Parsed(batch.docs, np.zeros(0, np.int64), np.zeros(0, np.uint64))
        kept = None if self.overwrite else _Kept.find(docs, batch)
        known = kept.known(self) if kept else None
        heads, relations = self.learner.best(
            self.learner.read(batch), batch.values[:, 1], known
        )
        found, hashes = self._decode(heads.astype(np.int64), relations, batch)
        if kept is not None:
            kept.restore(found, hashes, self.name)
        return Parsed(batch.docs, found, hashes)

    def _decode(
        self, heads: NDArray[np.int64], relations: Ids, batch: Batch
    ) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
        """Heads as they were before they were lifted, and hashes of relations."""
        labels = [*self.cfg["labels"], ROOT]
        strings: Any = self.vocab.strings
        plain = [strings.add(label.partition(DELIMITER)[0]) for label in labels]
        hashes = np.array(plain, dtype=np.uint64)[relations]
        is_lifted = np.array([DELIMITER in label for label in labels], dtype=bool)
        moved = np.flatnonzero(is_lifted[relations])
        texts = np.unique(np.searchsorted(batch.bounds, moved, side="right") - 1)
        for text in texts.tolist():
            first, end = batch.bounds[text : text + 2].tolist()
            names = [labels[relation] for relation in relations[first:end].tolist()]
            own, _ = deprojectivize((heads[first:end] - first).tolist(), names)
            heads[first:end] = np.array(own) + first
        return heads, hashes

    def decisions(self, docs: Iterable[Doc]) -> NDArray:
        """What is decided about Docs, to be compared."""
        found = self.predict(docs)
        return np.stack([found.heads.astype(np.uint64), found.relations])

    def set_annotations(self, docs: Iterable[Doc], scores: Parsed) -> None:
        """Write what was predicted."""
        at = scores.docs.tolist()
        offsets = scores.heads - np.arange(len(scores.heads))
        columns = np.stack([offsets.astype(np.uint64), scores.relations], axis=1)
        for doc, (first, end) in zip(docs, pairwise(at), strict=True):
            if end > first:
                doc.from_array([HEAD, DEP], columns[first:end])


class _Kept:
    """Heads and relations that are on Docs already.

    Args:
        docs: The Docs.
        batch: The same, as read.
        heads: Positions in the batch, UNKNOWN where none is set.
        relations: Hashes.
    """

    def __init__(
        self,
        docs: Sequence[Doc],
        batch: Batch,
        heads: NDArray[np.int64],
        relations: NDArray[np.uint64],
    ):
        self.docs = docs
        self.batch = batch
        self.heads = heads
        self.relations = relations

    @classmethod
    def find(cls, docs: Sequence[Doc], batch: Batch) -> "_Kept | None":
        """What is set on Docs; None if nothing is."""
        if not any(doc.has_annotation("DEP") for doc in docs):
            return None
        heads, relations = zip(*map(columns_of, docs), strict=True)
        lengths = np.diff(batch.docs)
        at = np.concatenate(heads)
        at[at >= 0] += np.repeat(batch.docs[:-1], lengths)[at >= 0]
        return cls(docs, batch, at, np.concatenate(relations))

    def known(self, parser: LatpercParser) -> Known | None:
        """What constrains the search: sentences of which some heads are set. Those that
        have all stay as they are, whatever the search would allow."""
        bounds = self.batch.bounds
        lengths = np.diff(bounds)
        first = np.repeat(bounds[:-1], lengths)
        is_set = self.heads >= 0
        whole = np.repeat(np.logical_and.reduceat(is_set, bounds[:-1]), lengths)
        part = is_set & ~whole
        if not part.any():
            return None
        if parser.learner.system != "arc_hybrid":
            raise ValueError(
                Errors.LP808.format(name=parser.name, doc=self._doc_of(part))
            )
        end = np.repeat(bounds[1:], lengths)
        outside = part & ((self.heads < first) | (self.heads >= end))
        if outside.any():
            raise self._error(parser.name, outside, "its head is in another sentence")
        numbers = {
            parser.vocab.strings.as_int(label): i
            for i, label in enumerate(parser.cfg["labels"])
        }
        relations = np.full(len(part), UNKNOWN, dtype=np.int32)
        for i in np.flatnonzero(part).tolist():
            relations[i] = numbers.get(int(self.relations[i]), UNKNOWN)
        heads = np.where(part, self.heads - first, UNKNOWN).astype(np.int32)
        relations[heads == np.arange(len(heads)) - first] = UNKNOWN
        return Known(heads, relations)

    def restore(
        self, heads: NDArray[np.int64], relations: NDArray[np.uint64], name: str
    ) -> None:
        """Put what was set into what was found, where that has it."""
        is_set = self.heads >= 0
        lengths = np.diff(self.batch.bounds)
        whole = np.logical_and.reduceat(is_set, self.batch.bounds[:-1])
        whole = np.repeat(whole, lengths)
        lost = is_set & ~whole & (heads != self.heads)
        if lost.any():
            problem = (
                "with the other heads that are set it makes no tree without crosses"
            )
            raise self._error(name, lost, problem)
        heads[is_set] = self.heads[is_set]
        relations[is_set] = self.relations[is_set]

    def _doc_of(self, tokens: NDArray[np.bool_]) -> str:
        token = int(tokens.argmax())
        number = int(np.searchsorted(self.batch.docs, token, side="right")) - 1
        return describe(self.docs[number])

    def _error(self, name: str, tokens: NDArray[np.bool_], problem: str) -> ValueError:
        token = int(tokens.argmax())
        number = int(np.searchsorted(self.batch.docs, token, side="right")) - 1
        own = token - int(self.batch.docs[number])
        doc = self.docs[number]
        return ValueError(
            Errors.LP809.format(
                name=name,
                doc=describe(doc),
                token=own,
                word=doc[own].text,
                problem=problem,
            )
        )
