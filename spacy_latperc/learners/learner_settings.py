"""The settings of the `learner` and `search` blocks of a config."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors.check import (
    check_choice,
    check_count,
    check_number,
    check_positive,
)
from ..kernels.chains import Rule
from ..signatures import parameters_of, with_shared
from .batch.gathering import EpochTrainer

LARGEST_RATE = 1e6


@dataclass(frozen=True)
class InverseDecay:
    """The rate initial / (1 + speed * t / |S|) after t examples, |S| in an epoch
    (Collins et al. 2008; the rate of the probabilistic perceptron, with speed 1)."""

    initial: float
    speed: float = 1.0

    def __post_init__(self) -> None:
        check_number("initial", self.initial, above=True, high=LARGEST_RATE)
        check_positive("speed", self.speed)

    def at(self, epochs: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the rates after numbers of epochs."""
        return self.initial / (1.0 + self.speed * epochs)


def inverse_decay(initial: float = 0.1, speed: float = 1.0) -> InverseDecay:
    """Lower the learn rate with each epoch: initial / (1 + speed * epochs).

    Args:
        initial: The rate of the first example.
        speed: The speed of the decay; 1 halves the rate in the first epoch.
    """
    return InverseDecay(initial, speed)


LearnRate = float | InverseDecay


def check_rate(rate: LearnRate) -> LearnRate:
    """Check the rate of a config."""
    if isinstance(rate, InverseDecay):
        return rate
    return check_number("learn_rate", rate, above=True, high=LARGEST_RATE)


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


# Searches (kernels/lattice/{search,beam}.hh) ------------------------------------------
#
# With latent states several paths have the same labels, and predictions may choose by
# one path or by all of them: LVP, equations 1 and 2. A beam pays for many histories:
# order 2 with dozens of labels. Train with `violation_fixing` then: an inexact search
# needs updates that are violations.

DECODING = ("latent_path", "label_marginal", "label_sequence")


@dataclass(frozen=True)
class SearchSettings:
    """The settings of a search for the best path, and of the rule of predictions.

    Attributes:
        name: The name of the search, for messages.
        decode: One of DECODING (see `viterbi`).
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


def viterbi(decode: str = "latent_path", n: int = 10) -> SearchSettings:
    """Find the best path over latent states exactly, in S, S^2 or S^3 steps a token for
    order 0, 1 or 2.

    Args:
        decode: The rule of predictions. "latent_path": the labels of the best path, as
            the latent perceptron learns them. "label_marginal": the valid sequence with
            the largest sum of label probabilities (summed over latent values), which
            has the most correct tokens. "label_sequence": the most probable of the n
            best label sequences (summed over latent paths); without latent states that
            is the best path.
        n: The number of sequences for "label_sequence".
    """
    check_choice("decode", decode, DECODING)
    check_count("n", n)
    return SearchSettings("viterbi", decode=decode, n=n)


def beam(width: int = 4) -> SearchSettings:
    """Keep the best histories at each token: width * S steps a token for any order.

    Args:
        width: The number of histories; 1 is greedy search. A history is the last state,
            for order 2 the last two; paths with the same history count once. A textbook
            beam (SL) keeps such paths apart: 1 to 5 % of the updates of violation
            fixing differ.
    """
    exact = "for exact search use spacy_latperc.Viterbi.v1"
    check_count("width", width, hint=exact)
    return SearchSettings("beam", beam=width)
