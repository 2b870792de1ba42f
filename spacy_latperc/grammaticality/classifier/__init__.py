"""Two classes of sentences told apart through latent chunkings, in views."""

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
