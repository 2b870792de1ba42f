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


@pytest.fixture
def lines():
    return []


@pytest.fixture
def measurements(lines):
    return Measurements(runs=2, progress=lines.append)


def test_process_gives_peak_memory_and_cpu_share():
    result = run_task(Task("host.start_up"))
    assert not result["peak_mb"] < 10  # nan where the system does not tell
    assert 0 < result["cpu_share"] < 1.5


def test_process_that_fails_says_which_and_why():
    with pytest.raises(RuntimeError, match=r"tagging.load failed(.|\n)*no-such-model"):
        run_task(Task("tagging.load", {"model": "no-such-model", "passes": 1}))


def test_process_tasks_take_turns(measurements, order):
    measurements.take({"ours": Task("a"), "theirs": Task("b")})
    assert order == ["a", "b", "a", "b"]


def test_process_results_are_not_measured_twice(measurements, order):
    first = measurements.take({"ours": Task("a", {"n": 1})})
    again = measurements.take({"same": Task("a", {"n": 1})})
    assert order == ["a", "a"]
    assert first["ours"] == again["same"]


def test_process_a_model_that_was_made_counts_as_a_run(measurements, order):
    measurements.take({"model": Task("a")}, runs=1)
    results = measurements.take({"ours": Task("a")})
    assert [result["number"] for result in results["ours"]] == [1, 2]


def test_process_says_what_begins(measurements, order, lines):
    measurements.take({"ours": Task("a")})
    assert lines == ["ours, run 1 of 2", "ours, run 2 of 2"]


def test_process_knows_the_least_cpu_share(measurements, order):
    measurements.take({"ours": Task("a"), "theirs": Task("b")})
    assert measurements.least_cpu_share == pytest.approx(0.6)
