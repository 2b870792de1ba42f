"""Attributes that are lists of values, multiplied out one combination at a time."""

import itertools
from collections.abc import Mapping, Sequence

from reference.chain import WORD, join, padding, text_hash

# (token, attribute) -> the items of a list: what is seen, and what it counts.
Lists = Mapping[tuple[int, int], Sequence[tuple[int, float]]]


def values_at(attrs, lists, attribute, at):
    """Return the values that a part of a template reads, with their weights."""
    if at < 0:
        return [(padding(at), 1.0)]
    if at >= len(attrs):
        return [(padding(at - len(attrs) + 1), 1.0)]
    return lists.get((at, attribute), [(int(attrs[at, attribute]), 1.0)])


def character_ngrams(word, n):
    """The list of a word: each n-gram once, with the marks at its start and end."""
    marked = f"<{word.lower()}>"
    grams = [marked[at : at + n] for at in range(len(marked) - n + 1)]
    return [(text_hash(gram), 0.5) for gram in dict.fromkeys(grams)]


def feature_bag(seed, parts, attrs, lists, i):
    """The features of one template at one token, and what each counts."""
    seen = [values_at(attrs, lists, attribute, i + at) for attribute, at in parts]
    bag = []
    for combination in itertools.product(*seen):
        h, value = seed, 1.0
        for key, factor in combination:
            h, value = join(h, key), value * factor
        bag.append((h * 0xD6E8FEB86659FD93 & WORD, value))
    return bag


def feature_bags(programs, attrs, lists):
    """Return the weighted features of one sentence, [tokens, templates]."""
    return [
        [feature_bag(seed, parts, attrs, lists, i) for seed, parts in programs]
        for i in range(len(attrs))
    ]
