"""The common words of the sample, frequent ones first.

The last third of each list is held out from the training part (see lexicon.py).
"""

# These are nouns and verbs: what they are is for the context to say.
NOUN_OR_VERB = """
plan report work offer change visit study test move call vote deal help talk trade
support claim answer question order cost review delay repair record release share start
promise search attack hope drop rise fall cut walk play paint point paper balance bridge
challenge damage design display echo escape estimate exchange focus guide harvest
influence interest judge limit list measure notice object
"""

THINGS = """
house market light price bank school road river company city door letter story car farm
garden engine village machine window station ship hospital budget contract law problem
idea result field forest museum office train wall boat coast meeting season storm tax
cold tower valley product factory harbour concert election picture agreement argument
building decision discussion development government movement payment treatment
production kindness weakness electricity quality ability security service surface
software library industry policy committee investment announcement arrangement statement
settlement adjustment employment construction instruction explanation organisation
population reduction solution happiness darkness sickness boldness capacity density
majority necessity publicity criticism tourism capitalism realism storage coverage
package voyage message railway doorway seaway broadcast blueprint waterfall sunflower
keyboard
"""

PEOPLE = """
teacher minister doctor farmer worker girl boy woman driver player leader officer
student lawyer banker neighbour friend author singer writer official chief local native
soldier sailor painter manager reporter voter judge guest customer engineer citizen
activist economist scientist assistant consultant inspector investor translator
librarian musician politician technician gardener hairdresser shopkeeper
"""

# Adjectives; some are nouns or adverbs elsewhere.
ADJECTIVES = """
new old big small early late hard fast public young chief cold light local long low high
rich poor short strong weak quiet happy heavy daily weekly official foreign national
final recent angry busy careful cheap clean dark deep famous green narrow noisy useful
dangerous expensive gentle modern royal rural urban wild nervous possible simple
terrible visible active basic central hopeful helpless painful peaceful powerful
successful careless harmless useless homeless creative attractive massive passive
relative generous jealous mysterious ambitious reasonable comfortable profitable
reliable global coastal seasonal electric historic heroic romantic
"""

GRADABLE = """
new old small hard fast young cold light long low high rich poor short strong weak cheap
clean dark deep green wild big late early happy heavy angry busy noisy
"""

TRANSITIVE = """
buy sell build see find make take hold keep lose win read write paint visit report plan
study change test offer move call help support repair review order attack cut drop
answer question record release share start search draw discover open close clean follow
like watch reach accept avoid carry cross describe examine finish ignore improve include
join mention prepare protect reject remove replace organise modernise criticise
recognise publicise activate celebrate demonstrate investigate renovate translate
clarify identify modify simplify strengthen widen rebuild rewrite rediscover reopen
overlook overtake underline weigh mow
"""

INTRANSITIVE = """
go fall rise sleep work talk start change move drop walk play vote run stand speak
arrive wait laugh smile travel stop begin hesitate disappear emerge collapse decline
expand cooperate participate deteriorate stabilise mumble stumble wobble
"""

DITRANSITIVE = """
give send show tell pay lend teach offer promise hand grant award deny
"""

SENTENTIAL = """
say think know hope believe claim report feel hear explain announce suggest admit
complain notice predict emphasise speculate
"""

PHRASAL = """
take turn pick put call give set bring carry throw hand shut lay sum wind
"""

ADVERBS = """
often soon now still never already early late hard fast again once almost always
together yesterday here there sometimes later twice perhaps instead
"""

COMPANY_WORDS = "Steel Motors Foods Paper Airways Energy Systems Mills Media Textiles"
COMPANY_ENDS = "Corp. Inc. Ltd. Group Co. Partners Holdings"
INSTITUTIONS = "University Bank Museum Institute Bishop Port"
TITLES = "Mr. Mrs. Dr. President Minister Professor"
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday"
MONTHS = "January March April May June August September October December"
NUMBER_WORDS = "two three four five six ten twelve twenty thirty fifty"
