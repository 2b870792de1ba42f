"""Rules, built from their settings: one compiled object each."""
from spacy_latperc.kernels.trainer cimport PassiveAggressiveRule, PerceptronRule


cdef class Rule:
    """How one sentence changes the weights: see rules.hh."""

    @staticmethod
    def perceptron(float margin=0.0):
        cdef Rule self = Rule.__new__(Rule)
        self.rule.reset(new PerceptronRule(margin))
        return self

    @staticmethod
    def passive_aggressive(float cap=0.01):
        cdef Rule self = Rule.__new__(Rule)
        self.rule.reset(new PassiveAggressiveRule(cap))
        return self
