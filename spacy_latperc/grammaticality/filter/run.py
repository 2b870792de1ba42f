"""From one file into another: what is good enough."""

import gzip
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from ...errors import Errors
from ...io.atomic import whole_file
from ...io.packed import STDIN
from .lines import LineReader
from .scores import ScoringSettings, scored


@dataclass
class Tally:
    """Lines that were scored, and those of them that were kept."""

    scored: int = 0
    kept: int = 0


def filter_file(
    reader: LineReader,
    target: str,
    settings: ScoringSettings,
    *,
    threshold: float,
    below: bool = False,
    with_scores: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Tally:
    """Write the lines whose score is no lower than the threshold.

    Args:
        reader: Gives the lines.
        target: A file, packed if its name ends in .gz; "-" for the standard output.
        settings: How lines are scored.
        threshold: The lowest score that is kept.
        below: Keep the lines with a lower score instead.
        with_scores: Write the scores too: see Line.written.
        progress: Told how many lines were scored.

    Returns:
        How many lines were scored and kept. On failure there is nothing under the name
        of the file.
    """
    tally = Tally()
    with _opened(target) as file, closing(scored(reader, settings)) as found:
        for line, score in found:
            tally.scored += 1
            if (score >= threshold) != below:
                tally.kept += 1
                try:
                    file.write(line.written(score if with_scores else None))
                except BrokenPipeError:  # no failure: who reads has seen enough
                    raise
                except OSError as error:
                    message = Errors.LP342.format(path=target, error=error)
                    raise OSError(message) from error
            if progress:
                progress(1)
    return tally


@contextmanager
def _opened(target: str) -> Iterator[BinaryIO]:
    if target == STDIN:
        yield cast(BinaryIO, sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return
    path = Path(target)
    with whole_file(path) as fresh:
        packed = path.suffix == ".gz"
        with gzip.open(fresh, "wb") if packed else fresh.open("wb") as file:
            yield cast(BinaryIO, file)
