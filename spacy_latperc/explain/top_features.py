"""The features with the largest weights by label, and the weights of transitions.

A model knows its features by their hashes. Their texts are found again in Docs, such as
those of training.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from ..learners.base import Batch
from ..learners.chain import ChainLearner
from ..learners.chain_weights import ChainWeights
from .explanation import ENDS
from .feature_text import FeatureText, active_features
from .tables import render
from .weight_tables import read_tables, rows_of_states


class WeightedFeature(NamedTuple):
    """A feature with its weight for a label.

    Attributes:
        key: The hash of the feature.
        text: Its text; "" if that is not known.
        weight: The weight; with latent states, the largest of the label's.
    """

    key: int
    text: str
    weight: float


class Transition(NamedTuple):
    """The weight of one label after another."""

    before: str
    label: str
    weight: float


@dataclass(frozen=True)
class TopFeatures:
    """The largest weights of a chain.

    Attributes:
        features: For each label the features that speak most for it, and those that
            speak most against it.
        transitions: The weights of pairs of labels, the largest first; without latent
            states only.
        n_features: The number of features with weights.
        states: For each label the typical words of its latent states, if it has some.
    """

    features: dict[str, tuple[list[WeightedFeature], list[WeightedFeature]]]
    transitions: list[Transition]
    n_features: int
    states: dict[str, list[list[str]]] = field(default_factory=dict)

    @property
    def names(self) -> dict[int, str]:
        """The texts of all features by hash."""
        every = (rows for both in self.features.values() for rows in both)
        return {x.key: x.text for rows in every for x in rows}

    def named(self, names: Mapping[int, str]) -> "TopFeatures":
        """Return the same with texts, by hash, as `feature_names` finds them."""

        def named(rows: list[WeightedFeature]) -> list[WeightedFeature]:
            return [x._replace(text=names.get(x.key, x.text)) for x in rows]

        features = {
            label: (named(best), named(worst))
            for label, (best, worst) in self.features.items()
        }
        return replace(self, features=features)

    def _repr_html_(self) -> str:
        return render("top", self)


def top_features(learner: ChainWeights, n: int = 20) -> TopFeatures:
    """Return the n features with the largest weights for and against each label."""
    tables, labels, latent = read_tables(learner), learner.labels, learner.latent
    keys, weights = [], []
    for block_keys, rows in rows_of_states(tables, len(labels) * latent):
        keys.append(block_keys)
        split = rows.T.reshape(len(labels), latent, len(rows))
        if latent > 1:
            extremes = np.abs(split).argmax(axis=1)[:, None]
            split = np.take_along_axis(split, extremes, axis=1)
        weights.append(split[:, 0])
    all_keys, all_weights = np.concatenate(keys), np.concatenate(weights, axis=1)

    def chosen(number: int, sign: int) -> list[WeightedFeature]:
        column = sign * all_weights[number]
        best = np.flatnonzero(column > 0)
        if n < len(best):
            least = np.partition(column[best], -n)[-n]
            best = best[column[best] >= least]
        best = best[np.argsort(-column[best], kind="stable")][:n]
        return [
            WeightedFeature(key, ENDS.get(key, ""), float(sign * column[row]))
            for row, key in zip(best, all_keys[best].tolist(), strict=True)
        ]

    found = {x: (chosen(i, 1), chosen(i, -1)) for i, x in enumerate(labels)}
    return TopFeatures(found, _transitions(learner, tables), len(all_keys))


def _transitions(learner: ChainWeights, tables: list) -> list[Transition]:
    """Return the weights of the plain transitions between labels."""
    if learner.latent > 1 or learner.order == 0:
        return []
    plain = learner.plan.observations.index("bias")
    table = next(x for x in tables if x.kind == 1 and plain in x.templates)
    nothing = np.zeros((1, len(learner.plan.sources)), np.uint64)
    key = int(learner.empty_space().hashes(nothing)[0, plain])
    at, labels = table.cells(key), learner.labels
    pairs = zip(table.units[1, at], table.units[2, at], table.values[at], strict=True)
    found = [Transition(labels[i], labels[j], float(weight)) for i, j, weight in pairs]
    return sorted(found, key=lambda x: -x.weight)


def feature_names(
    learner: ChainWeights,
    docs: Iterable[tuple[object, Batch]],
    wanted: Collection[int],
) -> dict[int, str]:
    """Find the texts of features, by hash, in Docs with their columns."""
    space, missing = learner.empty_space(), set(wanted)
    hashes = np.array(sorted(missing), dtype=np.uint64)
    found: dict[int, str] = {}
    for doc, batch in docs:
        prepared = learner.read(batch)
        text = FeatureText(learner.features, learner.plan, doc, batch)
        for x in active_features(space, prepared, hashes):
            if x.key in missing:
                s = np.searchsorted(prepared.bounds, x.token, side="right")
                start, end = prepared.bounds[s - 1 : s + 1].tolist()
                found[x.key] = text.names(x.template, x.token, start, end)[x.place]
                missing.discard(x.key)
        if not missing:
            break
        if len(missing) < len(hashes) // 2:
            hashes = np.array(sorted(missing), dtype=np.uint64)
    return found


def typical_words(
    learner: ChainLearner, docs: Iterable[tuple[Any, Batch]], n: int
) -> dict[str, list[list[str]]]:
    """Find the words that tell the latent states of each label apart: those with the
    largest share of the log likelihood ratio.
    """
    latent, counts = learner.latent, Counter[tuple[int, str]]()
    for doc, batch in docs:
        states = learner.best_states(batch).tolist()
        counts.update(zip(states, (token.text for token in doc), strict=True))
    of_state, of_word, of_label = (Counter[Any]() for _ in range(3))
    for (state, word), count in counts.items():
        of_state[state] += count
        of_word[state // latent, word] += count
        of_label[state // latent] += count
    ranked: dict[int, list[tuple[float, int, str]]] = {}
    for (state, word), count in counts.items():
        label = state // latent
        expected = of_state[state] * of_word[label, word] / of_label[label]
        ratio = count * np.log(count / expected)
        ranked.setdefault(state, []).append((ratio, count, word))
    return {
        name: [
            [word for *_, word in sorted(ranked.get(i * latent + k, []))[::-1][:n]]
            for k in range(latent)
        ]
        for i, name in enumerate(learner.labels)
    }
