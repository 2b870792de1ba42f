"""The attributes that a template may name, and where each is read.

An attribute is a column of the Doc, read for every token, or a pure function of the
word form, computed once per word type.
"""

import difflib
from collections.abc import Callable
from dataclasses import dataclass

from ..errors import Errors
from .orthography import orthography_class

MAX_AFFIX = 5

# Columns that every extraction reads first.
WORD_COLUMN = "ORTH"
SENTENCE_COLUMN = "SENT_START"

_COLUMNS = {
    "word": WORD_COLUMN,
    "lower": "LOWER",
    "norm": "NORM",
    "shape": "SHAPE",
    "tag": "TAG",
    "pos": "POS",
    "lemma": "LEMMA",
    "dep": "DEP",
    "cluster": "CLUSTER",
    "ent": "ent",
    "chunk": "spans:chunks",
}
_FLAGS = (
    "is_alpha is_ascii is_digit is_lower is_upper is_title is_punct is_space "
    "is_bracket is_quote is_left_punct is_right_punct is_currency is_stop "
    "like_num like_url like_email"
).split()
_ALIASES = {"w": "word", "t": "tag", "p": "pos", "o": "orth", "c": "chunk", "e": "ent"}

# Columns that are empty when no component wrote them: worth a warning.
ANNOTATED = {
    "TAG": "a tagger",
    "POS": "a tagger or morphologizer",
    "LEMMA": "a lemmatizer",
    "DEP": "a parser",
    "CLUSTER": "a vocabulary with clusters",
}


@dataclass(frozen=True)
class Attribute:
    """Where a named attribute comes from: a column, an affix, or a function."""

    name: str
    column: str | None = None
    affix: str | None = None  # "prefix" or "suffix"
    length: int = 0
    function: Callable[[str], str] | None = None


def find_attribute(name: str, template: str) -> Attribute:
    """The attribute of this name; `template` is for the error message."""
    name = _ALIASES.get(name, name)
    if name in _COLUMNS:
        return Attribute(name, column=_COLUMNS[name])
    if name in _FLAGS:
        return Attribute(name, column=name.upper())
    if name == "orth":
        return Attribute(name, function=orthography_class)
    for affix in ("prefix", "suffix"):
        short = affix[:3]
        for start in (affix, short):
            if name.startswith(start) and name[len(start) :].isdecimal():
                length = int(name[len(start) :])
                if 1 <= length <= MAX_AFFIX:
                    return Attribute(f"{short}{length}", affix=affix, length=length)
                raise ValueError(
                    Errors.LP002.format(name=name, template=template, n=MAX_AFFIX)
                )
    if name.startswith("_.") and len(name) > 2:
        return Attribute(name, column=name)
    if name.startswith("spans.") and len(name) > 6:
        return Attribute(name, column=f"spans:{name[6:]}")
    affixes = [f"{x}{n}" for x in ("pre", "suf") for n in range(1, MAX_AFFIX + 1)]
    known = [*_COLUMNS, *_ALIASES, *_FLAGS, "orth", *affixes, "bias"]
    words = [word for word in known if word not in _ALIASES]
    near = difflib.get_close_matches(name, words, n=3, cutoff=0.5)
    hint = f" Did you mean {' or '.join(repr(n) for n in near)}?" if near else ""
    raise ValueError(
        Errors.LP001.format(name=name, template=template, known=", ".join(known)) + hint
    )
