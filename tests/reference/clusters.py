"""Clusters of words, slow and obvious: whole sums for every word and every pair."""

from collections import Counter
from itertools import combinations, pairwise
from math import floor, log2

from spacy_latperc.kernels.text import ENTROPY_UNIT


def entropy(n):
    return floor(n * log2(n) * ENTROPY_UNIT + 0.5) if n > 1 else 0


def neighbours(sentences, words, sides):
    """The word and the context of each place; all rare words are one context."""
    for ids in sentences:
        padded = ["end", *ids, "end"]
        for left, word, right in zip(padded, padded[1:], padded[2:], strict=False):
            if word < words:
                yield word, ("left", left)
                if sides == 2:
                    yield word, ("right", right)


def objective(sentences, classes, sides):
    """The part of the objective that depends on the classes, in the kernel's units."""
    found = list(neighbours(sentences, len(classes), sides))
    cells = Counter((context, classes[word]) for word, context in found)
    sizes = Counter()
    for word, _ in found:
        sizes[classes[word]] += 1
    whole = sum(entropy(n // sides) for n in sizes.values())
    return sum(map(entropy, cells.values())) - sides * whole


def bits(sentences, classes, sides):
    """Minus the mean of the logarithm of the probability of a word."""
    total = 0.0
    for side in ("left", "right")[:sides]:
        found = [x for x in neighbours(sentences, len(classes), 2) if x[1][0] == side]
        words = Counter(word for word, _ in found)
        sizes = Counter(classes[word] for word, _ in found)
        contexts = Counter(context for _, context in found)
        cells = Counter((context, classes[word]) for word, context in found)
        for word, context in found:
            cls = classes[word]
            p = words[word] / sizes[cls] * cells[context, cls] / contexts[context]
            total -= log2(p) / len(found)
    return total / sides


def exchange_pass(sentences, classes, n, sides, batches):
    """Look at the words of each batch, then move them one by one.

    RETURNS: the new classes, how many moved.
    """
    classes = list(classes)
    moved = 0
    for first, last in pairwise(batches):
        wishes = {}
        for word in range(first, last):
            own = classes[word]
            best, most = own, objective(sentences, classes, sides)
            for cls in range(n):
                changed = [*classes[:word], cls, *classes[word + 1 :]]
                found = objective(sentences, changed, sides)
                if found > most:
                    best, most = cls, found
            if best != own:
                wishes[word] = best
        for word, cls in wishes.items():
            changed = [*classes[:word], cls, *classes[word + 1 :]]
            before = objective(sentences, classes, sides)
            if objective(sentences, changed, sides) > before:
                classes, moved = changed, moved + 1
    return classes, moved


def information(table):
    """The mutual information of a table of neighbours, its constant left out."""
    cells = sum(entropy(n) for row in table.values() for n in row.values())
    rows = sum(entropy(sum(row.values())) for row in table.values())
    columns = Counter()
    for row in table.values():
        columns.update(row)
    return cells - rows - sum(map(entropy, columns.values()))


def union(table, a, b):
    """The table in which the class b is part of the class a."""
    merged = {}
    for i, row in table.items():
        into = merged.setdefault(a if i == b else i, Counter())
        for j, n in row.items():
            into[a if j == b else j] += n
    return merged


def merges(table):
    """The pairs of classes in the order in which they become one."""
    table = {i: Counter(dict(enumerate(row))) for i, row in enumerate(table)}
    found = []
    while len(table) > 1:
        pairs = combinations(sorted(table), 2)
        # The first of the best pairs.
        a, b = max(pairs, key=lambda pair: information(union(table, *pair)))
        found.append((a, b))
        table = union(table, a, b)
    return found
