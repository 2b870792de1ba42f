"""The best trees of a parser.

All predictions read frozen weights, so any number of threads may predict at once.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import Errors
from ..learners.base import Answer, Learner, Prepared, by_token
from ..learners.learner_settings import SearchSettings
from .words import Ids


class Trees(NamedTuple):
    """The best trees of a batch, by token.

    Attributes:
        heads: The heads as positions in the batch; a root is its own head.
        relations: The numbers of the relations, -1 at roots.
    """

    heads: Ids
    relations: Ids


class ParserInference(Learner):
    """The prediction methods of ParserLearner."""

    labels: list[str]
    search: SearchSettings

    def best(self, batch: Prepared, starts: NDArray[np.uint64]) -> Trees:
        """Find the best trees of a batch."""
        frozen = self.freeze()
        if not self.labels:
            raise ValueError(Errors.LP024)

        def ask(part: Prepared) -> Any:
            return frozen.parse(
                part.attrs,
                part.bounds,
                (starts == 0).view(np.uint8),
                beam=self.search.beam,
            )

        answers = batch.ask(ask)

        def column(number: int) -> NDArray[Any]:
            parts = [Answer(part.tokens, part.value[number]) for part in answers]
            return by_token(parts)

        first = np.repeat(batch.bounds[:-1], np.diff(batch.bounds)).astype(np.int32)
        return Trees(column(0) + first, column(1))
