"""Attributes of a component that belong to one of its parts."""

from dataclasses import asdict
from typing import Any

from ..calibration import Calibration
from ..errors.check import check_number


class forwarded(property):
    """An attribute of a component that is one of its parts'.

    Args:
        part: The name of the part.
        meaning: What it says; its documentation.
        name: What the part calls it; by default the same.
    """

    def __init__(self, part: str, meaning: str, name: str = ""):
        super().__init__(self._get, self._put)
        self.__doc__ = meaning
        self.part = part
        self.name = name

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = self.name or name

    def _get(self, pipe: Any) -> Any:
        return getattr(getattr(pipe, self.part), self.name)

    def _put(self, pipe: Any, value: Any) -> None:
        setattr(getattr(pipe, self.part), self.name, value)


class saved_number(forwarded):
    """A number from `low` to `high` that is saved when it is assigned to a component.

    `cfg` has the number of the config and the assigned one, which holds as long as the
    config has the same number.
    """

    def __init__(self, part: str, meaning: str, low: float = 0.0, high: float = 1.0):
        super().__init__(part, meaning)
        self.low, self.high = low, high

    def _put(self, pipe: Any, value: Any) -> None:
        number = self._checked(value)
        pipe.cfg[self.name] = [self._configured(pipe), number]
        super()._put(pipe, number)

    def check(self, saved: Any) -> None:
        """Refuse anything but the number of a config and the one that replaced it."""
        if not isinstance(saved, list) or len(saved) != 2:
            raise ValueError("it must be two numbers")
        for number in saved:
            self._checked(number)

    def take_saved(self, pipe: Any) -> None:
        """Apply the number of a cfg that was just loaded."""
        configured = self._configured(pipe)
        saved, value = pipe.cfg.get(self.name, (configured, configured))
        super()._put(pipe, value)
        if saved != configured:
            self._put(pipe, configured)

    def _checked(self, value: Any) -> float:
        return check_number(self.name, value, low=self.low, high=self.high)

    def _configured(self, pipe: Any) -> float:
        return vars(pipe).setdefault(f"_configured_{self.name}", self._get(pipe))


def _calibration(pipe: Any) -> Calibration:
    return Calibration(**pipe.cfg.get("calibration", {}))


def _set_calibration(pipe: Any, value: Calibration) -> None:
    pipe.cfg["calibration"] = asdict(value)


saved_calibration = property(
    _calibration,
    _set_calibration,
    doc="The map from scores to probabilities; `spacy latperc calibrate` fits it.",
)
