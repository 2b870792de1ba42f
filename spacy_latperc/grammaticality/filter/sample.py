"""A threshold that keeps a share of a text, from a sample of its lines."""

from collections.abc import Iterable, Iterator, Sequence
from random import Random

import numpy as np

from .files import Layout
from .scores import Scorers

SAMPLE = 20_000


class _Text:
    def __init__(self, text: str):
        self.text = text


def find_threshold(
    paths: Sequence[str],
    scorers: Scorers,
    layout: Layout,
    *,
    keep: float,
    sample: int = SAMPLE,
) -> tuple[float, int]:
    """The score that a share of the lines reaches.

    Args:
        paths: All files.
        scorers: Give the verdicts.
        layout: How files are read.
        keep: The share, from 0 to 1.
        sample: How many lines are scored, drawn from all with the same chance; 0 for
            all of them.

    Returns:
        The threshold, and how many lines were scored.
    """
    texts = _texts(paths, layout)
    chosen: Iterable[str] = _reservoir(texts, sample) if sample else texts
    scores = [verdict.score for _, verdict in scorers.scored(map(_Text, chosen))]
    if not scores:
        return 0.0, 0
    # The lowest score that is kept is one of those found.
    return float(np.quantile(scores, 1 - keep, method="higher")), len(scores)


def _texts(paths: Sequence[str], layout: Layout) -> Iterator[str]:
    for path in paths:
        try:
            for item in layout.reader(path):
                yield item.text
        except ValueError:
            if not layout.skip_bad:
                raise


def _reservoir(texts: Iterable[str], size: int) -> list[str]:
    """Texts drawn with equal chances, without knowing how many there are."""
    rng = Random(0)
    drawn: list[str] = []
    for seen, text in enumerate(texts):
        if seen < size:
            drawn.append(text)
        elif (place := rng.randrange(seen + 1)) < size:
            drawn[place] = text
    return drawn
