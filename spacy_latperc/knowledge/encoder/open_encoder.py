"""An encoder at work: texts in, a vector for each token out.

A folder of an encoder has `encoder.onnx`, `tokenizer.json`, and `encoder.json` with its
form and the fingerprint of both.
"""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from ...errors import Errors
from .bert_graph import IDS, MASK, VECTORS

GRAPH, TOKENIZER, FORM = "encoder.onnx", "tokenizer.json", "encoder.json"
INSTALL = "pip install 'spacy-latperc[encoder]'"
_BATCH = 512  # pieces in a call: more do not stay in the cache of a core
_SHARED = 64 << 20  # bytes of encodings that the components of a pipeline share

Vectors = NDArray[np.float16]


@dataclass(frozen=True)
class Text:
    """A text to encode.

    Attributes:
        text: The text.
        starts: The first character of each token.
        ends: The character after its last one.
    """

    text: str
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]

    @property
    def key(self) -> bytes:
        """A fingerprint of the text and its tokens."""
        words = self.text.encode()
        return blake2b(words + self.ends.tobytes(), digest_size=16).digest()


@dataclass(frozen=True)
class EncoderFiles:
    """The content of a folder of an encoder.

    Attributes:
        graph: The graph, for onnxruntime.
        tokenizer: The tokenizer, in JSON.
        form: The content of `encoder.json`.
    """

    graph: bytes
    tokenizer: bytes
    form: dict[str, Any]

    @classmethod
    def read(cls, folder: Path) -> "EncoderFiles":
        """Read a folder, and check that it is whole."""
        try:
            form = json.loads((folder / FORM).read_bytes())
            files = (folder / GRAPH).read_bytes(), (folder / TOKENIZER).read_bytes()
        except FileNotFoundError as error:
            raise ValueError(Errors.LP682.format(path=folder)) from error
        except ValueError as error:
            problem = f"{FORM}: {error}"
            message = Errors.LP681.format(where=folder, problem=problem)
            raise ValueError(message) from error
        return cls(*files, form).checked(str(folder))

    def checked(self, where: str) -> "EncoderFiles":
        """Check the form and the fingerprint; returns the same files."""
        wanted = {"width": int, "window": int, "fingerprint": str}
        wanted |= {"prefix": list, "suffix": list}
        form = self.form
        if not isinstance(form, dict) or not all(
            isinstance(form.get(name), kind) for name, kind in wanted.items()
        ):
            problem = f"{FORM} lacks {', '.join(wanted)}"
            raise ValueError(Errors.LP681.format(where=where, problem=problem))
        if form["fingerprint"] != fingerprint(self.graph, self.tokenizer):
            problem = f"{GRAPH} or {TOKENIZER} is damaged"
            raise ValueError(Errors.LP681.format(where=where, problem=problem))
        return self


def fingerprint(graph: bytes, tokenizer: bytes) -> str:
    """Return the fingerprint of an encoder."""
    return blake2b(graph + tokenizer, digest_size=16).hexdigest()


class OpenEncoder:
    """An encoder in memory.

    Args:
        files: Its files.
        where: Their folder, for messages.
    """

    def __init__(self, files: EncoderFiles, where: str):
        try:
            from tokenizers import Tokenizer
        except ImportError as error:
            raise ImportError(Errors.LP683.format(install=INSTALL)) from error
        self.width = int(files.form["width"])
        self._files, self._where = files, where
        self._room = int(files.form["window"])
        self._prefix, self._suffix = files.form["prefix"], files.form["suffix"]
        self._room -= len(self._prefix) + len(self._suffix)
        try:
            self._tokenizer = Tokenizer.from_str(files.tokenizer.decode())
            self._tokenizer.no_truncation()
            self._tokenizer.no_padding()
        except Exception as error:  # the package raises nothing narrower
            problem = f"{TOKENIZER}: {error}"
            message = Errors.LP681.format(where=where, problem=problem)
            raise ValueError(message) from error
        self._process = 0
        self._shared: dict[bytes, Vectors] = {}
        self._shared_bytes = 0
        self._open()

    def _open(self) -> None:
        """Open the graph; after a fork too, whose copy has no threads."""
        try:
            import onnxruntime
        except ImportError as error:
            raise ImportError(Errors.LP683.format(install=INSTALL)) from error
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4
        try:
            # From bytes, so that it cannot name other files.
            self._session = onnxruntime.InferenceSession(
                self._files.graph, options, providers=["CPUExecutionProvider"]
            )
            inputs = {x.name for x in self._session.get_inputs()}
            names = {x.name for x in self._session.get_outputs()}
            if not {IDS, MASK} <= inputs or VECTORS not in names:
                raise ValueError(f"inputs {sorted(inputs)}, outputs {sorted(names)}")
        except Exception as error:  # the package raises nothing narrower
            problem = f"{GRAPH}: {error}"
            message = Errors.LP681.format(where=self._where, problem=problem)
            raise ValueError(message) from error
        self._others = inputs - {IDS, MASK}  # such as token types, all 0
        self._process = os.getpid()

    def encode(self, texts: Sequence[Text]) -> list[Vectors]:
        """Encode texts: an array [tokens, width] for each. Tokens without pieces, such
        as spaces, have zeros."""
        keys = [text.key for text in texts]
        found = {key: self._shared[key] for key in keys if key in self._shared}
        missing = {k: x for k, x in zip(keys, texts, strict=True) if k not in found}
        if missing:
            fresh = self._encode(list(missing.values()))
            for key, rows in zip(missing, fresh, strict=True):
                found[key] = rows
                self._share(key, rows)
        return [found[key] for key in keys]

    def _share(self, key: bytes, rows: Vectors) -> None:
        """Keep an encoding, in place of the oldest ones."""
        self._shared[key] = rows
        self._shared_bytes += rows.nbytes
        while self._shared_bytes > _SHARED:
            self._shared_bytes -= self._shared.pop(next(iter(self._shared))).nbytes

    def _encode(self, texts: list[Text]) -> list[Vectors]:
        plain = [text.text for text in texts]
        pieces = self._tokenizer.encode_batch(plain, add_special_tokens=False)
        windows = [
            (number, first)
            for number, found in enumerate(pieces)
            for first in _windows(len(found.ids), self._room)
        ]
        lengths = [min(self._room, len(pieces[k].ids) - at) for k, at in windows]
        vectors: list[Any] = [None] * len(windows)
        batch: list[int] = []
        for place in sorted(range(len(windows)), key=lambda k: -lengths[k]):
            if batch and (len(batch) + 1) * lengths[batch[0]] > _BATCH:
                self._run(batch, windows, pieces, vectors)
                batch = []
            batch.append(place)
        if batch:
            self._run(batch, windows, pieces, vectors)
        result = []
        place = 0
        for text, found in zip(texts, pieces, strict=True):
            n = len(found.ids)
            count = len(_windows(n, self._room))
            rows = _join(vectors[place : place + count], windows[place:], n, self._room)
            place += count
            result.append(self._of_tokens(text, found.offsets, rows))
        return result

    def _run(
        self,
        batch: list[int],
        windows: list[tuple[int, int]],
        pieces: Sequence[Any],
        vectors: list[Any],
    ) -> None:
        """Encode windows in one call."""
        if self._process != os.getpid():
            self._open()
        before, after = len(self._prefix), len(self._suffix)
        rows = [
            [*self._prefix, *pieces[k].ids[at : at + self._room], *self._suffix]
            for k, at in (windows[place] for place in batch)
        ]
        longest = max(map(len, rows))
        ids = np.zeros((len(rows), longest), dtype=np.int64)
        mask = np.zeros_like(ids)
        for number, row in enumerate(rows):
            ids[number, : len(row)] = row
            mask[number, : len(row)] = 1
        given = {
            IDS: ids,
            MASK: mask,
            **dict.fromkeys(self._others, np.zeros_like(ids)),
        }
        found = self._session.run([VECTORS], given)[0]
        for place, row, output in zip(batch, rows, found, strict=True):
            vectors[place] = output[before : len(row) - after]

    def _of_tokens(
        self, text: Text, offsets: list[tuple[int, int]], rows: NDArray[np.float32]
    ) -> Vectors:
        """Return the mean of the pieces that each token shares characters with."""
        result = np.zeros((len(text.starts), self.width), dtype=np.float32)
        if len(offsets):
            spans = np.array(offsets, dtype=np.int64)
            first = np.searchsorted(spans[:, 1], text.starts, side="right")
            last = np.searchsorted(spans[:, 0], text.ends, side="left")
            met = np.flatnonzero(last > first)
            bounds = np.column_stack([first[met], last[met]]).reshape(-1)
            padded = np.concatenate([rows, np.zeros_like(rows[:1])])
            if len(met):
                sums = np.add.reduceat(padded, bounds, axis=0)[::2]
                result[met] = sums / (last - first)[met, None]
        return result.astype(np.float16)


def _windows(n: int, room: int) -> list[int]:
    """Return the first pieces of overlapping windows over n pieces."""
    if n <= room:
        return [0] if n else []
    return [*range(0, n - room, max(room // 2, 1)), n - room]


def _join(
    parts: list[NDArray[np.float32]],
    windows: list[tuple[int, int]],
    n: int,
    room: int,
) -> NDArray[np.float32]:
    """Join the vectors of windows: of each piece those of the window in whose middle it
    is."""
    if len(parts) <= 1:
        return parts[0] if parts else np.zeros((0, 0), dtype=np.float32)
    firsts = [at for _, at in windows[: len(parts)]]
    cuts = [(a + room + b) // 2 for a, b in zip(firsts, firsts[1:], strict=False)]
    bounds = [0, *cuts, n]
    return np.concatenate(
        [
            part[low - at : high - at]
            for part, at, low, high in zip(
                parts, firsts, bounds[:-1], bounds[1:], strict=True
            )
        ]
    )


# Encoders that are open, by fingerprint: components share them.
_OPEN: WeakValueDictionary[str, OpenEncoder] = WeakValueDictionary()


def open_encoder(files: EncoderFiles, where: str) -> OpenEncoder:
    """Open an encoder, or return it if it is open."""
    key = files.form["fingerprint"]
    encoder = _OPEN.get(key)
    if encoder is None:
        _OPEN[key] = encoder = OpenEncoder(files, where)
    return encoder
