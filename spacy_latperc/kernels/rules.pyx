"""Rules, built from their settings: one compiled object each."""
from spacy_latperc.kernels.trainer cimport (
    ArowRule,
    CRFRule,
    MiraRule,
    PassiveAggressiveRule,
    PerceptronRule,
    Prefix,
    ProbabilisticRule,
    Slack,
    ViolationRule,
)

from spacy_latperc.kernels.checks import path_count

SLACKS = ("PA", "PA-I", "PA-II")  # see rules/passive_aggressive.hh
PREFIXES = ("standard", "early", "latest", "max")  # see rules/violation.hh


cdef class Rule:
    """How one sentence changes the weights: see rules/rule.hh."""

    @staticmethod
    def perceptron(float margin=0.0):
        cdef Rule self = Rule.__new__(Rule)
        self.rule.reset(new PerceptronRule(margin))
        return self

    @staticmethod
    def passive_aggressive(double cap=0.01, str variant="PA-I"):
        cdef Rule self = Rule.__new__(Rule)
        cdef Slack slack = <Slack><int>SLACKS.index(variant)
        self.rule.reset(new PassiveAggressiveRule(slack, cap))
        return self

    @staticmethod
    def arow(double r=1.0):
        """Only for a chain whose steps are "variances"."""
        cdef Rule self = Rule.__new__(Rule)
        self.rule.reset(new ArowRule(r))
        return self

    @staticmethod
    def mira(n=1, double cap=0.01):
        """cap: infinite for margins that must be met at once."""
        cdef Rule self = Rule.__new__(Rule)
        self.rule.reset(new MiraRule(<int>path_count("n", n), cap))
        return self

    @staticmethod
    def probabilistic(n=5, double degree=0.0, bint add_gold=True):
        """degree: of the polynomial form; 0 for the log-linear one."""
        cdef Rule self = Rule.__new__(Rule)
        cdef int paths = path_count("n", n)
        self.rule.reset(new ProbabilisticRule(paths, degree, add_gold))
        return self

    @staticmethod
    def crf():
        cdef Rule self = Rule.__new__(Rule)
        self.rule.reset(new CRFRule())
        return self

    @staticmethod
    def violation(str method="max"):
        cdef Rule self = Rule.__new__(Rule)
        cdef Prefix prefix = <Prefix><int>PREFIXES.index(method)
        self.rule.reset(new ViolationRule(prefix))
        return self
