"""How weights change: learners over arrays, without spaCy and without thinc."""

from .chain import ChainLearner
from .settings import LearnerSettings, SearchSettings

__all__ = ["ChainLearner", "LearnerSettings", "SearchSettings"]
