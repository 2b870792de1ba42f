"""The orthography class of a word: one of about twenty modes of spelling.

They are the o_i of LVP (Table 1; keys of papers: learners/__init__.py), which says only
"prefix, uppercase/lowercase, etc."; the classes are ours, for bio-entities and names.
"""

import re

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
    """The class of one word form."""
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
