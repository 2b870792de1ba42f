# Rules, built from their settings: one compiled object each.

cdef extern from "rules/rule.hh" namespace "latperc" nogil:
    cdef cppclass CRule "latperc::Rule":
        double step(Trainer&, const Sentence&) except +
        cbool has_slope()
        int64_t updates, violations
    cdef cppclass PerceptronRule(CRule):
        PerceptronRule(float margin)


cdef extern from "rules/expected_perceptron.hh" namespace "latperc" nogil:
    cdef cppclass ExpectedPerceptronRule(CRule):
        ExpectedPerceptronRule(float margin, double temperature)


cdef extern from "rules/passive_aggressive.hh" namespace "latperc" nogil:
    cdef enum class Slack(int):
        none
        linear
        squared
    cdef cppclass PassiveAggressiveRule(CRule):
        PassiveAggressiveRule(Slack slack, double cap)


cdef extern from "rules/mira.hh" namespace "latperc" nogil:
    cdef cppclass MiraRule(CRule):
        MiraRule(int n, double cap)


cdef extern from "rules/probabilistic.hh" namespace "latperc" nogil:
    cdef cppclass ProbabilisticRule(CRule):
        ProbabilisticRule(int n, double degree, cbool add_gold)


cdef extern from "rules/crf.hh" namespace "latperc" nogil:
    cdef cppclass CRFRule(CRule):
        CRFRule(float margin)


cdef extern from "rules/violation.hh" namespace "latperc" nogil:
    cdef enum class Prefix(int):
        standard
        early
        latest
        max
    cdef cppclass ViolationRule(CRule):
        ViolationRule(Prefix method)


SLACKS = ("PA", "PA-I", "PA-II")  # see rules/passive_aggressive.hh


PREFIXES = ("standard", "early", "latest", "max")  # see rules/violation.hh


cdef class Rule:
    """The update of the weights by one sentence: see rules/rule.hh."""

    cdef unique_ptr[CRule] rule

    @property
    def has_slope(self):
        """True if the rule follows the gradient of a loss, and computes it."""
        return deref(self.rule).has_slope()

    @property
    def updates(self):
        """The number of updates of violation fixing, and of those by violations."""
        return deref(self.rule).updates, deref(self.rule).violations

    @staticmethod
    def perceptron(float margin=0.0, double temperature=0.0):
        """Make a perceptron. temperature: that of expected latent states; 0 for the
        best states."""
        cdef Rule self = Rule.__new__(Rule)
        if temperature > 0.0:
            self.rule.reset(new ExpectedPerceptronRule(margin, temperature))
        else:
            self.rule.reset(new PerceptronRule(margin))
        return self

    @staticmethod
    def passive_aggressive(double cap=0.01, str variant="PA-I"):
        cdef Rule self = Rule.__new__(Rule)
        cdef Slack slack = <Slack><int>SLACKS.index(variant)
        self.rule.reset(new PassiveAggressiveRule(slack, cap))
        return self

    @staticmethod
    def mira(n=1, double cap=0.01):
        """Make n-best MIRA. cap: infinite for hard margins."""
        cdef Rule self = Rule.__new__(Rule)
        self.rule.reset(new MiraRule(<int>path_count("n", n), cap))
        return self

    @staticmethod
    def probabilistic(n=5, double degree=0.0, bint add_gold=True):
        """Make a probabilistic perceptron. degree: that of the polynomial form; 0 for
        the log-linear form."""
        cdef Rule self = Rule.__new__(Rule)
        cdef int paths = path_count("n", n)
        self.rule.reset(new ProbabilisticRule(paths, degree, add_gold))
        return self

    @staticmethod
    def crf(float margin=0.0):
        """Make a CRF. margin: the cost of wrong labels (softmax-margin)."""
        cdef Rule self = Rule.__new__(Rule)
        self.rule.reset(new CRFRule(margin))
        return self

    @staticmethod
    def violation(str method="max"):
        cdef Rule self = Rule.__new__(Rule)
        cdef Prefix prefix = <Prefix><int>PREFIXES.index(method)
        self.rule.reset(new ViolationRule(prefix))
        return self
