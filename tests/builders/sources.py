"""Sources of attributes that know what they are told: one of word forms, one of Docs.

They learn from the lines of a file, `word<TAB>value`.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import spacy

from spacy_latperc.features.sources import Givens, Reading, Source, Tokens
from spacy_latperc.kernels.chains import text_hash


class WordList(Source):
    """Values of words: `cl.NAME[0]`; `cl.NAME:1[0]` is the first letter of one."""

    kind = "cl"

    def __init__(self, path: str = "", lower: bool = False):
        self.path = path
        self.lower = lower
        self.values: dict[str, str] = {}
        self.fitted = 0

    def settings(self) -> dict[str, Any]:
        return {"lower": self.lower}

    def attribute(self, argument: str) -> Reading:
        if argument and not argument.isdecimal():
            raise ValueError(f"{argument} is no number")
        length = int(argument) if argument else None

        def value(word: str) -> str:
            word = word.lower() if self.lower else word
            return self.values.get(word, "")[:length]

        return Reading(of_form=value, few_values=True)

    def fit(self, givens: Givens) -> None:
        lines = Path(self.path).read_text(encoding="utf8").splitlines()
        self.values = dict(line.split("\t") for line in lines)
        self.fitted += 1

    def to_bytes(self) -> bytes:
        return json.dumps(self.values).encode("utf8")

    def from_bytes(self, data: bytes) -> None:
        self.values = json.loads(data)

    def blank(self) -> "WordList":
        return type(self)(self.path, self.lower)

    @property
    def nbytes(self) -> int:
        return len(self.to_bytes())

    def add(self, word: str, value: str) -> None:
        """Know one more word, after learning."""
        self.values[word] = value
        self.changes += 1


class DocList(WordList):
    """The same values as columns of Docs: `gaz.NAME[0]`."""

    kind = "gaz"

    def attribute(self, argument: str) -> Reading:
        value = super().attribute(argument).of_form
        assert value is not None

        def values(tokens: Tokens) -> np.ndarray:
            assert len(tokens.offsets) == len(tokens.docs) + 1
            words = [tokens.lookup(orth) for orth in tokens.words.tolist()]
            return np.asarray([text_hash(value(word)) for word in words], np.uint64)

        return Reading(of_docs=values)


spacy.registry.misc("test.WordList.v1", func=WordList)
spacy.registry.misc("test.DocList.v1", func=DocList)
