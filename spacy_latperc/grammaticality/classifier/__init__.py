"""A binary classifier of sentences over latent chunkings, in several views."""

from .classifier_inference import SentenceScores
from .classifier_learner import LabelledSentences, LatentClassifier, OneClassError
from .classifier_settings import ClassifierSettings, Progress

__all__ = [
    "ClassifierSettings",
    "LabelledSentences",
    "LatentClassifier",
    "OneClassError",
    "SentenceScores",
    "Progress",
]
