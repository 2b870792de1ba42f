"""Drawing sentences from the grammar, and writing them as column files."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

from spacy_latperc.schemes import get_scheme

from .grammar import RULES, Rule, read_rules
from .lexicon import build_lexicon
from .morphology import with_article

SCHEME = get_scheme("IOB2")
SHORTEST, LONGEST = 4, 35


class Token(NamedTuple):
    word: str
    tag: str
    chunk: str
    ent: str


class SentenceMaker:
    """Draws sentences; the same seed gives the same ones, on any machine.

    Only Random.random is used, the one method whose results Python promises to keep.
    """

    def __init__(self, *, seed: int = 0):
        self.rng = Random(seed)
        self.lexicon = build_lexicon(self.rng)
        self.rules = read_rules(RULES)

    def sentence(self, *, training: bool = True) -> list[Token]:
        """One sentence; held-out words occur when it is not for training."""
        while True:
            tokens = self._draw(training=training)
            if SHORTEST <= len(tokens) <= LONGEST:
                return tokens

    def _draw(self, *, training: bool) -> list[Token]:
        words: list[str] = []
        tags: list[str] = []
        chunks: list[tuple[int, int, str]] = []
        entities: list[tuple[int, int, str]] = []
        opened = {"[": (0, ""), "<": (0, "")}
        agenda = ["ROOT"]
        while agenda and len(words) <= LONGEST:
            symbol = agenda.pop()
            if symbol[0] in opened:
                opened[symbol[0]] = (len(words), symbol[1:])
            elif symbol == "]":
                chunks.append((opened["["][0], len(words), opened["["][1]))
            elif symbol == ">":
                entities.append((opened["<"][0], len(words), opened["<"][1]))
            elif symbol in ("DIGITS", "YEAR"):
                words.append(self._digits() if symbol == "DIGITS" else self._year())
                tags.append("CD")
            elif symbol in self.rules:
                agenda.extend(reversed(self._choose(self.rules[symbol]).symbols))
            else:
                category = self.lexicon[symbol]
                words.append(category.draw(self.rng, training=training))
                tags.append(category.tag)
        return _tokens(words, tags, chunks, entities)

    def _choose(self, rules: list[Rule]) -> Rule:
        left = self.rng.random() * sum(rule.weight for rule in rules)
        for rule in rules:
            left -= rule.weight
            if left < 0:
                return rule
        return rules[-1]

    def _digits(self) -> str:
        number = int(10 ** (1 + 3 * self.rng.random()))
        return f"{number:,}"

    def _year(self) -> str:
        return str(1970 + int(50 * self.rng.random()))


def _tokens(
    words: list[str],
    tags: list[str],
    chunks: list[tuple[int, int, str]],
    entities: list[tuple[int, int, str]],
) -> list[Token]:
    n = len(words)
    if n > LONGEST:
        return [Token(word, "", "", "") for word in words]
    for i, word in enumerate(words):
        if word == "a" and i + 1 < n:
            words[i] = with_article(words[i + 1])
    first = 1 if words[0] == "``" else 0
    words[first] = words[first][0].upper() + words[first][1:]
    columns = (words, tags, SCHEME.encode(chunks, n), SCHEME.encode(entities, n))
    return [Token(*row) for row in zip(*columns, strict=True)]


def sample_sentences(
    *, seed: int, train: int, dev: int, test: int
) -> Iterator[tuple[str, list[list[Token]]]]:
    """The three parts by name, with no sentence twice."""
    maker = SentenceMaker(seed=seed)
    seen: set[tuple[str, ...]] = set()
    for part, size in (("train", train), ("dev", dev), ("test", test)):
        sentences: list[list[Token]] = []
        while len(sentences) < size:
            tokens = maker.sentence(training=part == "train")
            text = tuple(token.word for token in tokens)
            if text not in seen:
                seen.add(text)
                sentences.append(tokens)
        yield part, sentences


def write_sample(
    folder: Path, *, seed: int = 0, train: int = 1200, dev: int = 200, test: int = 200
) -> None:
    """Write train.txt, dev.txt and test.txt: word, tag, chunk and ent on each line."""
    folder.mkdir(parents=True, exist_ok=True)
    for part, sentences in sample_sentences(seed=seed, train=train, dev=dev, test=test):
        lines = ("\n".join(map(" ".join, tokens)) + "\n\n" for tokens in sentences)
        (folder / f"{part}.txt").write_bytes("".join(lines).encode())
