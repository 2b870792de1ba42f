"""Gold and predicted annotation side by side: scores, confusions and errors."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from spacy.tokens import Doc

from ..pipeline.extensions import SCORES, entity_score, tag_score

RESAMPLES, SEED = 1000, 0
INTERVAL = (2.5, 97.5)  # percentiles of the resampled scores
# Groups of gold items by the frequency of their rarest word in training.
FREQUENCIES = {0: "unseen", 1: "1", 2: "2 to 4", 5: "5 and more"}  # by the least one
TYPE, BOUNDARY, HEAD, MISSED, SPURIOUS = "type boundary head missed spurious".split()


class Item(NamedTuple):
    """A span, a tagged token, or a token in a tree.

    Attributes:
        start: The first token.
        end: The token after the last one.
        score: The probability, if the component gives one.
        head: The head of a token in a tree; else -1.
    """

    start: int
    end: int
    label: str
    score: float | None = None
    head: int = -1

    @property
    def answer(self) -> tuple[int, int, str, int]:
        """All but the score."""
        return *self[:3], self.head


def item_text(doc: Doc, item: Item | None) -> str:
    """Return the label of an item, with the head of a token in a tree."""
    if item is None:
        return "none"
    return item.label if item.head < 0 else f"{item.label} ← {doc[item.head].text}"


Read = Callable[[Doc], list[Item]]


def reader_of(task: str) -> Read:
    """Return the function that reads the items of a task off a Doc.

    Args:
        task: "entities", "chunks", "tags" or "trees".
    """

    def entities(doc: Doc) -> list[Item]:
        return [Item(x.start, x.end, x.label_, entity_score(x)) for x in doc.ents]

    def chunks(doc: Doc) -> list[Item]:
        group = doc.spans.get("chunks", ())
        scores = getattr(group, "attrs", {}).get(SCORES)
        found = [None] * len(group) if scores is None else scores.tolist()
        return [
            Item(x.start, x.end, x.label_, score)
            for x, score in zip(group, found, strict=True)
        ]

    def tags(doc: Doc) -> list[Item]:
        return [
            Item(token.i, token.i + 1, token.tag_ or token.pos_, tag_score(token))
            for token in doc
        ]

    def trees(doc: Doc) -> list[Item]:
        # The subtypes of relations do not count.
        return [
            Item(x.i, x.i + 1, x.dep_.partition(":")[0], None, x.head.i)
            for x in doc
            if x.has_head()
        ]

    return {"entities": entities, "chunks": chunks, "trees": trees}.get(task, tags)


@dataclass(frozen=True)
class Score:
    """Precision, recall and F of a label."""

    label: str
    gold: int
    predicted: int
    correct: int
    low: float
    high: float

    @property
    def precision(self) -> float:
        """The share of the predicted items that is correct."""
        return self.correct / max(self.predicted, 1)

    @property
    def recall(self) -> float:
        """The share of the gold items that is found."""
        return self.correct / max(self.gold, 1)

    @property
    def f(self) -> float:
        """The harmonic mean of precision and recall."""
        return 2 * self.correct / max(self.gold + self.predicted, 1)


class Mistake(NamedTuple):
    """A gold or predicted item that is wrong.

    Attributes:
        doc: The number of the Doc.
        kind: MISSED, SPURIOUS, or those of TYPE, BOUNDARY and HEAD that are wrong.
        gold: The gold item; None for a spurious one.
        predicted: The predicted item; None for a missed one.
    """

    doc: int
    kind: str
    gold: Item | None
    predicted: Item | None

    @property
    def items(self) -> list[Item]:
        """The items that it has."""
        return [x for x in self[2:] if x is not None]

    @property
    def score(self) -> float:
        """The probability of the prediction; 0 without one."""
        return (self.predicted.score if self.predicted else None) or 0.0


def _kind(gold: Item, predicted: Item) -> str:
    wrong = (
        (TYPE, gold.label != predicted.label),
        (BOUNDARY, gold[:2] != predicted[:2]),
        (HEAD, gold.head != predicted.head),
    )
    return " and ".join(name for name, is_wrong in wrong if is_wrong)


@dataclass(eq=False)
class Comparison:
    """Docs with gold and with predicted annotation."""

    gold: Sequence[Doc]
    predicted: Sequence[Doc]
    read: Read

    @cached_property
    def pairs(self) -> list[tuple[list[Item], list[Item]]]:
        """The gold and the predicted items of each Doc."""
        docs = zip(self.gold, self.predicted, strict=True)
        return [(self.read(gold), self.read(predicted)) for gold, predicted in docs]

    @cached_property
    def labels(self) -> list[str]:
        """All labels, the most frequent ones first."""
        counts = Counter(item.label for gold, _ in self.pairs for item in gold)
        counts.update({x.label: 0 for _, predicted in self.pairs for x in predicted})
        return [label for label, _ in counts.most_common()]

    def scores(self) -> list[Score]:
        """Return the scores of all items and of each label, with intervals of F by
        resampling the Docs."""
        number = {label: i for i, label in enumerate(self.labels, 1)}
        counts = np.zeros((len(self.pairs), len(number) + 1, 3))
        for i, (gold, predicted) in enumerate(self.pairs):
            right = {x.answer for x in predicted}
            correct = [x for x in gold if x.answer in right]
            for kind, items in enumerate((gold, predicted, correct)):
                for item in items:
                    counts[i, [0, number[item.label]], kind] += 1
        sums = counts.sum(axis=0).astype(int).tolist()
        rows = zip(["all", *self.labels], sums, _intervals(counts), strict=True)
        return [Score(label, *sizes, *ends) for label, sizes, ends in rows]

    @cached_property
    def mistakes(self) -> list[Mistake]:
        """All mistakes, those first that the model was most sure of, and equal ones of
        all Docs in turn."""
        every = []
        for i, (gold, predicted) in enumerate(self.pairs):
            right = {x.answer for x in gold} & {x.answer for x in predicted}
            rest, found = [x for x in gold if x.answer not in right], []
            for item in predicted:
                if item.answer in right:
                    continue
                near = [x for x in rest if x.start < item.end and item.start < x.end]
                if near:
                    partner = max(near, key=lambda x: x[:2] == item[:2])
                    rest.remove(partner)
                    found.append(Mistake(i, _kind(partner, item), partner, item))
                else:
                    found.append(Mistake(i, SPURIOUS, None, item))
            found += [Mistake(i, MISSED, item, None) for item in rest]
            every += [(-x.score, turn, x) for turn, x in enumerate(found)]
        return [x for *_, x in sorted(every, key=itemgetter(0, 1))]

    def confusions(self) -> list[tuple[str, str, int]]:
        """Return (gold label, predicted label, count) of the confusions of labels, the
        most frequent first; "" for no label."""
        counts = Counter(
            (x.gold.label if x.gold else "", x.predicted.label if x.predicted else "")
            for x in self.mistakes
        )
        pairs = counts.most_common()
        return [(gold, found, n) for (gold, found), n in pairs if gold != found]

    def kinds(self) -> list[tuple[str, int]]:
        """Return the number of mistakes of each kind, the most frequent first."""
        return Counter(mistake.kind for mistake in self.mistakes).most_common()

    def by_frequency(self, words: Counter[str]) -> list[tuple[str, int, int]]:
        """Return the name of each group of gold items by the frequency of their rarest
        word in training, their number, and the number that was found.

        Args:
            words: The number of each word in the training data.
        """
        counts: Counter[tuple[str, bool]] = Counter()
        least, names = list(FREQUENCIES), list(FREQUENCIES.values())
        for doc, (gold, predicted) in zip(self.gold, self.pairs, strict=True):
            right = {x.answer for x in predicted}
            for item in gold:
                rarest = min(words[doc[i].text] for i in range(item.start, item.end))
                name = names[bisect_right(least, rarest) - 1]
                counts[name, item.answer in right] += 1
        both = [(counts[name, True], counts[name, False]) for name in names]
        return [(name, sum(x), x[0]) for name, x in zip(names, both, strict=True)]


def _intervals(counts: NDArray) -> list[list[float]]:
    """Return the ends of the interval of F of each label; counts: [docs, labels, 3]."""
    random = np.random.default_rng(SEED)
    n = len(counts)
    picks = random.multinomial(n, np.full(n, 1 / n), size=RESAMPLES)
    gold, predicted, correct = np.tensordot(picks, counts, axes=1).transpose(2, 0, 1)
    f = 2 * correct / np.maximum(gold + predicted, 1)
    return np.percentile(f, INTERVAL, axis=0).T.tolist()
