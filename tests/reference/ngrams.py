"""The slow, obvious twin of the n-gram kernels: dictionaries of tuples of words.

Sentences are lists of strings. Probabilities by definition: Chen and Goodman 1998,
section 2.7 (Kneser-Ney), interpolated.
"""

import itertools
from collections import Counter
from math import log

BEGIN, END, UNKNOWN = "<begin>", "<end>", "<unknown>"


class Ngrams:
    def __init__(self, sentences, order, least):
        self.order = order
        self.words = sorted({w for sentence in sentences for w in sentence})
        self.events = [END, UNKNOWN, *self.words]
        padded = [[BEGIN, *sentence, END] for sentence in sentences]
        raw = [Counter() for _ in range(order)]
        for s, k in itertools.product(padded, range(1, order + 1)):
            grams = (tuple(s[i : i + k]) for i in range(len(s) - k + 1))
            raw[k - 1].update(gram for gram in grams if gram[-1] != BEGIN)
        self.counts = [dict(level) for level in raw]
        for k in range(order - 1):
            left = Counter(gram[1:] for gram in raw[k + 1])
            for gram in raw[k]:
                if gram[0] != BEGIN:
                    self.counts[k][gram] = left[gram]
        self.discounts = [self._discounts(level) for level in self.counts]
        self.kept = [
            {gram for gram, n in level.items() if n >= m}
            for level, m in zip(raw, least, strict=True)
        ]

    def _discounts(self, counts):
        n = Counter(counts.values())
        return n[1] / (n[1] + 2 * n[2]) if n[1] else 0.5

    def probability(self, history, word):
        if word == BEGIN:
            return 0.0
        history = history[len(history) - min(len(history), self.order - 1) :]
        while history and not self._known(history):
            history = history[1:]
        return self._interpolated(history, word)

    def _known(self, history):
        if history == (BEGIN,):
            return True
        return history in self.kept[len(history) - 1] or history[0] in self.events[:2]

    def _interpolated(self, history, word):
        k = len(history)
        if history:
            shorter = self._interpolated(history[1:], word)
        else:
            shorter = 1 / len(self.events)
        here = {g[-1]: n for g, n in self.counts[k].items() if g[:-1] == history and n}
        kept = {w: n for w, n in here.items() if (*history, w) in self.kept[k]}
        total = sum(here.values())
        if total == 0:
            return shorter
        own = {w: n - self.discounts[k] for w, n in kept.items()}
        rest = (total - sum(own.values())) / total
        return own.get(word, 0) / total + rest * shorter

    def score(self, sentence):
        padded = [BEGIN, *sentence, END]
        total = 0.0
        for i in range(1, len(padded)):
            p = self.probability(tuple(padded[:i]), padded[i])
            total += log(p) if p > 0 else float("-inf")
        return total
