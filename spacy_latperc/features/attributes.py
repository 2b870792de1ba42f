"""The attributes of templates, and their readers.

An attribute is a column of the Doc, read for every token, or a pure function of the
word form, computed once per word type. A new attribute is an entry in the table below,
with a reader in this file if spaCy's `Doc.to_array` does not know its column.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import Errors
from ..errors.check import did_you_mean
from .elsewhere import (
    majority_elsewhere,
    name_elsewhere,
    parse_elsewhere,
    sentence_numbers,
)
from .values import ListedColumn, read_column

# Orthography: the o_i of LVP (Table 1; keys of papers: learners/__init__.py), which
# says only "prefix, uppercase/lowercase, etc."; the classes are ours, for bio-entities
# and names.
_GREEK_NAMES = (
    "alpha|beta|gamma|delta|epsilon|zeta|eta|theta|iota|kappa|lambda|mu|nu|xi|omicron"
    "|pi|rho|sigma|tau|upsilon|phi|chi|psi|omega"
)
# The first class that matches is the class.
_CLASSES = [
    ("space", re.compile(r"\s+")),
    ("roman", re.compile(r"(?=[IVX])X{0,3}(IX|IV|V?I{0,3})")),
    ("greek", re.compile(rf"(?i:{_GREEK_NAMES})|[\u0370-\u03ff]+")),
    ("greek-compound", re.compile(rf".*(\b(?i:{_GREEK_NAMES})\b|[\u0370-\u03ff]).*")),
    ("digits", re.compile(r"\d+")),
    ("number", re.compile(r"[+-]?\d[\d.,:/]*")),
    ("ordinal", re.compile(r"\d+(?i:st|nd|rd|th|s)")),
    ("hyphen-digit", re.compile(r"[^\W\d_]+-\d+")),
    ("digit-hyphen", re.compile(r"\d+-[^\W_].*")),
    ("hyphen", re.compile(r"[^\W_]+(-[^\W_]+)+")),
    ("initial", re.compile(r"[A-Z]\.")),
    ("initials", re.compile(r"([A-Z]\.){2,}")),
    ("capitals-digits", re.compile(r"(?=.*\d)[A-Z][A-Z\d]*")),
    ("letters-digits", re.compile(r"(?=.*\d)(?=.*[^\W\d_])\w+")),
    ("at-sign", re.compile(r"[@#]\w+")),
]
_GREEK_WORDS = frozenset(_GREEK_NAMES.split("|"))
_ROMAN_DIGITS = "IVX"


def orthography_class(text: str) -> str:
    """The orthography class of a word form: one of about twenty modes of spelling."""
    letters, ascii_only = text.isalpha(), text.isascii()
    # Most words have only letters, and no pattern below applies to them.
    plain = (
        letters
        and (ascii_only or max(text) < "\u0370")
        and text.strip(_ROMAN_DIGITS)
        and text.lower() not in _GREEK_WORDS
    )
    if not plain:
        if text.isdecimal():
            return "digits"
        for name, pattern in _CLASSES:
            if pattern.fullmatch(text):
                return name
    if letters:
        if not ascii_only and text.lower() == text.upper():
            return "caseless"
        if text.islower():
            return "lower"
        if text.isupper():
            return "capital" if len(text) == 1 else "capitals"
        if text[0].isupper() and text[1:].islower():
            return "title"
        return "mixed" if text[0].islower() else "mixed-title"
    if not any(char.isalnum() for char in text):
        return "punctuation"
    return "other-title" if text[0].isupper() else "other"


MAX_AFFIX = 5
_AFFIXES = {"prefix": "pre", "suffix": "suf", "ngrams": "ng"}

# The prefixes of attributes of sources (sources.py) in templates:
# clusters, frequencies, vectors, gazetteers, patterns, functions, n-grams, contexts.
SOURCE_KINDS = ("cl", "freq", "vec", "gaz", "re", "fn", "ng", "ctx")

# The columns that every extraction starts with.
WORD_COLUMN = "ORTH"
SENTENCE_COLUMN = "SENT_START"

_IOB_BEGIN = 3  # the value of ENT_IOB at the first token of an entity
_FIRST = np.uint64(1)  # the bit that tells the first token of a span

Column = NDArray[np.uint64] | ListedColumn
Reader = Callable[[Any], Column]


@dataclass(frozen=True)
class Attribute:
    """A named attribute of tokens.

    Attributes:
        name: The name in templates.
        column: The column of the Doc, under its name in spaCy or the name of `reader`;
            None if the value is computed from the word form.
        reader: A function that reads the column of a Doc; None for `Doc.to_array`.
        affix: "prefix" or "suffix" for affixes, "ngrams" for n-grams of characters.
        length: The number of characters of an affix.
        function: A function that computes the value from the word form.
        of_form: True if there is one value per word form. Rows of templates over such
            attributes at one offset are summed once per word type.
        few_values: True if there are few values, so that their n-grams recur. Rows of
            templates over these are summed once per n-gram.
        source: The kind, name and argument of an attribute of a source.
        written_by: The component that writes the column, named in warnings.
    """

    name: str
    column: str | None = None
    reader: Reader | None = None
    affix: str | None = None
    length: int = 0
    function: Callable[[str], str] | None = None
    of_form: bool = False
    few_values: bool = False
    source: tuple[str, str, str] | None = None
    written_by: str | None = None


# Readers of columns -------------------------------------------------------------------


def _entities(doc: Any) -> Column:
    """Read entity types, with a mark at the first token of an entity; 0 outside."""
    columns = doc.to_array(["ENT_TYPE", "ENT_IOB"])
    return _begins(columns[:, 0], columns[:, 1] == _IOB_BEGIN)


def _spans(doc: Any, key: str) -> Column:
    """Read the labels of the spans under a key, with the same mark."""
    types = np.zeros(len(doc), dtype=np.uint64)
    first = np.zeros(len(doc), dtype=bool)
    for span in doc.spans[key] if key in doc.spans else ():
        types[span.start : span.end] = span.label
        first[span.start] = True
    return _begins(types, first)


def _begins(types: NDArray[np.uint64], first: NDArray[np.bool_]) -> Column:
    # Common labels have small neighbouring numbers: one must not become the next.
    return (types << _FIRST) | (first & (types > 0))


def _extension(doc: Any, name: str) -> Column:
    """Read the values of an extension attribute (values.py)."""
    if len(doc) and not doc[0].has_extension(name):
        raise ValueError(Errors.LP030.format(name=name))
    values = [token._.get(name) for token in doc]
    text = repr(doc.text.strip()[:60])
    return read_column(values, f"_.{name}", lambda token: f"token {token} of {text}")


@dataclass(frozen=True)
class Elsewhere:
    """A reader of the majority label of the same word elsewhere, ignoring case. For
    entities and chunks the label is the type, without the position in the span.

    Attributes:
        column: The column with the labels.
        reach: The window in sentences; 0 for the whole document.
    """

    column: str
    reach: int

    def __call__(self, doc: Any) -> Column:
        return self.of_docs([doc])

    def of_docs(self, docs: Sequence[Any]) -> Column:
        """Read the column of several Docs at once, which is faster for short ones."""
        read = column_reader(self.column)
        if read is None:
            labels = [doc.to_array(self.column) for doc in docs]
        else:
            labels = [np.asarray(read(doc), dtype=np.uint64) for doc in docs]
        found = np.concatenate(labels)
        if self.column == "ent" or self.column.startswith("spans:"):
            found &= ~_FIRST
        words = np.concatenate(
            [doc.to_array(["LOWER", SENTENCE_COLUMN]) for doc in docs]
        )
        return majority_elsewhere(
            words[:, 0],
            found,
            sentence_numbers(words[:, 1]),
            np.repeat(np.arange(len(docs)), [len(doc) for doc in docs]),
            self.reach,
        )


# The table ----------------------------------------------------------------------------

_FLAGS = (
    "is_alpha is_ascii is_digit is_lower is_upper is_title is_punct is_space "
    "is_bracket is_quote is_left_punct is_right_punct is_currency is_stop "
    "like_num like_url like_email"
).split()
_TABLE = (
    Attribute("word", WORD_COLUMN, of_form=True),
    Attribute("lower", "LOWER", of_form=True),
    Attribute("norm", "NORM", of_form=True),
    Attribute("shape", "SHAPE", of_form=True, few_values=True),
    Attribute("tag", "TAG", few_values=True, written_by="a tagger"),
    Attribute("pos", "POS", few_values=True, written_by="a tagger or morphologizer"),
    Attribute("morph", "MORPH", few_values=True, written_by="a morphologizer"),
    Attribute("lemma", "LEMMA", written_by="a lemmatizer"),
    Attribute("dep", "DEP", few_values=True, written_by="a parser"),
    Attribute("ent", "ent", _entities, few_values=True),
    Attribute("chunk", "spans:chunks", partial(_spans, key="chunks"), few_values=True),
    *(Attribute(flag, flag.upper(), of_form=True) for flag in _FLAGS),
    Attribute("orth", function=orthography_class, of_form=True, few_values=True),
)
_NAMED = {attribute.name: attribute for attribute in _TABLE}
_ALIASES = {"w": "word", "t": "tag", "p": "pos", "o": "orth", "c": "chunk", "e": "ent"}

# A prefix of columns, before the reach and the column of the labels.
_ELSEWHERE = "elsewhere:"

# The components that write columns which are otherwise empty.
ANNOTATED = {x.column: x.written_by for x in _TABLE if x.column and x.written_by}


def column_reader(column: str) -> Reader | None:
    """The function that reads a column of a Doc; None for `Doc.to_array`."""
    if column.startswith("_."):
        return partial(_extension, name=column[2:])
    if column.startswith("spans:"):
        return partial(_spans, key=column[6:])
    if column.startswith(_ELSEWHERE):
        reach, _, base = column.removeprefix(_ELSEWHERE).partition(":")
        return Elsewhere(base, int(reach))
    return next((x.reader for x in _TABLE if x.column == column), None)


def find_attribute(name: str, template: str) -> Attribute:
    """The attribute of this name; `template` is for the error message."""
    name = _ALIASES.get(name, name)
    if name in _NAMED:
        return _NAMED[name]
    for affix, short in _AFFIXES.items():
        for start in (affix, short):
            if name.startswith(start) and name[len(start) :].isdecimal():
                length = int(name[len(start) :])
                if 1 <= length <= MAX_AFFIX:
                    return Attribute(
                        f"{short}{length}", affix=affix, length=length, of_form=True
                    )
                raise ValueError(
                    Errors.LP002.format(name=name, template=template, n=MAX_AFFIX)
                )
    if name.startswith("_.") and len(name) > 2:
        return Attribute(name, column=name)
    if name.startswith("spans.") and len(name) > 6:
        return Attribute(name, column=f"spans:{name[6:]}")
    kind, dot, rest = name.partition(".")
    if dot and kind in SOURCE_KINDS and rest:
        source, _, argument = rest.partition(":")
        return Attribute(name, source=(kind, source, argument))
    if (asked := parse_elsewhere(name)) is not None:
        return _attribute_elsewhere(name, template, *asked)
    affixes = [f"{x}{n}" for x in _AFFIXES.values() for n in range(1, MAX_AFFIX + 1)]
    known = [*_NAMED, *_ALIASES, *affixes, "bias"]
    words = [word for word in known if word not in _ALIASES]
    message = Errors.LP001.format(name=name, template=template, known=", ".join(known))
    raise ValueError(message + did_you_mean(name, words))


def _attribute_elsewhere(name: str, template: str, reach: int, base: str) -> Attribute:
    """The attribute for labels of the same word elsewhere."""
    if reach == 0 and name.startswith("near"):
        raise ValueError(Errors.LP771.format(name=name, template=template))
    labels = find_attribute(base, template)
    if labels.column is None or labels.of_form or parse_elsewhere(base) is not None:
        raise ValueError(Errors.LP770.format(name=name, template=template, base=base))
    return Attribute(
        name_elsewhere(reach, labels.name),
        f"{_ELSEWHERE}{reach}:{labels.column}",
        few_values=labels.few_values,
    )
