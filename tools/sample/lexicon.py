"""The lexical categories: what words the grammar's lower-case symbols stand for."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import SimpleNamespace

import srsly

from . import morphology
from .names import Names

HELD_OUT_SHARE = 0.22
"""The share of held-out words in an open category, outside of training."""
SKEW = 2.2
"""The exponent that makes the first words of a list more frequent than the last."""
words = SimpleNamespace(**srsly.read_yaml(Path(__file__).with_name("words.yml")))


@dataclass(frozen=True)
class Category:
    """The words of a lexical symbol.

    held_out: Words that training never shows with this tag.
    lemmas: The lemmas of the words that are none themselves, in lower case.
    """

    tag: str
    common: list[str]
    held_out: list[str]
    lemmas: Mapping[str, str] = field(default_factory=dict)

    def draw(self, rng: Random, *, training: bool) -> str:
        if self.held_out and not training and rng.random() < HELD_OUT_SHARE:
            return _pick(rng, self.held_out, skew=1.0)
        return _pick(rng, self.common, skew=SKEW)


def _pick(rng: Random, items: list[str], *, skew: float) -> str:
    return items[int(len(items) * rng.random() ** skew)]


def build_lexicon(rng: Random) -> dict[str, Category]:
    """All categories by name."""
    lexicon: dict[str, Category] = {}

    def closed(name: str, tag: str, text: str) -> None:
        lemmas = {form: _LEMMAS[form] for form in text.split() if form in _LEMMAS}
        lexicon[name] = Category(tag, text.split(), [], lemmas)

    def opened(
        name: str, tag: str, items: list[str], inflect: Callable[[str], str] = str
    ) -> None:
        kept = len(items) - len(items) // 3
        forms = [inflect(x) for x in items]
        lemmas = dict(zip(forms, items, strict=True))
        lexicon[name] = Category(tag, forms[:kept], forms[kept:], lemmas)

    _add_nouns(opened)
    _add_verbs(opened)
    _add_modifiers(opened, closed)
    _add_names(opened, closed, Names(rng))
    for entry in _FUNCTION_WORDS.split("|"):
        name, tag, text = entry.split(maxsplit=2)
        closed(name, tag, text)
    return lexicon


_Open = Callable[..., None]


def _add_nouns(opened: _Open) -> None:
    things = _merged(words.THINGS.split(), words.NOUN_OR_VERB.split())
    people = words.PEOPLE.split()
    opened("thing", "NN", things)
    opened("things", "NNS", things, morphology.with_s)
    opened("person", "NN", people)
    opened("people", "NNS", people, morphology.with_s)


def _merged(first: list[str], second: list[str]) -> list[str]:
    """Both lists in one, evenly, so that the same share of each is held out."""
    places = [(i / len(x), word) for x in (first, second) for i, word in enumerate(x)]
    return [word for _, word in sorted(places)]


def _add_verbs(opened: _Open) -> None:
    classes = {
        "t": words.TRANSITIVE.split(),
        "i": words.INTRANSITIVE.split(),
        "d": words.DITRANSITIVE.split(),
        "s": words.SENTENTIAL.split(),
        "p": words.PHRASAL.split(),
    }
    for kind, verbs in classes.items():
        opened(f"vb{kind}", "VB", verbs)
        opened(f"vbp{kind}", "VBP", verbs)
        opened(f"vbz{kind}", "VBZ", verbs, morphology.with_s)
        opened(f"vbd{kind}", "VBD", verbs, morphology.past)
        opened(f"vbn{kind}", "VBN", verbs, morphology.participle)
        opened(f"vbg{kind}", "VBG", verbs, morphology.gerund)


def _add_modifiers(opened: _Open, closed: _Open) -> None:
    adjectives = words.ADJECTIVES.split()
    gradable = words.GRADABLE.split()
    opened("jj", "JJ", adjectives)
    opened("jjr", "JJR", gradable, morphology.comparative)
    opened("jjs", "JJS", gradable, morphology.superlative)
    regular = [x for x in adjectives if x not in gradable and not x.endswith("ly")]
    opened("rbly", "RB", regular, morphology.adverb)
    closed("rb", "RB", words.ADVERBS)


def _add_names(opened: _Open, closed: _Open, names: Names) -> None:
    opened("first", "NNP", names.first)
    opened("family", "NNP", names.family)
    opened("place", "NNP", names.places)
    opened("nation", "JJ", names.nationalities)
    opened("nationals", "NNPS", names.nationalities, morphology.with_s)
    closed("initial", "NNP", "A. B. C. D. E. J. K. M. R. S.")
    closed("firm", "NNP", words.COMPANY_WORDS)
    closed("corp", "NNP", words.COMPANY_ENDS)
    closed("institution", "NNP", words.INSTITUTIONS)
    closed("title", "NNP", words.TITLES)
    closed("day", "NNP", words.DAYS)
    closed("month", "NNP", words.MONTHS)


_LEMMAS = {
    form: lemma
    for lemma, forms in (
        entry.strip().split(": ")
        for entry in """
be: is are was were been, have: has had, do: does did, not: n't, seem: seems seemed,
look: looks looked, remain: remains remained, become: became, keep: keeps,
start: starts, stop: stops, like: likes, want: wants wanted, plan: plans planned,
hope: hopes hoped, try: tries tried, need: needs needed, defeat: defeated, hold: held,
this: these, that: those, day: days, week: weeks, month: months, year: years
""".split(",")
    )
    for form in forms.split()
}

# Name, tag and words of each category.
_FUNCTION_WORDS = """
dt DT the the the a a this that every each another no |
dts DT the the these those some all no | the DT the |
cd CD two three four five six ten twelve twenty thirty fifty hundred |
many JJ many several few other | prps PRP he she it | prpp PRP they we you |
prpo PRP him her it them us | poss PRP$ his her its their our | pos POS 's |
in IN in on at for with from by near under after before since about against |
inloc IN in in from near at | intime IN on before after since by | inin IN in |
of IN of | along IN up down off over across | by IN by | as IN as |
rp RP up out off on in down back over | away RB back up out down off over |
sub IN because if although while since after before until as | that IN that |
wdt WDT that which | wp WP who | to TO to |
md MD will would can could may might should must | cc CC and or but |
andor CC and and or | has VBZ has | have VBP have | had VBD had | hv VB have |
is VBZ is | are VBP are | was VBD was | were VBD were | be VB be | been VBN been |
cl VBZ 's | does VBZ does | do VBP do | imp VB do | did VBD did | not RB not n't n't |
seemz VBZ is is seems looks remains | seemp VBP are are seem look remain |
seemd VBD was was seemed became looked | seemdp VBD were were seemed became looked |
keepz VBZ keeps starts stops likes | keepp VBP keep start stop like |
wantz VBZ wants plans hopes tries needs | wantp VBP want plan hope try need |
wantd VBD wanted planned hoped tried needed | beat VBD beat defeated held |
very RB very too so rather quite more | more RBR more | most RBS most | than IN than |
early RB early late | last JJ last next | week NN week month year |
years NNS days weeks months years | ago RB ago earlier later | percent NN % |
dollar $ $ | million CD million billion | comma , , | stop . . . . . . . . . . ! |
ask . ? | colon : -- ; : | open `` `` | shut '' '' | there EX there |
wrb WRB when where how
"""
