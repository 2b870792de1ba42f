"""What was made of files, written in their order, and noted when a file is complete."""

import json
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import Errors
from ..grammaticality.filter.files import TextFile
from ..grammaticality.filter.run import Record, Tally, Told
from ..io.packed import STDIN
from .pieces import Piece, Sink, open_sink

# Each file, the format of what is written, and what was made of its pieces.
Made = Generator[tuple[TextFile, str, Iterator[Piece]], None, None]


@dataclass
class Output:
    """Where what is made of files goes.

    Args:
        place: The file to write for each that is read, or "-".
        record: Of the folder, if it is one.
        skip_bad: Whether files that cannot be read are left out.
        progress: Told how many lines were worked on.
        told: Told of each file of a folder, and whether it was done before.
        whole: What became of all lines.
    """

    place: Callable[[TextFile], str]
    record: Record | None = None
    skip_bad: bool = False
    progress: Told | None = None
    told: Callable[[TextFile, Tally, bool], None] | None = None
    whole: Tally = field(default_factory=Tally)

    def left(self, files: Sequence[TextFile]) -> list[TextFile]:
        """The files that were not done before."""
        found = []
        for file in files:
            done = self.record and self.record.done(file, Path(self.place(file)))
            if done:
                self._tell(file, done, True)
            else:
                found.append(file)
        return found

    def write(self, made: Made) -> None:
        """Write all that is made.

        Raises:
            ValueError: Something cannot be read or worked on.
            OSError: Something cannot be written.
        """
        with closing(made):
            for file, format, pieces in made:
                try:
                    tally = self._write(pieces, self.place(file), format)
                except ValueError as error:
                    if self.record is None or not self.skip_bad:
                        raise
                    tally = Tally(unread=str(error))
                if self.record is not None:
                    self.record.add(file, tally)
                self._tell(file, tally, False)

    def _write(self, pieces: Iterator[Piece], target: str, format: str) -> Tally:
        tally = Tally()
        with _opened(target, format) as sink:
            for piece in pieces:
                if piece.problem:
                    raise ValueError(piece.problem)
                found = Tally(**json.loads(piece.report))
                tally.add(found)
                try:
                    sink.write(piece.content)
                except BrokenPipeError:  # no failure: who reads has seen enough
                    raise
                except OSError as error:
                    message = Errors.LP342.format(path=target, error=error)
                    raise OSError(message) from error
                if self.progress:
                    self.progress(found.scored)
        return tally

    def _tell(self, file: TextFile, tally: Tally, before: bool) -> None:
        self.whole.add(tally)
        if self.told and self.record is not None:
            self.told(file, tally, before)


@contextmanager
def _opened(target: str, format: str) -> Iterator[Sink]:
    if target == STDIN:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with open_sink(Path(target), format) as sink:
        yield sink
