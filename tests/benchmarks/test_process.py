"""Measurements in processes of their own."""

import pytest

from benchmarks import process
from benchmarks.process import Measurements, Task, run_task


@pytest.fixture
def order(monkeypatch):
    """The functions of the tasks that ran, none of them for real."""
    ran = []

    def run(task):
        ran.append(task.function)
        return {"cpu_share": 0.5 + 0.1 * len(ran), "number": len(ran)}

    monkeypatch.setattr(process, "run_task", run)
    return ran


def test_process_gives_peak_memory_and_cpu_share_or_says_why_it_fails():
    result = run_task(Task("host.start_up"))
    assert not result["peak_mb"] < 10  # nan where the system does not tell
    assert 0 < result["cpu_share"] < 1.5
    with pytest.raises(RuntimeError, match=r"tagging.load failed(.|\n)*no-such-model"):
        run_task(Task("tagging.load", {"model": "no-such-model", "passes": 1}))


def test_process_tasks_take_turns_and_are_not_measured_twice(order):
    lines = []
    measurements = Measurements(runs=2, progress=lines.append)
    first = measurements.take({"ours": Task("a", {"n": 1}), "theirs": Task("b")})
    assert order == ["a", "b", "a", "b"]
    assert lines[::2] == ["ours, run 1 of 2", "ours, run 2 of 2"]
    assert measurements.least_cpu_share == pytest.approx(0.6)
    again = measurements.take({"same": Task("a", {"n": 1})})
    assert len(order) == 4 and first["ours"] == again["same"]
    # A model that was made counts as a run.
    measurements.take({"model": Task("c")}, runs=1)
    results = measurements.take({"ours": Task("c")})
    assert [result["number"] for result in results["ours"]] == [5, 6]
