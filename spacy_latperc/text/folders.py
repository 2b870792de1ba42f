"""Processing files one by one, with a record of the files that are done."""

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
from ..io.places import identity_of, is_url
from .input_files import TextFile
from .reader import Tally

# Reads a file and writes its output to an open file, compressed according to a name.
Work = Callable[[str, BinaryIO, str], Tally]
Told = Callable[[TextFile, Tally, bool], None]


class Outcome(NamedTuple):
    """The result of processing a file.

    Args:
        file: The file.
        identity: The identity of its content when it was read; nothing for a pipe.
        tally: The counts of its lines.
        problem: The reason if it could not be read to its end.
    """

    file: TextFile
    identity: dict[str, Any]
    tally: Tally
    problem: ValueError | None = None


# An input file and the path of its output.
Job = tuple[TextFile, str]
Outcomes = Generator[Outcome, None, None]
# Processes files, and yields the outcomes in any order.
Run = Callable[[Sequence[Job]], Outcomes]


def run_here(work: Work) -> Run:
    """Process files in this process, one after the other."""

    def run(jobs: Sequence[Job]) -> Outcomes:
        for file, target in jobs:
            identity: dict[str, Any] = {}
            tally, problem = Tally(), None
            try:
                if is_url(file.path) or Path(file.path).is_file():
                    identity = identity_of(file.path)
                with opened(target) as sink:
                    tally = work(file.path, sink, Path(target).name)
            except ValueError as error:
                problem = error
            yield Outcome(file, identity, tally, problem)

    return run


@contextmanager
def opened(target: str) -> Iterator[BinaryIO]:
    """Open an output file, or standard output for "-".

    Raises:
        OSError: The file cannot be written. Nothing is left under its name.
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
    """The record of an output folder: its settings, and the files that are done.

    Args:
        path: The file of the record.
        settings: All settings that affect the output.
        files: The identity of each input and the counts of its lines, by name.
    """

    path: Path
    settings: dict[str, Any]
    files: dict[str, dict[str, Any]] = field(default_factory=dict)

    def read(self, *, overwrite: bool) -> None:
        """Read the record of an earlier run, to resume it.

        Raises:
            ValueError: The earlier run had other settings, or its record is damaged.
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
        """The tally of an earlier run, if the file has not changed."""
        entry = self.files.get(file.name)
        if entry is None or identity_of(file.path) != entry["read"]:
            return None
        tally = Tally(**entry["lines"])
        return tally if tally.unread or self.place(file).is_file() else None

    def place(self, file: TextFile) -> Path:
        """The path of an output."""
        return self.path.parent / file.name

    def add(self, outcome: Outcome) -> None:
        """Add an outcome, and save the record."""
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
    """Process all files that are not done yet."""
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
    """Process a single file."""
    (outcome,) = run([(TextFile(path, Path(target).name), target)])
    if outcome.problem is not None:
        raise outcome.problem
    return outcome.tally


def check_folder(target: str, record: str) -> Path:
    """Check that an output folder can be written, and return the path of its record."""
    path = Path(target)
    if target != STDIN:
        check_suffix(path)
    if target == STDIN or path.is_file():
        problem = "the standard output" if target == STDIN else "a file"
        raise ValueError(Errors.LP484.format(target=target, problem=problem))
    check_place(path / record)
    return path / record


def checksum(content: bytes) -> str:
    """A short checksum, to compare models."""
    return hashlib.sha256(content).hexdigest()[:16]
