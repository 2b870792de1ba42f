"""The words of multiword tokens, such as "in" and "dem" of the German token "im".

Treebanks annotate these words; the text, and so the Doc, has one token. Its parts are
kept in `doc.user_data`, where spaCy keeps extensions of tokens, and so they go along
with copies of Docs and with every .spacy file that stores user data.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from spacy.tokens import Token

NAME = "latperc_parts"

Parts = Sequence[Mapping[str, Any]]


def multiword_parts(token: Token) -> Parts:
    """The words that a token stands for; none for a token that is one word.

    Each is a dict with its `form` and its `id`, the number of the word in the sentence
    as in the CoNLL-U file. As far as the file says, there are also `lemma`, `pos`,
    `tag`, `morph`, `head` (the id of a word, or 0 for the root), `dep`, and `children`:
    the ids of words outside the token whose head the part is.

    The same is `token._.latperc_parts` once anything with parts was read, or after
    `register_parts()`.
    """
    return token.doc.user_data.get(_key(token), ())


def write_parts(token: Token, parts: Parts) -> None:
    """Say which words a token stands for."""
    token.doc.user_data[_key(token)] = tuple(dict(part) for part in parts)


def register_parts() -> None:
    """Make the extension `token._.latperc_parts`, unless there is one."""
    if not Token.has_extension(NAME):
        Token.set_extension(NAME, getter=multiword_parts)


def _key(token: Token) -> tuple[str, str, int, None]:
    return ("._.", NAME, token.idx, None)
