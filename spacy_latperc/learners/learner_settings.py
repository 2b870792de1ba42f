"""The settings of the `learner` and `search` blocks of a config."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors.check import check_choice, check_count, check_flag
from ..kernels.chains import Rule
from ..signatures import parameters_of, with_shared
from .batch.gathering import EpochTrainer
from .schedules import InverseDecay, LearnRate, check_rate

AVERAGES = ("none", "average", "mavg")
STEPS = ("plain", "adagrad")


@dataclass(frozen=True)
class LearnerSettings:
    """The settings of a learner: its rule, steps, averaging and order of examples.

    Attributes:
        name: The name of the learner, for messages.
        make_rule: A function that makes the compiled rule.
        learn_rate: The length of a step: a number, or an InverseDecay. With step =
            "adagrad" about 0.1 is good. The default of the probabilistic perceptron
            (null) is 0.1 / (1 + epochs).
        average: The weights of predictions: "none" (the last ones), "average" (the
            average over all examples), or "mavg" (the modified averaging of LVP, 3.1).
        restart_every: The number of epochs after which "mavg" restarts from the
            average. With latent values accuracy may fall again in late epochs, more so
            for higher values (Results, Latent
            variable perceptron: hidden cycle). Keep the best epoch, or
            try 2.
        epoch_size: The sentences in an epoch, for streamed corpora; null counts them at
            initialisation.
        shuffle: Shuffle the sentences of each batch with the model's own generator.
        step: "plain", or "adagrad" with a rate for every weight, which falls with the
            squares of its changes.
        l1: The L1 penalty l1 |w| on the objective of an epoch.
        l2: The L2 penalty l2 / 2 |w|^2, likewise.
        epoch_trainer: A trainer on all examples at once that replaces the rule.
        splits_counts: True if a feature learns in one latent state at a time, which
            divides its counts among states that share no rows.
    """

    name: str
    make_rule: Callable[[], Rule]
    learn_rate: LearnRate = 1.0
    average: str = "average"
    restart_every: int = 0
    epoch_size: int | None = None
    shuffle: bool = True
    step: str = "plain"
    l1: float = 0.0
    l2: float = 0.0
    epoch_trainer: EpochTrainer | None = None
    splits_counts: bool = False

    @property
    def needs_all(self) -> bool:
        """True if it trains on a whole epoch at once."""
        return self.epoch_trainer is not None

    def rates(
        self, examples: int, n: int, epoch_size: int
    ) -> NDArray[np.float32] | None:
        """Return the learn rates of the next n examples; None for 1."""
        if self.learn_rate == 1.0:
            return None
        if isinstance(self.learn_rate, InverseDecay):
            epochs = (examples + np.arange(n)) / max(epoch_size, 1)
            return self.learn_rate.at(epochs).astype(np.float32)
        return np.full(n, self.learn_rate, dtype=np.float32)


Learner = Callable[..., LearnerSettings]


def online_learner(
    *,
    average: str = "average",
    steps: bool = False,
    learn_rate: LearnRate | None = None,
) -> Callable[[Callable[..., Callable[[], Rule]]], Learner]:
    """Turn a function from its own settings to a rule into a registered learner. The
    settings that learners share are added, described and checked here.

    Args:
        average: The default of the setting `average`.
        steps: Let users choose `step` and `learn_rate`.
        learn_rate: The learn rate if users choose none; None for 1.
    """
    leave_out = () if steps else ("learn_rate", "step")
    own_rate = 1.0 if learn_rate is None else learn_rate
    defaults: dict[str, Any] = {"average": average}
    if steps and learn_rate is None:
        defaults["learn_rate"] = 1.0
    shared = parameters_of(_shared_settings, leave_out=leave_out, **defaults)

    def decorate(make_rule: Callable[..., Callable[[], Rule]]) -> Learner:
        def finish(rule: Callable[[], Rule], values: dict[str, Any]) -> LearnerSettings:
            if values.get("learn_rate") is None:
                values["learn_rate"] = own_rate
            return online_settings(make_rule.__name__, rule, **values)

        return with_shared(make_rule, shared, finish, LearnerSettings)

    return decorate


def _shared_settings(
    learn_rate: LearnRate | None = None,
    step: str = "plain",
    average: str = "average",
    restart_every: int = 4,
    epoch_size: int | None = None,
    shuffle: bool = True,
) -> None:
    """Declare the names, types and defaults of shared settings: see LearnerSettings."""


def online_settings(
    name: str,
    make_rule: Callable[[], Rule],
    *,
    learn_rate: Any = 1.0,
    average: str = "average",
    restart_every: int = 4,
    epoch_size: int | None = None,
    step: str = "plain",
    **rest: Any,
) -> LearnerSettings:
    """Make the settings of an online learner, and check those that all share."""
    check_choice("average", average, AVERAGES)
    check_choice("step", step, STEPS)
    check_count("restart_every", restart_every, hint="2 to 8 in the paper")
    if epoch_size is not None:
        check_count("epoch_size", epoch_size, hint="omit it to count examples")
    check_flag("shuffle", rest.get("shuffle", True))
    return LearnerSettings(
        name=name,
        make_rule=make_rule,
        learn_rate=check_rate(learn_rate),
        average=average,
        restart_every=restart_every if average == "mavg" else 0,
        epoch_size=epoch_size,
        step=step,
        **rest,
    )


DECODING = ("latent_path", "label_marginal", "label_sequence")


@dataclass(frozen=True)
class SearchSettings:
    """The settings of a search for the best path, and of the rule of predictions.

    Attributes:
        name: The name of the search, for messages.
        decode: One of DECODING (see search.py).
        n: The number of sequences for "label_sequence".
        beam: The number of histories at each token; 0 for all (exact search).
    """

    name: str
    decode: str = "latent_path"
    n: int = 10
    beam: int = 0

    @property
    def by_probability(self) -> bool:
        """True if predictions need probabilities, and so frozen weights."""
        return self.decode != "latent_path"
