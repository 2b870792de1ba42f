"""Workers that are lost: brought back, as often as that is any use."""

from types import SimpleNamespace

import pytest

from spacy_latperc.distributed import workers
from spacy_latperc.distributed.workers import LostError, WorkerGroup


class Actor(Exception):
    """In the place of Ray's error: the actor is gone."""


class Lost(Exception):
    """The object is gone."""


class FakeRay:
    """References are functions."""

    exceptions = SimpleNamespace(
        RayActorError=Actor,
        WorkerCrashedError=Actor,
        ObjectLostError=Lost,
        OwnerDiedError=Lost,
    )

    def get(self, reference):
        return reference()


def group_of(n, bring_back=lambda k: lambda: None):
    return WorkerGroup(FakeRay(), [object()] * n, bring_back)


def failing(times, error=Actor):
    """A call that fails so often before it answers."""
    left = [times]

    def call():
        if left[0]:
            left[0] -= 1
            raise error
        return "found"

    return call


@pytest.mark.parametrize("times", [0, 1, 3])
def test_worker_that_was_lost_is_asked_again(times):
    back = []
    group = group_of(3, lambda k: lambda: back.append(k))
    call = failing(times)
    found = group.ask(lambda k: call if k == 1 else (lambda: "found"), lambda x: x)
    assert [reference() for reference in found] == ["found"] * 3
    assert back == [1] * times
    assert group.losses == times


def test_workers_that_are_lost_again_and_again_end_the_training():
    with pytest.raises(ConnectionError, match="LP844"):
        group_of(1).ask(lambda k: failing(100), lambda x: x)


def test_worker_that_does_not_come_back_ends_the_training(monkeypatch):
    monkeypatch.setattr(workers, "_COME_BACK", 0.0)
    group = group_of(1, lambda k: failing(100))
    with pytest.raises(ConnectionError, match="LP844"):
        group.ask(lambda k: failing(1), lambda x: x)


def test_what_is_lost_with_a_machine_is_told():
    with pytest.raises(LostError):
        group_of(1).ask(lambda k: failing(1, Lost), lambda x: x)
