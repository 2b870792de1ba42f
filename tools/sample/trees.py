"""Dependency trees of the sentences of the grammar, in the manner of UD.

The grammar says what stands in which chunk and phrase; here are the rules that say
what hangs from what. Arcs never cross.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

NOMINALS = frozenset(
    "SINGULAR PLURAL OBJECT HUMAN SHORT SPEAKER OWNER PERSON FIRM TEAM PLACE".split()
)
# Their NPs without a preposition say when.
ADVERBIALS = frozenset({"ADJUNCT", "TIME"})
PUNCTUATION = frozenset("comma stop ask colon open shut".split())
COPULAS = frozenset({"is", "are", "was", "were"})
BE = frozenset({"was", "were", "be", "been"})
NAMES = frozenset({"title", "first", "initial", "family"})
CATENATIVES = ("want", "keep")

_DETERMINERS = dict.fromkeys(("dt", "dts", "the"), "det")
_NUMBERS = dict.fromkeys(("cd", "DIGITS", "YEAR"), "nummod")
_ADJECTIVES = dict.fromkeys(
    "jj jjr jjs nation many last early vbnt vbgi".split(), "amod"
)
_BEFORE_NOUN = {**_DETERMINERS, **_NUMBERS, **_ADJECTIVES, "poss": "nmod:poss"}
_DEGREES = frozenset({"very", "most", "more", "rbly"})


@dataclass
class Node:
    """A symbol of the grammar, with what was made of it.

    Attributes:
        symbol: As in the grammar; `[NP` for a chunk.
        children: None of a word.
        word: The position of a word.
    """

    symbol: str
    children: list[Node] = field(default_factory=list)
    word: int = -1

    def words(self) -> Iterator[Node]:
        """The lexical nodes below, in order."""
        if self.word >= 0:
            yield self
        for child in self.children:
            yield from child.words()


def tree_of(derivation: Node, words: Sequence[str]) -> tuple[list[int], list[str]]:
    """The head of each word, its own for the root, and the relations."""
    builder = _Builder(words)
    root = builder.clause(derivation)
    builder.hang(root, root, "root")
    return builder.heads, builder.relations


@dataclass
class _Verb:
    """A group of verbs: where the subject hangs, and where all else does."""

    head: int
    inner: int
    passive: bool = False


class _Builder:
    def __init__(self, words: Sequence[str]):
        self.text = words
        self.heads = [-1] * len(words)
        self.relations = [""] * len(words)

    def hang(self, word: int, head: int, relation: str) -> None:
        self.heads[word], self.relations[word] = head, relation

    # Clauses --------------------------------------------------------------------------

    def clause(self, node: Node) -> int:
        """A clause or a whole sentence: its head."""
        items = list(_flat(node))
        head = inner = -1
        waiting: list[tuple[int, str]] = []  # until the verb comes
        marker: Node | None = None
        conjunction: Node | None = None
        after_colon = expletive = False
        for number, (item, phrase) in enumerate(items):
            symbol = item.symbol
            found, relation = -1, ""
            if symbol in PUNCTUATION:
                waiting.append((item.word, "punct"))
                after_colon |= symbol == "colon"
            elif symbol == "did":
                waiting.append((item.word, "aux"))
            elif symbol == "cc":
                conjunction = item
            elif symbol in ("[PP", "[SBAR"):
                marker = item.children[0]
            elif symbol == "[PRT":
                self.hang(item.children[0].word, inner, "compound:prt")
            elif symbol == "[ADVP":
                found, relation = self.adverb(item), "advmod"
            elif symbol == "[VP":
                verb = self.verbs(item)
                after = items[number + 1][0] if number + 1 < len(items) else item
                if after.symbol == "PREDICATE" and self.text[verb.head] in COPULAS:
                    continue  # The predicate is the head.
                if head < 0:
                    head, inner = verb.head, verb.inner
                    if verb.passive:
                        waiting = [
                            (word, "nsubj:pass" if x == "nsubj" else x)
                            for word, x in waiting
                        ]
                else:
                    relation = "xcomp" if phrase in ("SAYS", "SAY") else "advcl"
                    if conjunction:
                        relation = "conj"
                    self.hang(verb.head, inner, relation)
                    self.mark(marker or conjunction, verb.head, clause=True)
                    marker = conjunction = None
                    inner = verb.inner
            elif symbol == "PREDICATE":
                predicate = self.phrase(item)
                before = next(items[number - 1][0].words()).word
                if head < 0:
                    self.hang(before, predicate, "cop")
                    head = inner = predicate
                else:
                    self.hang(predicate, head, "xcomp")
                    inner = predicate
            elif symbol == "CLAUSE":
                found = self.clause(item)
                verb_follows = any(x.symbol == "[VP" for x, _ in items[number + 1 :])
                if marker:
                    relation = "ccomp" if marker.symbol == "that" else "advcl"
                elif conjunction:
                    relation = "conj"
                elif after_colon:
                    relation = "parataxis"
                elif head >= 0 or verb_follows:
                    relation = "ccomp"
                else:
                    head, inner = found, found
                    found = -1
                self.mark(marker or conjunction, found, clause=True)
                marker = conjunction = None
            else:  # an NP
                found = self.phrase(item)
                if marker:
                    relation = "obl"
                elif symbol == "[NP" and phrase in (*ADVERBIALS, "ROOT"):
                    relation = "obl:tmod" if phrase != "ROOT" else "obl"
                elif head < 0:
                    relation = "nsubj"
                else:
                    relation = "iobj" if symbol == "HUMAN" else "obj"
                if next(item.words()).symbol == "there":
                    relation, expletive = "expl", True
                elif expletive and not marker:
                    relation = "nsubj"
                self.mark(marker, found)
                marker = None
            if found >= 0:
                waiting.append((found, relation))
            if head >= 0:
                for word, relation in waiting:
                    # What comes before the verb belongs to the clause as a whole.
                    outer = relation == "punct" or word < head
                    self.hang(word, head if outer else inner, relation)
                waiting = []
        return head

    def mark(self, marker: Node | None, head: int, *, clause: bool = False) -> None:
        if marker is not None and head >= 0:
            relation = "mark" if clause else "case"
            relation = "cc" if marker.symbol in ("cc", "andor") else relation
            self.hang(marker.word, head, relation)

    def verbs(self, chunk: Node) -> _Verb:
        words = list(chunk.words())
        names = [x.symbol for x in words]
        last = words[-1]
        if names[0].startswith(CATENATIVES):
            verb = _Verb(words[0].word, last.word)
            self.hang(last.word, words[0].word, "xcomp")
            if "to" in names:
                self.hang(words[1].word, last.word, "mark")
            return verb
        verb = _Verb(last.word, last.word)
        participle = last.symbol.startswith("vbn")
        for word in words[:-1]:
            relation = "aux"
            if word.symbol == "to":
                relation = "mark"
            elif word.symbol in ("not", "rb", "rbly"):
                relation = "advmod"
            elif word.symbol in BE and participle:
                relation = "aux:pass"
                verb.passive = True
            self.hang(word.word, last.word, relation)
        return verb

    # Phrases --------------------------------------------------------------------------

    def adverb(self, chunk: Node) -> int:
        words = list(chunk.words())
        head = words[-1].word
        if len(words) > 1:  # three weeks ago
            self.hang(words[-2].word, head, "obl:npmod")
            self.hang(words[-3].word, words[-2].word, "nummod")
        return head

    def phrase(self, node: Node) -> int:
        """A noun phrase, or an adjective with what belongs to it: its head."""
        if node.symbol == "[NP":
            return self.nouns(list(node.words()))
        head = inner = owner = -1
        noun = True
        marker: Node | None = None
        conjunction: Node | None = None
        relative: Node | None = None
        subject = -1
        commas: list[int] = []
        for item, _ in _flat(node):
            symbol = item.symbol
            if symbol == "comma":
                commas.append(item.word)
            elif symbol in ("cc", "andor"):
                conjunction = item
            elif symbol in ("[PP", "[SBAR"):
                marker = item.children[0]
            elif symbol == "[ADVP":
                self.hang(self.adverb(item), inner, "advmod")
            elif symbol == "[VP":
                verb = self.verbs(item)
                relation = "acl" if noun and inner == head else "advcl"
                if relative is not None:
                    relation = "acl:relcl"
                    role = "nsubj" if subject < 0 else "obj"
                    self.hang(relative.word, verb.head, role)
                    if subject >= 0:
                        self.hang(subject, verb.head, "nsubj")
                    relative = None
                self.hang(verb.head, inner, relation)
                self.mark(marker, verb.head, clause=True)
                marker, inner = None, verb.inner
            elif symbol == "CLAUSE":
                found = self.clause(item)
                self.hang(found, inner, "advcl")
                self.mark(marker, found, clause=True)
                marker = None
            elif symbol == "[ADJP":
                head = inner = self.adjectives(list(item.words()))
                noun = False
            elif symbol == "[NP" and next(item.words()).symbol in ("wp", "wdt"):
                relative = item.children[0]
            else:
                found = self.phrase(item)
                if symbol == "OWNER":
                    owner = found
                elif head < 0:
                    head = inner = found
                    if owner >= 0:
                        self.hang(owner, head, "nmod:poss")
                        self.hang(next(item.words()).word, owner, "case")
                elif relative is not None:
                    subject = found
                elif conjunction is not None:
                    self.hang(found, head, "conj")
                    self.mark(conjunction, found)
                    conjunction = None
                elif commas:
                    self.hang(found, head, "appos")
                else:
                    plain = "nmod" if noun and inner == head else "obl"
                    timed = not noun or inner != head
                    bare = "obj" if timed and symbol != "[NP" else "obl:tmod"
                    self.hang(found, inner, plain if marker else bare)
                    self.mark(marker, found)
                    marker = None
        for comma in commas:
            self.hang(comma, self._appositive(head), "punct")
        return head

    def _appositive(self, head: int) -> int:
        return next(
            i
            for i, relation in enumerate(self.relations)
            if relation == "appos" and self.heads[i] == head
        )

    def nouns(self, words: list[Node]) -> int:
        """A noun chunk: its head."""
        names = [x.symbol for x in words]
        for joint in ("cc", "andor"):
            if joint in names:
                at = names.index(joint)
                first, second = self.nouns(words[:at]), self.nouns(words[at + 1 :])
                self.hang(words[at].word, second, "cc")
                self.hang(second, first, "conj")
                return first
        if names[0] == "dollar":  # $ 16 million
            self.hang(words[2].word, words[0].word, "nummod")
            self.hang(words[1].word, words[2].word, "compound")
            return words[0].word
        if names[0] == "pos":
            return self.nouns(words[1:])  # It belongs to the owner.
        if NAMES.issuperset(names) or names[-2:] in (
            ["person", "family"],
            ["month", "cd"],
        ):
            start = 0 if NAMES.issuperset(names) else len(names) - 2
            relation = "nummod" if names[-1] == "cd" else "flat"
            for word in words[start + 1 :]:
                self.hang(word.word, words[start].word, relation)
            words = words[: start + 1]
        head = words[-1].word
        for word, after in zip(words, words[1:], strict=False):
            if word.symbol in _DEGREES:
                self.hang(word.word, after.word, "advmod")
            else:
                self.hang(word.word, head, _BEFORE_NOUN.get(word.symbol, "compound"))
        return head

    def adjectives(self, words: list[Node]) -> int:
        if len(words) == 3:  # old and rich
            self.hang(words[1].word, words[2].word, "cc")
            self.hang(words[2].word, words[0].word, "conj")
            return words[0].word
        for word in words[:-1]:
            self.hang(word.word, words[-1].word, "advmod")
        return words[-1].word


def _flat(node: Node) -> Iterator[tuple[Node, str]]:
    """The constituents of a clause or phrase, each with the symbol that it is of."""
    for child in node.children:
        whole = child.symbol in NOMINALS or child.symbol in ("CLAUSE", "PREDICATE")
        if whole or child.word >= 0 or child.symbol.startswith("["):
            yield child, node.symbol
        else:
            yield from _flat(child)


# CoNLL-U ------------------------------------------------------------------------------

_OF_TAGS = {
    tag: (part, features)
    for tag, part, features in map(
        str.split,
        """
NN NOUN Number=Sing, NNS NOUN Number=Plur, NNP PROPN Number=Sing,
NNPS PROPN Number=Plur, VB VERB VerbForm=Inf, VBP VERB Mood=Ind|Tense=Pres|VerbForm=Fin,
VBZ VERB Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin,
VBD VERB Mood=Ind|Tense=Past|VerbForm=Fin, VBN VERB Tense=Past|VerbForm=Part,
VBG VERB VerbForm=Ger, JJ ADJ Degree=Pos, JJR ADJ Degree=Cmp, JJS ADJ Degree=Sup,
RB ADV _, RBR ADV _, RBS ADV _, WRB ADV _, PRP PRON PronType=Prs,
PRP$ PRON Poss=Yes|PronType=Prs, EX PRON _, WP PRON _, WDT PRON _, TO PART _,
POS PART _, DT DET _, CD NUM NumType=Card, IN ADP _, RP ADP _, CC CCONJ _, $ SYM _
""".split(","),
    )
}
_BY_RELATION = {"aux": "AUX", "aux:pass": "AUX", "cop": "AUX", "punct": "PUNCT"}
_NO_SPACE_BEFORE = frozenset({",", ".", "!", "?", ":", ";", "''", "'s", "%"})
_NO_SPACE_AFTER = frozenset({"``", "$"})


def conllu(
    derivation: Node, words: Sequence[str], tags: Sequence[str], lemmas: Sequence[str]
) -> str:
    """A sentence with its tree, as in the files of Universal Dependencies."""
    heads, relations = tree_of(derivation, words)
    lines = []
    for i, (word, tag) in enumerate(zip(words, tags, strict=True)):
        following = words[i + 1] if i + 1 < len(words) else ""
        contracted = following == "n't" and word.lower() in ("do", "does", "did")
        glued = following in _NO_SPACE_BEFORE or word in _NO_SPACE_AFTER
        row = (
            str(i + 1),
            word,
            lemmas[i],
            _part_of_speech(word, tag, relations[i]),
            tag,
            _OF_TAGS.get(tag, ("", "_"))[1],
            "0" if heads[i] == i else str(heads[i] + 1),
            relations[i],
            "_",
            "SpaceAfter=No" if glued or contracted else "_",
        )
        lines.append("\t".join(row) + "\n")
    return "".join(lines) + "\n"


def _part_of_speech(word: str, tag: str, relation: str) -> str:
    if tag == "RB" and word in ("not", "n't"):
        return "PART"
    if tag == "TO" and relation == "case":
        return "ADP"
    if tag == "IN" and relation == "mark":
        return "SCONJ"
    return _BY_RELATION.get(relation) or _OF_TAGS[tag][0]
