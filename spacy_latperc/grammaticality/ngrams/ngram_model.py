"""An n-gram model with its vocabulary.

Chen and Goodman (1998), "An Empirical Study of Smoothing Techniques for Language
Modeling": Kneser-Ney, interpolated with shorter contexts, down to equal shares of all
words, the end of the sentence, and one unknown word.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...errors import Errors
from ...errors.check import check_count
from ...io.atomic import whole_file
from ...kernels.text import BEGIN, END, MAX_ORDER, UNKNOWN, NgramTable, Vocabulary
from ...text.sentences import Sentences, from_ids
from .arpa import arpa_lines, read_arpa

MIN_ORDER = 2


def check_model(order: int, min_counts: Sequence[int] | None = None) -> list[int]:
    """Refuse invalid settings of an n-gram model before a text is read.

    Returns:
        The lowest counts of n-grams of each length that are kept.
    """
    look = "3 reads two previous words"
    check_count("order", order, low=MIN_ORDER, high=MAX_ORDER, hint=look)
    least = [1] * order if min_counts is None else list(min_counts)
    if (
        len(least) != order
        or not 1 <= least[0] <= least[-1] < 1 << 32
        or sorted(least) != least
    ):
        raise ValueError(Errors.LP402.format(counts=least, order=order))
    return least


class NgramModel:
    """An immutable model of the probability of a word after its history."""

    def __init__(self, vocabulary: Vocabulary, table: NgramTable) -> None:
        self.vocabulary = vocabulary
        self.table = table

    @classmethod
    def train(
        cls,
        text: Sentences,
        *,
        order: int = 3,
        min_counts: Sequence[int] | None = None,
    ) -> NgramModel:
        """Count the n-grams of a text.

        Args:
            text: The sentences.
            order: Words in an n-gram, 2 to 5.
            min_counts: The lowest counts of 1-grams, 2-grams, ... that are kept. The
                probability of the others goes to the shorter contexts.
        """
        least = check_model(order, min_counts)
        table = NgramTable.count(
            text.ids,
            text.bounds,
            words=text.vocabulary.size,
            order=order,
            least=least,
        )
        if table is None:
            message = Errors.LP406.format(order=order, n=len(text), least=order - 2)
            raise ValueError(message)
        return cls(text.vocabulary, table)

    @property
    def order(self) -> int:
        """The number of words in an n-gram."""
        return self.table.order

    def prob(
        self, word: str | None, history: Sequence[str] = (), *, opening: bool = False
    ) -> float:
        """Return the probability of a word after other words.

        Args:
            word: The word; None for the end of the sentence. All words that the model
                does not know count as one unknown word.
            history: The words before it.
            opening: True if the history begins at the start of the sentence.
        """
        before = [BEGIN] * opening + [self._number(w) for w in history]
        number = END if word is None else self._number(word)
        return self.table.probability(np.asarray(before, dtype=np.int32), number)

    def score_sentences(
        self, sentences: Sentences | Iterable[Sequence[str]]
    ) -> NDArray[np.float64]:
        """Return the natural log probability of each sentence, its end included.

        Divide by the length plus one for the mean over tokens.
        """
        if not isinstance(sentences, Sentences):
            rows = [[self._number(word) for word in words] for words in sentences]
            found = from_ids(self.vocabulary, [np.asarray(r, np.int32) for r in rows])
        elif sentences.vocabulary is self.vocabulary:
            found = sentences
        else:
            return self.score_sentences(iter(sentences))
        # The vocabulary may have grown since the model was trained.
        ids = np.where(found.ids < self.table.words, found.ids, UNKNOWN)
        return self.table.score(ids.astype(np.int32), found.bounds)

    def sample(
        self,
        n: int,
        *,
        seed: int = 0,
        first: int = 0,
        shortest: int = 1,
        longest: int = 200,
    ) -> tuple[Sentences, int]:
        """Sample sentences of known words, within limits of length.

        A sentence depends only on the seed and on its number.

        Args:
            n: The number of sentences.
            seed: The seed; equal seeds give equal sentences.
            first: The number of the first sentence.
            shortest: The lowest number of words of a sentence.
            longest: The highest number of words of a sentence.

        Returns:
            The sentences, and the number of samples drawn for them.
        """
        if not self.table.interpolated:
            raise ValueError(Errors.LP409)
        ids, bounds, drawn = self.table.sample(
            n, seed, first=first, shortest=shortest, longest=longest
        )
        if len(bounds) <= n:
            message = Errors.LP410.format(shortest=shortest, longest=longest)
            raise ValueError(message)
        return Sentences(self.vocabulary, ids, bounds), drawn

    def to_disk(self, path: Path | str) -> None:
        """Save the model to a file in the ARPA format, in one atomic step."""
        with (
            whole_file(Path(path)) as fresh,
            fresh.open("w", encoding="utf8", newline="\n") as file,
        ):
            file.writelines(arpa_lines(self.vocabulary, self.table))

    @classmethod
    def from_disk(cls, path: Path | str) -> NgramModel:
        """Load a model in the ARPA format, from `to_disk` or from another program."""
        path = Path(path)
        if not path.is_file():
            raise FileNotFoundError(Errors.LP101.format(path=path))
        return cls(*read_arpa(path))

    def _number(self, word: str) -> int:
        number = self.vocabulary.find(word)
        return number if number < self.table.words else UNKNOWN
