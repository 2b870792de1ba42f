"""Actors of Ray that come back when they are lost."""

import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from ..errors import Errors

T = TypeVar("T")

MOST_LOSSES = 20  # of workers, in one training
_COME_BACK = 120.0  # seconds until a lost worker must be there again
_PAUSE = 0.2


class LostError(Exception):
    """What some workers had made is gone with them."""


class WorkerGroup:
    """Actors, each of which can be made to know all again that it knew.

    Args:
        ray: The module, connected.
        actors: The caller has begun them, and ends them.
        bring_back: Given the number of an actor that began anew, makes it know what it
            must.
    """

    def __init__(
        self, ray: Any, actors: Sequence[Any], bring_back: Callable[[int], Any]
    ):
        self._ray = ray
        self.actors = list(actors)
        self._bring_back = bring_back
        self.losses = 0

    def __len__(self) -> int:
        return len(self.actors)

    @property
    def _lost(self) -> tuple[type[BaseException], ...]:
        errors = self._ray.exceptions
        return (errors.RayActorError, errors.WorkerCrashedError)

    @property
    def _gone(self) -> tuple[type[BaseException], ...]:
        errors = self._ray.exceptions
        return (errors.ObjectLostError, errors.OwnerDiedError)

    def ask(self, call: Callable[[int], T], answer: Callable[[T], Any]) -> list[T]:
        """Ask all actors at the same time. One that is lost is asked again.

        Args:
            call: Asks the actor of a number; gives references.
            answer: Of these, the one to wait for.

        Returns:
            What `call` gave for each.

        Raises:
            LostError: What they were to work with is gone.
        """
        asked = [self._try(call, k) for k in range(len(self.actors))]
        for k in range(len(asked)):
            while True:
                found = asked[k]
                if found is not None:
                    try:
                        self._ray.get(answer(found))
                        break
                    except self._gone as error:
                        raise LostError from error
                    except self._lost as error:
                        self.come_back(k, error)
                else:
                    self.come_back(k, None)
                asked[k] = self._try(call, k)
        return [found for found in asked if found is not None]

    def _try(self, call: Callable[[int], T], k: int) -> T | None:
        try:
            return call(k)
        except self._lost:
            return None

    def come_back(self, k: int, error: BaseException | None) -> None:
        """Wait for a lost actor, which Ray begins anew, and make it know all again.

        Raises:
            ConnectionError: It does not come back, or they are lost again and again.
        """
        self.losses += 1
        if self.losses > MOST_LOSSES:
            raise ConnectionError(Errors.LP844.format(error=_line(error))) from error
        end = time.monotonic() + _COME_BACK
        while True:
            try:
                self._ray.get(self._bring_back(k))
                return
            except self._lost as again:
                if time.monotonic() > end:
                    message = Errors.LP844.format(error=_line(again))
                    raise ConnectionError(message) from again
                time.sleep(_PAUSE)


def _line(error: BaseException | None) -> str:
    return " ".join(str(error).split())[:300] if error else "it ended"


def cause_of(error: BaseException) -> str:
    """What went wrong in an actor, in one line."""
    cause = getattr(error, "cause", None) or error
    said = " ".join(str(cause).split())
    return said or type(cause).__name__
