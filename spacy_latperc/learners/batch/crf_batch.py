"""Conditional random fields by L-BFGS; with latent states, the DPLVM.

Lafferty, McCallum and Pereira 2001, Sha and Pereira 2003; DSL, equations 36 and 42 to
44. With latent > 1: Morency, Quattoni and Darrell 2007, as LVP states it in equations 1
to 3. The objective and its gradient are in kernels/batch/objective.hh, the optimisers
in lbfgs.py. Use it if probabilities matter and all examples fit in memory; a perceptron
is as accurate in a fraction of the time.
"""

from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Errors
from ...errors.check import check_count, check_flag, check_positive
from ...kernels.chains import FrozenChain, Objective
from ..learner_settings import LearnerSettings
from .gathering import Fitted, Gathered, logger, no_rule
from .lbfgs import Iteration, Minimum, minimise

Vector = NDArray[np.float64]
VECTORS = 9  # of doubles over pairs, without the two for each remembered step
SECONDS_BETWEEN_REPORTS = 5.0
INITIAL_NOISE = 0.1  # without it, latent states would stay alike


def crf_batch(
    l2: float = 1.0,
    l1: float = 0.0,
    max_iterations: int = 200,
    tolerance: float = 1e-5,
    memory: int = 6,
    all_pairs: bool = False,
    all_transitions: bool = False,
) -> LearnerSettings:
    """Maximise the likelihood of the gold labels, less l1 |w| + l2 / 2 |w|^2.

    It needs about 8 x (2 x memory + 9) bytes of memory a pair (170 by default) and 40
    bytes a token, plus the features of the corpus; both are logged at the start.

    Args:
        l2: The L2 penalty, one over the variance of the Gaussian prior. (CRFsuite's c2
            is half of it: its c2 = 1 is l2 = 2 here; its c1 is l1.)
        l1: The L1 penalty (OWL-QN), which makes weights exactly zero and models small.
        max_iterations: The largest number of iterations.
        tolerance: Stop when ten iterations together gain less than this share of the
            objective.
        memory: The number of steps that L-BFGS remembers.
        all_pairs: Use weights for all pairs of a feature and a label (or pair of
            labels), not only for pairs in the gold: slower, slightly better.
        all_transitions: Do so for pairs of labels only.
    """
    for name, value in (("l2", l2), ("l1", l1)):
        check_positive(name, value, zero=True)
    check_positive("tolerance", tolerance, zero=True)
    for name, count in (("max_iterations", max_iterations), ("memory", memory)):
        check_count(name, count)
    check_flag("all_pairs", all_pairs)
    check_flag("all_transitions", all_transitions)
    trainer = BatchCRF(
        l2=l2,
        l1=l1,
        max_iterations=max_iterations,
        tolerance=tolerance,
        memory=memory,
        all_pairs=all_pairs,
        all_transitions=all_transitions,
    )
    return LearnerSettings(
        name="crf_batch", make_rule=no_rule, average="none", epoch_trainer=trainer
    )


@dataclass(frozen=True)
class BatchCRF:
    """A trainer on a whole corpus."""

    l2: float
    l1: float
    max_iterations: int
    tolerance: float
    memory: int
    all_pairs: bool
    all_transitions: bool

    def __call__(self, gathered: Gathered) -> Fitted:
        """Train on the collected epoch."""
        return self.fit(gathered, self.objective(gathered))

    def fit(self, gathered: Gathered, objective: Any) -> Fitted:
        """Minimise an objective, which may be evaluated by other processes."""
        start = self._start(gathered, objective)
        found = self._minimise(objective, start)
        weights = FrozenChain(gathered.structure)
        for b in range(len(gathered.structure.blocks)):
            weights.fill(b, *objective.rows(b, found.w))
        error = found.stopped_by
        return Fitted(
            weights, found.value, error if isinstance(error, Exception) else None
        )

    def objective(
        self, gathered: Gathered, share: int = 0, shares: int = 1
    ) -> Objective:
        """Make the objective, or one of several parts of it that add up."""
        return Objective(
            gathered.space,
            gathered.structure,
            gathered.blocks,
            gathered.gold,
            sets=gathered.sets,
            all_pairs=self.all_pairs,
            all_transitions=self.all_transitions,
            share=share,
            shares=shares,
        )

    def _start(self, gathered: Gathered, objective: Any) -> NDArray[np.float64]:
        w = np.zeros(objective.n_pairs)
        for b in range(len(gathered.structure.blocks)):
            objective.set_rows(b, w, *gathered.start.export(b))
        if gathered.latent > 1 and not w.any():
            objective.add_noise(w, INITIAL_NOISE, gathered.seed)
        return w

    def _minimise(self, objective: Any, start: Vector) -> Minimum:
        slope = np.empty_like(start)

        def penalised(w: Vector) -> tuple[float, Vector]:
            loss, bad = objective.evaluate(w, slope)
            if bad >= 0:
                raise FloatingPointError(Errors.LP061.format(sentence=bad + 1))
            if self.l2:
                loss += 0.5 * self.l2 * float(np.einsum("i,i->", w, w))
                np.add(slope, self.l2 * w, out=slope)
            return loss, slope

        vectors = 8 * objective.n_pairs * (2 * self.memory + VECTORS)
        logger.info(
            "%d sentences, %d tokens, %d pairs of features and labels; %.0f MB",
            objective.n_sentences,
            objective.n_tokens,
            objective.n_pairs,
            (vectors + objective.nbytes) / 1e6,
        )
        found = minimise(
            penalised,
            start,
            l1=self.l1,
            memory=self.memory,
            max_iterations=self.max_iterations,
            tolerance=self.tolerance,
            progress=_Reporter(),
        )
        logger.info(
            "loss %.4f after %d iterations, %d evaluations: %s",
            found.value,
            found.iterations,
            found.evaluations,
            found.reason,
        )
        return found


class _Reporter:
    """A callback that logs some iterations."""

    def __init__(self) -> None:
        self.last = perf_counter()

    def __call__(self, at: Iteration) -> None:
        now = perf_counter()
        due = at.number <= 2 or at.number % 10 == 0
        if due or now - self.last > SECONDS_BETWEEN_REPORTS:
            self.last = now
            logger.info(
                "iteration %d: loss %.4f, slope %.4g, %d weights, %.1f s",
                at.number,
                at.value,
                at.slope_norm,
                at.nonzero,
                at.seconds,
            )
