"""The rules: a symbol, and its alternatives, each a weight and a right-hand side.

Upper-case symbols are rewritten, lower-case ones are lexical categories. `[NP` and `]`
open and close a chunk, `<PER` and `>` an entity; the two may cross. A lone `-` is
nothing. Rules with `%` stand for five, one for each class of verb: t(ransitive),
i(ntransitive), d(itransitive), s(entential), p(hrasal).
"""

import re
from dataclasses import dataclass
from itertools import product

VERB_CLASSES = "tidsp"

RULES = """
ROOT = 12 CLAUSE stop | 2 [ADVP rbly ] comma CLAUSE stop | 1 [ADVP rb ] CLAUSE stop
    | 2 [PP intime ] [NP day ] comma CLAUSE stop | 2 [PP inloc ] PLACE comma CLAUSE stop
    | 2 [SBAR sub ] CLAUSE comma CLAUSE stop
    | 2 open CLAUSE comma shut SPEAKER [VP vbds ] stop | 2 CLAUSE comma cc CLAUSE stop
    | 1 CLAUSE colon CLAUSE stop
    | 1 TEAM [VP beat ] TEAM [NP cd ] [PP to ] [NP cd ] stop
    | 1 [VP imp not vbt ] OBJECT stop | 1 [VP vbt ] OBJECT TIME stop
    | 1 [NP there ] [VP was ] [NP dt jj thing ] PLACEPP stop
    | 1 [ADVP wrb ] did SINGULAR [VP vbi ] ask | 1 did SINGULAR [VP vbt ] OBJECT ask
CLAUSE = 5 SINGULAR SAYS | 4 PLURAL SAY
SAYS = 5 ZT OBJECT ADJUNCT | 3 ZI ADJUNCT ADJUNCT | 1 ZD HUMAN OBJECT TIME
    | 1 ZS [SBAR that ] CLAUSE | 1 ZS CLAUSE | 1 ZP [PRT rp ] OBJECT ADJUNCT
    | 1 ZP SHORT [PRT rp ] ADJUNCT | 2 [VP seemz ] PREDICATE | 2 [VP seemd ] PREDICATE
    | 2 [VP was vbnt ] AGENT ADJUNCT | 1 [VP has been vbnt ] ADJUNCT
    | 1 [VP was vbnd ] OBJECT ADJUNCT | 1 [VP vbdt ] cc [VP vbdt ] OBJECT
    | 1 [ADVP rb ] ZT OBJECT | 1 [ADVP rbly ] ZI ADJUNCT
    | 1 ZT OBJECT [VP to vbt ] OBJECT | 2 ZI [ADVP away ] ADJUNCT
    | 1 ZI [PP along ] OBJECT
SAY = 5 PT OBJECT ADJUNCT | 3 PI ADJUNCT ADJUNCT | 1 PD HUMAN OBJECT TIME
    | 1 PS [SBAR that ] CLAUSE | 1 PS CLAUSE | 1 PP [PRT rp ] OBJECT ADJUNCT
    | 1 PP SHORT [PRT rp ] ADJUNCT | 2 [VP seemp ] PREDICATE | 2 [VP seemdp ] PREDICATE
    | 2 [VP were vbnt ] AGENT ADJUNCT | 1 [VP md be vbnt ] ADJUNCT
    | 1 [VP have been vbnt ] ADJUNCT | 1 [ADVP rb ] PT OBJECT
    | 1 PT OBJECT [VP to vbt ] OBJECT | 2 PI [ADVP away ] ADJUNCT
    | 1 PI [PP along ] OBJECT
Z% = 4 [VP vbz% ] | 6 [VP vbd% ] | 2 [VP md vb% ] | 1 [VP md not vb% ]
    | 1 [VP md rb vb% ] | 1 [VP has vbn% ] | 1 [VP had rb vbn% ] | 1 [VP is vbg% ]
    | 1 [VP cl vbg% ] | 1 [VP was vbg% ] | 1 [VP does not vb% ] | 1 [VP did not vb% ]
    | 1 [VP wantz to vb% ] | 1 [VP wantd to vb% ] | 1 [VP rbly vbd% ]
    | 1 [VP keepz vbg% ] | 1 [VP vbd% ] [ADVP rb ]
P% = 4 [VP vbp% ] | 6 [VP vbd% ] | 2 [VP md vb% ] | 1 [VP md rb vb% ]
    | 1 [VP have vbn% ] | 1 [VP had vbn% ] | 1 [VP are vbg% ] | 1 [VP were rb vbg% ]
    | 1 [VP do not vb% ] | 1 [VP wantp to vb% ] | 1 [VP md hv vbn% ] | 1 [VP rb vbp% ]
    | 1 [VP keepp vbg% ]
PREDICATE = 3 [ADJP jj ] ADJUNCT | 2 [ADJP very jj ] | 1 [ADJP jjr ] [PP than ] OBJECT
    | 1 [ADJP jj cc jj ] | 1 [NP dt jj thing ] | 1 [NP the jjs thing ] [PP of ] OBJECT
AGENT = 2 [PP by ] HUMAN | 1 [PP by ] FIRM | 2 -
SINGULAR = 5 [NP dt thing ] | 3 [NP dt jj thing ] | 2 [NP dt thing thing ]
    | 3 [NP dt person ] | 2 [NP dt jj person ] | 1 [NP dt vbgi thing ] | 4 [NP prps ]
    | 6 PERSON | 3 FIRM | 1 PLACE | 2 [NP dt thing ] [PP of ] OBJECT
    | 1 [NP dt thing ] PLACEPP | 1 [NP dt thing ] [VP vbnt ] [PP by ] HUMAN
    | 1 [NP dt person ] [NP wp ] ZT OBJECT | 1 [NP dt thing ] [NP wdt ] PLURAL PT
    | 2 OWNER [NP pos thing ] | 1 OWNER [NP pos jj thing ]
    | 1 [NP dt <MISC nation > thing ] | 1 [NP poss person ] comma PERSON comma
    | 2 [NP dt thing person ] | 1 [NP dt person <PER family > ] | 1 [NP dt jj jj thing ]
    | 1 [NP <LOC place > thing ] | 1 [NP dt thing cc thing ]
    | 1 [NP dt thing ] cc [NP dt thing ] | 1 [NP thing ] | 1 [NP jj thing ]
    | 1 [NP dt vbgi person ]
PLURAL = 4 [NP dts things ] | 3 [NP things ] | 3 [NP jj things ] | 2 [NP dts jj people ]
    | 2 [NP people ] | 3 [NP prpp ] | 2 [NP NUMBER things ] | 1 [NP many thing things ]
    | 1 [NP the <MISC nationals > ] | 1 [NP <MISC nation > people ]
    | 2 PERSON andor PERSON | 1 [NP things andor things ] | 1 [NP vbnt things ]
    | 1 [NP people ] [VP vbgt ] OBJECT | 1 [NP many people ] PLACEPP
    | 1 OWNER [NP pos things ] | 3 [NP dts thing things ] | 2 [NP thing things ]
    | 1 [NP thing people ] | 1 [NP jj things andor things ]
    | 1 [NP jj things ] andor [NP things ] | 1 [NP things ] andor [NP jj things ]
    | 1 [NP things ] [VP vbnt ] AGENT | 1 [NP vbgi things ]
    | 1 [NP <LOC place > things ]
OBJECT = 5 SINGULAR | 4 PLURAL | 3 [NP dt thing ] | 3 [NP dt jj thing ] | 2 [NP things ]
    | 2 [NP poss thing ] | 2 [NP thing ] | 1 [NP vbgt ] | 1 [NP poss jj things ]
    | 2 [NP dollar DIGITS million ] | 1 [NP DIGITS percent ] [PP of ] [NP dts things ]
    | 1 [NP prpo ] | 1 [NP dt rbly vbnt thing ] | 1 [NP dt very jj thing ]
    | 1 [NP dt most jj thing ]
SHORT = 2 [NP dt thing ] | 1 [NP prpo ] | 1 [NP dts things ]
HUMAN = 3 PERSON | 3 [NP dt person ] | 2 [NP dts people ] | 1 [NP prpo ]
SPEAKER = 4 PERSON | 2 [NP dt jj person ] | 1 FIRM | 1 [NP prps ]
OWNER = 3 PERSON | 2 [NP dt person ] | 2 PLACE | 1 FIRM
PERSON = 4 [NP <PER first family > ] | 4 [NP <PER family > ]
    | 2 [NP title <PER family > ] | 1 [NP <PER first initial family > ]
    | 1 [NP <PER first > ]
FIRM = 3 [NP <ORG family firm > ] | 2 [NP <ORG family firm corp > ]
    | 2 [NP <ORG place corp > ] | 1 [NP <ORG family > ]
    | 1 [NP the <ORG institution ] [PP of ] [NP place > ] | 1 [NP <ORG place firm > ]
TEAM = 1 [NP <ORG place > ]
PLACE = 5 [NP <LOC place > ] | 1 [NP jj <LOC place > ]
    | 1 [NP <LOC place > ] comma [NP <LOC place > ]
ADJUNCT = 6 - | 4 [PP in ] OBJECT | 3 PLACEPP | 3 TIME | 2 [ADVP rbly ] | 2 [ADVP rb ]
    | 1 [SBAR sub ] CLAUSE | 1 [VP to vbt ] OBJECT | 1 [PP as ] [NP dt person ]
    | 1 [PP in ] [VP vbgt ] OBJECT | 1 [SBAR sub ] [VP vbnt ] | 1 [NP dt week ]
PLACEPP = 4 [PP inloc ] PLACE | 2 [PP inloc ] [NP the thing ]
TIME = 3 - | 2 [NP last week ] | 2 [PP intime ] [NP day ] | 2 [NP day ]
    | 1 [PP inin ] [NP month ] | 1 [PP inin ] [NP YEAR ] | 1 [ADVP NUMBER years ago ]
    | 1 [PP intime ] [NP month cd ] | 1 [ADVP early ] [NP last week ]
NUMBER = 2 cd | 1 DIGITS
"""


@dataclass(frozen=True)
class Rule:
    weight: float
    symbols: tuple[str, ...]


def read_rules(text: str) -> dict[str, list[Rule]]:
    """The rules of each symbol."""
    rules: dict[str, list[Rule]] = {}
    for symbol, alternatives in re.findall(
        r"^(\S+) = ((?:.+\n?(?!\S+ = ))+)", text, re.M
    ):
        kinds = VERB_CLASSES if symbol.endswith("%") else " "
        for alternative, kind in product(alternatives.split("|"), kinds):
            weight, *symbols = alternative.replace("%", kind).split()
            rule = Rule(float(weight), tuple(x for x in symbols if x != "-"))
            rules.setdefault(symbol.replace("%", kind.upper()), []).append(rule)
    return rules
