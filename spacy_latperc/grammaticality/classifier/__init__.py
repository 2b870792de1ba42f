"""A binary classifier of sentences over latent chunkings, in several views."""

from .inference import SentenceScores
from .learner import LabelledSentences, LatentClassifier, OneClassError
from .settings import ClassifierSettings, Progress

__all__ = [
    "ClassifierSettings",
    "LabelledSentences",
    "LatentClassifier",
    "OneClassError",
    "SentenceScores",
    "Progress",
]
