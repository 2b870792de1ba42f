"""The best trees of a parser.

Every question goes to frozen weights: any number of threads may ask.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import Errors
from ..learners.base import Answer, Learner, Prepared, by_token
from ..learners.settings import SearchSettings
from .settings import ParserOptions
from .words import Ids, Known


class Trees(NamedTuple):
    """The best trees of a batch, by token.

    Attributes:
        heads: Numbered in the batch; a root is its own.
        relations: Their numbers, -1 at roots.
    """

    heads: Ids
    relations: Ids


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
    ) -> Trees:
        """The best trees of a batch.

        Args:
            batch: The batch, which was read.
            starts: The column that says which tokens begin sentences.
            known: What must stay.
        """
        frozen = self.freeze()
        if not self.labels:
            raise ValueError(Errors.LP024)

        def ask(part: Prepared) -> Any:
            return frozen.parse(
                part.attrs,
                part.bounds,
                (starts == 0).view(np.uint8),
                beam=self.search.beam,
                heads=known.heads if known else None,
                relations=known.relations if known else None,
            )

        answers = batch.ask(ask)

        def column(number: int) -> NDArray[Any]:
            parts = [Answer(part.tokens, part.value[number]) for part in answers]
            return by_token(parts)

        first = np.repeat(batch.bounds[:-1], np.diff(batch.bounds)).astype(np.int32)
        return Trees(column(0) + first, column(1))
