"""Why a judge gives a sentence its score."""

from dataclasses import dataclass
from itertools import pairwise

from numpy.typing import NDArray
from spacy.tokens import Doc

from .collect_features import Collected
from .sentence_features import COLUMNS
from .sentence_scorer import Joined


@dataclass(frozen=True)
class SentenceExplanation:
    """Why a sentence has its score.

    Attributes:
        text: The sentence.
        probability: The probability that it is good.
        parts: The name, the value and the part of the score of each column of
            evidence, the largest parts first; those of the length are one.
        bias: The part of the score that all sentences have.
        score: The sum of all parts; very low for sentences below the floor.
    """

    text: str
    probability: float
    parts: list[tuple[str, float, float]]
    bias: float
    score: float

    @property
    def title(self) -> str:
        """The sentence and its probability."""
        return f"{self.text} (good with probability {self.probability:.2f})"

    def rows(self, n: int = 10) -> list[tuple[str, str, float]]:
        """Return a table: the n largest parts, all others, and the sum."""
        rows = [(name, f"{value:.2f}", part) for name, value, part in self.parts[:n]]
        others = sum(part for *_, part in self.parts[n:])
        total = sum(part for *_, part in self.parts) + self.bias
        rows += [("others", "", others), ("bias", "", self.bias)]
        if self.score < total:
            rows.append(("below the floor", "", self.score - total))
        return [*(row for row in rows if row[2]), ("sum", "", self.score)]


def explain_sentences(
    doc: Doc, seen: Collected, joined: Joined, scores: NDArray, good: NDArray
) -> list[SentenceExplanation]:
    """Explain the scores of the sentences of a Doc, and their probabilities."""
    found = []
    for i, (start, end) in enumerate(pairwise(seen.bounds.tolist())):
        columns = zip(COLUMNS, seen.table[i].tolist(), joined.weights, strict=True)
        parts = [(name, value, weight * value) for name, value, weight in columns]
        length = sum(part for name, _, part in parts if name.startswith("length"))
        parts = [x for x in parts if x[2] and not x[0].startswith("length")]
        parts.append(("length", end - start, length))
        parts.sort(key=lambda x: -abs(x[2]))
        text, chance, score = doc[start:end].text, float(good[i]), float(scores[i])
        found.append(SentenceExplanation(text, chance, parts, joined.bias, score))
    return found
