"""An n-gram model of an ARPA file in place of a judge."""

from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from ...grammaticality.annotations import SentencePredictions
from ...grammaticality.ngrams.ngram_model import NgramModel
from ...grammaticality.scorer import NEGATIVE, POSITIVE
from ..cfg_pipe import CfgPipe, predictions


def ngram_pipeline(path: str) -> Language:
    """Return a pipeline that scores sentences by the n-gram model of an ARPA file."""
    nlp = spacy.blank("xx")
    nlp.add_pipe("latperc_ngrams", config={"path": path})
    return nlp


@Language.factory("latperc_ngrams", default_config={"path": ""})
class NgramScorer(CfgPipe):
    """Scores sentences by the geometric mean of the probabilities of their words and of
    their end, the inverse of the perplexity. It has no threshold of its own.
    """

    labels = POSITIVE, NEGATIVE

    def __init__(self, nlp: Language, name: str, path: str):
        super().__init__(name, None)
        self._path = Path(path)
        self._model = NgramModel.from_disk(path)
        self.settings = SimpleNamespace(doc="mean", threshold=None)

    def predict(self, docs: Iterable[Doc]) -> SentencePredictions:
        """Score the sentences of Docs, which are not changed."""
        docs, starts, rows, per_doc, at = list(docs), [], [], [], 0
        for doc in docs:
            found = list(doc.sents) if doc.has_annotation("SENT_START") else [doc[:]]
            found = [sentence for sentence in found if len(sentence)]
            starts += [at + sentence.start for sentence in found]
            rows += [[x.text for x in words if not x.is_space] for words in found]
            per_doc.append(len(found))
            at += len(doc)
        lengths = np.array([len(words) + 1 for words in rows], dtype=np.float64)
        scores = self._model.score_sentences(rows) / lengths
        whole = np.cumsum([0, *map(len, docs)], dtype=np.int64)
        bounds = np.array([*starts, at], dtype=np.int64)
        return predictions(scores, whole, bounds, np.array(per_doc, dtype=np.int64))

    def probabilities(self, margins: np.ndarray) -> np.ndarray:
        """Convert mean log probabilities of words to probabilities."""
        return np.exp(margins)

    def to_bytes(self, **_: Any) -> bytes:
        """Return the bytes of the file."""
        return self._path.read_bytes()
