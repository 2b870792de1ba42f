"""The hidden Markov model, by counting.

DSL, section 2: an HMM is a linear chain whose weights are logarithms of
probabilities (equations 7 and 12), found by counting with add-k smoothing. It trains in
a second: a baseline. The score of a path is log P(words, labels), from these rows:

    start         log pi, among the start weights of the chain. Without them
                  (boundaries = false) in the row of the value before a first
                  token, of a template that looks one token back: is_space[-1]
    edge:bias     log T, of a label after another
    tri:bias      order 2: log P(label | two labels before) - log T, so that both add up
    bias          log of k / (N + k V): a word never seen, with a label seen N times
    w[0]          the difference from that for a word of the training data

Order 2 backs off to T: it distributes the k L pseudo-counts of a history. Log 0 is
FLOOR: weights are finite, and this one outweighs all other weights of a sentence.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import Errors
from ...errors.check import check_positive
from ...kernels.chains import START, FeatureBlock, FrozenChain
from ..learner_settings import LearnerSettings
from .gathering import Fitted, Gathered, logger, no_rule

FLOOR = -1000.0

Floats = NDArray[np.float64]


def hmm(add_k: float = 0.1) -> LearnerSettings:
    """Count, and take logarithms. Use it with `hmm` of PaperFeatures.v1, order 1 or 2.

    Args:
        add_k: The constant added to every count. With 0, unseen words have no
            influence, and unseen combinations are practically forbidden.
    """
    check_positive("add_k", add_k, zero=True)
    return LearnerSettings(
        name="hmm",
        make_rule=no_rule,
        average="none",
        epoch_trainer=CountingHMM(add_k),
    )


@dataclass(frozen=True)
class Roles:
    """The observation (by number) that holds each kind of probability."""

    start: int | None
    transition: int
    word: int
    bias: int | None


def find_roles(gathered: Gathered) -> Roles:
    """Find the roles of the templates; an HMM has no place for others."""
    if gathered.latent != 1 or gathered.order == 0:
        raise ValueError(
            Errors.LP063.format(latent=gathered.latent, order=gathered.order)
        )
    found: dict[str, str] = {}
    for template in gathered.features.templates:
        offsets = {part.offset for part in template.parts}
        role = {(): "bias", (-1,): "start", (0,): "word"}.get(tuple(offsets))
        history = template.kind != "state"
        if role is None or role in found or (history and role != "bias"):
            raise ValueError(Errors.LP064.format(template=template))
        if not history:
            found[role] = template.observation
    for role in ("word",) if gathered.structure.boundaries else ("start", "word"):
        if role not in found:
            raise ValueError(Errors.LP065.format(role=role))
    number = gathered.plan.observations.index
    return Roles(
        start=number(found["start"]) if "start" in found else None,
        transition=number("bias"),
        word=number(found["word"]),
        bias=number("bias") if "bias" in found else None,
    )


@dataclass(frozen=True)
class Counts:
    """The counts of events: equations 13 and 14.

    Attributes:
        starts: The counts of labels of first tokens.
        steps: The counts of n + 1 labels in a row, by n.
        words: The hashes of the words, in ascending order.
        emitted: The counts of words and labels, [words, labels].
        keys: The hashes of the observations of a token, by their numbers; START,
            transitions and bias have the same at every token.
    """

    starts: Floats
    steps: dict[int, Floats]
    words: NDArray[np.uint64]
    emitted: Floats
    keys: NDArray[np.uint64]

    def without_rare(self, least: int) -> tuple[NDArray[np.uint64], Floats]:
        """Return the words with at least this count and their emissions, after a first
        row for all other words, which count as one unknown word."""
        rare = self.emitted.sum(axis=1) < least
        unseen = self.emitted[rare].sum(axis=0)[None, :]
        return self.words[~rare], np.concatenate([unseen, self.emitted[~rare]])


def count(gathered: Gathered, roles: Roles) -> Counts:
    """Count events, without unlabelled tokens and the steps to and from them."""
    L = gathered.structure.labels
    gold = gathered.gold
    rows = [block.to_array() for block in gathered.blocks if block.n_tokens]
    ids = np.concatenate([np.zeros(0, np.int32), *(row[:, roles.word] for row in rows)])
    for block in gathered.blocks:
        for listed in block.weighted_features()[1][:1]:
            name = gathered.plan.observations[listed]
            raise ValueError(Errors.LP064.format(template=name))
    known = gold >= 0
    distance = np.concatenate(
        [np.zeros(0, np.int64), *(_distances(block) for block in gathered.blocks)]
    )
    first = known & (distance == 0)
    starts = np.bincount(gold[first], minlength=L).astype(np.float64)
    steps = {}
    for n in range(1, gathered.order + 1):
        at = np.flatnonzero(known & (distance >= n))
        for back in range(1, n + 1):
            at = at[known[at - back]]
        cells = tuple(gold[at - back] for back in range(n, -1, -1))
        steps[n] = np.zeros((L,) * (n + 1))
        np.add.at(steps[n], cells, 1.0)
    features, number = np.unique(ids[known], return_inverse=True)
    words = gathered.space.keys_of(features.astype(np.int32))
    order = np.argsort(words)  # ids depend on when features were extracted
    emitted = np.zeros((len(words), L))
    np.add.at(emitted, (np.argsort(order)[number.reshape(-1)], gold[known]), 1.0)
    keys = np.zeros(0, np.uint64)
    if rows:
        keys = gathered.space.keys_of(np.ascontiguousarray(rows[0][0]))
    return Counts(starts, steps, words[order], emitted, keys)


def logarithms(counts: Floats, prior: Floats | float) -> Floats:
    """Take the log of smoothed shares along the last axis; FLOOR for 0."""
    mass = counts + prior
    total = mass.sum(axis=-1, keepdims=True)
    shares = np.divide(mass, total, out=np.zeros_like(mass), where=total > 0)
    return np.log(shares, out=np.full_like(mass, FLOOR), where=shares > 0)


@dataclass(frozen=True)
class CountingHMM:
    """A trainer that counts a whole epoch."""

    add_k: float

    def __call__(self, gathered: Gathered) -> Fitted:
        """Train on the collected epoch."""
        roles = find_roles(gathered)
        if self.add_k and roles.bias is None:
            raise ValueError(Errors.LP065.format(role="bias"))
        counts = count(gathered, roles)
        k, L = self.add_k, gathered.structure.labels
        follow = _allowed(gathered, "transitions", (L, L))
        begin = _allowed(gathered, "starts", (L,))
        words, emitted = counts.without_rare(gathered.space.min_count)
        rows = _Rows(gathered)

        def key(role: int) -> NDArray[np.uint64]:
            return counts.keys[[role]]

        starts = logarithms(counts.starts * begin, k * begin) * begin
        if gathered.structure.boundaries:
            start = np.array([START], np.uint64)
            rows.put(0, start, starts[None], counts.starts[None])
        elif roles.start is not None:
            rows.put(0, key(roles.start), starts[None], counts.starts[None])
        seen = counts.steps[1] * follow
        steps = logarithms(seen, k * follow) * follow
        rows.put(1, key(roles.transition), steps[None], seen[None])
        if gathered.order == 2:
            triples, seen = self._triples(counts, follow, steps)
            rows.put(2, key(roles.transition), triples[None], seen[None])
        by_label = logarithms(emitted.T, k).T
        weights, unseen = by_label[1:], by_label[0]
        if roles.bias is not None and k > 0:
            weights = weights - unseen
            every = emitted.sum(axis=0)
            rows.put(0, key(roles.bias), unseen[None], every[None])
        rows.put(0, words, weights, emitted[1:])
        logger.info(
            "%d labelled tokens, %d words, %d labels counted",
            emitted.sum(),
            len(words),
            L,
        )
        return Fitted(rows.freeze(), -rows.score)

    def _triples(
        self, counts: Counts, follow: Floats, steps: Floats
    ) -> tuple[Floats, Floats]:
        """Return the weights that the label two tokens back adds to T."""
        paths = follow[:, :, None] * follow[None, :, :]
        seen = counts.steps[2] * paths
        T = np.where(follow > 0, np.exp(steps), 0.0)
        pseudo = self.add_k * follow.sum(axis=1)[None, :, None] * T[None, :, :]
        # Unseen histories add nothing, and nothing falls below the floor.
        room = (steps > FLOOR) & (paths > 0)
        room &= (seen + pseudo).sum(axis=-1, keepdims=True) > 0
        return np.where(room, logarithms(seen, pseudo) - steps, 0.0), seen


class _Rows:
    """Rows of weights by block, and the score that they give to the counts."""

    def __init__(self, gathered: Gathered):
        self.gathered = gathered
        self.score = 0.0
        self._keys: dict[int, list[NDArray[np.uint64]]] = {}
        self._rows: dict[int, list[Floats]] = {}

    def put(
        self, b: int, keys: NDArray[np.uint64], rows: Floats, counts: Floats
    ) -> None:
        self.score += float((rows * counts).sum())
        self._keys.setdefault(b, []).append(keys)
        self._rows.setdefault(b, []).append(rows.reshape(len(keys), -1))

    def freeze(self) -> FrozenChain:
        frozen = FrozenChain(self.gathered.structure)
        for b, keys in self._keys.items():
            hashes = np.concatenate(keys)
            order = np.argsort(hashes)
            rows = np.concatenate(self._rows[b])[order].astype(np.float32)
            used = (rows != 0).any(axis=1)
            row, cell = np.nonzero(rows[used])
            frozen.fill(
                b,
                hashes[order][used],
                np.count_nonzero(rows[used], axis=1).astype(np.uint32),
                cell.astype(np.uint32),
                rows[used][row, cell],
            )
        return frozen


def _distances(block: FeatureBlock) -> NDArray[np.int64]:
    """Return the distance of each token from the start of its sentence."""
    tokens = np.arange(block.n_tokens)
    starts = block.bounds()[:-1]
    return tokens - starts[np.searchsorted(starts, tokens, side="right") - 1]


def _allowed(gathered: Gathered, rule: str, shape: tuple[int, ...]) -> Floats:
    """Return 1 for everything that a rule allows, else 0."""
    allowed = gathered.rules.get(rule)
    return np.ones(shape) if allowed is None else np.asarray(allowed, np.float64)
