"""A binary classifier of sentences over latent chunkings, in several views."""

from .classifier_settings import ClassifierSettings, Progress
from .inference import SentenceScores
from .learner import LabelledSentences, LatentClassifier, OneClassError

__all__ = [
    "ClassifierSettings",
    "LabelledSentences",
    "LatentClassifier",
    "OneClassError",
    "SentenceScores",
    "Progress",
]
