"""The slow, obvious twin of latent classifiers: every chunking is scored.

"An online algorithm for learning over constrained latent representations using multiple
views": Algorithms 1 to 5. Exact ties are settled as the kernels settle them.
"""

from dataclasses import dataclass, field

import numpy as np

from reference import chain
from spacy_latperc.schemes import LabelInventory, get_scheme

Example = tuple[chain.Hashes, int]  # a sentence, and 1 or -1


def common_form(inventory, path):
    """The same chunks in IOB2."""
    spans = inventory.scheme.decode([inventory.labels[label] for label in path])
    return get_scheme("IOB2").encode(spans, len(path))


def from_common(inventory, labels):
    spans = get_scheme("IOB2").decode(labels)
    return tuple(
        inventory.index[label] for label in inventory.scheme.encode(spans, len(labels))
    )


def elect(votes, weights):
    """The valid sequence with the largest sum of votes; then that of the earlier views;
    then the one whose last label was named first, then the one before it, and so on."""
    n = len(votes[0])
    candidates: list[list[str]] = []
    for i in range(n):
        named: list[str] = []
        for vote, weight in zip(votes, weights, strict=True):
            if weight:
                names = [vote[i]]
                if vote[i].startswith("I-"):
                    names.append("B-" + vote[i][2:])
                named += [name for name in names if name not in named]
        candidates.append(named)
    sequences: list[list[str]] = [[]]
    for named in candidates:
        sequences = [[*head, label] for head in sequences for label in named]

    def key(labels):
        agreed = [
            (weight, 2 ** (len(votes) - 1 - view))
            for view, weight in enumerate(weights)
            for i in range(n)
            if weight and votes[view][i] == labels[i]
        ]
        places = [-candidates[i].index(labels[i]) for i in reversed(range(n))]
        return sum(x for x, _ in agreed), sum(x for _, x in agreed), places

    valid = [x for x in sequences if get_scheme("IOB2").first_invalid(x) is None]
    return max(valid, key=key)


@dataclass
class Twin:
    """shapes, inventories: of each view."""

    shapes: list[chain.Shape]
    inventories: list[LabelInventory]
    combine: str = "add"
    cap: float = 0.0
    squared: bool = False
    most_decodings: int = 50
    weights: list[chain.Weights] = field(default_factory=list)
    decodings: int = 0
    updates: int = 0
    capped: int = 0

    def decode(self, hashes):
        """Lines 5 to 7: the best path of each view, combined."""
        self.decodings += 1
        paths = []
        for shape, weights in zip(self.shapes, self.weights, strict=True):
            path = chain.first_best(chain.path_scores(shape, hashes, weights))
            assert path is not None
            paths.append(path)
        if self.combine == "add" or len(paths) == 1:
            return paths
        pairs = list(zip(self.inventories, paths, strict=True))
        votes = [common_form(inventory, path) for inventory, path in pairs]
        result = []
        for r, inventory in enumerate(self.inventories):
            worth = [1.0] * len(votes)
            if self.combine == "cotrain":
                worth[r] = 0.0
            result.append(from_common(inventory, elect(votes, worth)))
        return result

    def features(self, hashes, paths):
        pairs = zip(self.shapes, paths, strict=True)
        return [chain.path_features(shape, hashes, path) for shape, path in pairs]

    def score(self, features):
        return sum(
            chain.score(weights, counts)
            for weights, counts in zip(self.weights, features, strict=True)
        )

    def step(self, features, y):
        """Lines 8 to 11. RETURNS: y times the score before."""
        margin = y * self.score(features)
        loss = max(0.0, 1.0 - margin)
        norm = sum(count**2 for counts in features for count in counts.values())
        if loss > 0 and norm > 0:
            if self.squared:
                tau = loss / (norm + 1 / (2 * self.cap))
            else:
                tau = min(loss / norm, self.cap or np.inf)
            self.updates += 1
            for shape, weights, counts in zip(
                self.shapes, self.weights, features, strict=True
            ):
                for (b, key, cell), count in counts.items():
                    row = weights.setdefault((b, key), np.zeros(shape.row_shape(b)))
                    row[cell] += y * tau * count
        return margin

    def learn(self, hashes, y):
        """Algorithms 1 and 2, lines 4 to 12."""
        for decodings in range(1, self.most_decodings + 1):
            margin = self.step(self.features(hashes, self.decode(hashes)), y)
            if y > 0 or margin > 0:
                return
            self.capped += decodings == self.most_decodings

    def fit(self, hashes, y, paths):
        """Algorithm 5, lines 7 to 12. RETURNS: whether it was right before."""
        features = self.features(hashes, paths)
        right = y * self.score(features) > 0
        for steps in range(1, self.most_decodings + 1):
            margin = self.step(features, y)
            if y > 0 or margin > 0:
                break
            self.capped += steps == self.most_decodings
        return right

    def variant(self, examples, most_epochs):
        """An outer iteration of Algorithm 5. RETURNS: passes."""
        found = [self.decode(hashes) for hashes, _ in examples]
        for number in range(1, most_epochs + 1):
            right = [
                self.fit(hashes, y, paths)
                for (hashes, y), paths in zip(examples, found, strict=True)
            ]
            if all(right):
                return number
        return most_epochs

    def strict(self, examples, most_epochs):
        """An outer iteration of LCLR. RETURNS: passes."""
        caches = [[self.decode(x)] if y > 0 else [] for x, y in examples]
        for number in range(1, most_epochs + 1):
            fresh = False
            for (hashes, y), cache in zip(examples, caches, strict=True):
                if y < 0:
                    paths = self.decode(hashes)
                    if paths not in cache:
                        cache.append(paths)
                        fresh = True
            if not fresh:
                return number - 1
            for (hashes, y), cache in zip(examples, caches, strict=True):
                for paths in cache:
                    self.fit(hashes, y, paths)
        return most_epochs
