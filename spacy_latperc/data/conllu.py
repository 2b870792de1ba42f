"""Docs as CoNLL-U, for the tools of Universal Dependencies."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from spacy.tokens import Doc, Span, Token

from ..io.outputs import write_output
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


def write_conllu(docs: Iterable[Doc], path: Path) -> None:
    """Write Docs to a CoNLL-U file."""
    content = "".join(line for doc in docs for line in conllu_lines(doc)).encode()
    write_output(path, content)


def conllu_lines(doc: Doc) -> Iterator[str]:
    """The lines of a Doc, with line ends.

    They have words, lemmas, parts of speech (UPOS), tags (XPOS), features, heads,
    relations and spacing. Missing annotation is "_". White-space tokens become
    `SpacesAfter` of the previous word.
    """
    yield "# newdoc\n"
    sents = list(doc.sents) if doc.has_annotation("SENT_START") else [doc[:]]
    for number, sent in enumerate(sents, 1):
        if not all(_is_space(token) for token in sent):
            yield from _sentence_lines(sent, number)


def _sentence_lines(sent: Span, number: int) -> Iterator[str]:
    """Yield comments, words, and the empty line at the end."""
    yield f"# sent_id = {number}\n"
    yield f"# text = {' '.join(sent.text.split())}\n"
    tokens = [token for token in sent if not _is_space(token)]
    ids = {token.i: number for number, token in enumerate(tokens, 1)}
    for token in tokens:
        columns = [
            str(ids[token.i]),
            _form(token.text),
            _form(token.lemma_),
            token.pos_,
            _form(token.tag_),
            _features(str(token.morph)),
            *_arc(token, ids),
            "",
            _misc(token),
        ]
        yield "\t".join(column or _UNSET for column in columns) + "\n"
    yield "\n"


def _arc(token: Token, ids: dict[int, int]) -> tuple[str, str]:
    """The head and the relation of a token."""
    if not token.has_head():
        return _UNSET, _UNSET
    head = token.head
    if head == token:
        return "0", "root" if token.dep_ in (ROOT, "") else token.dep_
    while _is_space(head) and head.head != head:
        head = head.head
    if head.i not in ids:
        return _UNSET, _UNSET
    return str(ids[head.i]), _form(token.dep_) if token.dep_ != ROOT else "root"


def _is_space(token: Token) -> bool:
    # token.is_space is for the vocabulary to know, and a bare one does not.
    return token.text.isspace()


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
