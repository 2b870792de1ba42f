"""A slow context model: one number after the other,
and the loss of a place written down as it is meant."""

from math import exp, log, sqrt

import numpy as np

from .chain import mix

BEFORE, BEHIND, NOTHING = range(3)
MASK = (1 << 64) - 1
CHANCES = 1 << 16


class Random:
    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        return ((mix(self.state) >> 32) * n) >> 32

    def shuffled(self, n):
        items = list(range(n))
        for s in range(n - 1):
            other = s + self.below(n - s)
            items[s], items[other] = items[other], items[s]
        return items


def beside(words, i, gap, window):
    """The symbols before and behind a place, the nearest first."""
    padded = [BEFORE] * window + list(words) + [BEHIND] * (window + 1)
    at = i + window
    behind = at if gap else at + 1
    return padded[at - window : at][::-1] + padded[behind : behind + window]


def score(tables, around, symbol):
    """Score a symbol between others."""
    input, output, bias = tables
    rows = sum(input[d, other] for d, other in enumerate(around))
    return bias[symbol] + float(rows @ output[symbol])


def chance(odds):
    return 1 / (1 + exp(-odds))


def place_loss(tables, around, symbol, noise, log_noise, pairs):
    """Compute the loss of a place.

    noise: symbols drawn at random, from which the one of the text is told by how often
        each is drawn; None where there are none. pairs: others drawn for the symbol,
        each with the logarithms of how often it is drawn for the symbol, and the symbol
        for it.
    """
    known = score(tables, around, symbol)
    loss = 0.0
    if noise is not None:
        loss -= log(chance(known - log_noise[symbol]))
        for other in noise:
            loss -= log(chance(log_noise[other] - score(tables, around, other)))
    for other, toward, back in pairs:
        odds = known + toward - score(tables, around, other) - back
        loss -= log(chance(odds))
    return loss


class Learner:
    """The same steps as the kernel, in long numbers."""

    def __init__(self, tables, noise, log_noise, begin, others, small, ways):
        self.input, self.output, self.bias = (np.array(x, float) for x in tables)
        self.noise, self.log_noise = noise, log_noise
        self.others = [others[a:b] for a, b in zip(begin, begin[1:], strict=False)]
        self.small, self.ways = small, ways
        self.squares = [np.zeros(x.shape[:-1]) for x in (self.input, self.output)]
        self.bias_squares = np.zeros(len(self.bias))
        self.random = Random(ways["seed"])
        self.most_gaps = int(ways["gaps"] * CHANCES) if ways["small_words"] else 0
        self.toward_small = 0.0
        if self.most_gaps and len(small):
            share = self.most_gaps / CHANCES * ways["small_words"]
            self.toward_small = log(share / len(small))

    def learn(self, sentences):
        passes = self.ways["passes"]
        for n in range(passes):
            self.rate = self.ways["rate"] * (1 - 0.8 * n / passes)
            for s in self.random.shuffled(len(sentences)):
                self.sentence(sentences[s])

    def sentence(self, words):
        for i in range(len(words) + 1):
            if i < len(words):
                self.word(words, i)
            if len(self.small) and self.random.below(CHANCES) < self.most_gaps:
                self.gap(words, i)

    def known(self, symbol):
        return score((self.input, self.output, self.bias), self.around, symbol)

    def open(self, words, i, gap):
        self.around = beside(words, i, gap, self.ways["window"])
        rows = [self.input[d, x] for d, x in enumerate(self.around)]
        self.sum = sum(rows)
        self.slope = np.zeros_like(self.sum)

    def correct(self, symbol, slope):
        squares = self.squares[1]
        squares[symbol] += slope**2 * (self.sum**2).mean()
        self.slope += slope * self.output[symbol]
        step = self.rate * slope / sqrt(squares[symbol] + 1e-6)
        self.output[symbol] -= step * self.sum
        self.bias_squares[symbol] += slope**2
        step = self.rate * slope / sqrt(self.bias_squares[symbol] + 1e-2)
        self.bias[symbol] -= step

    def told(self, known, other, toward, back):
        slope = chance(known + toward - self.known(other) - back) - 1
        self.correct(other, -slope)
        return slope

    def close(self, symbol, slope):
        self.correct(symbol, slope)
        for d, x in enumerate(self.around):
            self.squares[0][d, x] += (self.slope**2).mean()
            step = self.rate * self.slope / sqrt(self.squares[0][d, x] + 1e-6)
            self.input[d, x] -= step

    def word(self, words, i):
        word = words[i]
        self.open(words, i, gap=False)
        known = self.known(word)
        slope = chance(known - self.log_noise[word]) - 1
        for _ in range(self.ways["noise_words"]):
            other = self.noise[self.random.below(len(self.noise))]
            if other != word:
                odds = self.known(other) - self.log_noise[other]
                self.correct(other, chance(odds))
        mine = self.others[word]
        for _ in range(self.ways["alternatives"] if len(mine) else 0):
            other = mine[self.random.below(len(mine))]
            back = -log(max(len(self.others[other]), 1))
            slope += self.told(known, other, -log(len(mine)), back)
        if word in self.small and self.most_gaps:
            slope += self.told(known, NOTHING, 0.0, self.toward_small)
        self.close(word, slope)

    def gap(self, words, i):
        self.open(words, i, gap=True)
        known, slope = self.known(NOTHING), 0.0
        for _ in range(self.ways["small_words"]):
            other = self.small[self.random.below(len(self.small))]
            slope += self.told(known, other, self.toward_small, 0.0)
        self.close(NOTHING, slope)


def read(tables, scale, words, others, small):
    """Compute fit, better, missing and fewer of each word of a sentence."""
    input, output, bias = tables
    window = len(input) // 2

    def fits(i, gap, symbol):
        around = enumerate(beside(words, i, gap, window))
        rows = [list(map(int, input[d, other])) for d, other in around]
        columns = zip(zip(*rows, strict=True), output[symbol], strict=True)
        product = sum(sum(column) * int(y) for column, y in columns)
        return float(bias[symbol]) + float(scale[symbol]) * product

    def missing(i):
        nothing = fits(i, True, NOTHING)
        return max((fits(i, True, x) - nothing for x in small), default=-1e9)

    found = []
    for i, word in enumerate(words):
        here = fits(i, False, word)
        better = max((fits(i, False, x) - here for x in others[word]), default=-1e9)
        more = missing(i)
        if i + 1 == len(words):
            more = max(more, missing(i + 1))
        found.append((here, better, more, fits(i, False, NOTHING) - here))
    return found
