"""The slow, obvious twin of the evidence of n-grams: dictionaries of tuples."""

from collections import Counter, defaultdict
from math import log

BEGIN, END = "<begin>", "<end>"


class Evidence:
    """Counts of sentences, and what they say of the tokens of another one.

    least, discounts: by length of n-grams: rarer ones count as unknown.
    """

    def __init__(self, sentences, least, discounts):
        self.order = len(least)
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
        self.left_words = defaultdict(set)
        for gram in raw:
            self.left_words[gram[1:]].add(gram[0])
        self.raw = raw
        self.counts = {g: n for g, n in raw.items() if n >= least[len(g) - 1]}
        single = {g: n for g, n in raw.items() if len(g) == 1 and g != (BEGIN,)}
        self.tokens, self.words = sum(single.values()), len(single)

    def probability(self, history, word):
        p = self._kneser_ney((), word, 1 / (self.words + 1))
        for m in range(1, min(len(history), self.order - 1) + 1):
            context = history[-m:]
            if not self.counts.get(context, 0):
                break
            p = self._kneser_ney(context, word, p)
        return p

    def _adjusted(self, gram):
        """Count as Kneser and Ney do: different words to the left, but occurrences of
        the longest n-grams, and where nothing can stand to the left."""
        if len(gram) == self.order or gram[0] == BEGIN:
            return self.raw[gram]
        return len(self.left_words[gram]) if gram in self.raw else 0

    def _kneser_ney(self, context, word, shorter):
        """Chen and Goodman 1998, 2.7 and 3, interpolated; what is not kept of a context
        goes to the shorter one."""
        own = {}
        total = 0
        for follower in self.following[context] - {BEGIN}:
            gram = (*context, follower)
            count = self._adjusted(gram)
            total += count
            if gram in self.counts:
                own[follower] = count - self.discounts[len(context)]
        if not total:
            return shorter
        rest = total - sum(own.values())
        return (own.get(word, 0) + rest * shorter) / total

    def judge(self, sentence):
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
        return dict(found)


def _known(grams, counts):
    return next((n for n, gram in enumerate(grams) if gram not in counts), len(grams))
