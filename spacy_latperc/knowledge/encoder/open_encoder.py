"""An encoder at work: texts in, a vector for each token out.

A folder of an encoder has `encoder.onnx`, `tokenizer.json`, and `encoder.json` with its
form and the fingerprint of both.
"""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from ...errors import Errors

GRAPH, TOKENIZER, FORM = "encoder.onnx", "tokenizer.json", "encoder.json"
IDS, MASK, VECTORS = "input_ids", "attention_mask", "token_vectors"
INSTALL = "pip install 'spacy-latperc[encoder]'"
_BATCH = 512  # pieces in a call: more do not stay in the cache of a core
_SLOWER = ["SkipLayerNormFusion"]  # by a third of all time, in 1.31
_KEPT = 1 << 30  # bytes of encodings in training, from epoch to epoch
_SHARED = 64 << 20  # bytes of encodings that the components of a pipeline share

Vectors = NDArray[np.floating]


@contextmanager
def requirements() -> Iterator[None]:
    """Name the command that installs the packages of encoders if one is missing."""
    try:
        yield
    except ImportError as error:
        raise ImportError(Errors.LP683.format(install=INSTALL)) from error


def broken(where: object, problem: str) -> ValueError:
    """Return the error for an encoder that is not whole."""
    return ValueError(Errors.LP681.format(where=where, problem=problem))


@dataclass(frozen=True)
class Text:
    """A text to encode."""

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
    """The content of the three files of a folder."""

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
            raise broken(folder, f"{FORM}: {error}") from error
        return cls(*files, form).checked(str(folder))

    def checked(self, where: str) -> "EncoderFiles":
        """Check the form and the fingerprint; returns the same files."""
        wanted = {"width": int, "window": int, "fingerprint": str}
        wanted |= {"prefix": list, "suffix": list}
        form = self.form
        if not isinstance(form, dict) or not all(
            isinstance(form.get(name), kind) for name, kind in wanted.items()
        ):
            raise broken(where, f"{FORM} lacks {', '.join(wanted)}")
        if form["fingerprint"] != fingerprint(self.graph, self.tokenizer):
            raise broken(where, f"{GRAPH} or {TOKENIZER} is damaged")
        return self


def fingerprint(graph: bytes, tokenizer: bytes) -> str:
    """Return the fingerprint of an encoder."""
    return blake2b(graph + tokenizer, digest_size=16).hexdigest()


class OpenEncoder:
    """An encoder in memory; `where` is for messages."""

    def __init__(self, files: EncoderFiles, where: str):
        with requirements():
            from tokenizers import Tokenizer
        form = files.form
        self.width = int(form["width"])
        self._files, self._where = files, where
        self._prefix, self._suffix = form["prefix"], form["suffix"]
        self._room = int(form["window"]) - len(self._prefix) - len(self._suffix)
        try:
            self._tokenizer = Tokenizer.from_str(files.tokenizer.decode())
            self._tokenizer.no_truncation()
            self._tokenizer.no_padding()
        except Exception as error:  # the package raises nothing narrower
            raise broken(where, f"{TOKENIZER}: {error}") from error
        self._shared: dict[bytes, Vectors] = {}
        self._shared_bytes, self._most_shared = 0, _SHARED
        self._dtype: type[np.floating] = np.float32
        self._open()

    def keep(self, room: int = _KEPT) -> None:
        """Keep so many bytes of encodings from now on, in 16 bits, for training."""
        self._most_shared, self._dtype = max(room, _SHARED), np.float16

    def _open(self) -> None:
        """Open the graph; after a fork too, whose copy has no threads."""
        with requirements():
            import onnxruntime
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4
        try:
            # From bytes, so that it cannot name other files.
            self._session = onnxruntime.InferenceSession(
                self._files.graph,
                options,
                providers=["CPUExecutionProvider"],
                disabled_optimizers=_SLOWER,
            )
            inputs = {x.name for x in self._session.get_inputs()}
            names = {x.name for x in self._session.get_outputs()}
            if not {IDS, MASK} <= inputs or VECTORS not in names:
                raise ValueError(f"inputs {sorted(inputs)}, outputs {sorted(names)}")
        except Exception as error:  # the package raises nothing narrower
            raise broken(self._where, f"{GRAPH}: {error}") from error
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
                found[key] = rows.astype(self._dtype, copy=False)
                self._share(key, found[key])
        return [found[key] for key in keys]

    def _share(self, key: bytes, rows: Vectors) -> None:
        """Keep an encoding, in place of the oldest ones."""
        self._shared[key] = rows
        self._shared_bytes += rows.nbytes
        while self._shared_bytes > self._most_shared:
            self._shared_bytes -= self._shared.pop(next(iter(self._shared))).nbytes

    def _encode(self, texts: list[Text]) -> list[Vectors]:
        plain = [text.text for text in texts]
        if len(plain) == 1:  # a batch, even of one text, goes to other threads
            pieces = [self._tokenizer.encode(plain[0], add_special_tokens=False)]
        else:
            pieces = self._tokenizer.encode_batch(plain, add_special_tokens=False)
        starts = np.cumsum([0, *(len(x.ids) for x in pieces)])
        # The pieces of all texts, and a row of zeros.
        rows = np.zeros((starts[-1] + 1, self.width), dtype=np.float32)
        windows = []
        for number, n in enumerate(np.diff(starts).tolist()):
            firsts = _windows(n, self._room)
            # The middle of an overlap, where one window takes over from the last.
            cuts = [0, *((a + self._room + b) // 2 for a, b in pairwise(firsts))]
            length = min(n, self._room)
            windows += [(length, number, *x) for x in zip(firsts, cuts, strict=False)]
        windows.sort(key=lambda x: -x[0])  # those of a text remain in order
        done = 0
        while done < len(windows):
            batch = windows[done : done + max(_BATCH // windows[done][0], 1)]
            done += len(batch)
            ids = [pieces[k].ids[at : at + length] for length, k, at, _ in batch]
            for (length, k, at, cut), found in zip(batch, self._run(ids), strict=True):
                rows[starts[k] + cut : starts[k] + at + length] = found[cut - at :]
        return _of_tokens(texts, [x.offsets for x in pieces], rows)

    def _run(self, windows: list[list[int]]) -> list[NDArray[np.float32]]:
        """Return the vectors of the pieces of windows, from one call."""
        if self._process != os.getpid():
            self._open()
        rows = [[*self._prefix, *window, *self._suffix] for window in windows]
        ids = np.zeros((len(rows), max(map(len, rows))), dtype=np.int64)
        mask = np.zeros_like(ids)
        for number, row in enumerate(rows):
            ids[number, : len(row)] = row
            mask[number, : len(row)] = 1
        given = dict.fromkeys(self._others, np.zeros_like(ids))
        found = self._session.run([VECTORS], {**given, IDS: ids, MASK: mask})[0]
        first = len(self._prefix)
        pairs = zip(windows, found, strict=True)
        return [output[first : first + len(window)] for window, output in pairs]


def _of_tokens(
    texts: list[Text], offsets: list[list[tuple[int, int]]], rows: Vectors
) -> list[Vectors]:
    """Return the mean of the pieces that each token shares characters with."""
    # Characters are counted through all texts.
    places = np.cumsum([0, *(len(text.text) + 1 for text in texts)])[:-1]
    pairs = zip(places.tolist(), offsets, strict=True)
    spans = np.array([(k + a, k + b) for k, each in pairs for a, b in each], np.int64)
    spans = spans.reshape(-1, 2)
    sizes = [len(text.starts) for text in texts]
    shift = np.repeat(places, sizes)
    starts = np.concatenate([text.starts for text in texts]) + shift
    ends = np.concatenate([text.ends for text in texts]) + shift
    first = np.searchsorted(spans[:, 1], starts, side="right")
    last = np.searchsorted(spans[:, 0], ends, side="left")
    counts = last - first
    result = rows[np.where(counts > 0, first, -1)]
    for k in range(1, max(counts, default=0)):
        more = np.flatnonzero(counts > k)
        result[more] += rows[first[more] + k]
    result /= np.maximum(counts, 1)[:, None]
    return np.split(result, np.cumsum(sizes)[:-1])


def _windows(n: int, room: int) -> list[int]:
    """Return the first pieces of overlapping windows over n pieces."""
    if n <= room:
        return [0] if n else []
    return [*range(0, n - room, max(room // 2, 1)), n - room]


# Encoders that are open, by fingerprint: components share them.
_OPEN: WeakValueDictionary[str, OpenEncoder] = WeakValueDictionary()


def open_encoder(files: EncoderFiles, where: str) -> OpenEncoder:
    """Open an encoder, or return it if it is open."""
    key = files.form["fingerprint"]
    return _OPEN.get(key) or _OPEN.setdefault(key, OpenEncoder(files, where))
