"""Saving and loading of components; a load that fails changes nothing."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import srsly
from spacy.pipeline import TrainablePipe
from spacy.util import SimpleFrozenList

from ..errors import Errors
from ..io.component_folder import (
    CFG,
    MODEL,
    parse_cfg,
    read_component,
    whole_component,
)
from ..model import set_learner
from .saved import OPTIONAL, Check, check_fit, read_cfg, unpack_parts


class SavedPipe(TrainablePipe):
    """A component whose files are `cfg` (what was learned, and what that is tied to)
    and `model` (see saved.py)."""

    @property
    def learner(self) -> Any:
        """The learner inside the model."""
        return self.model.shims[0].learner

    def _cfg_checks(self) -> dict[str, Check]:
        """Return a check for each entry of a cfg file."""
        raise NotImplementedError

    def _check_weights(self, cfg: dict[str, Any], learner: Any, where: str) -> None:
        """Raise an error if weights have other labels than cfg."""
        check_fit(self.name, where, cfg["labels"], learner.labels)

    def _loaded(self) -> None:
        """Called after cfg and weights were replaced."""

    def to_disk(
        self, path: str | Path, *, exclude: Iterable[str] = SimpleFrozenList()
    ) -> None:
        """Save to a folder, which changes in one step."""
        with whole_component(Path(path)) as fresh:
            super().to_disk(fresh, exclude=exclude)
            if (fresh / CFG).is_file():
                (fresh / CFG).write_text(self._exact_cfg(), encoding="utf-8")

    def to_bytes(self, *, exclude: Iterable[str] = SimpleFrozenList()) -> bytes:
        """Serialize the component to bytes.

        Args:
            exclude: Of "cfg", "vocab" and "model", what is left out.
        """
        parts = srsly.msgpack_loads(super().to_bytes(exclude=exclude))
        if CFG in parts:
            parts[CFG] = self._exact_cfg()
        return srsly.msgpack_dumps(parts)

    def _exact_cfg(self) -> str:
        """Return cfg as JSON with all decimals; spaCy writes ten, too few for a
        calibration."""
        return json.dumps(self.cfg, indent=2)

    def from_disk(
        self, path: str | Path, *, exclude: Iterable[str] = SimpleFrozenList()
    ) -> "SavedPipe":
        """Load from a folder. A load that fails changes nothing.

        Raises:
            ValueError: A file is missing or damaged, or they are of two saves, or do
                not go with the settings of this component.
        """
        folder, exclude = Path(path), list(exclude)
        cfg, model = read_component(self.name, folder, exclude=exclude)
        vocab = None
        if "vocab" not in exclude:

            def vocab() -> None:
                self.vocab.from_disk(folder / "vocab", exclude=exclude)

        self._load(cfg, model, lambda part: str(folder / part), vocab)
        return self

    def from_bytes(
        self, bytes_data: bytes, *, exclude: Iterable[str] = SimpleFrozenList()
    ) -> "SavedPipe":
        """Load a component from bytes. A load that fails changes nothing.

        Raises:
            ValueError: The bytes are damaged, or of two saves, or do not go with the
                settings of this component.
        """
        exclude = list(exclude)
        parts = unpack_parts(bytes_data, name=self.name)
        parts = {part: data for part, data in parts.items() if part not in exclude}
        cfg = None
        if CFG in parts:
            cfg = parse_cfg(self.name, "The part 'cfg' of the bytes", parts[CFG])
        vocab = None
        if "vocab" in parts:

            def vocab() -> None:
                self.vocab.from_bytes(parts["vocab"], exclude=exclude)

        self._load(cfg, parts.get(MODEL), "The part '{}' of the bytes".format, vocab)
        return self

    def _unreadable(self, path: str, error: Exception) -> ValueError:
        place, problem = {"name": self.name, "path": path}, f"cannot be read: {error}"
        return ValueError(Errors.LP563.format(**place, problem=problem))

    def _load(
        self,
        saved: dict[str, Any] | None,
        model: bytes | None,
        place: Callable[[str], str],
        vocab: Callable[[], None] | None,
    ) -> None:
        """Check that all parts belong together, then use them."""
        cfg, learner = self.cfg, self.learner
        if saved is not None:
            cfg = self._read_cfg(saved, place(CFG))
        if model is not None:
            try:
                learner = self.model.read_learner(model)
            except ValueError as error:
                raise self._unreadable(place(MODEL), error) from error
        if saved is not None or model is not None:
            self._check_weights(cfg, learner, place(CFG))
        if vocab is not None:
            try:
                vocab()
            except Exception as error:
                raise self._unreadable(place("vocab"), error) from error
        # In place: parts of the component hold the same one.
        kept = dict(cfg)
        self.cfg.clear()
        self.cfg.update(kept)
        if model is not None and self.model.layers:
            self.model.from_bytes(model)  # the weights of an encoder, too
        elif learner is not self.learner:
            set_learner(self.model, learner)
        self._loaded()

    def _read_cfg(self, saved: dict[str, Any], where: str) -> dict[str, Any]:
        """Return the entries of a cfg file, if it agrees with the settings that weights
        depend on."""
        learned = ("labels", *OPTIONAL)
        tied = {key: value for key, value in self.cfg.items() if key not in learned}
        return read_cfg(saved, self._cfg_checks(), tied, name=self.name, where=where)
