"""The rules: symbol, weight, right-hand side.

Upper-case symbols are rewritten, lower-case ones are lexical categories. `[NP` and `]`
open and close a chunk, `<PER` and `>` an entity; the two may cross. A lone `-` is
nothing. Rules with `%` stand for five, one for each class of verb: t(ransitive),
i(ntransitive), d(itransitive), s(entential), p(hrasal).
"""

from dataclasses import dataclass

VERB_CLASSES = "tidsp"

RULES = """
ROOT    12 CLAUSE stop
ROOT     2 [ADVP rbly ] comma CLAUSE stop
ROOT     1 [ADVP rb ] CLAUSE stop
ROOT     2 [PP intime ] [NP day ] comma CLAUSE stop
ROOT     2 [PP inloc ] PLACE comma CLAUSE stop
ROOT     2 [SBAR sub ] CLAUSE comma CLAUSE stop
ROOT     2 open CLAUSE comma shut SPEAKER [VP vbds ] stop
ROOT     2 CLAUSE comma cc CLAUSE stop
ROOT     1 CLAUSE colon CLAUSE stop
ROOT     1 TEAM [VP beat ] TEAM [NP cd ] [PP to ] [NP cd ] stop
ROOT     1 [VP imp not vbt ] OBJECT stop
ROOT     1 [VP vbt ] OBJECT TIME stop
ROOT     1 [NP there ] [VP was ] [NP dt jj thing ] PLACEPP stop
ROOT     1 [ADVP wrb ] did SINGULAR [VP vbi ] ask
ROOT     1 did SINGULAR [VP vbt ] OBJECT ask

CLAUSE   5 SINGULAR SAYS
CLAUSE   4 PLURAL SAY
SAYS     5 ZT OBJECT ADJUNCT
SAYS     3 ZI ADJUNCT ADJUNCT
SAYS     1 ZD HUMAN OBJECT TIME
SAYS     1 ZS [SBAR that ] CLAUSE
SAYS     1 ZS CLAUSE
SAYS     1 ZP [PRT rp ] OBJECT ADJUNCT
SAYS     1 ZP SHORT [PRT rp ] ADJUNCT
SAYS     2 [VP seemz ] PREDICATE
SAYS     2 [VP seemd ] PREDICATE
SAYS     2 [VP was vbnt ] AGENT ADJUNCT
SAYS     1 [VP has been vbnt ] ADJUNCT
SAYS     1 [VP was vbnd ] OBJECT ADJUNCT
SAYS     1 [VP vbdt ] cc [VP vbdt ] OBJECT
SAYS     1 [ADVP rb ] ZT OBJECT
SAYS     1 [ADVP rbly ] ZI ADJUNCT
SAYS     1 ZT OBJECT [VP to vbt ] OBJECT
SAYS     2 ZI [ADVP away ] ADJUNCT
SAYS     1 ZI [PP along ] OBJECT
SAY      5 PT OBJECT ADJUNCT
SAY      3 PI ADJUNCT ADJUNCT
SAY      1 PD HUMAN OBJECT TIME
SAY      1 PS [SBAR that ] CLAUSE
SAY      1 PS CLAUSE
SAY      1 PP [PRT rp ] OBJECT ADJUNCT
SAY      1 PP SHORT [PRT rp ] ADJUNCT
SAY      2 [VP seemp ] PREDICATE
SAY      2 [VP seemdp ] PREDICATE
SAY      2 [VP were vbnt ] AGENT ADJUNCT
SAY      1 [VP md be vbnt ] ADJUNCT
SAY      1 [VP have been vbnt ] ADJUNCT
SAY      1 [ADVP rb ] PT OBJECT
SAY      1 PT OBJECT [VP to vbt ] OBJECT
SAY      2 PI [ADVP away ] ADJUNCT
SAY      1 PI [PP along ] OBJECT

Z%       4 [VP vbz% ]
Z%       6 [VP vbd% ]
Z%       2 [VP md vb% ]
Z%       1 [VP md not vb% ]
Z%       1 [VP md rb vb% ]
Z%       1 [VP has vbn% ]
Z%       1 [VP had rb vbn% ]
Z%       1 [VP is vbg% ]
Z%       1 [VP cl vbg% ]
Z%       1 [VP was vbg% ]
Z%       1 [VP does not vb% ]
Z%       1 [VP did not vb% ]
Z%       1 [VP wantz to vb% ]
Z%       1 [VP wantd to vb% ]
Z%       1 [VP rbly vbd% ]
Z%       1 [VP keepz vbg% ]
Z%       1 [VP vbd% ] [ADVP rb ]
P%       4 [VP vbp% ]
P%       6 [VP vbd% ]
P%       2 [VP md vb% ]
P%       1 [VP md rb vb% ]
P%       1 [VP have vbn% ]
P%       1 [VP had vbn% ]
P%       1 [VP are vbg% ]
P%       1 [VP were rb vbg% ]
P%       1 [VP do not vb% ]
P%       1 [VP wantp to vb% ]
P%       1 [VP md hv vbn% ]
P%       1 [VP rb vbp% ]
P%       1 [VP keepp vbg% ]

PREDICATE 3 [ADJP jj ] ADJUNCT
PREDICATE 2 [ADJP very jj ]
PREDICATE 1 [ADJP jjr ] [PP than ] OBJECT
PREDICATE 1 [ADJP jj cc jj ]
PREDICATE 1 [NP dt jj thing ]
PREDICATE 1 [NP the jjs thing ] [PP of ] OBJECT
AGENT    2 [PP by ] HUMAN
AGENT    1 [PP by ] FIRM
AGENT    2 -

SINGULAR 5 [NP dt thing ]
SINGULAR 3 [NP dt jj thing ]
SINGULAR 2 [NP dt thing thing ]
SINGULAR 3 [NP dt person ]
SINGULAR 2 [NP dt jj person ]
SINGULAR 1 [NP dt vbgi thing ]
SINGULAR 4 [NP prps ]
SINGULAR 6 PERSON
SINGULAR 3 FIRM
SINGULAR 1 PLACE
SINGULAR 2 [NP dt thing ] [PP of ] OBJECT
SINGULAR 1 [NP dt thing ] PLACEPP
SINGULAR 1 [NP dt thing ] [VP vbnt ] [PP by ] HUMAN
SINGULAR 1 [NP dt person ] [NP wp ] ZT OBJECT
SINGULAR 1 [NP dt thing ] [NP wdt ] PLURAL PT
SINGULAR 2 OWNER [NP pos thing ]
SINGULAR 1 OWNER [NP pos jj thing ]
SINGULAR 1 [NP dt <MISC nation > thing ]
SINGULAR 1 [NP poss person ] comma PERSON comma
SINGULAR 2 [NP dt thing person ]
SINGULAR 1 [NP dt person <PER family > ]
SINGULAR 1 [NP dt jj jj thing ]
SINGULAR 1 [NP <LOC place > thing ]
SINGULAR 1 [NP dt thing cc thing ]
SINGULAR 1 [NP dt thing ] cc [NP dt thing ]
SINGULAR 1 [NP thing ]
SINGULAR 1 [NP jj thing ]
SINGULAR 1 [NP dt vbgi person ]
PLURAL   4 [NP dts things ]
PLURAL   3 [NP things ]
PLURAL   3 [NP jj things ]
PLURAL   2 [NP dts jj people ]
PLURAL   2 [NP people ]
PLURAL   3 [NP prpp ]
PLURAL   2 [NP NUMBER things ]
PLURAL   1 [NP many thing things ]
PLURAL   1 [NP the <MISC nationals > ]
PLURAL   1 [NP <MISC nation > people ]
PLURAL   2 PERSON andor PERSON
PLURAL   1 [NP things andor things ]
PLURAL   1 [NP vbnt things ]
PLURAL   1 [NP people ] [VP vbgt ] OBJECT
PLURAL   1 [NP many people ] PLACEPP
PLURAL   1 OWNER [NP pos things ]
PLURAL   3 [NP dts thing things ]
PLURAL   2 [NP thing things ]
PLURAL   1 [NP thing people ]
PLURAL   1 [NP jj things andor things ]
PLURAL   1 [NP jj things ] andor [NP things ]
PLURAL   1 [NP things ] andor [NP jj things ]
PLURAL   1 [NP things ] [VP vbnt ] AGENT
PLURAL   1 [NP vbgi things ]
PLURAL   1 [NP <LOC place > things ]

OBJECT   5 SINGULAR
OBJECT   4 PLURAL
OBJECT   3 [NP dt thing ]
OBJECT   3 [NP dt jj thing ]
OBJECT   2 [NP things ]
OBJECT   2 [NP poss thing ]
OBJECT   2 [NP thing ]
OBJECT   1 [NP vbgt ]
OBJECT   1 [NP poss jj things ]
OBJECT   2 [NP dollar DIGITS million ]
OBJECT   1 [NP DIGITS percent ] [PP of ] [NP dts things ]
OBJECT   1 [NP prpo ]
OBJECT   1 [NP dt rbly vbnt thing ]
OBJECT   1 [NP dt very jj thing ]
OBJECT   1 [NP dt most jj thing ]
SHORT    2 [NP dt thing ]
SHORT    1 [NP prpo ]
SHORT    1 [NP dts things ]
HUMAN    3 PERSON
HUMAN    3 [NP dt person ]
HUMAN    2 [NP dts people ]
HUMAN    1 [NP prpo ]
SPEAKER  4 PERSON
SPEAKER  2 [NP dt jj person ]
SPEAKER  1 FIRM
SPEAKER  1 [NP prps ]
OWNER    3 PERSON
OWNER    2 [NP dt person ]
OWNER    2 PLACE
OWNER    1 FIRM
PERSON   4 [NP <PER first family > ]
PERSON   4 [NP <PER family > ]
PERSON   2 [NP title <PER family > ]
PERSON   1 [NP <PER first initial family > ]
PERSON   1 [NP <PER first > ]
FIRM     3 [NP <ORG family firm > ]
FIRM     2 [NP <ORG family firm corp > ]
FIRM     2 [NP <ORG place corp > ]
FIRM     1 [NP <ORG family > ]
FIRM     1 [NP the <ORG institution ] [PP of ] [NP place > ]
FIRM     1 [NP <ORG place firm > ]
TEAM     1 [NP <ORG place > ]
PLACE    5 [NP <LOC place > ]
PLACE    1 [NP jj <LOC place > ]
PLACE    1 [NP <LOC place > ] comma [NP <LOC place > ]

ADJUNCT  6 -
ADJUNCT  4 [PP in ] OBJECT
ADJUNCT  3 PLACEPP
ADJUNCT  3 TIME
ADJUNCT  2 [ADVP rbly ]
ADJUNCT  2 [ADVP rb ]
ADJUNCT  1 [SBAR sub ] CLAUSE
ADJUNCT  1 [VP to vbt ] OBJECT
ADJUNCT  1 [PP as ] [NP dt person ]
ADJUNCT  1 [PP in ] [VP vbgt ] OBJECT
ADJUNCT  1 [SBAR sub ] [VP vbnt ]
ADJUNCT  1 [NP dt week ]
PLACEPP  4 [PP inloc ] PLACE
PLACEPP  2 [PP inloc ] [NP the thing ]
TIME     3 -
TIME     2 [NP last week ]
TIME     2 [PP intime ] [NP day ]
TIME     2 [NP day ]
TIME     1 [PP inin ] [NP month ]
TIME     1 [PP inin ] [NP YEAR ]
TIME     1 [ADVP NUMBER years ago ]
TIME     1 [PP intime ] [NP month cd ]
TIME     1 [ADVP early ] [NP last week ]
NUMBER   2 cd
NUMBER   1 DIGITS
"""


@dataclass(frozen=True)
class Rule:
    weight: float
    symbols: tuple[str, ...]


def read_rules(text: str) -> dict[str, list[Rule]]:
    """The rules of each symbol."""
    rules: dict[str, list[Rule]] = {}
    for line in filter(None, text.splitlines()):
        variants = [line]
        if line.split()[0].endswith("%"):
            variants = [
                line.replace("%", kind.upper(), 1).replace("%", kind)
                for kind in VERB_CLASSES
            ]
        for variant in variants:
            symbol, weight, *symbols = variant.split()
            if symbols == ["-"]:
                symbols = []
            rules.setdefault(symbol, []).append(Rule(float(weight), tuple(symbols)))
    return rules
