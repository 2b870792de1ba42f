"""From one file into another, or from many into a folder: what is good enough."""

import hashlib
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, cast

from ...errors import Errors
from ...io.atomic import check_place, whole_file
from ...io.jsonl import write_json
from ...io.packed import STDIN
from .files import Layout, TextFile, Writer
from .lines import LineWriter, Reader
from .scores import Scorers

RECORD = "filter.json"

Told = Callable[[int], None]


@dataclass
class Tally:
    """What became of the lines of a file.

    Args:
        lines: How many there were.
        empty: Lines without a text.
        bad: Lines that cannot be scored.
        scored: All others.
        kept: Those of them that were written.
        first_bad: Where the first bad line is, and what is wrong with it.
        unread: Why the file could not be read, if it could not.
    """

    lines: int = 0
    empty: int = 0
    bad: int = 0
    scored: int = 0
    kept: int = 0
    first_bad: str = ""
    unread: str = ""

    def add(self, other: "Tally") -> None:
        """Count the lines of another file too."""
        for name in ("lines", "empty", "bad", "scored", "kept"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.first_bad = self.first_bad or other.first_bad


@dataclass(frozen=True)
class Choice:
    """Which texts are kept.

    Args:
        least: The lowest score.
        below: Those with a lower score instead.
    """

    least: float
    below: bool = False

    def keeps(self, score: float) -> bool:
        """Whether a text with this score is written."""
        return (score >= self.least) != self.below


def filter_file(
    source: str,
    target: str,
    scorers: Scorers,
    choice: Choice,
    layout: Layout,
    *,
    progress: Told | None = None,
) -> Tally:
    """Write what is good enough of a file.

    Args:
        source: The file, or "-" for the standard input.
        target: The file to write, packed as its name says; "-" for the standard output.
        scorers: Give the verdicts.
        choice: What is kept.
        layout: How files are read and written.
        progress: Told how many lines were scored.

    Returns:
        What became of the lines. On failure there is nothing under the name of the
        file.
    """
    reader = layout.reader(source)
    tally = Tally()
    with (
        _opened(target, layout, reader) as writer,
        closing(scorers.scored(reader)) as found,
    ):
        for item, verdict in found:
            tally.scored += 1
            if choice.keeps(verdict.score):
                tally.kept += 1
                try:
                    writer.write(item, verdict)
                except BrokenPipeError:  # no failure: who reads has seen enough
                    raise
                except OSError as error:
                    message = Errors.LP342.format(path=target, error=error)
                    raise OSError(message) from error
            if progress:
                progress(1)
    tally.lines, tally.empty, tally.bad = reader.lines, reader.empty, reader.bad
    tally.first_bad = f"{reader.name}: {reader.first_bad}" if reader.bad else ""
    return tally


@contextmanager
def _opened(target: str, layout: Layout, reader: Reader) -> Iterator[Writer]:
    if target == STDIN:
        yield LineWriter(cast(BinaryIO, sys.stdout.buffer), layout.columns)
        sys.stdout.buffer.flush()
        return
    path = Path(target)
    with (
        whole_file(path) as fresh,
        layout.writer(fresh, path.name, reader) as writer,
    ):
        yield writer


# Many files ---------------------------------------------------------------------------


@dataclass
class Record:
    """What a folder says of itself: how it was made, and of which files.

    Args:
        path: The file that holds it.
        settings: All that decides what is written.
        files: By name: the size of what was read and what became of its lines.
        threshold: What was found for a share that is to be kept.
    """

    path: Path
    settings: dict[str, Any]
    threshold: float | None = None
    files: dict[str, dict[str, Any]] = field(default_factory=dict)

    def read(self, *, overwrite: bool) -> None:
        """Read what is there, to go on with it.

        Args:
            overwrite: Begin anew where there is another one.

        Raises:
            ValueError: It was made with other settings, or is damaged.
        """
        if overwrite or not self.path.exists():
            return
        try:
            found = json.loads(self.path.read_text(encoding="utf8"))
            settings, files = dict(found["settings"]), dict(found["files"])
            threshold = found["threshold"]
            for entry in files.values():
                Tally(**entry["lines"])
        except (ValueError, KeyError, TypeError) as error:
            message = Errors.LP486.format(path=self.path, error=repr(error))
            raise ValueError(message) from error
        names = sorted({*settings, *self.settings})
        changed = [
            f"{name} was {settings.get(name)!r} and is {self.settings.get(name)!r}"
            for name in names
            if settings.get(name) != self.settings.get(name)
        ]
        if changed:
            said = "; ".join(changed)
            raise ValueError(Errors.LP485.format(path=self.path, changed=said))
        self.files, self.threshold = files, threshold

    def done(self, file: TextFile, target: Path) -> Tally | None:
        """What became of a file that was filtered before, if it is still the same."""
        entry = self.files.get(file.name)
        if entry is None or entry["size"] != file.size():
            return None
        tally = Tally(**entry["lines"])
        return tally if tally.unread or target.is_file() else None

    def add(self, file: TextFile, tally: Tally) -> None:
        """Note what became of a file, on disk too."""
        self.files[file.name] = {"size": file.size(), "lines": asdict(tally)}
        files = dict(sorted(self.files.items()))
        content = {"settings": self.settings, "threshold": self.threshold}
        write_json(self.path, {**content, "files": files})


def filter_files(
    files: Sequence[TextFile],
    target: Path,
    scorers: Scorers,
    choice: Choice,
    layout: Layout,
    record: Record,
    *,
    progress: Told | None = None,
    told: Callable[[TextFile, Tally, bool], None] | None = None,
) -> Tally:
    """Write what is good enough of many files. Those that were done before are left.

    Args:
        files: What is read.
        target: The folder of what is written.
        scorers: Give the verdicts.
        choice: What is kept.
        layout: How files are read and written. Where bad lines are left out, files that
            cannot be read are too.
        record: Of the folder.
        progress: Told how many lines were scored.
        told: Told of each file, and whether it was done before.

    Returns:
        What became of all lines.
    """
    whole = Tally()
    for file in files:
        place = target / file.name
        tally = record.done(file, place)
        before = tally is not None
        if tally is None:
            try:
                tally = filter_file(
                    file.path, str(place), scorers, choice, layout, progress=progress
                )
            except ValueError as error:
                if not layout.skip_bad:
                    raise
                tally = Tally(unread=str(error))
            record.add(file, tally)
        whole.add(tally)
        if told:
            told(file, tally, before)
    return whole


def check_folder(target: str) -> Path:
    """The folder for many files, which can be written to."""
    path = Path(target)
    if target == STDIN or path.is_file():
        problem = "the standard output" if target == STDIN else "a file"
        raise ValueError(Errors.LP484.format(target=target, problem=problem))
    check_place(path / RECORD)
    return path


def checksum(content: bytes) -> str:
    """Tells one model from another."""
    return hashlib.sha256(content).hexdigest()[:16]
