"""The estimator of sklearn-crfsuite."""

import warnings
from collections.abc import Sequence
from typing import Any

from ..errors import Warnings
from ..errors.check import check_choice, check_count
from ..learners.batch.crf_batch import crf_batch
from ..learners.crf import crf
from ..learners.learner_settings import LearnerSettings
from ..learners.passive_aggressive import passive_aggressive
from ..learners.perceptron import perceptron
from .classifier import ChainClassifier
from .fitted import Settings

VARIANTS = ("PA", "PA-I", "PA-II")  # by pa_type
EPOCHS = 10  # of all algorithms but lbfgs
ITERATIONS = 200
# The parameters that have a meaning with each algorithm; those below have one with all.
MEANINGS: dict[str, set[str]] = {
    "lbfgs": {"c1", "c2", "delta", "num_memories", "all_possible_states"},
    "l2sgd": {"c2"},
    "ap": set(),
    "pa": {"c", "pa_type", "averaging"},
    "arow": set(),
}
ALWAYS = {"algorithm", "min_freq", "max_iterations", "all_possible_transitions"}
ALWAYS |= {"verbose", "random_state"}


class CRF(ChainClassifier):
    """The estimator of sklearn-crfsuite, with its parameters and attributes.

    Those without a meaning here are ignored with a warning. Progress is logged whatever
    `verbose` is.

    Args:
        algorithm: "lbfgs" (the default), "l2sgd", "ap", "pa" or "arow".
        min_freq: Features seen less often get no weights.
        all_possible_states: With "lbfgs": weights for all pairs of a feature or label
            and a label, not only for those of the examples.
        all_possible_transitions: With "lbfgs": weights for all pairs of labels. The
            other algorithms learn them in any case.
        c1: The L1 penalty.
        c2: The L2 penalty, 1 by default.
        max_iterations: The largest number of iterations of "lbfgs" (200 by default), or
            the number of passes of the other algorithms (10).
        num_memories: The steps that L-BFGS remembers.
        delta: The gain at which L-BFGS stops.
        pa_type: 0 for PA, 1 for PA-I, 2 for PA-II.
        c: The largest step of "pa".
        averaging: Average the weights of "pa".
        random_state: The seed of shuffling.
    """

    def __init__(
        self,
        algorithm: str | None = None,
        min_freq: int | None = None,
        all_possible_states: bool | None = None,
        all_possible_transitions: bool | None = None,
        c1: float | None = None,
        c2: float | None = None,
        max_iterations: int | None = None,
        num_memories: int | None = None,
        epsilon: float | None = None,
        period: int | None = None,
        delta: float | None = None,
        linesearch: str | None = None,
        max_linesearch: int | None = None,
        calibration_eta: float | None = None,
        calibration_rate: float | None = None,
        calibration_samples: int | None = None,
        calibration_candidates: int | None = None,
        calibration_max_trials: int | None = None,
        pa_type: int | None = None,
        c: float | None = None,
        error_sensitive: bool | None = None,
        averaging: bool | None = None,
        variance: float | None = None,
        gamma: float | None = None,
        verbose: bool = False,
        model_filename: str | None = None,
        keep_tempfiles: bool = False,
        trainer_cls: Any = None,
        random_state: int = 0,
    ):
        self._set(locals())

    def _settings(self) -> Settings:
        given = self._plain_params()
        algorithm = check_choice("algorithm", given["algorithm"] or "lbfgs", MEANINGS)
        for name in given.keys() - ALWAYS - MEANINGS[algorithm]:
            if given[name] is not None and given[name] is not False:
                message = Warnings.LP940.format(name=name, algorithm=algorithm)
                warnings.warn(message, stacklevel=3)
        return Settings(
            self._learner(algorithm, given),
            check_count("max_iterations", given["max_iterations"] or EPOCHS),
            check_count("min_freq", given["min_freq"] or 1),
            {"boundaries": False, "seed": given["random_state"]},
        )

    @staticmethod
    def _learner(algorithm: str, params: dict[str, Any]) -> LearnerSettings:
        def given(name: str, default: Any) -> Any:
            return default if params[name] is None else params[name]

        if algorithm == "lbfgs":
            return crf_batch(
                l1=given("c1", 0.0),
                l2=2 * given("c2", 1.0),
                max_iterations=given("max_iterations", ITERATIONS),
                memory=given("num_memories", 6),
                tolerance=given("delta", 1e-5),
                all_pairs=given("all_possible_states", False),
                all_transitions=given("all_possible_transitions", False),
            )
        if algorithm == "l2sgd":
            return crf(l2=2 * given("c2", 1.0))
        if algorithm == "ap":
            return perceptron()
        if algorithm == "arow":
            warnings.warn(Warnings.LP941, stacklevel=4)
        average = "average" if given("averaging", True) else "none"
        variant = VARIANTS[check_count("pa_type", given("pa_type", 1), low=0, high=2)]
        return passive_aggressive(given("c", 1.0), variant, average=average)

    def predict_single(self, xseq: Sequence) -> list[str]:
        """Predict the labels of one sentence."""
        return self.predict([xseq])[0]

    def predict_marginals_single(self, xseq: Sequence) -> list[dict[str, float]]:
        """Predict the probabilities of the labels of one sentence."""
        return self.predict_marginals([xseq])[0]

    @property
    def attributes_(self) -> list[str]:
        """The names of all features."""
        return list(self._model.names.values())
