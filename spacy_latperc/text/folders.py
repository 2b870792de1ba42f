"""Work on files, one by one, whose results get their names when they are complete."""

import hashlib
import json
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from ..errors import Errors
from ..io.atomic import check_place, whole_file
from ..io.jsonl import write_json
from ..io.outputs import check_suffix
from ..io.packed import STDIN
from ..io.places import checksum_of, identity_of, is_url
from .reader import Tally
from .sources import TextFile

# Reads a file, and writes what becomes of it to an open one, which is to be packed as a
# name says.
Work = Callable[[str, BinaryIO, str], Tally]
Told = Callable[[TextFile, Tally, bool], None]


class Outcome(NamedTuple):
    """What became of a file.

    Args:
        file: The file.
        identity: What its content was told by before it was read.
        tally: What became of its lines.
        problem: Why it could not be read to its end.
    """

    file: TextFile
    identity: dict[str, Any]
    tally: Tally
    problem: ValueError | None = None


# A file, and where what becomes of it is written.
Job = tuple[TextFile, str]
Outcomes = Generator[Outcome, None, None]
# Does the work on files, and gives what became of them, in any order.
Run = Callable[[Sequence[Job]], Outcomes]


def run_here(work: Work) -> Run:
    """Do the work in this process, file after file."""

    def run(jobs: Sequence[Job]) -> Outcomes:
        for file, target in jobs:
            identity: dict[str, Any] = {}
            tally, problem = Tally(), None
            try:
                identity = identified(file.path)
                with opened(target) as sink:
                    tally = work(file.path, sink, Path(target).name)
            except ValueError as error:
                problem = error
            yield Outcome(file, identity, tally, problem)

    return run


def identified(path: str) -> dict[str, Any]:
    """What tells the content of a file from what it was before; of a pipe, nothing."""
    if not (is_url(path) or Path(path).is_file()):
        return {}
    return {**identity_of(path), "checksum": checksum_of(path)}


@contextmanager
def opened(target: str) -> Iterator[BinaryIO]:
    """Open the file to write, or the standard output for "-".

    Raises:
        OSError: It cannot be written. Nothing is left under its name.
    """
    if target == STDIN:
        if sys.stdout is None:  # closed before Python started: `>&-`
            raise ValueError(Errors.LP583.format(stream="output"))
        yield cast(BinaryIO, sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return
    with whole_file(Path(target)) as fresh, fresh.open("wb") as file:
        yield file


@dataclass
class Record:
    """What a folder says of itself: how it was made, and of which files.

    Args:
        path: The file that holds it.
        settings: All that decides what is written.
        files: By name: what identifies the file that was read, and what became of its
            lines.
    """

    path: Path
    settings: dict[str, Any]
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
            for entry in files.values():
                Tally(**entry["lines"])
                dict(entry["read"])
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
        self.files = files

    def done(self, file: TextFile) -> Tally | None:
        """What became of a file before, if its content is still the same."""
        entry = self.files.get(file.name)
        if entry is None:
            return None
        before = dict(entry["read"])
        checksum = before.pop("checksum", None)
        now = identity_of(file.path)
        if now != before and (
            now["size"] != before.get("size")
            or checksum is None
            or checksum_of(file.path) != checksum
        ):
            return None
        tally = Tally(**entry["lines"])
        return tally if tally.unread or self.place(file).is_file() else None

    def place(self, file: TextFile) -> Path:
        """Where what becomes of a file is written."""
        return self.path.parent / file.name

    def add(self, outcome: Outcome) -> None:
        """Note what became of a file, on disk too."""
        lines = outcome.tally.as_dict()
        self.files[outcome.file.name] = {"read": outcome.identity, "lines": lines}
        files = dict(sorted(self.files.items()))
        write_json(self.path, {"settings": self.settings, "files": files})


def work_on_folder(
    files: Sequence[TextFile],
    record: Record,
    run: Run,
    *,
    skip_bad: bool,
    told: Told | None = None,
) -> Tally:
    """Do the work on all files that were not done before.

    Args:
        files: What is read.
        record: Of the folder of what is written.
        run: Does the work.
        skip_bad: Leave out files that cannot be read to their end.
        told: Told of each file, and whether it was done before.

    Returns:
        What became of all lines.
    """
    whole = Tally()
    left = []
    for file in files:
        if tally := record.done(file):
            whole.add(tally)
            if told:
                told(file, tally, True)
        else:
            left.append((file, str(record.place(file))))
    with closing(run(left)) as outcomes:
        for outcome in outcomes:
            if outcome.problem is not None:
                if not skip_bad:
                    raise outcome.problem
                outcome = outcome._replace(tally=Tally(unread=str(outcome.problem)))
            record.add(outcome)
            whole.add(outcome.tally)
            if told:
                told(outcome.file, outcome.tally, False)
    return whole


def work_on_file(path: str, target: str, run: Run) -> Tally:
    """Do the work on a single file.

    Args:
        path: What is read: the file, its URL, or "-" for the standard input.
        target: The file to write, or "-" for the standard output.
        run: Does the work.
    """
    (outcome,) = run([(TextFile(path, Path(target).name), target)])
    if outcome.problem is not None:
        raise outcome.problem
    return outcome.tally


def check_folder(target: str, record: str) -> Path:
    """The record of the folder for many files, which can be written to."""
    path = Path(target)
    if target != STDIN:
        check_suffix(path)
    if target == STDIN or path.is_file():
        problem = "the standard output" if target == STDIN else "a file"
        raise ValueError(Errors.LP484.format(target=target, problem=problem))
    check_place(path / record)
    return path / record


def checksum(content: bytes) -> str:
    """Tells one model from another."""
    return hashlib.sha256(content).hexdigest()[:16]
