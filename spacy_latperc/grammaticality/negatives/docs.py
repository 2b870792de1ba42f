"""The spaCy side of negatives: Docs with categories."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ...errors import Errors
from ...io import docbin
from ...io.atomic import whole_files
from ...io.docbin import SUFFIX
from ..rng import random_order
from ..scorer import NEGATIVE, POSITIVE
from .make import PARTS, Negatives


def write_negatives(
    negatives: Negatives,
    target: Path,
    *,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> list[Path]:
    """Write one .spacy file for each part, positives and negatives shuffled.

    Args:
        negatives: The pairs to write.
        target: OUT.spacy, for OUT-train.spacy, OUT-dev.spacy and OUT-test.spacy. A
            single part is written to the file itself.
        seed: The seed of the order.
        progress: A callback for the number of Docs written.

    Returns:
        The files. All are written, or none.
    """
    if target.suffix != SUFFIX:
        raise ValueError(Errors.LP351.format(path=target, wanted=SUFFIX))
    pairs = {p: np.flatnonzero(negatives.part == p) for p in range(len(PARTS))}
    pairs = {p: numbers for p, numbers in pairs.items() if len(numbers)}
    paths = _names(target, list(pairs))
    with whole_files(paths) as fresh:
        for path, (p, numbers) in zip(fresh, pairs.items(), strict=True):
            docs = _docs(negatives, numbers, (seed, 6, p))
            _write(docs, path, progress)
    return paths


def outputs(target: Path, shares: Sequence[float]) -> list[Path]:
    """List the files that `write_negatives` is going to write."""
    return _names(target, [p for p, share in enumerate(shares) if share > 0])


def _names(target: Path, parts: Sequence[int]) -> list[Path]:
    if len(parts) == 1:
        return [target]
    return [target.with_name(f"{target.stem}-{PARTS[p]}{SUFFIX}") for p in parts]


def _docs(
    negatives: Negatives, numbers: np.ndarray, seeds: tuple[int, ...]
) -> Iterator[Doc]:
    """Yield the sentences of a part in random order."""
    vocab = Vocab()
    for place in random_order(2 * len(numbers), *seeds):
        number = int(numbers[place % len(numbers)])
        real = place < len(numbers)
        words = (negatives.positives if real else negatives.negatives).words(number)
        starts = [i == 0 for i in range(len(words))]
        doc = Doc(vocab, words=words, sent_starts=starts)
        doc.cats = {POSITIVE: float(real), NEGATIVE: float(not real)}
        yield doc


def _write(
    docs: Iterator[Doc], path: Path, progress: Callable[[int], None] | None
) -> None:
    def told() -> Iterator[Doc]:
        for doc in docs:
            yield doc
            if progress:
                progress(1)

    docbin.write_docs(told(), path, attributes=["ORTH", "SENT_START"])
