"""Rules, built from their settings: one compiled object each."""
from spacy_latperc.kernels.trainer cimport (
    ArowRule,
    PassiveAggressiveRule,
    PerceptronRule,
    Slack,
)

SLACKS = ("PA", "PA-I", "PA-II")  # see passive_aggressive.hh


cdef class Rule:
    """How one sentence changes the weights: see rules.hh."""

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
