"""Docs as CoNLL-U, for the tools of Universal Dependencies."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from spacy.tokens import Doc, Span, Token

from ..io.outputs import write_output
from ..multiword import Parts, multiword_parts
from .token_layers import ROOT

_ESCAPED = {
    "\\": "\\\\",
    " ": "\\s",
    "\t": "\\t",
    "\n": "\\n",
    "\r": "\\r",
    "|": "\\p",
}
_UNSET = "_"
_NO_PARTS: Parts = ()
_BARE = {"id", "form"}


def write_conllu(docs: Iterable[Doc], path: Path) -> None:
    """Write Docs to a CoNLL-U file.

    Args:
        docs: The Docs.
        path: The file, which may be compressed (.gz, .xz, .bz2, .zst).
    """
    content = "".join(line for doc in docs for line in conllu_lines(doc)).encode()
    write_output(path, content)


def conllu_lines(doc: Doc) -> Iterator[str]:
    """The lines of a Doc, with line ends.

    They have words, lemmas, parts of speech (UPOS), tags (XPOS), features, heads,
    relations and spacing. Missing annotation is "_". The words of a multiword token
    (`token._.latperc_parts`) follow its range. White-space tokens become
    `SpacesAfter` of the previous word.
    """
    yield "# newdoc\n"
    sents = list(doc.sents) if doc.has_annotation("SENT_START") else [doc[:]]
    for number, sent in enumerate(sents, 1):
        if not all(_is_space(token) for token in sent):
            yield from _Sentence(sent, number).lines()


class _Sentence:
    def __init__(self, sent: Span, number: int):
        self.sent, self.number = sent, number
        self.tokens = [token for token in sent if not _is_space(token)]
        self.parts = {t.i: parts for t in self.tokens if (parts := multiword_parts(t))}
        self.first_word: dict[int, int] = {}
        word = 1
        for token in self.tokens:
            self.first_word[token.i] = word
            word += len(self.parts.get(token.i, _NO_PARTS)) or 1

    def lines(self) -> Iterator[str]:
        """Yield comments, words, and the empty line at the end."""
        yield f"# sent_id = {self.number}\n"
        yield f"# text = {' '.join(self.sent.text.split())}\n"
        for token in self.tokens:
            first = self.first_word[token.i]
            if token.i in self.parts:
                parts = self.parts[token.i]
                last = first + len(parts) - 1
                form = _form(token.text)
                yield _row([f"{first}-{last}", form, *[_UNSET] * 7, _misc(token)])
                yield from self._part_lines(token, parts)
            else:
                head, relation = self._arc(token, first)
                yield _row(
                    [
                        str(first),
                        _form(token.text),
                        _form(token.lemma_),
                        token.pos_,
                        _form(token.tag_),
                        _features(str(token.morph)),
                        head,
                        relation,
                        "",
                        _misc(token),
                    ]
                )
        yield "\n"

    def _part_lines(self, token: Token, parts: Parts) -> Iterator[str]:
        first = self.first_word[token.i]
        main = self._main_part(token)
        for number, part in enumerate(parts, first):
            head, relation = self._arc(token, number)
            if number != main and part.keys() <= _BARE and token.has_head():
                head, relation = str(main), "dep"  # It is not annotated.
            elif number != main:
                # Heads of parts are numbers of the sentence that they were read from.
                known = self._is_as_read(parts, first)
                head = str(part.get("head", _UNSET)) if known else str(main)
                relation = part.get("dep", _UNSET)
            yield _row(
                [
                    str(number),
                    _form(part["form"]),
                    _form(part.get("lemma", "")),
                    part.get("pos", ""),
                    _form(part.get("tag", "")),
                    _features(part.get("morph", "")),
                    head,
                    relation,
                    "",
                    "",
                ]
            )

    def _arc(self, token: Token, number: int) -> tuple[str, str]:
        """The head and the relation of a token, by the number of one of its words."""
        if not token.has_head():
            return _UNSET, _UNSET
        head = token.head
        if head == token:
            return "0", "root" if token.dep_ in (ROOT, "") else token.dep_
        while _is_space(head) and head.head != head:
            head = head.head
        if head.i not in self.first_word:
            return _UNSET, _UNSET
        relation = _form(token.dep_) if token.dep_ != ROOT else "root"
        if head.i not in self.parts:
            return str(self.first_word[head.i]), relation
        first = self.first_word[head.i]
        for found, part in enumerate(self.parts[head.i], first):
            if number in part.get("children", ()):
                return str(found), relation
        return str(self._main_part(head)), relation

    def _main_part(self, token: Token) -> int:
        """The number of the part whose head is not another part: the first of them
        that the head of the token agrees with."""
        parts, first = self.parts[token.i], self.first_word[token.i]
        own = {part["id"] for part in parts}
        outside = [
            number
            for number, part in enumerate(parts, first)
            if part.get("head", 0) not in own
        ]
        roots = [n for n in outside if parts[n - first].get("head") == 0]
        named = [n for n in outside if parts[n - first].get("dep") == token.dep_]
        if token.head == token and roots:
            return roots[0]
        return next(iter([*named, *outside]), first)

    @staticmethod
    def _is_as_read(parts: Parts, first: int) -> bool:
        return [part["id"] for part in parts] == list(range(first, first + len(parts)))


def _is_space(token: Token) -> bool:
    # token.is_space is for the vocabulary to know, and a bare one does not.
    return token.text.isspace()


def _row(columns: Sequence[str]) -> str:
    return "\t".join(column or _UNSET for column in columns) + "\n"


def _form(text: str) -> str:
    """Replace the characters that end columns and lines."""
    return " ".join(text.split())


def _features(text: str) -> str:
    """Features in the order of UD, which ignores case."""
    return "|".join(sorted(text.split("|"), key=str.lower))


def _misc(token: Token) -> str:
    spaces = token.whitespace_
    following = token.i + 1
    while following < len(token.doc) and _is_space(token.doc[following]):
        spaces += token.doc[following].text_with_ws
        following += 1
    if token.doc.has_unknown_spaces or spaces == " ":
        return _UNSET
    if not spaces:
        return "SpaceAfter=No"
    return "SpacesAfter=" + "".join(_ESCAPED.get(x, x) for x in spaces)
