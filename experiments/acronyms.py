"""Acronyms as labels of characters (DSL 5.3): I for a letter of the acronym, else O.

Two sets of long forms with their acronyms. Those at hand stand in biomedical text as
`long form ( ABC )`: the words before the brackets, as many as fit, where the letters of
the short form are found from the right to the left, the first one at the start of a
word (after Schwartz and Hearst 2003). Each of the others is at the next start of a word
if one begins with it, else as far to the right as it can be; or all of them are, if the
long form is shorter then. What this finds is the gold. The made ones are phrases of the
same text whose acronym a generator chooses: the first letters of all words but small
ones, and of one long word in three a letter after its first syllable too. No acronym is
in both parts.

With O-runs the labels of O say how many O stand before, up to three.
"""

import gzip
import random
import re
from collections.abc import Iterable
from functools import cache

from tools.corpora.locate import required_folder

Pair = tuple[str, list[str]]  # a long form, and the labels of its characters
TEXT = "raw_text/biomedical.txt.gz"
SHORT = re.compile(r"((?:[A-Za-z-]+ ){2,12})\( ([A-Z][A-Za-z]*[A-Z]) \)")
PHRASE = re.compile(r"(?<![\w-])[a-z]{4,}(?: [a-z]{2,}){1,4}(?= [.,;(])")
SMALL = {"of", "and", "in", "the", "for", "to", "with", "by", "on", "at", "or", "an"}
SECOND = re.compile(r"[aeiouy][^aeiouy]")  # the end of a first syllable
TEST = 4  # every so many acronyms are for the test
MOST = 3  # O before an O that are told apart


@cache
def parts(
    limit: int = 0, *, made: bool = False, runs: bool = False
) -> list[list[Pair]]:
    """Training and test pairs; limit: of training pairs, 0 for all."""
    with gzip.open(required_folder(TEXT) / TEXT, "rt", encoding="utf8") as lines:
        pairs = _made(lines) if made else _found(lines)
    short = sorted({_short(pair) for pair in pairs})
    random.Random(0).shuffle(short)
    tested = set(short[::TEST])
    train = [pair for pair in pairs if _short(pair) not in tested]
    test = [pair for pair in pairs if _short(pair) in tested]
    chosen = [train[:limit] if limit else train, test]
    return [[(x, _runs(y) if runs else y) for x, y in part] for part in chosen]


def _short(pair: Pair) -> str:
    text, labels = pair
    return "".join(c for c, y in zip(text, labels, strict=True) if y == "I").lower()


def _found(lines: Iterable[str]) -> list[Pair]:
    found: dict[str, Pair] = {}
    for line in lines:
        for before, short in SHORT.findall(line):
            pair = align(before.strip(), short)
            if pair:
                found.setdefault(pair[0].lower(), pair)
    return list(found.values())


def align(before: str, short: str) -> Pair | None:
    """The long form at the end of a text, and its labels: the shortest."""
    text = before.lower()
    starts = [found.start() for found in re.finditer(r"(?<![^ -])\w", text)]
    found = [_chosen(text, short.lower(), starts, wide) for wide in (False, True)]
    whole = [letters for letters in found if letters]
    if not whole:
        return None
    letters = max(whole, key=min)
    at = min(letters)
    if text[at:].count(" ") + 1 > len(short) + 5:
        return None
    return before[at:], ["I" if i in letters else "O" for i in range(at, len(text))]


def _chosen(text: str, short: str, starts: list[int], wide: bool) -> set[int]:
    """The places of the letters, from the right to the left; wide: anywhere, but for
    the first letter; else at the next start of a word if one begins so."""
    at, chosen = len(text), set()
    for number, letter in enumerate(reversed(short), 1):
        begins = [i for i in starts if i < at and text[i] == letter]
        if number == len(short):
            at = begins[-1] if begins else -1
        else:
            at = begins[-1] if begins and not wide else text.rfind(letter, 0, at)
        if at < 0:
            return set()
        chosen.add(at)
    return chosen


def _made(lines: Iterable[str]) -> list[Pair]:
    rng = random.Random(0)
    pairs: dict[str, Pair] = {}
    for line in lines:
        for text in PHRASE.findall(line):
            if text not in pairs and len(pairs) < 6000:
                pairs[text] = text, make(text, rng)
    return [pair for pair in pairs.values() if pair[1].count("I") > 1]


def make(text: str, rng: random.Random) -> list[str]:
    """The labels of a phrase: the rule above."""
    labels = ["O"] * len(text)
    for word in re.finditer(r"[a-z]+", text):
        if word[0] in SMALL:
            continue
        labels[word.start()] = "I"
        syllable = SECOND.search(word[0], 1)
        if len(word[0]) > 8 and syllable and rng.random() < 1 / 3:
            labels[word.start() + syllable.start() + 1] = "I"
    return labels


def _runs(labels: list[str]) -> list[str]:
    result, before = [], 0
    for label in labels:
        result.append(label if label == "I" else f"O{min(before, MOST)}")
        before = 0 if label == "I" else before + 1
    return result
