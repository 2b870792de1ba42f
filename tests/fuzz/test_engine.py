"""The fuzzer finds the failures that it looks for."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent.parent
# Run by itself, since it forks. The targets break their promise at every third input.
SCRIPT = """
import ctypes, json, os, sys, time, warnings
import numpy as np
from fuzz import engine

engine.HANG_SECONDS = 1.0

def crash(): ctypes.string_at(0)
def hang(): time.sleep(60)
def eat(): np.ones(1 << 30)
def leave(): os._exit(7)
def fail(): raise KeyError("x")
def break_(): raise engine.Broken("[LP001] it does not work")
def warn(): warnings.warn("careful")
def refuse(): raise ValueError("[LP001] no")
def take(): pass

def run(data):
    if data[0] % 3 == 0:
        globals()[sys.argv[1]]()

def mutate(rng, data, others):
    return bytes([rng.randrange(256)])

target = engine.Target("t", [b"a"], mutate, run)
report = engine.fuzz(target, seed=0, inputs=20, seconds=4.0)
print(json.dumps([list(report.failures), dict(report.codes)]))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="it forks")
@pytest.mark.parametrize(
    ("what", "failure"),
    [
        *(("crash", "killed by SIGSEGV"), ("hang", "hang of more than 1 s")),
        *(("eat", "MemoryError"), ("leave", "child exit 7"), ("fail", "KeyError")),
        *(("break_", "Broken"), ("warn", "warning: careful")),
        *(("refuse", None), ("take", None)),
    ],
)
def test_engine_sees(what, failure):
    command = [sys.executable, "-c", SCRIPT, what]
    how = {"cwd": TESTS, "capture_output": True, "text": True, "timeout": 120}
    done = subprocess.run(command, **how)
    assert done.returncode == 0, done.stderr
    failures, codes = json.loads(done.stdout.splitlines()[-1])
    if failure is None:
        assert not failures
        assert sum(codes.values()) == 20
        assert ("LP001" in codes) == (what == "refuse")
    else:
        assert failures and all(each.startswith(failure) for each in failures)
