"""Commands in forked children, to which something happens while they write.

A fork costs no start-up: what is imported here is there in the child. What goes wrong
is armed in the child only, so that nothing of it is left in the tests' own process.
"""

import ctypes
import os
import resource
import signal
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from spacy.cli.train import train
from typer.main import get_command

from spacy_latperc.cli import latperc_cli

KILLED = 9
WRITES = os.O_WRONLY | os.O_RDWR
STEPS = ("os.rename", "os.mkdir", "os.remove", "os.rmdir", "ctypes.dlsym")
STEPS += ("os.link", "os.symlink", "os.chmod")
_NEW_NAMES = 0x00020000  # CLONE_NEWNS
_BIND, _READ_ONLY, _AGAIN, _PRIVATE = 0x1000, 0x1, 0x20, 0x40000 | 0x4000


@dataclass(frozen=True)
class Ended:
    """The exit code of a child (minus the signal), and its output."""

    code: int
    printed: str


def run_in_child(arguments, *, arm=lambda: None, kill_after=None, closed_output=False):
    """Run a command in a child process.

    arguments: of `spacy latperc`; or "train", a config and a folder, for spaCy's own.
    arm: called in the child before. kill_after: seconds after which it is killed.
    closed_output: nobody reads what the command prints to its standard output.
    """
    reading, writing = os.pipe()
    child = _fork()
    if child == 0:
        code = 99
        try:
            os.close(reading)
            os.dup2(writing, 2)
            if closed_output:
                nobody, closed = os.pipe()
                os.close(nobody)
                os.dup2(closed, 1)
            else:
                os.dup2(writing, 1)
            sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
            sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115
            arm()
            code = _run(arguments)
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)
    os.close(writing)
    if kill_after is not None:
        time.sleep(kill_after)
        os.kill(child, signal.SIGKILL)
    with open(reading, encoding="utf-8", errors="replace") as file:
        printed = file.read()
    _, status = os.waitpid(child, 0)
    return Ended(os.waitstatus_to_exitcode(status), printed)


def _fork() -> int:
    with warnings.catch_warnings():  # of threads, which stand still here
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def _run(arguments: list[str]) -> int:
    try:
        if arguments[0] == "train":
            train(Path(arguments[1]), Path(arguments[2]))
            return 0
        get_command(latperc_cli)(arguments, prog_name="spacy latperc")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        import traceback

        traceback.print_exc()
        return 98
    return 0


def count_steps(folder: Path, record: Path) -> Callable[[], None]:
    """Write a byte to a file for each change of something in the folder."""
    descriptor = os.open(record, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    return lambda: _watch(folder, lambda _: os.write(descriptor, b"."))


def die_at_step(folder: Path, number: int) -> Callable[[], None]:
    """Die without a word right before a change of something in the folder."""

    def die(step: int) -> None:
        if step == number:
            os._exit(KILLED)

    return lambda: _watch(folder, die)


def _watch(folder: Path, told: Callable[[int], object]) -> None:
    step = 0

    def hook(event: str, arguments: tuple) -> None:
        nonlocal step
        if event == "open":
            path, _, flags = arguments
            changes = isinstance(flags, int) and flags & WRITES
        else:
            path = arguments[0] if arguments else None
            changes = event in STEPS
        if not changes:
            return
        swaps = event == "ctypes.dlsym" and "rename" in str(arguments[1])
        if swaps or str(folder) in str(path):
            told(step)
            step += 1

    sys.addaudithook(hook)


def lose_input(path: Path) -> Callable[[], None]:
    """Remove a file right before it is opened for the first time."""

    def hook(event: str, arguments: tuple) -> None:
        if event == "open" and str(arguments[0]) == str(path) and path.exists():
            os.unlink(path)

    return lambda: sys.addaudithook(hook)


def fill_disk(left: int) -> Callable[[], None]:
    """No file may have more bytes than what is left."""

    def arm() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (left, left))

    return arm


def make_read_only(folder: Path) -> Callable[[], None] | None:
    """Let nobody write to a folder; None where that cannot be had."""
    if os.geteuid():
        return lambda: os.chmod(folder, 0o555)
    if sys.platform != "linux":
        return None
    names = os.fsencode(folder)

    def mount() -> bool:
        """Mount in a namespace of the child's own: root may ignore a mode."""
        system = ctypes.CDLL(None, use_errno=True)
        again = _BIND | _AGAIN | _READ_ONLY
        steps = [(b"none", b"/", _PRIVATE), (names, names, _BIND)]
        steps.append((b"none", names, again))
        mounts = (system.mount(a, b, None, how, None) == 0 for a, b, how in steps)
        return system.unshare(_NEW_NAMES) == 0 and all(mounts)

    child = _fork()
    if child == 0:
        os._exit(0 if mount() else 1)
    if os.waitpid(child, 0)[1]:
        return None
    return lambda: None if mount() else os._exit(97)
