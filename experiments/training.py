"""Shared parts: epochs over features that are made once, a table."""

import json
import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from spacy.training import Example
from wasabi import msg

BATCH = 32


def epochs(
    component: Any, examples: Sequence[Example], passes: int, seed: int
) -> Iterator[float]:
    """Train on features that are made once; yield the CPU seconds of each epoch."""
    prepared = component.prepare(examples)
    order = np.random.default_rng(seed)
    for _ in range(passes):
        shuffled = [prepared[i] for i in order.permutation(len(prepared))]
        start = process_time()
        for at in range(0, len(shuffled), BATCH):
            blocks, gold = zip(*shuffled[at : at + BATCH], strict=True)
            component.learner.update(list(blocks), np.concatenate(gold))
        yield process_time() - start


def mean_and_sd(values: Sequence[float]) -> tuple[str, str]:
    """The mean and the standard deviation, as a table has them."""
    deviation = statistics.stdev(values) if len(values) > 1 else 0.0
    return f"{statistics.mean(values):.2f}", f"{deviation:.2f}"


def show(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    figures: Any = None,
    path: Path | None = None,
) -> None:
    """Print a table, with words on the left, and write the figures to a path."""
    numbers = [
        all(x[:1].isdigit() for x in column) for column in zip(*rows, strict=True)
    ]
    aligns = ["r" if number else "l" for number in numbers]
    msg.table(rows, header=header, divider=True, aligns=aligns, max_col=60)
    if path:
        path.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
