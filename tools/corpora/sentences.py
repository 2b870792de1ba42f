"""From running English text to tokenised sentences that look complete and clean.

The rules are those that the files of `lm_text` were made with: any change of them gives
other files, which the checksums would refuse.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

# A full stop after one of these ends no sentence.
ABBREVIATIONS = set(
    "Mr Mrs Ms Messrs Dr Prof Gen Lt Col Maj Capt Sgt Adm Gov Sen Rep Rev Hon Fr Sr "
    "Jr St Ste Mt H.E No Nos Art Arts para paras Para Paras p pp vol Vol Vols ed "
    "eds cf vs v viz ca approx Fig Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec "
    "Corp Inc Ltd Co Cos Bros Est al e.g i.e Res Add Corr Doc Ch Sec sect art".split()
)
# Where one of these follows the full stop of an acronym, a sentence ends all the same.
OPENERS = set(
    "The This That These Those It He She They We You There In On At By For From "
    "With Without But And Or Yet So As If When While Where Although Though However "
    "Moreover Furthermore Nevertheless Today Now Our Its His Her Their My Such Some "
    "Many Most All Both Each Every Any No Not Only Let Allow Permit".split()
)
FUNCTION_WORDS = set(
    "the of and to in a is that for it we be are on as this by with not have was at "
    "our i from has an must will you but they can all their its which been would "
    "should said he his were had or who there these those than so do does did if my "
    "your her she no us them may could when what how".split()
)

_OPENING = "\"'“‘(["
_end = re.compile(r"(?P<stop>[.?!])(?P<close>[\"'”’)\]]*)\s+(?=[\"'“‘(\[]*[A-Z0-9])")
_next_word = re.compile(r"[\"'“‘(\[]*(\w*)")
_is_acronym = re.compile(r"([A-Za-z]\.)*[A-Za-z]").fullmatch


def split_sentences(paragraph: str) -> Iterator[str]:
    """The sentences of a paragraph, without the white space around them."""
    start = 0
    for end in _end.finditer(paragraph):
        if not _is_inside(paragraph, start, end):
            yield paragraph[start : end.end()].strip()
            start = end.end()
    if rest := paragraph[start:].strip():
        yield rest


def _is_inside(paragraph: str, start: int, end: re.Match[str]) -> bool:
    """True if the full stop belongs to the word before it."""
    if end["stop"] != "." or end["close"]:
        return False
    before = paragraph[start : end.start()].split()
    word = before[-1].lstrip(_OPENING) if before else ""
    if word in ABBREVIATIONS:
        return True
    follows = _next_word.match(paragraph, end.end())
    return bool(_is_acronym(word)) and not (follows and follows[1] in OPENERS)


_PLAIN = str.maketrans(
    {
        **dict.fromkeys("“”„«»", '"'),
        **dict.fromkeys("’‘‛`´", "'"),
        **dict.fromkeys("\u00a0\u2002\u2003\u2009", " "),
        **dict.fromkeys("\u2010\u2011\u2012", "-"),
        **dict.fromkeys("\u00ad\ufeff", ""),
        "…": "...",
    }
)
_CLOSERS = r"((?:\s*(?:''|[)\]]))*)\s*$"  # quotes and brackets after the last stop
_TOKEN_RULES = [
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        # Dashes, then double quotes
        (r"\s*([—―]|(?<=\s)[–-](?=\s))\s*", " -- "),
        ("–", "-"),
        (r'^"', "`` "),
        (r'([ (\[{])"', r"\1`` "),
        ('"', " '' "),
        # Punctuation; points and commas inside numbers stay
        (r"\.{3}", " ... "),
        (r"([,:])([^0-9]|$)", r" \1 \2"),
        (r"([^0-9])([,:])", r"\1 \2 "),
        (r"([;@#$%&?!])", r" \1 "),
        (r"([][(){}<>])", r" \1 "),
        (r"((?:\b[A-Za-z]\.){2,})" + _CLOSERS, r"\1 .\2"),
        (r"([^.\s])\." + _CLOSERS, r"\1 .\2"),
        # Single quotes and clitics
        (r"(^|[ (\[{])'(?!(?:s|d|m|ll|re|ve)\b)(?=\w)", r"\1` "),
        (r"([^'\s])'(?=\s|$)", r"\1 ' "),
        (r"([^'\s])'([sSmMdD])(?=\W|$)", r"\1 '\2"),
        (r"([^'\s])'(ll|LL|re|RE|ve|VE)(?=\W|$)", r"\1 '\2"),
        (r"(\w)(n't|N'T)(?=\W|$)", r"\1 \2"),
        (r"\b([Cc]an)not\b", r"\1 not"),
    )
]


def tokenize(sentence: str) -> list[str]:
    """Tokens as in the Penn Treebank: double quotes become `` and '', case stays."""
    text = sentence.translate(_PLAIN)
    for pattern, replacement in _TOKEN_RULES:
        text = pattern.sub(replacement, text)
    return text.split()


_is_clean = re.compile(r"[A-Za-zÀ-ÖØ-öø-ÿ0-9.,;:?!'`\-/()$%&]+$").match
# Letters of a wrong encoding, and references to records.
_is_garbled = re.compile(r"[ìîâÈÛÙÒÄ]|(?:ís|sí)$|/PV|^[^\x00-\x7f]$").search
_is_glued = re.compile(r"[a-z][A-Z0-9]|[0-9][a-z]{2}|[.,;:][A-Za-z]{2}").search
_may_look_glued = re.compile(
    r"[0-9]+(?:st|nd|rd|th|s)$|(?:Mc|Mac|De|Di|La|Le|O'|D')[A-Z][a-z]+$"
).match
_AFTER_HYPHEN = ("and", "or", "to", ",")  # inter- and intraspecific
_STOPS = (".", "?", "!")


class Limits(NamedTuple):
    """Limits of a sentence: its tokens, and the function words of a long one."""

    shortest: int = 4
    longest: int = 50
    function_words: int = 2


def is_complete(tokens: Sequence[str], limits: Limits = Limits()) -> bool:  # noqa: B008
    """True for tokens that look like a complete sentence of clean English."""
    return (
        limits.shortest <= len(tokens) <= limits.longest
        and _has_its_ends(tokens)
        and _is_balanced(tokens)
        and all(map(_is_good, tokens, [*tokens[1:], ""]))
        and _is_of_words(tokens, limits.function_words)
    )


def _has_its_ends(tokens: Sequence[str]) -> bool:
    last = next((x for x in reversed(tokens) if x not in ("''", ")", "'")), "")
    first = next((x for x in tokens if x not in ("``", "`", "(")), "")
    return (
        last in _STOPS
        and first[:1].isupper()
        and not (tokens[-1] == ")" and tokens[0] != "(")
        and sum(x in _STOPS for x in tokens) == 1
    )


def _is_balanced(tokens: Sequence[str]) -> bool:
    """Brackets and double quotes are opened and closed in turns."""
    for opening, closing in (("(", ")"), ("``", "''")):
        marks = [x for x in tokens if x in (opening, closing)]
        if marks != [opening, closing] * (len(marks) // 2):
            return False
    return tokens.count("`") <= tokens.count("'")


def _is_good(token: str, follows: str) -> bool:
    """True for a token that is neither garbled, nor broken at a line end, nor glued."""
    if len(token) > 25 or not _is_clean(token) or _is_garbled(token):
        return False
    if len(token) > 1 and token != "--":
        if token[0] == "-" and token[1].isalpha():
            return False
        if token[-1] == "-" and follows not in _AFTER_HYPHEN:
            return False
    return not (
        _is_glued(token) and "." not in token.strip(".") and not _may_look_glued(token)
    )


def _is_of_words(tokens: Sequence[str], function_words: int) -> bool:
    words = [x for x in tokens if x[0].isalpha()]
    capitals = sum(len(x) > 1 and x.isupper() for x in words)
    known = sum(x.lower() in FUNCTION_WORDS for x in words)
    return (
        len(words) >= max(3, 0.6 * len(tokens))
        and capitals <= 0.3 * len(words)
        and known >= (function_words if len(tokens) >= 8 else 1)
    )
