"""Summaries of results, with a test of the difference of two systems."""

import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Right, predicted and gold answers of a sentence.
Counts = Sequence[tuple[int, int, int]] | NDArray[np.int64]
ROUNDS = 500  # swaps that are drawn at a time


@dataclass(frozen=True)
class Result:
    """The result of a system with a seed and a share of the training data. `seconds` is
    the CPU time of training, 0 for a model; `score` names the score that is compared;
    `counts` are the right, predicted and gold items of each Doc."""

    name: str
    seed: int
    share: float
    seconds: float
    tokens_per_second: float
    megabytes: float
    score: str
    scores: dict[str, float]
    counts: Counts


@dataclass(frozen=True)
class Row:
    """The results of a system with all seeds: mean and standard deviation of the score
    in percent, and medians. `p` is the probability of a difference from the first
    system that is as large, if there were none; None for the first system, or where the
    Docs are others."""

    name: str
    share: float
    mean: float
    sd: float
    p: float | None
    seconds: float
    tokens_per_second: float
    megabytes: float


def _spread(shares: Sequence[float]) -> tuple[float, float]:
    """Return the mean and the standard deviation, in percent."""
    values = [100 * share for share in shares]
    return statistics.mean(values), statistics.stdev(values) if len(values) > 1 else 0.0


def summarise(results: Sequence[Result]) -> list[Row]:
    """Return a row for each system and share of the data."""
    groups: dict[tuple[str, float], list[Result]] = {}
    for each in results:
        groups.setdefault((each.name, each.share), []).append(each)
    rows: list[Row] = []
    first: dict[float, Any] = {}
    for (name, share), runs in groups.items():
        values = [x.scores[x.score] for x in runs]
        # A sentence counts as often as there are seeds, on both sides.
        counts: Any = np.mean([np.array(x.counts) for x in runs], axis=0)
        base = first.setdefault(share, counts)
        comparable = base is not counts and len(base) == len(counts)
        p = p_value(base, counts) if comparable else None
        rows.append(
            Row(
                name,
                share,
                *_spread(values),
                p,
                *(
                    statistics.median(getattr(x, key) for x in runs)
                    for key in ("seconds", "tokens_per_second", "megabytes")
                ),
            )
        )
    return rows


def figures(results: Sequence[Result], rows: Sequence[Row]) -> dict[str, Any]:
    """Return all figures as plain values, those of the first system by score."""
    first = [x for x in results if (x.name, x.share) == (rows[0].name, rows[0].share)]
    runs = [
        {"name": x.name, "share": x.share, "seed": x.seed, "seconds": x.seconds}
        | {"scores": x.scores}
        for x in results
    ]
    scores = {}
    for name in first[0].scores:
        mean, sd = _spread([x.scores[name] for x in first if name in x.scores])
        scores[name] = {"mean": mean, "sd": sd}
    return {
        "systems": [asdict(row) for row in rows],
        "scores": scores,
        "seconds": rows[0].seconds,
        "runs": runs,
    }


def p_value(x: Counts, y: Counts, *, rounds: int = 9999, seed: int = 0) -> float:
    """Return the share of random swaps of sentences that give a difference in F as
    large: approximate randomisation.

    Noreen 1989: under the null hypothesis the two systems are the same, so that each
    sentence could have come from either.
    """
    both = np.array([x, y], dtype=np.float64)
    totals = both.sum(axis=1)
    found = abs(float(_f(totals[0]) - _f(totals[1]))) - 1e-12
    change = both[1] - both[0]
    change = change[change.any(axis=1)]
    draw, at_least = np.random.default_rng(seed), 1
    for at in range(0, rounds, ROUNDS):
        size = min(ROUNDS, rounds - at), len(change)
        moved = (draw.random(size) < 0.5) @ change
        shuffled = np.abs(_f(totals[0] + moved) - _f(totals[1] - moved))
        at_least += int((shuffled >= found).sum())
    return at_least / (rounds + 1)


def _f(counts: np.ndarray) -> np.ndarray:
    right, given, gold = counts[..., 0], counts[..., 1], counts[..., 2]
    return 2 * right / np.maximum(given + gold, 1)
