"""Drawing sentences from the grammar, and writing them as column files."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

from spacy_latperc.schemes import get_scheme

from .grammar import RULES, Rule, read_rules
from .lexicon import build_lexicon
from .morphology import with_article
from .trees import Node, conllu

SCHEME = get_scheme("IOB2")
SHORTEST, LONGEST = 4, 35
MOST_TREES = 600  # of a part, so that the files stay small
_COMPLETE = "}"  # the end of what a rule has made


class Token(NamedTuple):
    """A line of a column file."""

    word: str
    tag: str
    chunk: str
    ent: str


class Sentence(list[Token]):
    """The tokens of a sentence.

    Attributes:
        derivation: The symbols that the grammar made it from.
        lemmas: The lemmas of the tokens.
    """

    derivation: Node
    lemmas: list[str]


class SentenceMaker:
    """Draws sentences; the same seed gives the same ones, on any machine.

    Only Random.random is used, the one method whose results Python promises to keep.
    """

    def __init__(self, *, seed: int = 0):
        self.rng = Random(seed)
        self.lexicon = build_lexicon(self.rng)
        self.rules = read_rules(RULES)

    def sentence(self, *, training: bool = True) -> Sentence:
        """One sentence; held-out words occur when it is not for training."""
        while True:
            tokens = self._draw(training=training)
            if SHORTEST <= len(tokens) <= LONGEST:
                return tokens

    def _draw(self, *, training: bool) -> Sentence:
        words: list[str] = []
        tags: list[str] = []
        chunks: list[tuple[int, int, str]] = []
        entities: list[tuple[int, int, str]] = []
        lemmas: list[str] = []
        opened = {"[": (0, ""), "<": (0, "")}
        agenda = ["ROOT"]
        unfinished = [Node("")]
        while agenda and len(words) <= LONGEST:
            symbol = agenda.pop()
            if symbol[0] in opened:
                opened[symbol[0]] = (len(words), symbol[1:])
            if symbol[0] == "<":
                continue
            if symbol == ">":
                entities.append((opened["<"][0], len(words), opened["<"][1]))
                continue
            if symbol in ("]", _COMPLETE):
                if symbol == "]":
                    chunks.append((opened["["][0], len(words), opened["["][1]))
                unfinished.pop()
                continue
            node = Node(symbol)
            unfinished[-1].children.append(node)
            if symbol[0] == "[":
                unfinished.append(node)
            elif symbol in self.rules:
                unfinished.append(node)
                agenda.append(_COMPLETE)
                agenda.extend(reversed(self._choose(self.rules[symbol]).symbols))
            else:
                node.word = len(words)
                word, tag, lemma = self._word(symbol, training=training)
                words.append(word)
                tags.append(tag)
                lemmas.append(lemma)
        sentence = Sentence(_tokens(words, tags, chunks, entities))
        sentence.derivation, sentence.lemmas = unfinished[0].children[0], lemmas
        return sentence

    def _word(self, symbol: str, *, training: bool) -> tuple[str, str, str]:
        """A word, its tag and its lemma."""
        if symbol in ("DIGITS", "YEAR"):
            digits = self._digits() if symbol == "DIGITS" else self._year()
            return digits, "CD", digits
        category = self.lexicon[symbol]
        word = category.draw(self.rng, training=training)
        return word, category.tag, category.lemmas.get(word, word.lower())

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
) -> Iterator[tuple[str, list[Sentence]]]:
    """The three parts by name, with no sentence twice."""
    maker = SentenceMaker(seed=seed)
    seen: set[tuple[str, ...]] = set()
    for part, size in (("train", train), ("dev", dev), ("test", test)):
        sentences: list[Sentence] = []
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
    """Write train.txt, dev.txt and test.txt: word, tag, chunk and ent on each line, and
    the first sentences of each as trees in train.conllu and so on."""
    folder.mkdir(parents=True, exist_ok=True)
    for part, sentences in sample_sentences(seed=seed, train=train, dev=dev, test=test):
        lines = ("\n".join(map(" ".join, tokens)) + "\n\n" for tokens in sentences)
        (folder / f"{part}.txt").write_bytes("".join(lines).encode())
        trees = "".join(map(_tree, sentences[:MOST_TREES]))
        (folder / f"{part}.conllu").write_bytes(trees.encode())


def _tree(sentence: Sentence) -> str:
    words = [token.word for token in sentence]
    tags = [token.tag for token in sentence]
    return conllu(sentence.derivation, words, tags, sentence.lemmas)
