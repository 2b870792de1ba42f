"""Runs hostile inputs in forked children, and says which of them break a promise.

The promise: an input is refused by an error with a code, or taken, and then what was
made of it works. No crash, no hang, no memory out of proportion.
"""

import gc
import mmap
import os
import re
import resource
import select
import signal
import struct
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from .mutations import mutate_bytes

HANG_SECONDS = 10.0
CONSTANT_BYTES = 512 << 20  # beside ten times the input, which is small here
BATCH = 4000  # inputs a child sees: what vocabularies remember goes with it
POOL = 40
MOST_BYTES = 1 << 20
_CODED = re.compile(r"^\W*\[?(LP\d{3}|[EW]\d{3,4})\]")

Mutate = Callable[[Random, bytes, list[bytes]], bytes]
Run = Callable[[bytes], object]


class Broken(AssertionError):
    """An input was taken, but what was made of it does not work."""


@dataclass(frozen=True)
class Target:
    """A target of the fuzzer.

    seeds: good inputs. run: takes an input; raises what the code under test raises, or
    Broken. allowed: classes of errors of others that are as good as a code. hosted:
    spaCy reads it before our code does, and may refuse it in its own way. cost: how
    many times fewer inputs it is given than others, because each takes longer.
    """

    name: str
    seeds: list[bytes]
    mutate: Mutate
    run: Run
    allowed: tuple[type[Exception], ...] = ()
    hosted: bool = False
    cost: int = 1


@dataclass
class Failure:
    signature: str
    detail: str
    data: bytes
    times: int = 1


@dataclass
class Report:
    name: str
    inputs: int = 0
    seconds: float = 0.0
    taken: int = 0
    codes: Counter[str] = field(default_factory=Counter)
    failures: dict[str, Failure] = field(default_factory=dict)

    def add(self, signature: str, detail: str, data: bytes) -> None:
        if signature in self.failures:
            self.failures[signature].times += 1
        else:
            self.failures[signature] = Failure(signature, detail, data)


def fuzz(target: Target, *, seed: int, inputs: int, seconds: float) -> Report:
    """Until so many inputs were tried, or so many seconds are over."""
    report = Report(target.name)
    begin = time.monotonic()
    shared = mmap.mmap(-1, 16 + MOST_BYTES)
    number = 0
    pool = list(target.seeds)
    while report.inputs < inputs and time.monotonic() - begin < seconds:
        size = min(BATCH, inputs - report.inputs)
        until = begin + seconds
        _run_child(target, f"{seed}:{number}", size, until, shared, report, pool)
        number += 1
    report.seconds = time.monotonic() - begin
    return report


def try_one(target: Target, data: bytes) -> str:
    """Try one input in this process: returns a code, "taken", or a failure."""
    outcome, detail = _outcome(target, data)
    return detail or outcome


def _run_child(target, seed, size, until, shared, report, pool):
    sys.stdout.flush()
    sys.stderr.flush()
    reader, writer = os.pipe()
    shared[:16] = bytes(16)
    child = os.fork()
    if child == 0:
        os.close(reader)
        _child(target, seed, size, until, shared, writer, pool)
    os.close(writer)
    received = bytearray()
    last, since = -1, time.monotonic()
    hang = False
    while True:
        ready, _, _ = select.select([reader], [], [], 0.5)
        if ready:
            block = os.read(reader, 1 << 16)
            if not block:
                break
            received += block
        tried, _ = struct.unpack_from("<QQ", shared, 0)
        if tried != last:
            last, since = tried, time.monotonic()
        elif time.monotonic() - since > HANG_SECONDS:
            hang = True
            os.kill(child, signal.SIGKILL)
    os.close(reader)
    _, status = os.waitpid(child, 0)
    tried, length = struct.unpack_from("<QQ", shared, 0)
    report.inputs += tried
    _read_messages(bytes(received), report, pool)
    if hang or os.WIFSIGNALED(status):
        data = shared[16 : 16 + length]
        name = f"hang of more than {HANG_SECONDS:.0f} s"
        if not hang:
            name = f"killed by {signal.Signals(os.WTERMSIG(status)).name}"
        report.add(f"{name} ({_digits(data[:40])!r})", name, data)
    elif os.WEXITSTATUS(status):
        report.add(f"child exit {os.WEXITSTATUS(status)}", "the harness failed", b"")


def _read_messages(received: bytes, report: Report, pool: list[bytes]) -> None:
    at = 0
    while at + 16 <= len(received):
        kind, a, b, c = struct.unpack_from("<IIII", received, at)
        at += 16
        parts = []
        for length in (a, b, c):
            parts.append(received[at : at + length])
            at += length
        signature, detail = parts[0].decode("utf8"), parts[1].decode("utf8")
        if kind == 0:
            report.add(signature, detail, parts[2])
        elif kind == 1:
            report.codes[signature] += int(detail)
            report.taken += int(detail) if signature == "taken" else 0
        elif len(pool) < POOL:
            pool.append(parts[2])


def _child(target, seed, size, until, shared, writer, pool):
    """Never returns."""
    status = 3
    try:
        gc.collect()
        gc.freeze()
        _limit_memory()
        with os.fdopen(writer, "wb", closefd=False) as out:
            _loop(target, Random(seed), size, until, shared, out, list(pool))
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def _loop(target, rng, size, until, shared, out, pool) -> None:
    counts: Counter[str] = Counter()
    sent: set[str] = set()
    for number in range(size):
        data = _mutated(target, rng, pool)
        struct.pack_into("<QQ", shared, 0, number + 1, len(data))
        shared[16 : 16 + len(data)] = data
        outcome, detail = _outcome(target, data)
        if detail:
            _send(out, 0, outcome, detail, b"" if outcome in sent else data)
            out.flush()
            sent.add(outcome)
        else:
            counts[outcome] += 1
            # What leads somewhere new is mutated further.
            if outcome not in sent:
                sent.add(outcome)
                pool.append(data)
                _send(out, 2, outcome, "", data)
        if not number % 16:
            gc.collect()  # replaced models of thinc are cycles
            if time.monotonic() > until:
                break
    for outcome, n in counts.items():
        _send(out, 1, outcome, str(n), b"")


def _mutated(target: Target, rng: Random, pool: list[bytes]) -> bytes:
    data = rng.choice(pool)
    try:
        return target.mutate(rng, data, pool)[:MOST_BYTES]
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return mutate_bytes(rng, data, pool)[:MOST_BYTES]  # mutated beyond reading


def _send(out, kind: int, signature: str, detail: str, data: bytes) -> None:
    texts = signature.encode("utf8", "replace"), detail.encode("utf8", "replace")
    parts = [*texts, data]
    out.write(struct.pack("<IIII", kind, *map(len, parts)) + b"".join(parts))


def _limit_memory() -> None:
    used = int(Path("/proc/self/statm").read_text().split()[0]) * mmap.PAGESIZE
    limit = used + CONSTANT_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _outcome(target: Target, data: bytes) -> tuple[str, str]:
    """RETURNS: (code or "taken", "") or (signature of the failure, what happened)."""
    odd: list[tuple[str, str]] = []
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = lambda message, kind, file, line, *rest, **more: (
            odd.append((str(message), f"{file.rpartition('spacy_latperc/')[2]}:{line}"))
        )
        try:
            target.run(data)
            outcome = "taken"
        except Exception as error:
            found = _CODED.match(str(error))
            if found and not isinstance(error, Broken):
                outcome = found[1]
            elif isinstance(error, target.allowed) or (
                target.hosted and not _ours(error) and not isinstance(error, Broken)
            ):
                outcome = type(error).__name__
            else:
                return _signature(error), "".join(traceback.format_exception(error))
    for message, place in odd:
        if not _CODED.match(message):
            return f"warning: {message[:60]} at {place}", f"{place}: {message}"
    return outcome, ""


def _signature(error: Exception) -> str:
    """The same for failures of one cause: the kind, and the places it came through."""
    where = (_ours(error) or ["outside"])[-1]
    what = str(error)[:60] if isinstance(error, Broken) else ""
    return f"{type(error).__name__} at {where} {what}".strip()


def _ours(error: BaseException) -> list[str]:
    """The places in our code that an error came through."""
    places = []
    step = error.__traceback__
    while step is not None:
        name = step.tb_frame.f_code.co_filename
        if "spacy_latperc/" in name:
            short = name.rpartition("spacy_latperc/")[2]
            places.append(f"{short}:{step.tb_lineno}")
        step = step.tb_next
    return places


def _digits(data: bytes) -> bytes:
    return re.sub(rb"\d+", b"0", data)
