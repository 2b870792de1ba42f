"""The functions of the judge that `spacy_latperc.api` imports on first use."""

from .filter.texts import filter_texts, score_texts
from .training.from_text import train_judge

__all__ = ["filter_texts", "score_texts", "train_judge"]
