"""Saving of a component that has no model: `cfg` has all that was fitted."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import srsly
from spacy.util import SimpleFrozenList

from ..grammaticality.sentence_pipe import SentencePipe
from ..io.component_folder import CFG, MODEL, parse_cfg, read_component, whole_component
from ..pipeline.saved import Check, read_cfg, unpack_parts

Self = TypeVar("Self", bound="CfgPipe")


class CfgPipe(SentencePipe):
    """A component whose only file is `cfg`. A load that is refused changes nothing."""

    def _cfg_checks(self) -> Mapping[str, Check]:
        """Return a check for each entry of a cfg file."""
        raise NotImplementedError

    def _loaded(self) -> None:
        """Called after cfg was replaced."""
        raise NotImplementedError

    def to_disk(
        self, path: str | Path, *, exclude: Iterable[str] = SimpleFrozenList()
    ) -> None:
        """See SavedPipe."""
        with whole_component(Path(path)) as fresh:
            text = json.dumps(self.cfg, indent=2)
            (fresh / CFG).write_text(text, encoding="utf-8")

    def to_bytes(self, *, exclude: Iterable[str] = SimpleFrozenList()) -> bytes:
        """See SavedPipe."""
        return srsly.msgpack_dumps({CFG: json.dumps(self.cfg)})

    def from_disk(
        self: Self, path: str | Path, *, exclude: Iterable[str] = SimpleFrozenList()
    ) -> Self:
        """See SavedPipe."""
        saved, _ = read_component(self.name, Path(path), exclude=[MODEL])
        return self._take(saved or {}, str(Path(path) / CFG))

    def from_bytes(
        self: Self, bytes_data: bytes, *, exclude: Iterable[str] = SimpleFrozenList()
    ) -> Self:
        """See SavedPipe."""
        where = "The part 'cfg' of the bytes"
        parts = unpack_parts(bytes_data, name=self.name)
        return self._take(parse_cfg(self.name, where, parts[CFG]), where)

    def _take(self: Self, saved: dict[str, Any], where: str) -> Self:
        checks = self._cfg_checks()
        self.cfg = read_cfg(saved, checks, {}, name=self.name, where=where)
        self._loaded()
        return self
