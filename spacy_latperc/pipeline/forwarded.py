"""Attributes of a component that belong to one of its parts."""

from typing import Any

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


class saved_threshold(forwarded):
    """A threshold that is saved when it is assigned to a component.

    `cfg` has the value of the config and the assigned one, which holds as long as the
    config has the same value.
    """

    def _put(self, pipe: Any, value: Any) -> None:
        value = check_number("threshold", value, high=1.0)
        pipe.cfg["threshold"] = [self._configured(pipe), value]
        super()._put(pipe, value)

    def take_saved(self, pipe: Any) -> None:
        """Apply the threshold of a cfg that was just loaded."""
        configured = self._configured(pipe)
        saved, value = pipe.cfg.get("threshold", (configured, configured))
        if saved != configured:
            pipe.cfg.pop("threshold")
            value = configured
        super()._put(pipe, value)

    def _configured(self, pipe: Any) -> float:
        return vars(pipe).setdefault("_configured_threshold", self._get(pipe))
