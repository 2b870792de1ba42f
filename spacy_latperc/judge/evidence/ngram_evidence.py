"""A source of attributes from n-gram counts of a text.

`ng.NAME:left[0]` is the length of the longest known n-gram that ends here, and
`ng.NAME:prob[0]` the log probability of the word after the previous words.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Errors
from ...errors.check import check_flag, check_kind
from ...features.sources import Givens, Reading, Source, Tokens
from ...io.docbin import MADE_FROM
from ...kernels.text import WordHashes
from .ngram_counts import Keys, LeftOut, NgramCounts

_LOWEST = 15  # the last bucket of log probabilities
_MOST = 20  # the last bucket of counts


def _length(values: NDArray) -> NDArray[np.uint64]:
    return values.astype(np.uint64)


def _logarithm(values: NDArray) -> NDArray[np.uint64]:
    """Round down to an integer, without its sign."""
    return np.clip(-np.floor(values), 0, _LOWEST).astype(np.uint64)


def _count(values: NDArray) -> NDArray[np.uint64]:
    """Buckets of counts: 0, 1, 2 to 3, 4 to 7, ..."""
    return np.clip(np.frexp(values)[1], 0, _MOST).astype(np.uint64)


# The arguments of templates after the colon, with their buckets.
ATTRIBUTES: dict[str, Callable[[NDArray], NDArray[np.uint64]]] = {
    "left": _length,
    "right": _length,
    "prob": _logarithm,
    "next": _logarithm,
    "gap": _logarithm,
    "count": _count,
    "pair": _count,
    "middle": _count,
}


@dataclass(frozen=True, eq=False)
class Found:
    """The n-gram values of the tokens of a batch.

    Attributes:
        values: The result of `NgramCounts.read`.
        keys: The hashes of the normalised words.
        bounds: The first token of each sentence, and the end.
    """

    values: dict[str, NDArray]
    keys: Keys
    bounds: NDArray[np.int64]

    def column(self, name: str) -> NDArray[np.uint64]:
        """Return the buckets of one of ATTRIBUTES.

        Args:
            name: The attribute.
        """
        return ATTRIBUTES[name](self.values[name])


@dataclass(eq=False)
class NgramEvidence(Source):
    """A source of n-gram attributes.

    Attributes:
        path: The file with counts.
        leave_out: True to subtract each sentence from the counts if it was counted.
        counts: The counts, from the file or the model.
    """

    kind = "ng"

    path: str | Path = ""
    leave_out: bool = True
    counts: NgramCounts | None = None

    def __post_init__(self) -> None:
        self.forget()

    def settings(self) -> dict[str, Any]:
        return {"leave_out": self.leave_out}

    def attribute(self, argument: str) -> Reading:
        if argument not in ATTRIBUTES:
            known = ", ".join(f":{name}" for name in ATTRIBUTES)
            raise ValueError(Errors.LP713.format(argument=argument, known=known))

        def read(tokens: Tokens) -> NDArray[np.uint64]:
            return self.found(tokens).column(argument)

        return Reading(of_docs=read, few_values=True)

    def templates(self, name: str) -> list[str]:
        here = [f"{self.kind}.{name}:{argument}[0]" for argument in ATTRIBUTES]
        left, right = f"{self.kind}.{name}:left", f"{self.kind}.{name}:right"
        prob, gap = f"{self.kind}.{name}:prob", f"{self.kind}.{name}:gap"
        return [
            *here,
            *(f"{left}[{at}]" for at in (-1, 1, 2)),
            *(f"{right}[{at}]" for at in (-2, -1, 1)),
            *(f"{prob}[{at}]" for at in (-1, 1, 2)),
            f"{left}[0]|{right}[0]",
            f"{left}[0]|{left}[1]",
            f"{left}[1]|{right}[-1]",
            f"{prob}[0]|{prob}[1]",
            f"{prob}[1]|{gap}[0]",
        ]

    # Reading --------------------------------------------------------------------------

    def found(self, tokens: Tokens) -> Found:
        """Return all attributes of a batch, computed once.

        Args:
            tokens: The tokens of the batch.
        """
        if self not in tokens.source_data:
            tokens.source_data[self] = self._read(tokens)
        found: Found = tokens.source_data[self]
        return found

    def _read(self, tokens: Tokens) -> Found:
        counts = self.known
        keys = self._words.of(tokens.words, tokens.lookup)
        bounds, of_doc = tokens.sentences
        left_out = self._left_out(tokens, keys, bounds, of_doc)
        return Found(counts.read(keys, bounds, **left_out), keys, bounds)

    def _left_out(
        self,
        tokens: Tokens,
        keys: Keys,
        bounds: NDArray[np.int64],
        of_doc: NDArray[np.int64],
    ) -> dict[str, NDArray]:
        """Return the sentences to subtract: each sentence itself, or those that its Doc
        was made from."""
        if not (self.leave_out and self.known.settings.sentences):
            return {}
        made_from = [doc.user_data.get(MADE_FROM) for doc in tokens.docs]
        if not any(made_from):
            numbers = np.arange(len(bounds), dtype=np.int64)
            return {"own_keys": keys, "own_bounds": bounds, "own_of": numbers}
        left_out = LeftOut()
        docs = np.repeat(np.arange(len(of_doc)), of_doc)
        for s, doc in enumerate(docs.tolist()):
            sentences = made_from[doc]
            if sentences:
                left_out.add([self._keys(words) for words in sentences])
            else:
                left_out.add([keys[bounds[s] : bounds[s + 1]]])
        return left_out.arrays()

    @property
    def known(self) -> NgramCounts:
        """The counts."""
        if self.counts is None:
            raise ValueError(Errors.LP766.format(source="NgramEvidence.v1"))
        return self.counts

    def forget(self) -> None:
        self._words = WordHashes(self._key)

    def _key(self, word: str) -> int:
        return self.known.settings.key(word)

    def _keys(self, words: Sequence[str]) -> Keys:
        return np.asarray([self._key(word) for word in words], dtype=np.uint64)

    # Learning and saving --------------------------------------------------------------

    def replace_counts(self, counts: NgramCounts | None, *, leave_out: bool) -> None:
        """Replace the counts.

        Args:
            counts: The new counts.
            leave_out: True to subtract each sentence from them if it was counted.
        """
        self.leave_out = leave_out
        self._know(counts)

    def _know(self, counts: NgramCounts | None) -> None:
        self.counts = counts
        self.changes += 1
        self.forget()

    def fit(self, givens: Givens) -> None:
        if not self._is_named():
            raise ValueError(Errors.LP767.format(name=givens.name, command="ngrams"))
        self.read_files()

    def _is_named(self) -> bool:
        return bool(str(self.path))

    def read_files(self) -> None:
        """Load the file."""
        self._know(NgramCounts.from_disk(self.path))

    def to_bytes(self) -> bytes:
        return self.counts.to_bytes() if self.counts is not None else b""

    def from_bytes(self, data: bytes) -> None:
        if data:
            self._know(NgramCounts.from_bytes(data))

    def blank(self) -> "NgramEvidence":
        return type(self)(self.path, self.leave_out)

    def adopt(self, other: Source) -> None:
        super().adopt(other)
        self.forget()

    # Caches are not copied.
    def __reduce__(self) -> tuple:
        return type(self), (self.path, self.leave_out, self.counts)

    @property
    def nbytes(self) -> int:
        return self.counts.nbytes if self.counts is not None else 0


def ngram_evidence(path: str | Path, leave_out: bool = True) -> NgramEvidence:
    """Provide n-gram attributes of a counted text: `ng.NAME:left[0]` (the length of the
    longest known n-gram that ends here), `:right` (that begins here), `:prob` (the log
    probability of the word), `:next` (of the following word, or the end), `:gap` (of
    the following word if this one were missing), `:count`, `:pair` and `:middle` (the
    counts of the word, after the previous word, and between both neighbours).

    The file is read when the component is initialised; the model keeps the counts.

    Args:
        path: A file of `spacy latperc knowledge ngrams`.
        leave_out: Subtract each sentence from the counts if it was counted. Otherwise
            the values reveal which sentences are in the text.
    """
    check_kind("path", path, (str, Path), "a path")
    return NgramEvidence(path, check_flag("leave_out", leave_out))
