"""The slow, obvious twin of the evidence of n-grams: dictionaries of tuples."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from math import log

BEGIN, END = "<begin>", "<end>"
Words = Sequence[str]


class Evidence:
    """Counts of sentences, and what they say of the tokens of another one.

    Args:
        sentences: The text.
        least: By length of n-grams: rarer ones count as unknown.
        smoothing: "witten-bell", "absolute" or "none".
        discounts: By length of n-grams.
        others: Words that may be meant in place of a word.
    """

    def __init__(
        self,
        sentences: Sequence[Words],
        least: Sequence[int],
        smoothing: str,
        discounts: Sequence[float],
        others: Mapping[str, Sequence[str]] | None = None,
    ):
        self.others = others or {}
        self.order = len(least)
        self.smoothing = smoothing
        self.discounts = discounts
        raw: Counter[tuple[str, ...]] = Counter()
        self.following = defaultdict(set)
        for sentence in sentences:
            padded = (BEGIN, *sentence, END)
            for start in range(len(padded)):
                for end in range(start + 1, min(start + self.order, len(padded)) + 1):
                    gram = padded[start:end]
                    raw[gram] += 1
                    self.following[gram[:-1]].add(gram[-1])
        self.counts = {g: n for g, n in raw.items() if n >= least[len(g) - 1]}
        single = {g: n for g, n in raw.items() if len(g) == 1 and g != (BEGIN,)}
        self.tokens, self.words = sum(single.values()), len(single)

    def probability(self, history: tuple[str, ...], word: str) -> float:
        p = 1 / (self.words + 2)
        p = self._mixed((), word, max(self.tokens, 1), self.words, p)
        for m in range(1, min(len(history), self.order - 1) + 1):
            context = history[-m:]
            total = self.counts.get(context, 0)
            if not total:
                break
            p = self._mixed(context, word, total, len(self.following[context]), p)
        return p

    def _fit(self, padded: tuple[str, ...], i: int, word: str) -> float:
        """The next words up to the second behind it, each after at most two words."""
        changed = (*padded[:i], word, *padded[i + 1 :])
        found = 0.0
        for k in range(i, min(i + 3, len(changed))):
            found += log(
                self.probability(changed[max(k - 2, i - 2, 0) : k], changed[k])
            )
        return found

    def _mixed(self, context, word, total, kinds, shorter):
        count = self.counts.get((*context, word), 0)
        if self.smoothing == "none":
            return min(count / total, 1.0) if count else 0.4 * shorter
        if self.smoothing == "witten-bell":
            return (count + (kinds + 1e-3) * shorter) / (total + kinds + 1e-3)
        discount = self.discounts[len(context)]
        rest = min(discount * max(kinds, 1), total)
        return min((max(count - discount, 0) + rest * shorter) / total, 1.0)

    def judge(self, sentence: Words) -> dict[str, list[float]]:
        padded = (BEGIN, *sentence, END)
        found = defaultdict(list)
        for i in range(1, len(padded) - 1):
            before = [padded[i - m : i + 1] for m in range(min(i + 1, self.order))]
            after = [padded[i : i + m + 1] for m in range(self.order)]
            after = [gram for m, gram in enumerate(after) if len(gram) == m + 1]
            found["left"].append(_known(before, self.counts))
            found["right"].append(_known(after, self.counts))
            found["prob"].append(log(self.probability(padded[:i], padded[i])))
            following = padded[i + 1]
            found["next"].append(log(self.probability(padded[: i + 1], following)))
            short = padded[:i][-min(2, self.order - 1) :]
            found["gap"].append(log(self.probability(short, following)))
            found["count"].append(self.counts.get((padded[i],), 0))
            found["pair"].append(self.counts.get(padded[i - 1 : i + 1], 0))
            middle = padded[i - 1 : i + 2] if self.order > 2 else ()
            found["middle"].append(self.counts.get(middle, 0))
            here = self._fit(padded, i, padded[i])
            gains = [
                self._fit(padded, i, x) - here for x in self.others.get(padded[i], ())
            ]
            found["better"].append(max(gains, default=-1e9))
        return dict(found)


def _known(grams, counts):
    known = 0
    for gram in grams:
        if gram not in counts:
            break
        known += 1
    return known
