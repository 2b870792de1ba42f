"""Explanations by a component around a chain: features of decisions and of labels."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice, pairwise
from typing import Any

from spacy.tokens import Doc

from ..errors import Errors
from ..explain.explanation import Explanation, Explanations, SentenceExplainer
from ..explain.top_features import (
    TopFeatures,
    feature_names,
    top_features,
    typical_words,
)
from ..explain.weight_tables import WeightTable, read_tables
from ..kernels.chains import FrozenChain
from ..learners.base import Batch
from ..schemes.decode import OUTSIDE
from .learner_pipe import LearnerPipe

_MOST_STATES = 2000  # Docs in which the words of latent states are counted


class ExplainedPipe(LearnerPipe):
    """A component whose decisions can be explained; see ChainPipe."""

    coder: Any
    external_scores: Any
    _tables: tuple[FrozenChain, list[WeightTable]] | None = None  # see `explain`

    def explain(
        self, doc: Doc, token: int | None = None, label: str | None = None
    ) -> Explanation | Explanations:
        """Explain the label of a token: the features that decided for it, and against
        another label. The Doc is not changed, and its annotation is ignored. The
        labels are those of an exact search, from which a beam may differ.

        Args:
            doc: The Doc.
            token: The number of the token; by default all tokens are explained, or,
                where there are some, those inside of spans.
            label: The other label, of `learner.labels`; the runner-up by default.
        """
        if token is not None and not -len(doc) <= token < len(doc):
            raise ValueError(Errors.LP649.format(token=token, n=len(doc)))
        batch = self.reader.read([doc])
        prepared = self.learner.read(
            batch,
            external_scores=self.external_scores([doc]),
            recall_constant=self.coder.recall_constant,
        )
        learner, frozen = self.learner, self.learner.freeze()
        if self._tables is None or self._tables[0] is not frozen:
            self._tables = frozen, read_tables(learner)
        tables = self._tables[1]

        def sentence(token: int) -> SentenceExplainer:
            return SentenceExplainer(learner, doc, batch, prepared, token, tables)

        if token is not None:
            token %= len(doc)
            return sentence(token).explain(token, label)
        every = []
        for start, end in pairwise(prepared.bounds.tolist()):
            explainer = sentence(start)
            every += [explainer.explain(i, label) for i in range(start, end)]
        return Explanations([x for x in every if x.chosen != OUTSIDE] or every)

    def top_features(self, docs: Iterable[Doc] = (), n: int = 20) -> TopFeatures:
        """Return the features with the largest weights for each label.

        Args:
            docs: Docs in which the texts of features and the typical words of latent
                states are found, since a model knows hashes only, such as the Docs of
                training.
            n: The number of features for and against each label.
        """
        found = top_features(self.learner, n)
        read: Iterator[tuple[Doc, Batch]]
        read = ((doc, self.read_docs([doc])[0]) for doc in docs)
        if self.learner.latent > 1:
            kept = list(islice(read, _MOST_STATES))
            copied = self.model.copy().shims[0].learner  # it learns features
            found = replace(found, states=typical_words(copied, kept, n))
            read = chain(kept, read)
        return found.named(feature_names(self.learner, read, found.names))
