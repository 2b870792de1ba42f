"""The inflected forms of English-like words."""

VOWELS = "aeiou"

_IRREGULAR = """
begin began begun  bring brought brought  build built built  buy bought bought
catch caught caught  choose chose chosen  cut cut cut  draw drew drawn
fall fell fallen  feel felt felt  find found found  give gave given  go went gone
grow grew grown  hear heard heard  hold held held  keep kept kept  know knew known
leave left left  lend lent lent  lose lost lost  make made made  meet met met
pay paid paid  put put put  read read read  rise rose risen  run ran run
say said said  see saw seen  sell sold sold  send sent sent  show showed shown
sleep slept slept  speak spoke spoken  spend spent spent  stand stood stood
take took taken  teach taught taught  tell told told  think thought thought
throw threw thrown  win won won  write wrote written  drive drove driven
set set set  shut shut shut  lay laid laid  wind wound wound  beat beat beaten
rebuild rebuilt rebuilt  rewrite rewrote rewritten  overtake overtook overtaken
""".split()

IRREGULAR = {
    base: (past, participle)
    for base, past, participle in zip(
        _IRREGULAR[::3], _IRREGULAR[1::3], _IRREGULAR[2::3], strict=True
    )
}

_DOUBLING = frozenset("admit begin cut drop plan put run set shut stop sum win".split())


def with_s(word: str) -> str:
    """The plural of a noun, or the third person of a verb."""
    if word.endswith(("s", "x", "z", "ch", "sh")) or word in ("go", "echo"):
        return word + "es"
    if word.endswith("y") and word[-2] not in VOWELS:
        return word[:-1] + "ies"
    return word + "s"


def past(verb: str) -> str:
    return IRREGULAR[verb][0] if verb in IRREGULAR else _with_ed(verb)


def participle(verb: str) -> str:
    return IRREGULAR[verb][1] if verb in IRREGULAR else _with_ed(verb)


def _with_ed(verb: str) -> str:
    if verb.endswith("e"):
        return verb + "d"
    if verb.endswith("y") and verb[-2] not in VOWELS:
        return verb[:-1] + "ied"
    return _doubled(verb) + "ed"


def gerund(verb: str) -> str:
    if verb.endswith("e") and not verb.endswith("ee"):
        return verb[:-1] + "ing"
    return _doubled(verb) + "ing"


def _doubled(verb: str) -> str:
    return verb + verb[-1] if verb in _DOUBLING else verb


def adverb(adjective: str) -> str:
    if adjective.endswith("y"):
        return adjective[:-1] + "ily"
    if adjective.endswith("le"):
        return adjective[:-1] + "y"
    if adjective.endswith("ic"):
        return adjective + "ally"
    return adjective + "ly"


def comparative(adjective: str) -> str:
    return _graded(adjective) + "er"


def superlative(adjective: str) -> str:
    return _graded(adjective) + "est"


def _graded(adjective: str) -> str:
    if adjective.endswith("e"):
        return adjective[:-1]
    if adjective.endswith("y"):
        return adjective[:-1] + "i"
    return adjective + "g" if adjective == "big" else adjective


def with_article(noun_phrase: str) -> str:
    """The form of the indefinite article before these words."""
    return "an" if noun_phrase[0].lower() in VOWELS else "a"
