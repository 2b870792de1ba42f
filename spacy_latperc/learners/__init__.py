"""Learners over arrays, without spaCy and without thinc.

Docstrings cite the papers of the algorithms by short keys:

    LVP  Sun, Matsuzaki, Okanohara, Tsujii 2009, "Latent Variable Perceptron Algorithm
         for Structured Classification"
    PP   Sun, "Probabilistic Structured-Output Perceptron: An Effective Probabilistic
         Method for Structured NLP Tasks"
    MV   "An Online Algorithm for Learning over Constrained Latent Representations using
         Multiple Views"
    SL   Huang's lectures 9 and 10 on machine learning, "Structured Learning"
    DSL  Ke, "Discriminative Sequence Labeling"

In equations, x is a sentence, y its gold labels, h a path over latent states, f(h, x)
the features of a path, w the weights, and F(h) = w . f(h, x) its score.
"""

from .chain import ChainLearner
from .learner_settings import LearnerSettings, SearchSettings

__all__ = ["ChainLearner", "LearnerSettings", "SearchSettings"]
