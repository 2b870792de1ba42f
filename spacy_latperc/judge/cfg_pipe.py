"""A component without a model: `cfg` has all that was fitted to held-out data."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import srsly
from spacy.tokens import Doc
from spacy.util import SimpleFrozenList, minibatch

from ..grammaticality.annotations import EXTENSIONS, SentencePredictions
from ..grammaticality.classifier import SentenceScores
from ..grammaticality.sentence_pipe import SentencePipe
from ..io.component_folder import CFG, MODEL, parse_cfg, read_component, whole_component
from ..pipeline.extensions import register_extensions
from ..pipeline.forwarded import saved_calibration
from ..pipeline.saved import check_calibration, read_cfg, unpack_parts
from .sentence_features import Bounds, Floats

Self = TypeVar("Self", bound="CfgPipe")


class CfgPipe(SentencePipe):
    """A component whose only file is `cfg`. A load that is refused changes nothing."""

    calibration = saved_calibration

    def __init__(self, name: str, scorer: Callable | None):
        self.name = name
        self.scorer = scorer
        self.cfg: dict[str, Any] = {}
        register_extensions(EXTENSIONS)

    def __call__(self, doc: Doc) -> Doc:
        """Annotate one Doc."""
        return next(iter(self.pipe([doc])))

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Annotate a stream of Docs in batches."""
        handle_error = self.get_error_handler()
        for docs in minibatch(stream, size=batch_size):
            try:
                self.set_annotations(docs, self.predict(docs))
                yield from docs
            except Exception as error:
                handle_error(self.name, self, docs, error)

    # Saving ---------------------------------------------------------------------------

    def _cfg_checks(self) -> Mapping[str, Callable[[Any], object]]:
        """Return a check for each entry of a cfg file."""
        return {"calibration": check_calibration}

    def _loaded(self) -> None:
        """Called after cfg was replaced."""
        raise NotImplementedError

    def to_disk(
        self, path: str | Path, *, exclude: Iterable[str] = SimpleFrozenList()
    ) -> None:
        """See SavedPipe."""
        with whole_component(Path(path)) as fresh:
            (fresh / CFG).write_text(json.dumps(self.cfg), encoding="utf-8")

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


def predictions(
    scores: Floats, docs: Bounds, bounds: Bounds, per_doc: Bounds, versions: Any = None
) -> SentencePredictions:
    """Return the scores of sentences of Docs, without those of their words."""
    tokens = np.zeros((0, int(docs[-1])), dtype=np.int32)
    rows = np.zeros((0, len(scores)))
    found = SentenceScores(scores, rows, tokens, bounds, per_doc)
    return SentencePredictions(docs, found, versions=versions)
