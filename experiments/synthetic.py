"""Sequences from a hidden Markov model whose labels alone say nothing.

The latent perceptron paper (Sun et al. 2009, section 4): two labels with two hidden
states each, two observations that hardly depend on the label. The states go round a
cycle, h1 h2 h3 h4 h1 ..., so that labels come in pairs: after a label either label is
as likely, but a model that remembers the hidden state knows where it is. The model can
say what the best possible accuracy is.
"""

import itertools
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

PAPER_LENGTHS = range(3, 10)  # ours: the paper does not give them


@dataclass(frozen=True)
class HiddenMarkovModel:
    """start: [states]; transition: [states, states]; emission: [states, observations];
    label_of: [states]."""

    start: Floats
    transition: Floats
    emission: Floats
    label_of: Ints

    def sample(
        self,
        rng: np.random.Generator,
        n: int,
        *,
        lengths: Iterable[int] = PAPER_LENGTHS,
    ) -> list[tuple[Ints, Ints]]:
        """n sequences: observations and labels. All lengths are equally likely."""
        choices = list(lengths)
        sequences = []
        for length in rng.choice(choices, size=n):
            states = np.empty(length, dtype=np.int64)
            odds = self.start
            for i in range(length):
                states[i] = rng.choice(len(odds), p=odds)
                odds = self.transition[states[i]]
            below = rng.random(length)[:, None] >= self.emission[states].cumsum(axis=1)
            sequences.append((below.sum(axis=1), self.label_of[states]))
        return sequences

    def joint(self, observations: Ints) -> Floats:
        """P(label at token i, all observations) of equally long sequences.

        observations: [sequences, tokens]. RETURNS: [sequences, tokens, labels].
        """
        seen = self.emission.T[observations]
        forward = np.empty(seen.shape)
        backward = np.ones(seen.shape)
        forward[:, 0] = self.start * seen[:, 0]
        for i in range(1, seen.shape[1]):
            forward[:, i] = (forward[:, i - 1] @ self.transition) * seen[:, i]
        for i in range(seen.shape[1] - 2, -1, -1):
            backward[:, i] = (backward[:, i + 1] * seen[:, i + 1]) @ self.transition.T
        labels = np.eye(self.label_of.max() + 1)[self.label_of]
        result: Floats = (forward * backward) @ labels
        return result

    def viterbi(self, observations: Ints) -> Ints:
        """The labels of the most likely path of states. [sequences, tokens]."""
        with np.errstate(divide="ignore"):
            best = np.log(self.start) + np.log(self.emission.T[observations[:, 0]])
            moves, seen = np.log(self.transition), np.log(self.emission.T[observations])
        steps = []
        for i in range(1, observations.shape[1]):
            scores = best[:, :, None] + moves
            steps.append(scores.argmax(axis=1))
            best = scores.max(axis=1) + seen[:, i]
        states = [best.argmax(axis=1)]
        for step in reversed(steps):
            states.append(np.take_along_axis(step, states[-1][:, None], 1)[:, 0])
        labels: Ints = self.label_of[np.stack(states[::-1], axis=1)]
        return labels

    def best_accuracies(
        self, *, lengths: Iterable[int] = PAPER_LENGTHS
    ) -> tuple[float, float]:
        """The expected share of right labels of whoever knows this model, exactly: with
        the most likely label of each token, and along the most likely path.

        Every sequence of observations is looked at: lengths must be small.
        """
        by_token = by_path = tokens = 0.0
        for n in lengths:
            every = range(self.emission.shape[1])
            observations = np.array(list(itertools.product(every, repeat=n)))
            joint = self.joint(observations)
            path = self.viterbi(observations)[:, :, None]
            by_token += joint.max(axis=2).sum()
            by_path += np.take_along_axis(joint, path, 2).sum()
            tokens += n
        return float(by_token / tokens), float(by_path / tokens)


def cycle_model(p: float = 0.9, *, emission: float = 0.55) -> HiddenMarkovModel:
    """The cycle of four states, begun at its first.

    p: probability of the next state of the cycle; the others share the rest.
    emission: probability that a token of the first label is x1, and one of the second
        x2: at 0.5 observations say nothing.
    """
    stray = (1.0 - p) / 3.0
    transition = np.full((4, 4), stray)
    transition[np.arange(4), (np.arange(4) + 1) % 4] = p
    seen = np.array([emission, 1.0 - emission])
    return HiddenMarkovModel(
        start=np.array([1.0, 0.0, 0.0, 0.0]),
        transition=transition,
        emission=np.stack([seen, seen, seen[::-1], seen[::-1]]),
        label_of=np.array([0, 0, 1, 1]),
    )
