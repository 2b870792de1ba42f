"""The predictions of a chain learner: labels, n-best sequences and probabilities.

All of them read frozen weights, so any number of threads may predict at once.
"""

import numpy as np
from numpy.typing import NDArray

from ..errors import Errors
from ..errors.check import check_count, check_positive
from ..kernels.chains import FrozenChain, Question
from .base import Answer, Learner, Prepared, by_token
from .learner_settings import SearchSettings

Chosen = NDArray[np.bool_]


class Inference(Learner):
    """The prediction methods of ChainLearner."""

    labels: list[str]
    latent: int
    search: SearchSettings

    def _set_table(self) -> NDArray[np.uint8] | None:
        raise NotImplementedError

    def n_best(
        self, batch: Prepared, k: int
    ) -> tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.int32]]:
        """Find the k best label sequences of each sentence (kernels/lattice/kbest.hh).

        Returns:
            Label ids of all of them in a row, best first; their scores; and the number
            of sequences of each sentence, 0 if `allowed` leaves no path.
        """
        check_count("k", k)
        frozen = self._asked()
        found = batch.ask(lambda part: frozen.kbest(self._question(part), k))
        labels, scores, counts = zip(*(answer.value for answer in found), strict=True)
        return np.concatenate(labels), np.concatenate(scores), np.concatenate(counts)

    def marginals(
        self, batch: Prepared, temperature: float = 1.0
    ) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        """Compute the probability of each label at each token, [tokens, labels], and
        log Z of each sentence: NaN and -inf if `allowed` leaves no path.

        Args:
            batch: The sentences.
            temperature: The divisor of all scores; above 1 it lowers the confidence.
        """
        frozen = self._asked(temperature)
        found = batch.ask(
            lambda part: frozen.marginals(self._question(part, temperature))
        )
        tables = [Answer(answer.tokens, answer.value[0]) for answer in found]
        return by_token(tables), np.concatenate([answer.value[1] for answer in found])

    def max_marginals(self, batch: Prepared) -> NDArray[np.float32]:
        """Compute the score of the best path with each label at each token, [tokens,
        labels]; -inf if there is none."""
        frozen = self._asked()
        return by_token(
            batch.ask(lambda part: frozen.max_marginals(self._question(part)))
        )

    def log_scores(
        self, batch: Prepared, labels: NDArray[np.int32], temperature: float = 1.0
    ) -> NDArray[np.float64]:
        """Compute the log probability of the labels of each sentence, summed over
        latent paths: -inf if no path has them, NaN if `allowed` leaves none at all.

        Args:
            batch: The sentences.
            labels: Label ids or gold codes: UNKNOWN, or codes of `label_set`.
            temperature: See `marginals`.
        """
        frozen, sets = self._asked(temperature), self._set_table()
        gold = np.ascontiguousarray(labels, dtype=np.int32)
        found = batch.ask(
            lambda part: frozen.log_scores(
                self._question(part, temperature), gold, sets
            )
        )
        return np.concatenate([answer.value for answer in found])

    def span_probabilities(
        self,
        batch: Prepared,
        starts: NDArray[np.int64],
        ends: NDArray[np.int64],
        types: NDArray[np.int32],
        *,
        type_of: NDArray[np.int32],
        boundary: NDArray[np.bool_],
        temperature: float = 1.0,
    ) -> NDArray[np.float64]:
        """Compute the exact marginal probability of each chunk.

        It is NaN in a sentence in which `allowed` leaves no path.

        Args:
            batch: The sentences.
            starts: First tokens of the chunks; each lies within one sentence.
            ends: The ends of the chunks.
            types: The types of the chunks.
            type_of: The type of each label, see schemes.LabelInventory.
            boundary: A mask of pairs of labels with a chunk boundary, likewise.
            temperature: See `marginals`.
        """
        frozen = self._asked(temperature)
        first, end = batch.bounds[0], batch.bounds[-1]

        def find(part: Prepared) -> tuple[Chosen, NDArray[np.float64]]:
            """Take the spans of a part; the first and last part take outside ones."""
            after = (starts >= part.bounds[0]) | (part.bounds[0] == first)
            mine = after & ((starts < part.bounds[-1]) | (part.bounds[-1] == end))
            return mine, frozen.span_probabilities(
                self._question(part, temperature),
                np.ascontiguousarray(starts[mine], dtype=np.int64),
                np.ascontiguousarray(ends[mine], dtype=np.int64),
                np.ascontiguousarray(types[mine], dtype=np.int32),
                np.ascontiguousarray(type_of, dtype=np.int32),
                np.ascontiguousarray(boundary, dtype=np.uint8),
            )

        result = np.zeros(len(starts))
        for answer in batch.ask(find):
            mine, found = answer.value
            result[mine] = found
        return result

    def best_path(self, batch: Prepared) -> NDArray[np.int32]:
        """Find the labels of the best path, whatever the rule of the search; NO_PATH
        where `allowed` leaves none."""
        frozen = self._asked()
        return by_token(batch.ask(lambda part: frozen.decode(self._question(part))))

    def _decode(self, frozen: FrozenChain, batch: Prepared) -> NDArray[np.int32]:
        """Decode labels by the rule of the search (see `viterbi`)."""
        return by_token(batch.ask(lambda part: self._decode_part(frozen, part)))

    def _decode_part(self, frozen: FrozenChain, batch: Prepared) -> NDArray[np.int32]:
        asked = self._question(batch)
        if self.search.decode == "label_marginal":
            return frozen.decode_marginals(asked)
        if self.search.decode == "label_sequence" and self.latent > 1:
            return frozen.decode_sequences(asked, self.search.n)
        return frozen.decode(asked)

    def _question(self, batch: Prepared, temperature: float = 1.0) -> Question:
        return Question(
            self.space,
            batch.attributes,
            batch.bounds,
            batch.allowed,
            batch.external_scores,
            values=batch.values,
            temperature=temperature,
            recall_constant=batch.recall_constant,
        )

    def _asked(self, temperature: float = 1.0) -> FrozenChain:
        """Check the temperature, and return the frozen weights."""
        check_positive("temperature", temperature)
        if not self.labels:
            raise ValueError(Errors.LP024)
        return self.freeze()
