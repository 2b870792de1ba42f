"""The features that decided for a label, and against another one.

The score of an analysis is a sum of weights: of the features of each token, of the
transitions between labels, and of the ends of the sentence (LVP, eq. 7; DSL, eq. 16).
An explanation subtracts the sum of the best analysis without a label from that of the
best one, weight by weight, so that what it shows adds up to the difference.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ..errors import Errors
from ..features.templates import KINDS
from ..kernels.chains import END, NO_PATH, START
from ..learners.base import Batch, Prepared
from ..learners.chain import ChainLearner
from .feature_text import ActiveFeature, FeatureText, active_features
from .tables import render
from .weight_tables import WeightTable, read_tables

ENDS = {START: "start of sentence", END: "end of sentence"}
TRANSITION = "transition"


class Contribution(NamedTuple):
    """The weight of a feature for the chosen analysis, less that for the rejected one.

    Attributes:
        feature: The text of the feature.
        token: The token that has it.
        weight: The difference; positive values speak for the chosen analysis.
    """

    feature: str
    token: int
    weight: float


@dataclass(frozen=True)
class Explanation:
    """Why a token has its label rather than another one.

    Attributes:
        token: The number of the token in the Doc.
        text: The token.
        chosen: Its label in the best analysis.
        rejected: Its label in the best analysis without `chosen`, or the label asked
            for.
        start: The first token of the sentence.
        words: The tokens of the sentence.
        chosen_labels: The labels of the sentence in the best analysis.
        rejected_labels: Those in the rejected one.
        features: The features of tokens, the most important first.
        transitions: The sum of the transitions between labels.
        external: The sum of the scores of other models and of the recall constant.
        margin: The score of the best analysis less that of the rejected one. It is
            the sum of `features`, `transitions` and `external`.
    """

    token: int
    text: str
    chosen: str
    rejected: str
    start: int
    words: list[str]
    chosen_labels: list[str]
    rejected_labels: list[str]
    features: list[Contribution]
    transitions: float
    external: float
    margin: float

    @property
    def title(self) -> str:
        """The token, its label and the rejected one."""
        return f"{self.text}: {self.chosen}, not {self.rejected}"

    def rows(self, n: int = 10) -> list[tuple[str, str, float]]:
        """Return a table: the n most important features with their tokens and weights,
        all other parts of the margin, and the sum.
        """
        shown, others = self.features[:n], self.features[n:]
        rows = [(x.feature, self.words[x.token - self.start], x.weight) for x in shown]
        rows += [
            (f"{len(others)} other features", "", sum(x.weight for x in others)),
            ("transitions between labels", "", self.transitions),
            ("recall constant and other models", "", self.external),
        ]
        kept = [row for row in rows if row[2]]
        return [*kept, ("sum", "", self.margin)]

    def _repr_html_(self) -> str:
        return render("why", self)


class Explanations(tuple[Explanation, ...]):
    """The explanations of several tokens."""

    def _repr_html_(self) -> str:
        return "".join(x._repr_html_() for x in self)


class SentenceExplainer:
    """Explains the decisions of a chain in the sentence of a token."""

    def __init__(
        self,
        learner: ChainLearner,
        doc: Any,
        batch: Batch,
        prepared: Prepared,
        token: int,
        tables: list[WeightTable] | None = None,
    ):
        s = int(np.searchsorted(prepared.bounds, token, side="right")) - 1
        bounds = prepared.bounds[s : s + 2]
        self.start, self.end = map(int, bounds)
        self._learner, self._doc = learner, doc
        self._batch = replace(prepared, bounds=bounds, n_threads=1)
        self._text = FeatureText(learner.features, learner.plan, doc, batch)
        self._tables = tables or read_tables(learner)
        self._active = list(active_features(learner.empty_space(), self._batch))

    def explain(self, token: int, label: str | None = None) -> Explanation:
        """Compare the best analysis with the best one in which a token has another
        label.
        """
        names, at = self._learner.labels, token - self.start
        best = self._best(self._batch)
        allowed, shape = self._batch.allowed, (self._batch.n_tokens, len(names))
        mask = np.ones(shape, np.uint8) if allowed is None else allowed.copy()
        if label is None:
            mask[token, best[at]] = 0
        else:
            mask[token, np.array(names) != label] = 0
        other = self._best(self._batch.within(mask)) if mask[token].any() else [NO_PATH]
        if NO_PATH in (best[0], other[0]):
            wanted = "another label" if label is None else f"the label '{label}'"
            text = self._doc[token].text
            raise ValueError(Errors.LP650.format(text=text, token=token, wanted=wanted))
        paths = self._states(best), self._states(other)
        features: defaultdict[tuple[int, str], float] = defaultdict(float)
        transitions = 0.0
        for token_of, name, weight in self._differences(*paths):
            if name == TRANSITION:
                transitions += weight
            else:
                features[token_of, name] += weight
        found = [Contribution(x, self.start + i, w) for (i, x), w in features.items()]
        found = sorted(filter(lambda x: x.weight, found), key=lambda x: -abs(x.weight))
        external = self._external(paths[0]) - self._external(paths[1])
        return Explanation(
            token=token,
            text=self._doc[token].text,
            chosen=names[best[at]],
            rejected=names[other[at]],
            start=self.start,
            words=[x.text for x in self._doc[self.start : self.end]],
            chosen_labels=[names[i] for i in best],
            rejected_labels=[names[i] for i in other],
            features=found,
            transitions=transitions,
            external=external,
            margin=sum(features.values()) + transitions + external,
        )

    def _best(self, batch: Prepared) -> list[int]:
        """Return the label ids of the best path."""
        return self._learner.best_path(batch)[self.start : self.end].tolist()

    def _terms(
        self,
    ) -> Iterator[tuple[WeightTable, int, int, float, ActiveFeature | None]]:
        """Yield the table, token, key and value of all that is summed up along a path,
        and the feature; None for an end of the sentence."""
        for table in self._tables:
            for x in self._active:
                if x.template in table.templates and x.token >= table.kind:
                    yield table, x.token, x.key, x.value, x
            if table.kind == 0 and self._learner.boundaries:
                yield table, 0, START, 1.0, None
                yield table, self.end - self.start - 1, END, 1.0, None

    def _states(self, labels: Sequence[int]) -> list[int]:
        """Return the best path of states with these labels."""
        latent, order = self._learner.latent, self._learner.order
        if latent == 1:
            return list(labels)
        scores = [np.zeros((latent,) * (min(i, order) + 1)) for i in range(len(labels))]
        for table, i, key, value, _ in self._terms():
            scores[i] += value * table.block(key, labels[: i + 1], latent)
        total, pointers = np.zeros(()), []
        for score in scores:
            total = total[..., None] + score
            if total.ndim > order:
                pointers.append(total.argmax(axis=0))
                total = total.max(axis=0)
        last = np.unravel_index(int(total.argmax()), total.shape) if order else ()
        found = [int(x) for x in last]
        for pointer in reversed(pointers):
            found.insert(0, int(pointer[tuple(found[:order])]))
        return [
            label * latent + state for label, state in zip(labels, found, strict=True)
        ]

    def _differences(
        self, chosen: Sequence[int], rejected: Sequence[int]
    ) -> Iterator[tuple[int, str, float]]:
        """Yield the token, the text and the weight of what differs between paths."""
        for table, i, key, value, active in self._terms():
            first = i - table.kind
            if chosen[first : i + 1] == rejected[first : i + 1]:
                continue
            weight = table.weight(key, chosen[: i + 1])
            weight -= table.weight(key, rejected[: i + 1])
            yield i, self._name(table, key, active), value * weight

    def _name(self, table: WeightTable, key: int, active: ActiveFeature | None) -> str:
        if active is None:
            return ENDS[key]
        token = self.start + active.token
        texts = self._text.names(active.template, token, self.start, self.end)
        text = texts[active.place]
        if not table.kind:
            return text
        return TRANSITION if text == "bias" else f"{KINDS[table.kind]}:{text}"

    def _external(self, states: Sequence[int]) -> float:
        scores, latent = self._batch.external_scores, self._learner.latent
        outside = sum(state < latent for state in states)
        constant = outside * self._batch.recall_constant
        if scores is None:
            return constant
        if scores.shape[1] > len(self._learner.labels):
            latent = 1
        given = [scores[self.start + i, s // latent] for i, s in enumerate(states)]
        return float(sum(given)) + constant
