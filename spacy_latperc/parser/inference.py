"""What a parser answers: the best trees, how sure it is of them, and the n best.

Every question goes to frozen weights: any number of threads may ask.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import Errors
from ..kernels.parsing import FrozenParser
from ..learners.base import Answer, Learner, Prepared, by_token
from ..learners.settings import SearchSettings
from .settings import ParserOptions
from .words import Ids, Known


class Trees(NamedTuple):
    """The best trees of a batch, by token.

    Attributes:
        heads: Numbered in the batch; a root is its own.
        relations: Their numbers, -1 at roots.
        shares: How sure the search is of each; None if it was not asked.
    """

    heads: Ids
    relations: Ids
    shares: NDArray[np.float32] | None


class ParserInference(Learner):
    """Questions to a parser: see ParserLearner."""

    labels: list[str]
    search: SearchSettings
    options: ParserOptions

    def best(
        self,
        batch: Prepared,
        starts: NDArray[np.uint64],
        known: Known | None = None,
        *,
        temperature: float = 0.0,
    ) -> Trees:
        """The best trees of a batch.

        Args:
            batch: The batch, which was read.
            starts: The column that says which tokens begin sentences.
            known: What must stay.
            temperature: Of the scores, to tell how sure the search is; 0 for not at
                all.
        """
        frozen = self._answering()
        ask = partial(self._ask, frozen.parse, starts, known, temperature=temperature)
        answers = batch.ask(ask)

        def column(number: int) -> NDArray[Any]:
            parts = [Answer(part.tokens, part.value[number]) for part in answers]
            return by_token(parts)

        first = np.repeat(batch.bounds[:-1], np.diff(batch.bounds)).astype(np.int32)
        shares = column(2) if temperature else None
        return Trees(column(0) + first, column(1), shares)

    def n_best(
        self,
        batch: Prepared,
        starts: NDArray[np.uint64],
        k: int,
        known: Known | None = None,
    ) -> tuple[Ids, Ids, NDArray[np.float32], Ids]:
        """The best trees of each text: heads, numbered in their text, and relations, of
        one tree after the other; scores of the trees; how many there are of each text.

        Args:
            batch: The batch, which was read.
            starts: The column that says which tokens begin sentences.
            k: How many trees, at most. There are no more than the beam is wide.
            known: What must stay.
        """
        return self._ask(self._answering().n_best, starts, known, batch, k)

    def _answering(self) -> FrozenParser:
        frozen = self.freeze()
        if not self.labels:
            raise ValueError(Errors.LP024)
        return frozen

    def _ask(
        self,
        question: Callable[..., Any],
        starts: NDArray[np.uint64],
        known: Known | None,
        batch: Prepared,
        *more: Any,
        **options: Any,
    ) -> Any:
        return question(
            batch.attrs,
            batch.bounds,
            (starts == 0).view(np.uint8),
            *more,
            beam=self.search.beam,
            merge=self.options.merge,
            heads=known.heads if known else None,
            relations=known.relations if known else None,
            **options,
        )
