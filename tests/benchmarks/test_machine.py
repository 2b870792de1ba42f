"""The machine that figures belong to."""

import os

from benchmarks.machine import describe_machine, peak_memory, pin_to_one_core


def test_machine_names_what_was_measured_and_not_where_things_are():
    machine = describe_machine()
    assert machine["python"] and machine["spacy"] and machine["processor"]
    told = " ".join(map(str, machine.values()))
    assert os.getcwd() not in told and os.path.expanduser("~") not in told
    assert not peak_memory() < 10  # nan where the system does not tell


def test_machine_pins_to_one_of_the_cores_that_are_free(monkeypatch):
    asked = []
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 3}, raising=False)
    monkeypatch.setattr(
        os, "sched_setaffinity", lambda pid, cores: asked.append(cores), raising=False
    )
    assert pin_to_one_core() == 3
    assert asked == [{3}]
    monkeypatch.delattr(os, "sched_setaffinity", raising=False)
    assert pin_to_one_core() is None
