"""The machine that figures belong to."""

import os

from benchmarks.machine import describe_machine, peak_memory, pin_to_one_core


def test_machine_names_what_was_measured():
    machine = describe_machine()
    assert machine["python"] and machine["spacy"] and machine["processor"]


def test_machine_does_not_say_where_things_are():
    told = " ".join(map(str, describe_machine().values()))
    assert os.getcwd() not in told and os.path.expanduser("~") not in told


def test_machine_knows_the_peak_of_this_process():
    assert not peak_memory() < 10  # nan where the system does not tell


def test_machine_pins_to_one_of_the_cores_that_are_free(monkeypatch):
    asked = []
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 3}, raising=False)
    monkeypatch.setattr(
        os, "sched_setaffinity", lambda pid, cores: asked.append(cores), raising=False
    )
    assert pin_to_one_core() == 3
    assert asked == [{3}]


def test_machine_that_cannot_pin_goes_on(monkeypatch):
    monkeypatch.delattr(os, "sched_setaffinity", raising=False)
    assert pin_to_one_core() is None
