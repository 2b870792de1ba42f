"""Half a thousand hostile inputs for each thing that reads what others wrote.

`make fuzz` is the same for longer.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent.parent
# Few: each is a process that imports everything.
GROUPS = ["(model|filter) ", "(component|settings) "]
GROUPS.append(f"(?!{'|'.join(GROUPS)})")  # all others
INPUTS = 500

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"),
    reason="inputs run in forked children whose memory is limited as Linux does it",
)


@pytest.mark.parametrize("only", GROUPS)
def test_hostile_inputs_are_refused_by_a_code_or_work(only, tmp_path):
    # In a process of its own: it forks, and this one may have threads.
    command = [sys.executable, "-m", "fuzz", "--only", f"^{only}"]
    command += ["--inputs", str(INPUTS), "--json", str(tmp_path / "found.json")]
    env = {**os.environ, "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"}
    how = {"cwd": TESTS, "env": env, "capture_output": True, "text": True}
    done = subprocess.run(command, **how, timeout=600)
    found = json.loads((tmp_path / "found.json").read_text(encoding="utf8"))
    failures = {name: x["failures"] for name, x in found.items() if x["failures"]}
    assert not failures, json.dumps(failures, indent=1)
    assert done.returncode == 0, done.stderr
    for name, target in found.items():
        # The door is neither open nor shut.
        assert target["taken"] > 2, name
        assert len(target["codes"]) > 1, name
