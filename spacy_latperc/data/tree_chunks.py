"""Base phrases of dependency trees: chunks for every language with a treebank.

A chunk is a run of words within a sentence; chunks do not overlap. They follow the
conventions of CoNLL-2000 as far as Universal Dependencies determine them:

- NP: a noun, name, pronoun or number, with the determiners, numbers, adjectives,
  compounds and parts of names around it, and with what modifies these. A modifier that
  has a phrase with a preposition or a clause of its own ends the chunk. So do
  possessors that are nouns, and conjuncts: each is an NP itself. A possessive mark
  ("'s") opens the NP of what is possessed.
- VP: verbs and auxiliaries that belong together, with the negations, adverbs and
  particles ("to", "zu", "te") among them, also several verbs where one governs the
  next one (xcomp), and the copula.
- PP: prepositions and postpositions alone, several in a row as one.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from spacy.tokens import Doc, Span

Chunk = tuple[int, int, str]

TYPES = ("NP", "VP", "PP")
_NOMINAL = frozenset({"NOUN", "PROPN", "PRON", "NUM", "SYM", "X"})
_VERBAL = frozenset({"VERB", "AUX"})
_BEFORE_NOUN = frozenset(
    {"det", "amod", "nummod", "compound", "flat", "clf", "nmod:poss", "advmod"}
)
_AFTER_NOUN = frozenset(
    {"amod", "nummod", "compound", "flat", "fixed", "goeswith", "clf"}
    | {"nmod:poss", "det"}
)
# The relations that modifiers may have below them.
_LIGHT = _BEFORE_NOUN | {"cc", "conj", "punct", "fixed", "goeswith"}
_OWN = frozenset({"PRON", "DET"})  # possessors that are not phrases


def add_tree_chunks(doc: Doc, key: str = "chunks") -> None:
    """Set the base phrases of the trees of a Doc under a key of `doc.spans`."""
    chunks: list[Span] = []
    for sent in doc.sents:
        first = sent.start
        found = tree_chunks(
            [token.pos_ for token in sent],
            [token.head.i - first for token in sent],
            [token.dep_ for token in sent],
        )
        chunks += [
            Span(doc, first + s, first + e, label=type_) for s, e, type_ in found
        ]
    doc.spans[key] = chunks


def tree_chunks(
    pos: Sequence[str], heads: Sequence[int], relations: Sequence[str]
) -> list[Chunk]:
    """The base phrases of a sentence.

    Args:
        pos: The universal part of speech of each word.
        heads: The position of the head of each word, its own for a root.
        relations: The universal relation of each word, perhaps with a subtype.

    Returns:
        Start, end (exclusive) and type of each, in order.
    """
    tree = _Tree(pos, heads, relations)
    # Each word belongs to the first phrase that takes it.
    nouns = [*tree.noun_phrases()]
    return sorted([*nouns, *tree.prepositions(), *tree.verb_groups()])


class _Tree:
    def __init__(
        self, pos: Sequence[str], heads: Sequence[int], relations: Sequence[str]
    ):
        self.pos, self.heads = pos, heads
        self.full = relations
        self.relations = [x.partition(":")[0] for x in relations]
        self.free = [True] * len(pos)  # of chunks
        self.children: list[list[int]] = [[] for _ in pos]
        for word, head in enumerate(heads):
            if head != word:
                self.children[head].append(word)

    def noun_phrases(self) -> Iterator[Chunk]:
        """Find noun phrases from the root down: upper ones take shared words."""
        for word in self._from_the_root():
            if self.free[word] and self._is_nominal(word):
                start, end = self._noun_phrase(word)
                self._take(start, end)
                yield start, end, "NP"

    def _from_the_root(self) -> Iterator[int]:
        level = [word for word, head in enumerate(self.heads) if head == word]
        while level:
            yield from level
            level = [child for word in level for child in self.children[word]]

    def _is_nominal(self, word: int) -> bool:
        if self.pos[word] in _NOMINAL:
            return True
        # The rich; all of them.
        has_determiner = any(self.relations[x] == "det" for x in self.children[word])
        standing = self.relations[word] in ("nsubj", "obj", "iobj", "obl", "nmod")
        adjective = self.pos[word] == "ADJ" and has_determiner
        return standing and (adjective or self.pos[word] == "DET")

    def _extended(
        self, edge: int, children: list[int], kinds: frozenset[str], side: int
    ) -> int:
        """Return the start (side 0) or end (1) of a phrase with the modifiers there."""
        tried = edge
        for child in children:
            found = self._modifier(child, kinds)
            if found is None or found[1 - side] != tried:
                break
            tried = found[side]
            if self.relations[child] != "punct":
                edge = tried
        return edge

    def _noun_phrase(self, head: int) -> tuple[int, int]:
        start, end = head, head + 1
        before = [child for child in self.children[head] if child < head]
        after = [child for child in self.children[head] if child > head]
        start = self._extended(start, sorted(before, reverse=True), _BEFORE_NOUN, 0)
        mark = start - 1
        if mark >= 0 and self.relations[mark] == "case" and self.free[mark]:
            owner = self.heads[mark]
            if owner < mark and self.full[owner] == "nmod:poss":
                if self.heads[owner] == head:
                    start = mark
        end = self._extended(end, sorted(after), _AFTER_NOUN, 1)
        while self.pos[start] == "PUNCT" and start < head:
            start += 1
        while self.pos[end - 1] == "PUNCT" and end - 1 > head:
            end -= 1
        return start, end

    def _modifier(self, word: int, allowed: Iterable[str]) -> tuple[int, int] | None:
        """The bounds of a modifier and its subtree, if it can be in a chunk."""
        if not self._is(word, {*allowed, "punct"}):
            return None
        below = [word]
        for found in below:
            if not self.free[found] or (found != word and not self._is(found, _LIGHT)):
                return None
            below += self.children[found]
        start, end = min(below), max(below) + 1
        return (start, end) if end - start == len(below) else None

    def _is(self, word: int, relations: Iterable[str]) -> bool:
        if self.full[word] == "nmod:poss":
            return "nmod:poss" in relations and self.pos[word] in _OWN
        return self.relations[word] in relations

    def prepositions(self) -> Iterator[Chunk]:
        """Find prepositions, joining adjacent ones of the same phrase."""

        def phrase(word: int) -> int:
            while self.relations[word] == "fixed" and self.heads[word] < word:
                if not self.free[word]:
                    return -1
                word = self.heads[word]
            if not self.free[word]:
                return -1
            case = self.relations[word] in ("case", "mark")
            return self.heads[word] if case and self.pos[word] == "ADP" else -1

        for owner, words in groupby(range(len(self.pos)), phrase):
            if owner >= 0:
                run = [*words]
                self._take(run[0], run[-1] + 1)
                yield run[0], run[-1] + 1, "PP"

    def verb_groups(self) -> Iterator[Chunk]:
        """Find the verbs of each complex, and the words among them."""
        n = len(self.pos)
        words = range(n)
        complexes = [
            self._complex(word) if self._verbal(word) else -1 for word in words
        ]
        start = 0
        while start < n:
            if complexes[start] < 0:
                start += 1
                continue
            own, first, last = complexes[start], start, start
            # to buy, not go
            while first and self._particle(first - 1, own) and self.free[first - 1]:
                first -= 1
            at = start + 1
            while at < n and self.free[at]:
                if complexes[at] == own:
                    last = at
                elif not (self._particle(at, own) or self._adverb(at, own)):
                    break
                at += 1
            self._take(first, last + 1)
            yield first, last + 1, "VP"
            start = last + 1

    def _verbal(self, word: int) -> bool:
        return self.free[word] and self.pos[word] in _VERBAL

    def _complex(self, word: int) -> int:
        """The word that represents the complex of a verb."""
        if self.relations[word] in ("aux", "cop"):
            word = self.heads[word]
        while self.relations[word] == "xcomp" and self.heads[word] < word:
            if self.pos[self.heads[word]] not in _VERBAL:
                break
            word = self.heads[word]
        return word

    def _particle(self, word: int, own: int) -> bool:
        particle = self.pos[word] == "PART" and self.relations[word] in (
            "mark",
            "advmod",
        )
        return particle and self._complex(self.heads[word]) == own

    def _adverb(self, word: int, own: int) -> bool:
        adverb = self.pos[word] == "ADV" and self.relations[word] == "advmod"
        return adverb and self._complex(self.heads[word]) == own

    def _take(self, start: int, end: int) -> None:
        self.free[start:end] = [False] * (end - start)
